package judge

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"

	"pvctl.dev/oracle/line"
)

// SchedulerName is the name of kube-scheduler among the controllers of a line.
const SchedulerName = "scheduler"

// PodScheduler is kube-scheduler as a schedule drives it: one sync of one pod after the other. A sync of a pod without
// a reservation is one scheduling cycle and the writes of PreBind. A sync of a pod with a reservation is one check of
// its bindings.
type PodScheduler interface {
	// Load makes the objects of a world the content of all caches. Requests go to the client.
	Load(list line.List, client kubernetes.Interface) error
	// Restore forgets everything since Load.
	Restore() error
	// Inform passes a change of a volume or a claim to the caches.
	Inform(before, after runtime.Object)
	// Pods returns the pods that have ends: those that need a node, and those that have a node and use claims.
	Pods() []line.Object
	// Sync syncs one pod. It returns the node if the pod is bound to one, and whether a reservation was made or
	// dropped. Any order of the volumes and any node that fits can be chosen.
	Sync(pod line.Object, random *rand.Rand) (node string, remembered bool, err error)
	// Reserved returns the pods with a reservation, and for each a text that identifies the reservation.
	Reserved() map[line.Object]string
	// GiveUp ends the wait for the volumes of a pod with a reservation, as the time limit of PreBind does.
	GiveUp(pod line.Object)
	// Places returns where a pod can be said to be. There are several if the order of the volumes or a node is open.
	Places(pod line.Object) ([]Place, error)
}

// Place is the end state of a pod.
type Place struct {
	// Message is the message of the condition PodScheduled, without what PostFilter adds.
	Message string `json:"message,omitempty"`
	Node    string `json:"node,omitempty"`
	// Unschedulable says that the scheduler finds no node, or does not search one.
	Unschedulable bool `json:"unschedulable,omitempty"`
	// WaitsForVolumesOn is the node that was chosen for the pod, while its volumes are not bound.
	WaitsForVolumesOn string `json:"waitsForVolumesOn,omitempty"`
}

// mostPlaces is the largest number of joint ends of one state.
const mostPlaces = 64

// beginPods restores the pods of the world. With a scheduler, pods change during a schedule.
func (s *schedule) beginPods() {
	if s.judge.Pods == nil {
		return
	}
	s.scheduler = s.judge.Pods
	must(s.scheduler.Restore())
	s.judge.api.pods = slices.Clone(s.judge.world.pods)
	replace(s.judge.pods, s.judge.world.pods)
	s.pods, s.idle, s.texts = map[string]line.Object{}, map[work]int{}, map[runtime.Object]string{}
	for _, pod := range s.scheduler.Pods() {
		s.pods[key(pod)] = pod
	}
}

// enqueuePods enqueues all pods for the scheduler.
func (s *schedule) enqueuePods() {
	for _, key := range slices.Sorted(maps.Keys(s.pods)) {
		if key != s.held {
			s.enqueue(work{scheduling, podKind, key})
		}
	}
}

// schedulePod syncs a pod by the scheduler. If the pod is bound to a node, all see it at once.
func (s *schedule) schedulePod(key string) {
	node, remembered, err := s.scheduler.Sync(s.pods[key], s.random)
	must(err)
	if remembered {
		s.moved = true
		s.changes++
	}
	if node == "" {
		return
	}
	s.moved = true
	s.changes++
	for place, pod := range s.judge.api.pods {
		if pod.Namespace+"/"+pod.Name == key {
			bound := pod.DeepCopy()
			bound.Spec.NodeName = node
			s.judge.api.pods[place] = bound
			must(s.judge.pods.Update(bound))
		}
	}
	s.enqueuePods()
}

// idles returns whether a sync of the item is known to change nothing in the present state. All that a sync depends on
// is in the state, and a pod that finds no node tries every order of the volumes.
func (s *schedule) idles(item work) bool {
	if s.walk != nil {
		return s.walk.idle[s.walk.at][item]
	}
	since, known := s.idle[item]
	return known && since == s.changes
}

// isIdle records that a sync of the item has changed nothing in the present state.
func (s *schedule) isIdle(item work) {
	if s.walk != nil {
		s.walk.idle[s.walk.at][item] = true
		return
	}
	s.idle[item] = s.changes
}

// walk is the part of the graph of all states that a schedule has visited.
type walk struct {
	numbers map[string]int
	// shown is what the API server has in each state. It does not contain the reservations.
	shown []string
	ends  [][][]end
	next  []map[int]bool
	// idle are the syncs that change nothing in a state.
	idle []map[work]bool
	at   int
}

// visit adds the present state.
func (w *walk) visit(s *schedule) (fresh bool) {
	shown := s.shown()
	name := shown
	reserved := s.scheduler.Reserved()
	for _, key := range slices.Sorted(maps.Keys(s.pods)) {
		name += "\n" + reserved[s.pods[key]]
	}
	number, known := w.numbers[name]
	if !known {
		number = len(w.shown)
		w.numbers[name] = number
		w.shown, w.ends = append(w.shown, shown), append(w.ends, s.joints())
		w.next, w.idle = append(w.next, map[int]bool{}), append(w.idle, map[work]bool{})
	}
	if w.at >= 0 && w.at != number {
		w.next[w.at][number] = true
	}
	w.at = number
	return !known
}

// left returns the ends of all states that the last state leads to. Every visited state leads to the last one. So these
// states are a cycle that the walk has not left. left also returns whether the objects in the API server differ between
// these states.
func (w *walk) left() ([][]end, bool) {
	seen := map[int]bool{w.at: true}
	for todo := []int{w.at}; len(todo) > 0; todo = todo[1:] {
		for next := range w.next[todo[0]] {
			if !seen[next] {
				seen[next] = true
				todo = append(todo, next)
			}
		}
	}
	var result [][]end
	unsettled := false
	for _, number := range slices.Sorted(maps.Keys(seen)) {
		result = append(result, w.ends[number]...)
		unsettled = unsettled || w.shown[number] != w.shown[w.at]
	}
	return result, unsettled
}

// patience is the number of rounds without a new state after which a walk ends, by the number of pods that have no
// node. It must be unlikely that a walk comes back by chance, again and again, to states that can be left.
var patience = []int{0, 50, 60, 80, 100}

// mostWalked is the largest number of rounds of a walk.
const mostWalked = 1000

// giveUp continues a schedule in which no sync changes anything any more, or that does not come to rest. Whenever no
// sync changes anything, the scheduler stops waiting for the volumes of one pod. The result is what left returns.
func (s *schedule) giveUp() ([][]end, bool) {
	w := &walk{numbers: map[string]int{}, at: -1}
	w.visit(s)
	s.walk = w
	for rounds, quiet := 0, 0; rounds < mostWalked; rounds++ {
		s.moved = false
		fresh := s.round(w)
		if !s.moved {
			reserved := s.scheduler.Reserved()
			var pods []string
			for _, key := range slices.Sorted(maps.Keys(s.pods)) {
				if reserved[s.pods[key]] != "" {
					pods = append(pods, key)
				}
			}
			if len(pods) == 0 {
				break
			}
			dropped := pods[s.random.IntN(len(pods))]
			s.scheduler.GiveUp(s.pods[dropped])
			fresh = w.visit(s) || fresh
			s.ranks = nil
			if s.random.IntN(2) == 0 {
				// The pod waits for longer than all others.
				s.held = dropped
				fresh = s.round(w) || fresh
				s.held = ""
			}
		}
		if quiet++; fresh {
			quiet = 0
		}
		open := 0
		for _, pod := range s.judge.api.pods {
			if _, ours := s.pods[pod.Namespace+"/"+pod.Name]; ours && pod.Spec.NodeName == "" {
				open++
			}
		}
		if quiet >= patience[min(open, len(patience)-1)] {
			break
		}
	}
	return w.left()
}

// round syncs everything once, and then everything that these syncs have enqueued. It returns whether a state was new.
func (s *schedule) round(w *walk) (fresh bool) {
	s.everything()
	for s.busy() {
		before := s.changes
		if s.step(); s.changes != before {
			fresh = w.visit(s) || fresh
		}
	}
	return fresh
}

// shown returns what the API server has, as text. It leaves out resource versions and numbers of created objects.
func (s *schedule) shown() string {
	var text strings.Builder
	a := s.judge.api
	// A stored object is never modified, so its text stays the same.
	once := func(stored runtime.Object, of func() any) {
		if s.texts[stored] == "" {
			s.texts[stored] = unnumbered(string(encode(of())))
		}
		text.WriteString(s.texts[stored])
		text.WriteByte('\n')
	}
	for _, name := range slices.Sorted(maps.Keys(a.volumes.stored)) {
		once(a.volumes.stored[name], func() any {
			volume := a.volumes.stored[name].DeepCopy()
			volume.ResourceVersion = ""
			if volume.Spec.ClaimRef != nil {
				volume.Spec.ClaimRef.ResourceVersion = ""
			}
			return volume
		})
	}
	for _, name := range slices.Sorted(maps.Keys(a.claims.stored)) {
		once(a.claims.stored[name], func() any {
			claim := a.claims.stored[name].DeepCopy()
			claim.ResourceVersion = ""
			return claim
		})
	}
	for _, pod := range a.pods {
		fmt.Fprintf(&text, "%s\n", pod.Spec.NodeName)
	}
	return text.String()
}

// joints returns the ends of all objects in the present state. There are several if a pod can be said to be in several
// places.
func (s *schedule) joints() [][]end {
	joints := [][]end{s.ends()}
	for place, object := range s.objects {
		if object.Kind != podKind {
			continue
		}
		places, err := s.scheduler.Places(object)
		must(err)
		var more [][]end
		for _, joint := range joints {
			for _, one := range places {
				other := slices.Clone(joint)
				other[place] = end{Place: one}
				more = append(more, other)
			}
		}
		joints = more[:min(len(more), mostPlaces)]
	}
	return joints
}
