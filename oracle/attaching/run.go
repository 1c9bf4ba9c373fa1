// Package attaching runs the real attach/detach controller of Kubernetes in its own process, against an API server in
// memory and with simple external-attachers. The time is not real, so a run of minutes takes milliseconds.
package attaching

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"

	"pvctl.dev/oracle/line"
)

func init() {
	// These handlers log errors and then pause. The pause depends on the time of the last error in the whole process, but
	// each run has its own time.
	utilruntime.ErrorHandlers = nil
}

// Runner answers lines. A process can have several runners at the same time.
type Runner struct{ logged bool }

// New creates a runner.
func New() (*Runner, error) { return &Runner{}, nil }

// run is the run of one line.
type run struct {
	flags   line.Attaching
	journal *journal
	server  *server
	logged  bool
	latency time.Duration
	refuse  []line.AttachingRefuse
	// requests are the numbers of requests that matched each rule of refuse.
	requests []int
}

// Attach runs the controller for a line and fills in the log. If the controller panics, the whole process ends.
func (r *Runner) Attach(l *line.Line) error {
	if l.Attaching == nil {
		return nil
	}
	var err error
	if l.Attaching.EveryEnd {
		l.Attaching.Ends, l.Attaching.WithoutEnds, err = everyEnd(l)
		return err
	}
	if r.logged {
		logging.Lock()
		defer logging.Unlock()
		defer global.set(nil)
	}
	inBubble(func() {
		var done *history
		if done, err = simulate(l, nil, r.logged); err == nil {
			l.Attaching.Log = done.log
		}
	})
	return err
}

// inBubble calls do with a time of its own.
func inBubble(do func()) {
	// The test is only there because synctest needs one. Nothing of it is used.
	synctest.Test(new(testing.T), func(*testing.T) { do() })
}

// longestWait is more than the time for which an operation waits for a VolumeAttachment. The time stands still when the
// function of the test has returned, so the function waits until the last operation has ended.
const longestWait = 3 * time.Minute

// settled waits until all goroutines of the run wait for something or for some time.
func settled() { synctest.Wait() }

// history is what happened in a run.
type history struct {
	log []line.AttachingEntry
	// ends are the different states in the last part of a run with choices. There is one if the run has settled.
	ends []end
}

// simulate runs the controller with the script of the line. If choices is not nil, the attachers do what it says. If
// logged is set, the log of the controller is a part of what happened. It returns what happened.
func simulate(l *line.Line, choices *choices, logged bool) (*history, error) {
	wanted := *l.Attaching
	r := &run{
		flags: wanted, journal: &journal{begin: time.Now()}, latency: time.Duration(wanted.Latency), logged: logged,
		refuse: wanted.Refuse, requests: make([]int, len(wanted.Refuse)),
	}
	r.server = newServer(r.journal)
	if err := r.server.load(l.World); err != nil {
		return nil, err
	}
	actors := newAttachers(r.server, wanted.Attachers, choices)
	r.server.attachmentChanged = actors.look
	found := r.server.tables[attachmentKind].objects
	for _, name := range slices.Sorted(maps.Keys(found)) {
		actors.look(found[name].DeepCopyObject().(*storagev1.VolumeAttachment))
	}
	controller, err := r.start()
	if err != nil {
		return nil, err
	}
	defer time.Sleep(longestWait)
	for number, change := range wanted.Script {
		time.Sleep(time.Duration(change.At) - time.Since(r.journal.begin))
		if change.Restart {
			controller.end()
			r.journal.add(line.AttachingEntry{Restart: true})
			if controller, err = r.start(); err != nil {
				return nil, err
			}
			continue
		}
		if err := r.change(change); err != nil {
			controller.end()
			return nil, fmt.Errorf("change %d of the script: %w", number, err)
		}
		settled()
	}
	done := &history{}
	if choices != nil {
		time.Sleep(time.Duration(wanted.Until) - observed - time.Since(r.journal.begin))
		done.ends = r.server.observe(r.journal.begin.Add(time.Duration(wanted.Until)))
	}
	time.Sleep(time.Duration(wanted.Until) - time.Since(r.journal.begin))
	controller.end()
	actors.stopped.Store(true)
	done.log = r.journal.log()
	return done, nil
}

// change makes a change of the script.
func (r *run) change(change line.AttachingChange) error {
	if change.Delete != nil {
		return r.server.remove(*change.Delete)
	}
	name, object, err := decode(change.Put)
	if err != nil {
		return err
	}
	if object == nil {
		return fmt.Errorf("the script changes a %s", name)
	}
	r.server.put(name, keyOf(object.GetNamespace(), object.GetName()), func(old stored) stored {
		// Only the controller writes this field, so somebody who changes a node does not change it. An empty list in the
		// script removes the stored list.
		node, isNode := object.(*v1.Node)
		if before, found := old.(*v1.Node); isNode && found && node.Status.VolumesAttached == nil {
			node.Status.VolumesAttached = before.Status.VolumesAttached
		}
		return object
	})
	return nil
}
