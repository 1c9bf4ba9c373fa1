//go:build !(k8s_1_34 || k8s_1_32 || k8s_1_30)

package scheduler

import (
	"context"
	"errors"
	"time"
	_ "unsafe" // for go:linkname

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/events"
	fwk "k8s.io/kube-scheduler/framework"
	kubescheduler "k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding"

	"pvctl.dev/oracle/judge"
)

type reservePlugin = fwk.ReservePlugin

//go:linkname schedulingAlgorithm k8s.io/kubernetes/pkg/scheduler.(*Scheduler).schedulingAlgorithm
func schedulingAlgorithm(
	scheduler *kubescheduler.Scheduler, ctx context.Context, state cycleState, profile framework.Framework, pod *framework.QueuedPodInfo, start time.Time,
) (kubescheduler.ScheduleResult, *frameworkStatus)

// whole runs a cycle for the pod as the scheduler does, up to PostFilter. It returns the error with which the cycle
// ends, and the text that PostFilter adds to the message of this error.
func (s *Scheduler) whole(pod *v1.Pod) (error, string) {
	info, err := framework.NewPodInfo(pod.DeepCopy())
	if err != nil {
		return err, ""
	}
	_, ended := schedulingAlgorithm(
		s.scheduler, s.ctx, framework.NewCycleState(), s.profile, &framework.QueuedPodInfo{PodInfo: info}, time.Time{})
	whole, added := ended.AsError(), ""
	var unfit *framework.FitError
	if errors.As(whole, &unfit) {
		added, unfit.Diagnosis.PostFilterMsg = unfit.Diagnosis.PostFilterMsg, ""
	}
	return whole, added
}

// recorders returns the function that creates the event recorder of each profile.
func recorders(recorder *events.FakeRecorder) func(string) events.EventRecorderLogger {
	return func(string) events.EventRecorderLogger { return recorder }
}

// assumeCaches are VolumeBinding's caches of volumes and claims. They read the informers' stores, and also contain the
// objects that were changed in memory.
type assumeCaches struct {
	// store is the store of volumes.
	store   *cache.Indexer
	volumes *map[string]*v1.PersistentVolume
	claims  *map[string]*v1.PersistentVolumeClaim
}

func cachesOf(binder volumebinding.SchedulerVolumeBinder) assumeCaches {
	return assumeCaches{
		judge.Field[cache.Indexer](binder, "pvCache", "store"),
		judge.Field[map[string]*v1.PersistentVolume](binder, "pvCache", "assumed"),
		judge.Field[map[string]*v1.PersistentVolumeClaim](binder, "pvcCache", "assumed"),
	}
}

// fill makes a world the content of the caches. The informers already have this world.
func (c assumeCaches) fill(*world) {
	clear(*c.volumes)
	clear(*c.claims)
}

// assumed returns whether a volume was changed in memory.
func (c assumeCaches) assumed(volume string) bool {
	_, yes := (*c.volumes)[volume]
	return yes
}

// volumeIn returns the volume of an element of the store.
func volumeIn(element any) *v1.PersistentVolume { return element.(*v1.PersistentVolume) }
