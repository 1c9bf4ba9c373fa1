package judge

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"pvctl.dev/oracle/line"
)

// followed is the number of attempts to follow a schedule. If kube-scheduler takes part, the number is followedWithPods.
// If no attempt reaches the ends, the schedule does not lead to them. After the steps of the schedule, syncs run in
// random order. With kube-scheduler, the choices of a step are random as well, and an attempt ends early if a step leads
// to another reservation than the step says.
const (
	followed         = 16
	followedWithPods = 4000
)

// Follow fills in whether each schedule of the line leads to its ends. The real controllers run the syncs of the
// schedule from the recorded world. Then they continue until no sync changes anything. If the world never settles, the
// ends must be among the states that it repeats.
func (j *Judge) Follow(l *line.Line, who Controllers) error {
	if err := j.load(l); err != nil {
		return err
	}
	who = who.in(j.world)
	recorded, tries := j.world.objects, uint64(followed)
	if j.Pods != nil {
		if err := j.Pods.Load(l.World, &client{api: j.api}); err != nil {
			return err
		}
		recorded, tries = slices.Concat(recorded, j.Pods.Pods()), followedWithPods
	}
	objects := slices.Concat(recorded, j.world.creatable(who))
	for i := range l.Schedules {
		given := &l.Schedules[i]
		wanted, err := wantedEnds(given, objects)
		if err != nil {
			return fmt.Errorf("schedule %d: %w", i, err)
		}
		steps := make([]step, len(given.Steps))
		for n, one := range given.Steps {
			item, err := workOf(one, who)
			if err != nil {
				return fmt.Errorf("schedule %d, step %d: %w", i, n, err)
			}
			steps[n] = step{item, one.Volume, one.Remembered, one.GivesUp}
		}
		given.Reached = false
		for try := uint64(0); try < tries && !given.Reached; try++ {
			s := &schedule{judge: j, mode: ordered, who: who, objects: objects, random: rand.New(rand.NewPCG(uint64(i), try)), steps: steps}
			for _, state := range s.run(map[string]bool{}) {
				given.Reached = given.Reached || reaches(state, wanted)
			}
		}
	}
	return nil
}

// wantedEnds returns the ends of a schedule, by the index of their object in objects.
func wantedEnds(given *line.Schedule, objects []line.Object) (map[int]end, error) {
	if len(given.Objects) == 0 || len(given.Objects) != len(given.Ends) {
		return nil, fmt.Errorf("%d objects and %d ends", len(given.Objects), len(given.Ends))
	}
	wanted := map[int]end{}
	for i, object := range given.Objects {
		place := slices.Index(objects, object)
		if place < 0 {
			return nil, fmt.Errorf("the world has no %v", object)
		}
		var one end
		if err := json.Unmarshal(given.Ends[i], &one); err != nil {
			return nil, err
		}
		wanted[place] = one
	}
	return wanted, nil
}

// reaches returns whether all objects are in the wanted states.
func reaches(state []string, wanted map[int]end) bool {
	for place, one := range wanted {
		if !sameEnd(state[place], one) {
			return false
		}
	}
	return true
}

// sameEnd returns whether two ends are equal without the field Unsettled. This field can differ because of another part
// of the world, which may never settle.
func sameEnd(state string, wanted end) bool {
	var found end
	must(json.Unmarshal([]byte(state), &found))
	found.Unsettled, wanted.Unsettled = false, false
	return string(encode(found)) == string(encode(wanted))
}

// step is one of the syncs with which a schedule begins.
type step struct {
	work
	// volume is the volume that a search takes if several are equally good.
	volume string
	// remembered are the names in the reservation of a pod after the sync. givesUp says that the scheduler gives up the
	// reservation.
	remembered []string
	givesUp    bool
}

// workOf returns the key of a step and the controller that syncs it.
func workOf(given line.Step, who Controllers) (work, error) {
	if given.Controller == SchedulerName && given.Object.Kind == podKind {
		return work{scheduling, podKind, key(given.Object)}, nil
	}
	for _, one := range controllers {
		if one.name == given.Controller && one.from <= who && slices.Contains(one.kinds, given.Object.Kind) {
			return work{one.taking, given.Object.Kind, key(given.Object)}, nil
		}
	}
	return work{}, fmt.Errorf("%s does not sync %v here", given.Controller, given.Object)
}

// follow runs one given sync with current caches. The controller takes the first one of equal volumes, so the wanted
// volume is put first. It returns whether the sync led to what the step says.
func (s *schedule) follow(given step) bool {
	if given.controller == scheduling {
		return s.followPod(given)
	}
	own := s.judge.ownVolumes
	own.random, own.first = nil, s.judge.api.volumes.stored[given.volume]
	s.work(given.work, true)
	own.random, own.first = s.random, nil
	s.inStep()
	return true
}

// followPod runs one given sync of the scheduler.
func (s *schedule) followPod(given step) bool {
	pod, ours := s.pods[given.key]
	if !ours {
		return false
	}
	if given.givesUp {
		reserved := s.scheduler.Reserved()[pod]
		s.moved = true
		for rounds := 0; s.moved && rounds < mostRounds; rounds++ {
			// A schedule has no steps for objects that do not influence its ends. These objects are synced here.
			s.moved = false
			s.everything()
			for s.busy() {
				s.step()
			}
		}
		if s.moved || reserved == "" || s.scheduler.Reserved()[pod] != reserved {
			return false
		}
		s.scheduler.GiveUp(pod)
		s.changes++
		return true
	}
	s.schedulePod(given.key)
	s.inStep()
	names := strings.FieldsFunc(s.scheduler.Reserved()[pod], func(r rune) bool { return r == ' ' || r == '=' })
	slices.Sort(names)
	return slices.Equal(names, slices.Sorted(slices.Values(given.remembered)))
}
