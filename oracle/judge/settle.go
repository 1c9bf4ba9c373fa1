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
	// Who selects the controllers that take part.
	Who Controllers
	// Schedules is the smallest number of schedules of each kind, and Most is the largest. In between, no more
	// schedules of a kind follow after Quiet schedules in a row that reach no new joint state.
	Schedules, Quiet, Most int
	// Seed makes the schedules repeatable.
	Seed uint64
}

// mode is a kind of schedule.
type mode int

const (
	// ordered schedules run one sync after another in any order. Caches are current before each sync, and restarts
	// happen between syncs.
	ordered mode = iota
	// In faulty schedules requests fail, the process dies inside syncs, and the informers are behind the API server.
	faulty
	// In racing schedules the workers and the operations run at the same time.
	racing
)

// These are the bounds of one schedule.
const (
	// mostRounds is the largest number of resyncs. A schedule that has not settled by then never settles.
	mostRounds = 60
	// sampled is the number of further steps of a schedule that never settles. The states after these steps are
	// recorded as the states that it repeats.
	sampled = 200
	// faultySteps is the largest number of steps with faults.
	faultySteps = 60
)

// Settle fills in the ends of every object of the line's world and of every claim that is created.
func (j *Judge) Settle(l *line.Line, how Settling) error {
	if err := j.load(l); err != nil {
		return err
	}
	who := how.Who.in(j.world)
	recorded, last := j.world.objects, racing
	result := &line.Settle{Controllers: who.names(), Objects: []line.Ends{}}
	if j.Pods != nil {
		if err := j.Pods.Load(l.World, &client{api: j.api}); err != nil {
			return err
		}
		// The scheduler's part is only known without faults.
		recorded, last = slices.Concat(recorded, j.Pods.Pods()), ordered
		result.Controllers = append(result.Controllers, SchedulerName)
	}
	objects := slices.Concat(recorded, j.world.creatable(who))
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
	for m := range found {
		found[m] = newEndings(len(objects))
	}
	for m := ordered; m <= last; m++ {
		quiet := 0
		for n := 0; n < how.Most && (n < how.Schedules || quiet < how.Quiet); n++ {
			if quiet++; run(m, n) {
				quiet = 0
			}
		}
	}
	// An end that occurred only with faults or races usually needs only a rare order. Therefore many more ordered
	// schedules are tried before such an end is recorded as one that needs faults or races.
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
		if i >= len(recorded) && !slices.ContainsFunc(found[:], func(e *endings) bool { return e.made(i) }) {
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

// change is a change of an object that the informers have not seen yet.
type change struct{ before, after runtime.Object }

// about returns the old version of the object, or the new version if the object was created.
func (c change) about() runtime.Object {
	if c.before == nil {
		return c.after
	}
	return c.before
}

// schedule is one run from the recorded world until it settles.
type schedule struct {
	judge  *Judge
	mode   mode
	who    Controllers
	random *rand.Rand
	// objects are the objects whose ends are recorded.
	objects []line.Object
	// steps are the first syncs of the schedule. After these syncs the order is random.
	steps   []step
	pending []work
	// lagging are the changes that the informers have not seen, by kind.
	lagging [2][]change
	// ranks gives each key a random rank. The key with the lowest rank is nearly always taken first. So some keys wait
	// for a long time, which hardly ever happens in a random order. Every second schedule has ranks.
	ranks map[work]uint64
	// moved says that something has changed since the last resync.
	moved bool
	// faults is the number of remaining steps with faults.
	faults int
	// changes counts what was written or remembered.
	changes int
	// scheduler takes part if it is not nil. pods are the pods that it syncs, by their keys. The pod with the key held
	// is not enqueued.
	scheduler PodScheduler
	pods      map[string]line.Object
	held      string
	// idle has each sync that has changed nothing, with the value of changes at that time. texts are the texts of stored
	// objects. walk is the last part of the schedule.
	idle  map[work]int
	texts map[runtime.Object]string
	walk  *walk

	// The remaining fields are for racing schedules, in which only one task runs at a time: the task that runs, the
	// tasks that have not ended, and the channel on which a task reports that it pauses or has ended.
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

// crash is the value of a panic that ends a sync in the middle, as if the process had died.
type crash struct{}

// run runs the schedule. It returns the joint end state, or all joint states that it repeats if it never settles. It
// returns nil if a given step could not be followed.
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
	s.beginPods()
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
		if !s.follow(given) {
			return nil
		}
	}
	s.everything()
	s.moved = true
	for rounds, still := 0, 0; rounds < mostRounds; {
		if s.busy() {
			s.step()
			continue
		}
		if s.moved || s.faults > 0 {
			// As long as requests may fail, a round without changes does not show that the world has settled. After
			// this round no more faults follow.
			still, s.faults = 0, 0
		} else if still++; s.mode == ordered || still == 2 {
			// Caches may have been stale in the first round without changes, so the second one decides.
			if s.scheduler != nil {
				break
			}
			return [][]string{s.state(false)}
		}
		s.moved = false
		s.everything()
		rounds++
	}
	if s.scheduler != nil {
		ends, unsettled := s.giveUp()
		if unsettled {
			notes["unsettled"] = true
		}
		var states [][]string
		for _, joint := range ends {
			states = append(states, texts(joint, unsettled))
		}
		return states
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

// busy returns whether there is anything to do before the next resync.
func (s *schedule) busy() bool {
	return len(s.pending)+len(s.waiting)+len(s.lagging[0])+len(s.lagging[1]) > 0
}

// everything puts the key of every object into the queues of all controllers that take part, as a start and a resync
// do.
func (s *schedule) everything() {
	// The keys are sorted, so that the seed determines the whole schedule.
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
	s.enqueuePods()
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

// step does the next thing in the schedule, chosen at random.
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
	item, ok := s.take(nil)
	if s.scheduler != nil && s.idles(item) {
		return
	}
	before := s.changes
	s.work(item, ok)
	if s.mode == ordered {
		s.inStep()
	}
	if s.scheduler != nil && s.changes == before {
		s.isIdle(item)
	}
}

// take removes a random key from the queues. It leaves the keys whose worker is busy.
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

// work syncs one key. If the sync fails while faults are injected, the key is enqueued again, as the controllers do.
// Without faults only the next resync enqueues the key again.
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
	if item.controller == scheduling {
		s.schedulePod(item.key)
		return
	}
	err := s.judge.do(item)
	if err != nil && s.faults > 0 && (retriesErrors || item.controller != binder) {
		s.enqueue(item)
	}
}

// changed is called after every change in the API server.
func (s *schedule) changed(before, after runtime.Object) {
	s.moved = true
	s.changes++
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

// deliverOne delivers the next change of one kind to its informer.
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
	if s.scheduler != nil {
		s.scheduler.Inform(event.before, event.after)
		s.enqueuePods()
	}
}

// inStep copies the objects of the API server into the binder's own stores.
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

// restart simulates the start of a new process: caches are filled from the API server, nothing is running, and
// everything is enqueued.
func (s *schedule) restart() {
	j := s.judge
	volumes, claims := values(j.api.volumes.stored), values(j.api.claims.stored)
	j.cache(volumes, claims)
	j.fillOwn(volumes, claims)
	j.ownVolumes.dirty, j.ownClaims.dirty = true, true
	s.pending, s.lagging = nil, [2][]change{}
	s.everything()
}

// gate is called before every request to the API server. In a racing schedule it pauses the task. As long as faults are
// injected, it may return an error or end the sync.
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

// later creates a task for an operation.
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

// start creates a task. The task does nothing until race resumes it.
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

// race resumes a random task until this task pauses or ends. Sometimes it gives a key to an idle worker before.
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
