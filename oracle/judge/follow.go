package judge

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"

	"pvctl.dev/oracle/line"
)

// followed is how often a schedule is followed until it is said not to lead to its end: after it, everything goes on in random order.
const followed = 16

// Follow fills in whether each schedule of the line leads to its ends: the real controllers make its syncs from the world as recorded,
// and then whatever they do until nothing moves. Of an object that never rests, the end has to be among the states that it goes on
// visiting.
func (j *Judge) Follow(l *line.Line, who Controllers) error {
	if err := j.load(l); err != nil {
		return err
	}
	who = who.in(j.world)
	objects := slices.Concat(j.world.objects, j.world.creatable(who))
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
			steps[n] = step{item, one.Volume}
		}
		given.Reached = false
		for try := uint64(0); try < followed && !given.Reached; try++ {
			s := &schedule{judge: j, mode: ordered, who: who, objects: objects, random: rand.New(rand.NewPCG(uint64(i), try)), steps: steps}
			for _, state := range s.run(map[string]bool{}) {
				given.Reached = given.Reached || reaches(state, wanted)
			}
		}
	}
	return nil
}

// wantedEnds are the ends of a schedule, by the places of their objects.
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

// reaches tells whether all objects are where they are wanted.
func reaches(state []string, wanted map[int]end) bool {
	for place, one := range wanted {
		if !sameEnd(state[place], one) {
			return false
		}
	}
	return true
}

// sameEnd compares but for whether everything rests: something else in the world may go round.
func sameEnd(state string, wanted end) bool {
	var found end
	must(json.Unmarshal([]byte(state), &found))
	found.Unsettled, wanted.Unsettled = false, false
	return string(encode(found)) == string(encode(wanted))
}

// step is a sync that a schedule begins with.
type step struct {
	work
	// volume is what a search takes where several are equally good.
	volume string
}

// workOf is the key, and the controller that takes it.
func workOf(given line.Step, who Controllers) (work, error) {
	for _, one := range controllers {
		if one.name == given.Controller && one.from <= who && slices.Contains(one.kinds, given.Object.Kind) {
			return work{one.taking, given.Object.Kind, key(given.Object)}, nil
		}
	}
	return work{}, fmt.Errorf("%s does not sync %v here", given.Controller, given.Object)
}

// follow makes one given sync, with caches in step. Among equal volumes the first wins, so the wanted one goes in front.
func (s *schedule) follow(given step) {
	own := s.judge.ownVolumes
	own.random, own.first = nil, s.judge.api.volumes.stored[given.volume]
	s.work(given.work, true)
	own.random, own.first = s.random, nil
	s.inStep()
}
