package attaching

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"pvctl.dev/oracle/line"
)

const (
	// observed is how long a run with choices is observed at its end.
	observed = 5 * time.Minute
	// observation is the time between two observations. It is no multiple of the period of the loops.
	observation = 1730 * time.Millisecond
	// mostChoices is the largest number of runs with different choices.
	mostChoices = 600
	// repeated is how often each run is repeated, because the controller takes volumes and nodes from Go's maps.
	repeated = 3
)

// ways are the ways in which a job of an attacher can go: it fails, it never begins, it ends at once, or it takes
// longer than the controller waits.
var ways = []line.Attacher{
	{Attach: soon, Detach: soon, AttachError: "it failed", DetachError: "it failed"},
	{Absent: true},
	{Attach: soon, Detach: soon},
	{Attach: late, Detach: late},
}

const (
	// The moments of an attacher never coincide with those of a loop or of the script.
	soon = int64(1037 * time.Microsecond)
	late = int64(130*time.Second + 37*time.Microsecond)
)

// task is a job of an attacher, with the same name in each run.
type task struct {
	attachment string
	detach     bool
	// number counts the VolumeAttachments that have had this name.
	number int
}

// choices say how the jobs of a run go. A job that they do not know goes the first way.
type choices struct {
	way map[task]int
	// seen are the jobs in the order in which they began.
	seen []task
	// uids are the uids of the VolumeAttachments with each name.
	uids map[string][]string
}

// next returns what the attacher does with a VolumeAttachment.
func (c *choices) next(seen *storagev1.VolumeAttachment, detach bool) line.Attacher {
	uid := string(seen.UID)
	if !slices.Contains(c.uids[seen.Name], uid) {
		c.uids[seen.Name] = append(c.uids[seen.Name], uid)
	}
	next := task{attachment: seen.Name, detach: detach, number: slices.Index(c.uids[seen.Name], uid)}
	c.seen = append(c.seen, next)
	way := ways[c.way[next]]
	way.Driver = seen.Spec.Attacher
	return way
}

// following returns the choices after these ones, which have been used in a run, or nil if there are none.
func (c *choices) following() *choices {
	fixed := slices.Clone(c.seen)
	for len(fixed) > 0 {
		last := fixed[len(fixed)-1]
		fixed = fixed[:len(fixed)-1]
		if slices.Contains(fixed, last) || c.way[last] == len(ways)-1 {
			continue // A job that begins again goes as before.
		}
		way := map[task]int{last: c.way[last] + 1}
		for _, each := range fixed {
			way[each] = c.way[each]
		}
		return &choices{way: way}
	}
	return nil
}

// end is the JSON form of the VolumeAttachments and the nodes at the end of a run.
type end string

// everyEnd runs the controller under all choices of the attachers. It returns nil if there are too many choices, or if
// a run does not settle.
func everyEnd(l *line.Line) ([][]json.RawMessage, error) {
	found := map[end]bool{}
	runs := 0
	for now := (&choices{way: map[task]int{}}); now != nil; now = now.following() {
		if runs++; runs > mostChoices {
			return nil, nil
		}
		for range repeated {
			now.seen, now.uids = nil, map[string][]string{}
			var done *history
			var err error
			inBubble(func() { done, err = simulate(l, now) })
			if err != nil {
				return nil, err
			}
			if len(done.ends) != 1 {
				return nil, nil
			}
			found[done.ends[0]] = true
		}
	}
	var all [][]json.RawMessage
	for _, each := range slices.Sorted(maps.Keys(found)) {
		var items []json.RawMessage
		if err := json.Unmarshal([]byte(each), &items); err != nil {
			return nil, err
		}
		all = append(all, items)
	}
	return all, nil
}

// observe returns the different states of the objects until a moment.
func (s *server) observe(until time.Time) []end {
	var all []end
	for time.Until(until) > observation {
		settled()
		if now := s.end(); !slices.Contains(all, now) {
			all = append(all, now)
		}
		time.Sleep(observation)
	}
	return all
}

// end returns the VolumeAttachments and the nodes as they are now.
func (s *server) end() end {
	s.lock.Lock()
	defer s.lock.Unlock()
	items := []json.RawMessage{}
	attachments, nodes := s.tables[attachmentKind], s.tables[nodeKind]
	for _, name := range slices.Sorted(maps.Keys(attachments.objects)) {
		was := attachments.objects[name].(*storagev1.VolumeAttachment)
		reduced := &storagev1.VolumeAttachment{Spec: was.Spec, Status: storagev1.VolumeAttachmentStatus{
			Attached: was.Status.Attached, AttachError: reason(was.Status.AttachError), DetachError: reason(was.Status.DetachError),
		}}
		reduced.Name = name
		if was.DeletionTimestamp != nil {
			reduced.DeletionTimestamp = &metav1.Time{Time: time.Unix(0, 0).UTC()}
		}
		items = append(items, attachments.text(reduced))
	}
	for _, name := range slices.Sorted(maps.Keys(nodes.objects)) {
		reduced := &v1.Node{}
		reduced.Name = name
		for _, volume := range nodes.objects[name].(*v1.Node).Status.VolumesAttached {
			reduced.Status.VolumesAttached = append(reduced.Status.VolumesAttached, v1.AttachedVolume{Name: volume.Name})
		}
		slices.SortFunc(reduced.Status.VolumesAttached, func(a, b v1.AttachedVolume) int {
			return cmp.Compare(a.Name, b.Name)
		})
		items = append(items, nodes.text(reduced))
	}
	return end(encoded(items))
}

// reason returns an error without its time and message.
func reason(was *storagev1.VolumeError) *storagev1.VolumeError {
	if was == nil {
		return nil
	}
	return &storagev1.VolumeError{}
}
