package judge

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"pvctl.dev/oracle/line"
)

// Settling says which schedules Settle runs.
type Settling struct {
	// Who takes part.
	Who Controllers
	// Schedules is the smallest number of each kind, Quiet how many in a row have to bring nothing new, Most the
	// largest number.
	Schedules, Quiet, Most int
	// Seed makes the schedules repeatable.
	Seed uint64
}

// mode is a kind of schedule.
type mode int

const (
	// ordered: one sync after the other in any order, caches in step between them, restarts between them.
	ordered mode = iota
	// faulty: requests fail, the process dies inside syncs, the informers lag behind the API server.
	faulty
	// racing: the workers and the operations run at the same time.
	racing
)

// Bounds of one schedule.
const (
	// mostRounds is after how many resyncs a schedule counts as one that never settles.
	mostRounds = 60
	// sampled is how many syncs such a schedule is watched for, to see the states that it goes on visiting.
	sampled = 200
	// faultySteps is the number of steps in which things go wrong, at most.
	faultySteps = 60
)

// Settle fills in where every object of the line's world can end, and every claim that is made.
func (j *Judge) Settle(l *line.Line, how Settling) error {
	if err := j.load(l); err != nil {
		return err
	}
	who := how.Who.in(j.world)
	objects := slices.Concat(j.world.objects, j.world.creatable(who))
	result := &line.Settle{Controllers: who.names(), Objects: []line.Ends{}}
	notes := map[string]bool{}
	var found [3]*endings
	run := func(m mode, n int) bool {
		s := &schedule{
			judge: j, mode: m, who: who, objects: objects, random: rand.New(rand.NewPCG(how.Seed, uint64(m)<<32|uint64(n))),
		}
		if n%2 == 1 {
			s.ranks = map[work]uint64{}
		}
		fresh := false
		for _, state := range s.run(notes) {
			fresh = found[m].add(state) || fresh
		}
		if m == ordered {
			result.Schedules++
		}
		return fresh
	}
	for m := ordered; m <= racing; m++ {
		found[m] = newEndings(len(objects))
		quiet := 0
		for n := 0; n < how.Most && (n < how.Schedules || quiet < how.Quiet); n++ {
			if quiet++; run(m, n) {
				quiet = 0
			}
		}
	}
	// What only another kind has shown is mostly a rare order: look for it among many more ordered schedules before it
	// is said to need faults or races.
	for n := how.Most; n < 8*how.Most; n++ {
		faults := n < 2*how.Most && found[faulty].exceeds(found[ordered])
		if !faults && !found[racing].exceeds(found[ordered]) {
			break
		}
		run(ordered, n)
	}
	ends := found[ordered].sorted()
	var there []int
	for i, object := range objects {
		if i >= len(j.world.objects) && !slices.ContainsFunc(found[:], func(e *endings) bool { return e.made(i) }) {
			continue
		}
		there = append(there, i)
		answer := line.Ends{Object: object}
		for _, text := range ends[i] {
			answer.Ends = append(answer.Ends, []byte(text))
		}
		for _, text := range found[faulty].beyond(i, found[ordered]) {
			answer.FaultEnds = append(answer.FaultEnds, []byte(text))
		}
		for _, text := range found[racing].beyond(i, found[ordered]) {
			answer.RaceEnds = append(answer.RaceEnds, []byte(text))
		}
		result.Objects = append(result.Objects, answer)
	}
	result.Joint = found[ordered].indexes(ends, there)
	for note := range notes {
		result.Notes = append(result.Notes, note)
	}
	sort.Strings(result.Notes)
	l.Settle = result
	return nil
}

// change is an event on its way to the informers.
type change struct{ before, after runtime.Object }

// about is the object in a version that it had or has.
func (c change) about() runtime.Object {
	if c.before == nil {
		return c.after
	}
	return c.before
}

// schedule is one run from the world as recorded to rest.
type schedule struct {
	judge  *Judge
	mode   mode
	who    Controllers
	random *rand.Rand
	// objects are those whose ends are asked for.
	objects []line.Object
	// steps are syncs that the schedule begins with, before chance decides.
	steps   []step
	pending []work
	// lagging are changes that the informers have not seen, by kind.
	lagging [2][]change
	// ranks, in every other schedule, lets some keys nearly always go first: chance alone hardly ever keeps a key
	// waiting for long.
	ranks map[work]uint64
	// moved says that something was written since the last resync.
	moved bool
	// faults is how many more steps things go wrong.
	faults int

	// The rest is for racing: who runs, who waits for a turn, and the channel on which the turn comes back.
	current *task
	waiting []*task
	turn    chan *task
}

// task is a worker inside a sync, or an operation.
type task struct {
	worker string
	resume chan struct{}
	done   bool
}

// crash ends a sync in the middle.
type crash struct{}

// run runs the schedule and returns the joint end state, or all that it goes on visiting if it never rests.
func (s *schedule) run(notes map[string]bool) [][]string {
	j := s.judge
	j.reset()
	j.ownVolumes.random = s.random
	j.cached = false // the informers' stores will change
	j.api.changed = s.changed
	j.api.gate = s.gate
	j.enqueued = func(kind, key string) {
		item := work{binder, kind, key}
		if kind == podKind {
			item.controller = ephemerals
		}
		s.enqueue(item)
	}
	j.api.trace = &trace{notesOnly: true}
	s.turn = make(chan *task)
	if s.mode == racing {
		j.operations.later = s.later
	}
	if s.mode == faulty {
		s.faults = 1 + s.random.IntN(faultySteps)
	}
	defer func() {
		for note := range j.api.trace.notes {
			if note == "recycle" || note == "api-rejected" {
				notes[note] = true
			}
		}
		j.api.trace, j.api.changed, j.api.gate, j.enqueued = nil, nil, nil, nil
		j.ownVolumes.random, j.operations.later = nil, nil
	}()

	for _, given := range s.steps {
		s.follow(given)
	}
	s.everything()
	s.moved = true
	for rounds, still := 0, 0; rounds < mostRounds; {
		if s.busy() {
			s.step()
			continue
		}
		if s.moved || s.faults > 0 {
			// What looks like rest may be a refused request while things go wrong; after the next resync nothing does.
			still, s.faults = 0, 0
		} else if still++; s.mode == ordered || still == 2 {
			// Where caches may have lagged during the first still round, the second one decides.
			return [][]string{s.state(false)}
		}
		s.moved = false
		s.everything()
		rounds++
	}
	notes["unsettled"] = true
	var states [][]string
	for range sampled {
		if !s.busy() {
			s.everything()
		}
		s.step()
		if len(s.waiting) == 0 {
			states = append(states, s.state(true))
		}
	}
	for len(s.waiting) > 0 {
		s.step()
	}
	return states
}

// busy tells whether there is anything to do before the next resync.
func (s *schedule) busy() bool {
	return len(s.pending)+len(s.waiting)+len(s.lagging[0])+len(s.lagging[1]) > 0
}

// everything puts every object on every queue, as a start and a resync do.
func (s *schedule) everything() {
	// The order is that of the names, so that a seed tells the whole schedule.
	for _, key := range slices.Sorted(slices.Values(s.judge.volumes.ListKeys())) {
		s.enqueueKey("PersistentVolume", key)
	}
	for _, key := range slices.Sorted(slices.Values(s.judge.claims.ListKeys())) {
		s.enqueueKey("PersistentVolumeClaim", key)
	}
	if s.who == All {
		for _, pod := range s.judge.world.pods {
			enqueuePod(s.judge.ephemeral, pod)
		}
	}
}

func (s *schedule) enqueueKey(kind, key string) {
	s.enqueue(work{binder, kind, key})
	if s.who >= Protection {
		s.enqueue(work{protection, kind, key})
	}
}

func (s *schedule) enqueue(item work) {
	if !slices.Contains(s.pending, item) {
		s.pending = append(s.pending, item)
	}
}

func identity(object runtime.Object) (kind, key string) {
	switch object := object.(type) {
	case *v1.PersistentVolume:
		return "PersistentVolume", object.Name
	case *v1.PersistentVolumeClaim:
		return "PersistentVolumeClaim", object.Namespace + "/" + object.Name
	}
	panic(fmt.Sprintf("unexpected %T", object))
}

// step does one thing, chosen at random.
func (s *schedule) step() {
	switch s.mode {
	case racing:
		s.race()
		return
	case faulty:
		if s.faults > 0 {
			s.faults--
		}
		lagging := len(s.lagging[0]) + len(s.lagging[1])
		if lagging > 0 && (len(s.pending) == 0 || s.random.IntN(3) == 0) {
			s.deliverOne()
			return
		}
		if s.faults > 0 && s.random.IntN(12) == 0 {
			s.restart()
			return
		}
	case ordered:
		if s.random.IntN(40) == 0 && s.moved {
			s.restart()
			return
		}
	}
	s.work(s.take(nil))
	if s.mode == ordered {
		s.inStep()
	}
}

// take removes a random key from the queues, not one of the workers that are busy.
func (s *schedule) take(busy func(work) bool) (work, bool) {
	var free []int
	for i, item := range s.pending {
		if busy == nil || !busy(item) {
			free = append(free, i)
		}
	}
	if len(free) == 0 {
		return work{}, false
	}
	i := free[s.random.IntN(len(free))]
	if s.ranks != nil && s.random.IntN(8) > 0 {
		i = slices.MinFunc(free, func(a, b int) int { return cmp.Compare(s.rank(s.pending[a]), s.rank(s.pending[b])) })
	}
	item := s.pending[i]
	s.pending = slices.Delete(s.pending, i, i+1)
	return item, true
}

func (s *schedule) rank(item work) uint64 {
	rank, ok := s.ranks[item]
	if !ok {
		rank = s.random.Uint64()
		s.ranks[item] = rank
	}
	return rank
}

// work syncs one key. An error puts it back, as the controllers do, while errors are still injected; later the resync
// does that.
func (s *schedule) work(item work, ok bool) {
	if !ok {
		return
	}
	defer func() {
		if ended := recover(); ended != nil {
			if _, died := ended.(crash); !died {
				panic(ended)
			}
			s.restart()
		}
	}()
	err := s.judge.do(item)
	if err != nil && s.faults > 0 && (retriesErrors || item.controller != binder) {
		s.enqueue(item)
	}
}

// changed hears of every change at the API server.
func (s *schedule) changed(before, after runtime.Object) {
	s.moved = true
	event := change{before, after}
	if s.mode == faulty {
		i := 0
		if _, claim := event.about().(*v1.PersistentVolumeClaim); claim {
			i = 1
		}
		s.lagging[i] = append(s.lagging[i], event)
		return
	}
	s.deliver(event)
}

// deliverOne lets the informers of one kind see their next change.
func (s *schedule) deliverOne() {
	i := s.random.IntN(2)
	if len(s.lagging[i]) == 0 {
		i = 1 - i
	}
	event := s.lagging[i][0]
	s.lagging[i] = s.lagging[i][1:]
	s.deliver(event)
}

func (s *schedule) deliver(event change) {
	store := s.judge.volumes
	_, claim := event.about().(*v1.PersistentVolumeClaim)
	if claim {
		store = s.judge.claims
	}
	if event.after == nil {
		must(store.Delete(event.before))
		if claim && s.who == All {
			onClaimDelete(s.judge.ephemeral, event.before)
		}
	} else {
		must(store.Update(event.after))
	}
	s.enqueueKey(identity(event.about()))
}

// inStep brings the binder's own stores in step with the API server.
func (s *schedule) inStep() {
	j := s.judge
	if j.ownVolumes.dirty || j.ownClaims.dirty || j.api.volumes.dirty || j.api.claims.dirty {
		replace(j.ownVolumes, values(j.api.volumes.stored))
		replace(j.ownClaims, values(j.api.claims.stored))
	}
}

func values[T any](table map[string]T) []T {
	result := make([]T, 0, len(table))
	for _, value := range table {
		result = append(result, value)
	}
	return result
}

// restart is a new process: caches from the API server, nothing running, everything on the queues.
func (s *schedule) restart() {
	j := s.judge
	volumes, claims := values(j.api.volumes.stored), values(j.api.claims.stored)
	j.cache(volumes, claims)
	j.fillOwn(volumes, claims)
	j.ownVolumes.dirty, j.ownClaims.dirty = true, true
	s.pending, s.lagging = nil, [2][]change{}
	s.everything()
}

// gate is asked before every request to the API server.
func (s *schedule) gate(r request) error {
	switch {
	case s.mode == racing:
		me := s.current
		s.turn <- me
		<-me.resume
	case s.faults > 0:
		if s.random.IntN(14) == 0 {
			panic(crash{})
		}
		if s.random.IntN(5) == 0 {
			reasons := []string{"Conflict", "ServerTimeout", "InternalError"}
			if r.read != "" {
				reasons = reasons[1:]
			}
			return failure(reasons[s.random.IntN(len(reasons))], "fault", r)
		}
	}
	return nil
}

// later makes an operation a task of its own.
func (s *schedule) later(name string, operation func()) {
	s.judge.operations.running = with(s.judge.operations.running, name)
	s.start("operation "+name, func() {
		operation()
		delete(s.judge.operations.running, name)
	})
}

func with(set map[string]bool, name string) map[string]bool {
	if set == nil {
		set = map[string]bool{}
	}
	set[name] = true
	return set
}

// start makes a task that waits for its first turn.
func (s *schedule) start(worker string, run func()) {
	t := &task{worker: worker, resume: make(chan struct{})}
	s.waiting = append(s.waiting, t)
	go func() {
		<-t.resume
		run()
		t.done = true
		s.turn <- t
	}()
}

// race gives the turn to a random task, or starts a worker that is idle.
func (s *schedule) race() {
	busy := map[string]bool{}
	for _, t := range s.waiting {
		busy[t.worker] = true
	}
	if len(s.waiting) == 0 || s.random.IntN(3) == 0 {
		if item, ok := s.take(func(item work) bool { return busy[item.worker()] }); ok {
			s.start(item.worker(), func() { s.work(item, true) })
			if len(s.waiting) > 1 {
				return
			}
		}
	}
	i := s.random.IntN(len(s.waiting))
	s.current = s.waiting[i]
	s.current.resume <- struct{}{}
	if back := <-s.turn; back.done {
		s.waiting = slices.DeleteFunc(s.waiting, func(t *task) bool { return t == back })
	}
}
