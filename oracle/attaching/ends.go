package attaching

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
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
	// mostChoices is the largest number of choices.
	mostChoices = 60
	// repeated is how often each run is repeated, because the controller takes volumes and nodes from Go's maps. An end
	// that depends on which of two nodes comes first is missed with a probability of 1 to 4096.
	repeated = 12
)

// ways lists what can happen to a job of an attacher: it fails for good, it never begins, it ends at once, or it takes
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

// choices say what happens to the jobs of a run. A job without an entry in way uses the first of ways.
type choices struct {
	way map[task]int
	// seen are the jobs that began in a run.
	seen []task
	// uids are the uids of the VolumeAttachments with each name.
	uids map[string][]string
}

// next returns what happens to the job of an attacher with a VolumeAttachment. A job that begins again uses the same
// entry of way.
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

// key returns a text that is the same for equal choices.
func (c *choices) key() string {
	var all []string
	for each, way := range c.way {
		all = append(all, fmt.Sprintf("%s %t %d: %d", each.attachment, each.detach, each.number, way))
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

// others returns the choices that differ in one job that began in a run and that has no entry yet.
func (c *choices) others() []*choices {
	var all []*choices
	for _, each := range c.seen {
		if _, found := c.way[each]; found {
			continue
		}
		for way := 1; way < len(ways); way++ {
			other := maps.Clone(c.way)
			other[each] = way
			all = append(all, &choices{way: other})
		}
	}
	return all
}

// each calls run with all choices. A run with the same choices can have its jobs in another order, or other jobs, so each
// run is repeated. It returns false if there are too many choices.
func each(run func(*choices) error) (bool, error) {
	open := []*choices{{way: map[task]int{}}}
	known := map[string]bool{open[0].key(): true}
	for len(open) > 0 {
		now := open[len(open)-1]
		open = open[:len(open)-1]
		for range repeated {
			now.seen, now.uids = nil, map[string][]string{}
			if err := run(now); err != nil {
				return true, err
			}
			for _, other := range now.others() {
				if key := other.key(); !known[key] {
					known[key] = true
					open = append(open, other)
				}
			}
			if len(known) > mostChoices {
				return false, nil
			}
		}
	}
	return true, nil
}

// end is the JSON form of the VolumeAttachments and the nodes at the end of a run.
type end string

// errUnsettled says that a run does not settle.
var errUnsettled = errors.New("a run does not settle")

// everyEnd runs the controller under all choices of the attachers. If there are no ends, it returns the reason.
func everyEnd(l *line.Line) ([][]json.RawMessage, string, error) {
	found := map[end]bool{}
	few, err := each(func(now *choices) error {
		var done *history
		var err error
		inBubble(func() { done, err = simulate(l, now, false) })
		if err == nil && len(done.ends) != 1 {
			err = errUnsettled
		}
		if err == nil {
			found[done.ends[0]] = true
		}
		return err
	})
	switch {
	case errors.Is(err, errUnsettled):
		return nil, errUnsettled.Error(), nil
	case err != nil:
		return nil, "", err
	case !few:
		return nil, "there are too many choices", nil
	}
	var all [][]json.RawMessage
	for _, text := range slices.Sorted(maps.Keys(found)) {
		var items []json.RawMessage
		if err := json.Unmarshal([]byte(text), &items); err != nil {
			return nil, "", err
		}
		all = append(all, items)
	}
	return all, "", nil
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
