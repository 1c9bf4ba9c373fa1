package judge

import (
	"fmt"

	"pvctl.dev/oracle/line"
)

// Controllers says who takes part.
type Controllers int

const (
	// Binder is the binder alone.
	Binder Controllers = iota
	// Protection adds the two protection controllers.
	Protection
	// All adds the ephemeral-volume controller too, where some pod has an ephemeral volume.
	All
)

// controllers are those that can take part: the binder first.
var controllers = []struct {
	// name is that of kube-controller-manager's --controllers.
	name string
	// from is the smallest choice that has it.
	from Controllers
	// taking is who takes the keys of these kinds.
	taking controller
	kinds  []string
}{
	{"persistentvolume-binder-controller", Binder, binder, []string{"PersistentVolume", "PersistentVolumeClaim"}},
	{"persistentvolume-protection-controller", Protection, protection, []string{"PersistentVolume"}},
	{"persistentvolumeclaim-protection-controller", Protection, protection, []string{"PersistentVolumeClaim"}},
	{"ephemeral-volume-controller", All, ephemerals, []string{podKind}},
}

// in leaves out who has nothing to do in a world.
func (c Controllers) in(w *world) Controllers {
	if c == All && !w.hasEphemeral() {
		return Protection
	}
	return c
}

// names are the names of those that take part.
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
)

// worker names the goroutine of kube-controller-manager that takes an item: each controller has one for each kind here, but
// the ephemeral-volume controller has five for its pods, and here one for each.
func (w work) worker() string {
	if w.controller == ephemerals {
		return fmt.Sprint(w.controller, w.kind, w.key)
	}
	return fmt.Sprint(w.controller, w.kind)
}

// do is what the worker of a controller does with one key.
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

// key is the key of an object on the controllers' queues.
func key(object line.Object) string {
	if object.Kind == "PersistentVolume" {
		return object.Name
	}
	return object.Namespace + "/" + object.Name
}
