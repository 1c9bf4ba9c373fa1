//go:build k8s_1_34 || k8s_1_32 || k8s_1_30

package scheduler

import (
	"errors"
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/events"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"pvctl.dev/oracle/judge"
)

type reservePlugin = framework.ReservePlugin

// NewActor fails: in these minors the scheduler takes part in no schedules.
func NewActor() (judge.PodScheduler, error) {
	return nil, errors.New("the scheduler takes part only in 1.36 and later")
}

// whole runs a cycle for the pod as the scheduler does, up to and with PostFilter. It returns the error with which the
// cycle ends, and what PostFilter adds to its text. In these minors the scheduler has one function for the cycle
// and PostFilter, and this function also assumes the pod. So whole calls the two parts itself.
func (s *Scheduler) whole(pod *v1.Pod) (error, string) {
	state := framework.NewCycleState()
	_, err := s.scheduler.SchedulePod(s.ctx, s.profile, state, pod.DeepCopy())
	var unfit *framework.FitError
	if errors.As(err, &unfit) {
		return err, s.postFilter(state, pod, unfit)
	}
	return err, ""
}

// recorders returns the function that creates the event recorder of each profile.
func recorders(recorder *events.FakeRecorder) func(string) events.EventRecorder {
	return func(string) events.EventRecorder { return recorder }
}

// assumeCaches are VolumeBinding's caches of volumes and claims. They have copies of the informers' stores.
type assumeCaches struct {
	// store is the store of volumes, and claims is the store of claims. The type of their elements is not exported.
	store, claims *cache.Indexer
	// The informers call addVolume and addClaim for a new object.
	addVolume, addClaim func(any)
}

// fill replaces the content of the caches by a world.
func (c assumeCaches) fill(w *world) {
	for _, each := range []struct {
		store   cache.Indexer
		add     func(any)
		objects []any
	}{{*c.store, c.addVolume, w.volumes}, {*c.claims, c.addClaim, w.claims}} {
		if err := each.store.Replace(nil, ""); err != nil {
			panic(err) // A store in memory accepts every list.
		}
		for _, object := range each.objects {
			each.add(object)
		}
	}
}

// assumed returns whether a volume was changed in memory.
func (c assumeCaches) assumed(volume string) bool {
	element, exists, err := (*c.store).GetByKey(volume)
	if err != nil || !exists {
		panic(fmt.Sprintf("volume %s: %v", volume, err)) // The volume comes from this store.
	}
	return *judge.Field[any](element, "latestObj") != *judge.Field[any](element, "apiObj")
}

// volumeIn returns the volume of an element of the store.
func volumeIn(element any) *v1.PersistentVolume {
	return (*judge.Field[any](element, "latestObj")).(*v1.PersistentVolume)
}
