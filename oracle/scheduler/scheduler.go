// Package scheduler runs the real kube-scheduler in its own process, with its default profile, for the pods of a world.
// Nothing is bound and nothing is sent to an API server.
package scheduler

import (
	"context"
	"fmt"
	"reflect"
	_ "unsafe" // for go:linkname

	"github.com/go-logr/logr"
	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	kubescheduler "k8s.io/kubernetes/pkg/scheduler"
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
	// loaded is the world that the caches contain.
	loaded  *world
	events  *events.FakeRecorder
	factory informers.SharedInformerFactory
	// volumes is the store that VolumeBinding's cache of volumes uses. It returns volumes in a chosen order.
	volumes *orderedVolumes
	// caches are VolumeBinding's caches of volumes and claims.
	caches assumeCaches
}

//go:linkname skipPodSchedule k8s.io/kubernetes/pkg/scheduler.(*Scheduler).skipPodSchedule
func skipPodSchedule(scheduler *kubescheduler.Scheduler, ctx context.Context, profile framework.Framework, pod *v1.Pod) bool

// New creates a scheduler with the defaults of kube-scheduler and the current feature gates.
func New() (*Scheduler, error) {
	s := &Scheduler{ctx: klog.NewContext(context.Background(), logr.Discard()), loaded: &world{}}
	client := fake.NewSimpleClientset()
	s.factory = kubescheduler.NewInformerFactory(client, 0)
	s.events = events.NewFakeRecorder(16)
	// With one worker the nodes are always tested in the same order. The order does not change a verdict.
	created, err := kubescheduler.New(s.ctx, client, s.factory, nil, recorders(s.events), kubescheduler.WithParallelism(1))
	if err != nil {
		return nil, err
	}
	s.scheduler = created
	s.profile = created.Profiles[v1.DefaultSchedulerName]
	binder, err := volumeBinder(s.profile)
	if err != nil {
		return nil, err
	}
	s.caches = cachesOf(binder)
	s.volumes = &orderedVolumes{Indexer: *s.caches.store}
	*s.caches.store = s.volumes
	return s, nil
}

// volumeBinder returns the binder of the plugin VolumeBinding of a profile, which makes the decisions of this plugin.
func volumeBinder(profile framework.Framework) (volumebinding.SchedulerVolumeBinder, error) {
	for _, plugin := range *judge.Field[[]reservePlugin](profile, "reservePlugins") {
		if binding, ok := plugin.(*volumebinding.VolumeBinding); ok {
			return binding.Binder, nil
		}
	}
	return nil, fmt.Errorf("the default profile has no plugin %s", volumebinding.Name)
}

// load replaces the content of all caches by a world, as after a start.
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
	s.caches.fill(w)
	return s.snapshot(w)
}

// snapshot replaces the nodes and pods in the scheduler's cache, and takes the snapshot that a cycle uses.
func (s *Scheduler) snapshot(w *world) error {
	logger, nodes := klog.FromContext(s.ctx), s.scheduler.Cache
	for _, each := range s.loaded.pods {
		if pod := each.(*v1.Pod); pod.Spec.NodeName != "" {
			if err := nodes.RemovePod(logger, pod); err != nil {
				return err
			}
		}
	}
	for _, node := range s.loaded.nodes {
		if err := nodes.RemoveNode(logger, node.(*v1.Node)); err != nil {
			return err
		}
	}
	for _, node := range w.nodes {
		nodes.AddNode(logger, node.(*v1.Node))
	}
	for _, each := range w.pods {
		if pod := each.(*v1.Pod); pod.Spec.NodeName != "" {
			if err := nodes.AddPod(logger, pod); err != nil {
				return err
			}
		}
	}
	s.loaded = w
	return s.refresh()
}

// refresh takes the snapshot with which a cycle begins.
func (s *Scheduler) refresh() error {
	// In older minors the type of the snapshot is in an internal package.
	field := reflect.ValueOf(s.scheduler).Elem().FieldByName("nodeInfoSnapshot")
	target := reflect.NewAt(field.Type(), field.Addr().UnsafePointer()).Elem()
	ended := reflect.ValueOf(s.scheduler.Cache).MethodByName("UpdateSnapshot").Call(
		[]reflect.Value{reflect.ValueOf(klog.FromContext(s.ctx)), target})
	err, _ := ended[0].Interface().(error)
	return err
}
