package main

import (
	"context"
	"encoding/json"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	stosv1 "github.com/storageos/api-manager/api/v1"
	"github.com/storageos/api-manager/internal/controllers/sharedvolume"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config/v1alpha1"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/runtime/inject"
)

// informer is the informer of Volumes. It delivers only the events that it is told to.
type informer struct {
	cache.Informer
	toolscache.ResourceEventHandler
}

func (i *informer) AddEventHandler(handler toolscache.ResourceEventHandler) {
	i.ResourceEventHandler = handler
}

// informers is the cache of a manager with one informer.
type informers struct {
	cache.Cache
	only informer
}

func (i *informers) GetInformer(context.Context, client.Object) (cache.Informer, error) {
	return &i.only, nil
}
func (i *informers) WaitForCacheSync(context.Context) bool { return true }

// stub is a manager with one controller.
type stub struct {
	manager.Manager
	informers informers
	added     manager.Runnable
}

func (m *stub) GetControllerOptions() v1alpha1.ControllerConfigurationSpec {
	return v1alpha1.ControllerConfigurationSpec{}
}
func (m *stub) GetScheme() *runtime.Scheme { return scheme }
func (m *stub) GetLogger() logr.Logger     { return logr.Discard() }
func (m *stub) SetFields(into any) error {
	_, err := inject.CacheInto(&m.informers, into)
	return err
}
func (m *stub) Add(made manager.Runnable) error {
	m.added = made
	return nil
}

// noticed is a client that notices which Volume a sync begins with, and that has no Volumes.
type noticed struct {
	client.Client
	volumes []string
}

func (n *noticed) Get(_ context.Context, key client.ObjectKey, _ client.Object) error {
	n.volumes = append(n.volumes, key.Name)
	return apierrors.NewNotFound(resource("Volume"), key.Name)
}

// filters runs the real controller, with its filters, its queue and its worker, for nothing but to know which events
// lead to a sync.
type filters struct {
	informer *informer
	syncs    noticed
	stop     func()
}

func startFilters() *filters {
	f := &filters{}
	m := &stub{}
	made := sharedvolume.NewReconciler(nil, &f.syncs, time.Second, time.Second, nil)
	must(made.SetupWithManager(m))
	f.informer = &m.informers.only
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- m.added.Start(ctx) }()
	synctest.Wait()
	f.stop = func() {
		cancel()
		must(<-done)
		// The queue notices only at its next tick that it is shut down.
		time.Sleep(time.Second)
	}
	return f
}

// event delivers an event. A Volume that is nil does not exist.
func (f *filters) event(before, after object) Event {
	f.syncs.volumes = nil
	made := Event{Type: "update", Volume: keyOf(after).Name}
	switch {
	case before == nil:
		made.Type = "create"
		f.informer.OnAdd(volume(after))
	case after == nil:
		made.Type, made.Volume = "delete", keyOf(before).Name
		f.informer.OnDelete(volume(before))
	default:
		f.informer.OnUpdate(volume(before), volume(after))
	}
	synctest.Wait()
	made.Passes = len(f.syncs.volumes) > 0
	return made
}

func volume(each object) *stosv1.Volume {
	made := &stosv1.Volume{}
	must(json.Unmarshal(written(each), made))
	return made
}
