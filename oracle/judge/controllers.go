package judge

import (
	"fmt"

	"pvctl.dev/oracle/line"
)

// Controllers selects the controllers that take part.
type Controllers int

const (
	// Binder is the persistentvolume-binder-controller alone.
	Binder Controllers = iota
	// Protection adds the two protection controllers.
	Protection
	// All also adds the ephemeral-volume controller, if some pod has an ephemeral volume.
	All
)

// controllers are the controllers that can take part, beginning with the binder.
var controllers = []struct {
	// name is the name in kube-controller-manager's --controllers.
	name string
	// from is the smallest selection that contains the controller.
	from Controllers
	// taking and kinds say which keys the controller takes from its queues.
	taking controller
	kinds  []string
}{
	{"persistentvolume-binder-controller", Binder, binder, []string{"PersistentVolume", "PersistentVolumeClaim"}},
	{"persistentvolume-protection-controller", Protection, protection, []string{"PersistentVolume"}},
	{"persistentvolumeclaim-protection-controller", Protection, protection, []string{"PersistentVolumeClaim"}},
	{"ephemeral-volume-controller", All, ephemerals, []string{podKind}},
}

// in returns the selection without the ephemeral-volume controller if this controller has nothing to do in a world.
func (c Controllers) in(w *world) Controllers {
	if c == All && !w.hasEphemeral() {
		return Protection
	}
	return c
}

// names returns the names of the selected controllers.
func (c Controllers) names() []string {
	var names []string
	for _, one := range controllers {
		if one.from <= c {
			names = append(names, one.name)
		}
	}
	return names
}

// work is one key on the queue of one controller.
type work struct {
	controller controller
	kind, key  string
}

type controller int

const (
	binder controller = iota
	protection
	ephemerals
	// scheduling is kube-scheduler.
	scheduling
)

// worker returns a name for the goroutine of kube-controller-manager that takes an item. A controller has one goroutine
// for each kind here. Only the ephemeral-volume controller has five goroutines for pods, so each pod has a goroutine of
// its own here.
func (w work) worker() string {
	if w.controller == ephemerals {
		return fmt.Sprint(w.controller, w.kind, w.key)
	}
	return fmt.Sprint(w.controller, w.kind)
}

// do runs the worker of a controller for one key.
func (j *Judge) do(item work) error {
	switch item.controller {
	case protection:
		return j.protect(item.kind, item.key)
	case ephemerals:
		return syncPod(j.ephemeral, j.ctx, item.key)
	default:
		return j.sync(item.kind, item.key)
	}
}

// key returns the key of an object in the controllers' work queues.
func key(object line.Object) string {
	if object.Kind == "PersistentVolume" {
		return object.Name
	}
	return object.Namespace + "/" + object.Name
}
