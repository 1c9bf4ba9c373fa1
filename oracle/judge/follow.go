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

// Follow fills in whether each schedule of the line leads to its end: the real controllers make its syncs from the world as recorded,
// and then whatever they do until nothing moves. Of an object that never rests, the end has to be among the states that it goes on
// visiting.
func (j *Judge) Follow(l *line.Line, all bool) error {
	if err := j.load(l); err != nil {
		return err
	}
	for i := range l.Schedules {
		given := &l.Schedules[i]
		place := slices.Index(j.world.objects, given.Object)
		if place < 0 {
			return fmt.Errorf("schedule %d: the world has no %v", i, given.Object)
		}
		var wanted end
		if err := json.Unmarshal(given.End, &wanted); err != nil {
			return fmt.Errorf("schedule %d: %w", i, err)
		}
		steps := make([]step, len(given.Steps))
		for n, one := range given.Steps {
			item, err := workOf(one, all)
			if err != nil {
				return fmt.Errorf("schedule %d, step %d: %w", i, n, err)
			}
			steps[n] = step{item, one.Volume}
		}
		given.Reached = false
		for try := uint64(0); try < followed && !given.Reached; try++ {
			s := &schedule{judge: j, mode: ordered, all: all, random: rand.New(rand.NewPCG(uint64(i), try)), steps: steps}
			for _, state := range s.run(map[string]bool{}) {
				given.Reached = given.Reached || sameEnd(state[place], wanted)
			}
		}
	}
	return nil
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
func workOf(given line.Step, all bool) (work, error) {
	item := work{binder, given.Object.Kind, key(given.Object)}
	switch given.Controller {
	case controllers[0]:
		return item, nil
	case controllers[1], controllers[2]:
		item.controller = protection
		if volume := given.Controller == controllers[1]; all && volume == (item.kind == "PersistentVolume") {
			return item, nil
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
