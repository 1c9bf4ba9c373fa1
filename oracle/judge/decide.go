package judge

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"sort"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"

	"pvctl.dev/oracle/line"
)

// Decide fills in the decisions of one sync, for every volume and claim of the line's world and for every case of the
// line. If other controllers take part, it also fills in their decisions for the objects that they sync.
func (j *Judge) Decide(l *line.Line, who Controllers) error {
	if err := j.load(l); err != nil {
		return err
	}
	each := func(objects []line.Object, protection bool) []line.Case {
		answers := make([]line.Case, 0, len(objects))
		for _, object := range objects {
			answer := line.Case{Object: object, Protection: protection}
			j.answer(&answer)
			answers = append(answers, answer)
		}
		return answers
	}
	l.Decisions, l.Protections, l.Ephemerals = each(j.world.objects, false), nil, nil
	who = who.in(j.world)
	if who >= Protection {
		l.Protections = each(j.world.objects, true)
	}
	if who == All {
		l.Ephemerals = each(j.world.podObjects(), false)
	}
	for number := range l.Cases {
		if err := j.answerCase(&l.Cases[number]); err != nil {
			return fmt.Errorf("case %d: %w", number, err)
		}
	}
	return nil
}

// answerCase answers a case whose caches may differ from the API's objects.
func (j *Judge) answerCase(c *line.Case) error {
	if err := known(c); err != nil {
		return err
	}
	if len(c.Cached) == 0 {
		j.answer(c)
	} else {
		seen, own, err := j.copies(c)
		if err != nil {
			return err
		}
		j.answerWith(c, seen, own)
	}
	if c.Recycler != nil && !slices.Contains(c.Notes, "recycle") {
		return errors.New("it says how a recycler's pod ends, but no recycler starts a pod")
	}
	return nil
}

// ends are the possible ends of a recycler's pod.
var ends = []string{"succeeded", "failed", "deleted", "refused", "inTheWay", "kept"}

// known returns an error if no controller syncs the object of the case, if a request fails for a reason that the format
// does not know, or if the recycler's pod ends in a way that the format does not know.
func known(c *line.Case) error {
	if c.Protection && c.Object.Kind == podKind {
		return errors.New("no protection controller syncs a pod")
	}
	var reasons []string
	if c.Refuse != nil {
		reasons = append(reasons, c.Refuse.Reason)
	}
	if c.FailRead != nil {
		reasons = append(reasons, c.FailRead.Reason)
	}
	for _, reason := range reasons {
		if !slices.Contains([]string{"Conflict", "NotFound", "InternalError"}, reason) {
			return fmt.Errorf("no request of a case fails with the reason %q", reason)
		}
	}
	if c.Recycler != nil && !slices.Contains(ends, c.Recycler.Pod) {
		return fmt.Errorf("the pod of a recycler cannot be %q", c.Recycler.Pod)
	}
	return nil
}

// copies returns two worlds for a case: one with the informers' copies, and one with the copies in the binder's own
// stores.
func (j *Judge) copies(c *line.Case) (seen, own *world, err error) {
	seen, own = &world{}, &world{}
	*seen, *own = *j.world, *j.world
	seen.volumes, own.volumes = slices.Clone(j.world.volumes), slices.Clone(j.world.volumes)
	seen.claims, own.claims = slices.Clone(j.world.claims), slices.Clone(j.world.claims)
	seen.pods, own.pods = slices.Clone(j.world.pods), slices.Clone(j.world.pods)
	for _, cached := range c.Cached {
		if cached.Object.Kind == podKind && (cached.As == "informerOnly" || cached.As == "deleted") {
			return nil, nil, fmt.Errorf("a pod cannot be cached as %q", cached.As)
		}
		switch cached.As {
		case "unseen":
			seen.drop(cached.Object)
			own.drop(cached.Object)
		case "informerOnly":
			own.drop(cached.Object)
		case "deleted":
			if slices.Contains(j.world.objects, cached.Object) {
				return nil, nil, fmt.Errorf("%v exists and cannot be cached as %q", cached.Object, cached.As)
			}
			if err := own.add(cached.Copy); err != nil {
				return nil, nil, err
			}
		case "stale":
			seen.drop(cached.Object)
			own.drop(cached.Object)
			if err := seen.add(cached.Copy); err != nil {
				return nil, nil, err
			}
			switch cached.Object.Kind {
			case "PersistentVolume":
				own.volumes = append(own.volumes, seen.volumes[len(seen.volumes)-1])
			case "PersistentVolumeClaim":
				own.claims = append(own.claims, seen.claims[len(seen.claims)-1])
			}
		default:
			return nil, nil, fmt.Errorf("cached as %q is unknown", cached.As)
		}
	}
	return seen, own, nil
}

// answerWith answers a case. The informers have the objects of seen, and the binder's own stores have the objects of
// own.
func (j *Judge) answerWith(c *line.Case, seen, own *world) {
	actual := j.world
	defer func() {
		j.world, j.cached = actual, false
		j.reset()
		replace(j.pods, actual.pods)
	}()
	j.cache(seen.volumes, seen.claims)
	replace(j.pods, seen.pods)
	j.world = own // reset copies this world into the binder's own stores
	j.cached = true
	j.ownVolumes.dirty, j.ownClaims.dirty = true, true
	j.answer(c)
}

// drop removes an object from the world.
func (w *world) drop(object line.Object) {
	switch object.Kind {
	case "PersistentVolume":
		w.volumes = slices.DeleteFunc(w.volumes, func(v *v1.PersistentVolume) bool { return v.Name == object.Name })
	case podKind:
		w.pods = slices.DeleteFunc(w.pods, func(p *v1.Pod) bool {
			return p.Name == object.Name && p.Namespace == object.Namespace
		})
	default:
		w.claims = slices.DeleteFunc(w.claims, func(c *v1.PersistentVolumeClaim) bool {
			return c.Name == object.Name && c.Namespace == object.Namespace
		})
	}
}

// answer fills in the answers of a case. It syncs the object once for each order of the volumes that can matter.
func (j *Judge) answer(c *line.Case) {
	answers := map[string]line.Decision{}
	c.Runs, c.Notes = 0, nil
	var notes []string
	run := func(first *v1.PersistentVolume) {
		j.reset()
		j.ownVolumes.first, j.ownVolumes.tied = first, false
		t := newTrace()
		t.refuse, t.failRead, t.recycler = c.Refuse, c.FailRead, c.Recycler
		j.api.trace = t
		j.operations.running, j.operations.backingOff = set(c.Running), set(c.BackingOff)
		j.enqueued = nil
		j.log.clear()
		if slices.ContainsFunc(c.Cached, func(cached line.Cached) bool { return cached.As == "deleted" }) {
			j.enqueued = func(kind, key string) {
				namespace, name, err := cache.SplitMetaNamespaceKey(key)
				must(err)
				t.decision.Enqueues = append(t.decision.Enqueues, line.Object{Kind: kind, Namespace: namespace, Name: name})
			}
		}
		controller := binder
		switch {
		case c.Object.Kind == podKind:
			controller = ephemerals
		case c.Protection:
			controller = protection
		}
		if err := j.do(work{controller, c.Object.Kind, key(c.Object)}); err != nil {
			t.decision.Error = err.Error()
		}
		t.decision.Logs = j.log.taken()
		j.api.trace, j.enqueued = nil, nil
		c.Runs++
		answers[string(encode(t.decision))] = t.decision
		for note := range t.notes {
			if !slices.Contains(notes, note) {
				notes = append(notes, note)
			}
		}
	}
	run(nil)
	if j.ended != nil {
		j.ended()
	}
	if j.ownVolumes.tied {
		for _, volume := range j.world.volumes {
			run(volume)
		}
	}
	j.ownVolumes.first = nil
	texts := make([]string, 0, len(answers))
	for text := range answers {
		texts = append(texts, text)
	}
	sort.Slice(texts, func(a, b int) bool { return bytes.Compare([]byte(texts[a]), []byte(texts[b])) < 0 })
	c.Answers = make([]line.Decision, 0, len(texts))
	for _, text := range texts {
		c.Answers = append(c.Answers, answers[text])
	}
	sort.Strings(notes)
	c.Notes = notes
}

func set(names []string) map[string]bool {
	result := map[string]bool{}
	for _, name := range names {
		result[name] = true
	}
	return result
}
