//go:build !k8s_1_30 && !k8s_1_32 && !k8s_1_34

// Package scheduler drives the real kube-scheduler in process, with its default profile, and asks it about the pods of
// a world. Nothing is bound and nothing is sent to an API server.
package scheduler

import (
	"context"
	"fmt"
	"time"
	_ "unsafe" // for go:linkname

	"github.com/go-logr/logr"
	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	kubescheduler "k8s.io/kubernetes/pkg/scheduler"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding"

	"pvctl.dev/oracle/judge"
)

// Scheduler is one kube-scheduler with its caches. It answers for one world at a time and is not safe for concurrent
// use.
type Scheduler struct {
	ctx       context.Context
	scheduler *kubescheduler.Scheduler
	// profile is the framework with the default profile.
	profile framework.Framework
	// snapshot is what the plugins see of the nodes and their pods.
	snapshot *internalcache.Snapshot
	events   *events.FakeRecorder
	factory  informers.SharedInformerFactory
	// volumes is the store behind VolumeBinding's cache of volumes. Its order is a choice.
	volumes *orderedVolumes
	// assumed are the volumes that VolumeBinding has changed in memory.
	assumed *map[string]*v1.PersistentVolume
	// stop ends what the cache of the current world runs.
	stop context.CancelFunc
}

//go:linkname skipPodSchedule k8s.io/kubernetes/pkg/scheduler.(*Scheduler).skipPodSchedule
func skipPodSchedule(scheduler *kubescheduler.Scheduler, ctx context.Context, profile framework.Framework, pod *v1.Pod) bool

//go:linkname schedulingAlgorithm k8s.io/kubernetes/pkg/scheduler.(*Scheduler).schedulingAlgorithm
func schedulingAlgorithm(
	scheduler *kubescheduler.Scheduler, ctx context.Context, state fwk.CycleState, profile framework.Framework, pod *framework.QueuedPodInfo, start time.Time,
) (kubescheduler.ScheduleResult, *fwk.Status)

// New creates a scheduler as kube-scheduler does by default, with the feature gates that are set at this moment.
func New() (*Scheduler, error) {
	s := &Scheduler{ctx: klog.NewContext(context.Background(), logr.Discard()), stop: func() {}}
	client := fake.NewClientset()
	s.factory = kubescheduler.NewInformerFactory(client, 0)
	s.events = events.NewFakeRecorder(16)
	// With one worker the nodes are tested in one order. It has no influence on a verdict.
	created, err := kubescheduler.New(s.ctx, client, s.factory, nil,
		func(string) events.EventRecorderLogger { return s.events }, kubescheduler.WithParallelism(1))
	if err != nil {
		return nil, err
	}
	s.scheduler = created
	s.profile = created.Profiles[v1.DefaultSchedulerName]
	s.snapshot = *judge.Field[*internalcache.Snapshot](created, "nodeInfoSnapshot")
	binder, err := volumeBinder(s.profile)
	if err != nil {
		return nil, err
	}
	store := volumeStore(binder)
	s.volumes = &orderedVolumes{Indexer: *store}
	*store = s.volumes
	s.assumed = judge.Field[map[string]*v1.PersistentVolume](binder, "pvCache", "assumed")
	return s, nil
}

// volumeBinder returns what the plugin VolumeBinding of a profile decides with.
func volumeBinder(profile framework.Framework) (volumebinding.SchedulerVolumeBinder, error) {
	for _, plugin := range *judge.Field[[]fwk.ReservePlugin](profile, "reservePlugins") {
		if binding, ok := plugin.(*volumebinding.VolumeBinding); ok {
			return binding.Binder, nil
		}
	}
	return nil, fmt.Errorf("the default profile has no plugin %s", volumebinding.Name)
}

// volumeStore returns the address of the store behind the cache of volumes.
func volumeStore(binder volumebinding.SchedulerVolumeBinder) *cache.Indexer {
	return judge.Field[cache.Indexer](binder, "pvCache", "store")
}

// load makes a world the state of all caches, as after a start.
func (s *Scheduler) load(w *world) error {
	core, storage := s.factory.Core().V1(), s.factory.Storage().V1()
	for _, one := range []struct {
		informer cache.SharedIndexInformer
		objects  []any
	}{
		{core.Nodes().Informer(), w.nodes}, {core.Pods().Informer(), w.pods}, {core.Namespaces().Informer(), w.namespaces},
		{core.PersistentVolumes().Informer(), w.volumes}, {core.PersistentVolumeClaims().Informer(), w.claims},
		{storage.StorageClasses().Informer(), w.classes}, {storage.CSINodes().Informer(), w.csiNodes},
		{storage.CSIDrivers().Informer(), w.drivers}, {storage.CSIStorageCapacities().Informer(), w.capacities},
		{storage.VolumeAttachments().Informer(), w.attachments},
	} {
		if err := one.informer.GetIndexer().Replace(one.objects, ""); err != nil {
			return err
		}
	}
	clear(*s.assumed)
	s.stop()
	ctx, stop := context.WithCancel(s.ctx)
	s.stop = stop
	s.scheduler.Cache = internalcache.New(ctx, nil, false)
	*s.snapshot = *internalcache.NewEmptySnapshot()
	logger := klog.FromContext(ctx)
	for _, node := range w.nodes {
		s.scheduler.Cache.AddNode(logger, node.(*v1.Node))
	}
	for _, each := range w.pods {
		if pod := each.(*v1.Pod); pod.Spec.NodeName != "" {
			if err := s.scheduler.Cache.AddPod(logger, pod); err != nil {
				return err
			}
		}
	}
	return s.scheduler.Cache.UpdateSnapshot(logger, s.snapshot)
}
