package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"github.com/go-logr/logr"
	"github.com/kubernetes-csi/external-attacher/v4/pkg/attacher"
	external "github.com/kubernetes-csi/external-attacher/v4/pkg/controller"
	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	translation "k8s.io/csi-translation-lib"
	"k8s.io/klog/v2"
)

//go:linkname syncVA github.com/kubernetes-csi/external-attacher/v4/pkg/controller.(*CSIAttachController).syncVA
func syncVA(*external.CSIAttachController, context.Context)

//go:linkname syncPV github.com/kubernetes-csi/external-attacher/v4/pkg/controller.(*CSIAttachController).syncPV
func syncPV(*external.CSIAttachController, context.Context)

//go:linkname pvAdded github.com/kubernetes-csi/external-attacher/v4/pkg/controller.(*CSIAttachController).pvAdded
func pvAdded(*external.CSIAttachController, any)

// field returns the address of the field with this name, even if the field is not exported.
func field[T any](object any, name string) *T {
	value := reflect.ValueOf(object).Elem().FieldByName(name)
	if value.Type() != reflect.TypeFor[T]() {
		panic(fmt.Sprintf("field %s of %T is a %s", name, object, value.Type()))
	}
	return (*T)(unsafe.Pointer(value.UnsafeAddr()))
}

func sortedKeys[V any](all map[string]V) []string { return slices.Sorted(maps.Keys(all)) }

// world contains the decoded objects of a line, and the names of those that are synced.
type world struct {
	objects              []runtime.Object
	attachments, volumes []string
}

func decode(items []json.RawMessage, secrets []string) (*world, error) {
	w := &world{}
	for _, text := range items {
		object, _, err := scheme.Codecs.UniversalDeserializer().Decode(text, nil, nil)
		if err != nil {
			return nil, err
		}
		// Objects that a client reads have no kind and no apiVersion.
		switch typed := object.(type) {
		case *storagev1.VolumeAttachment:
			typed.Kind, typed.APIVersion = "", ""
			w.attachments = append(w.attachments, typed.Name)
		case *v1.PersistentVolume:
			typed.Kind, typed.APIVersion = "", ""
			w.volumes = append(w.volumes, typed.Name)
		}
		w.objects = append(w.objects, object)
	}
	for _, name := range secrets {
		namespace, secret, _ := strings.Cut(name, "/")
		made := &v1.Secret{Data: map[string][]byte{secretKey: []byte(name)}}
		made.Namespace, made.Name = namespace, secret
		w.objects = append(w.objects, made)
	}
	slices.Sort(w.attachments)
	slices.Sort(w.volumes)
	return w, nil
}

// limiter is the rate limiter of a queue. It notes what the attacher does with the object that is synced.
type limiter struct {
	workqueue.TypedRateLimiter[string]
	noted Queue
}

func (l *limiter) When(name string) time.Duration {
	delay := l.TypedRateLimiter.When(name)
	l.noted.Retry = delay.Milliseconds()
	return delay
}

func (l *limiter) Forget(name string) {
	l.TypedRateLimiter.Forget(name)
	l.noted.Forgotten = true
}

// kit contains an attacher that has just been started in a world, and the recorder of what it does.
type kit struct {
	*recorder
	ctx                      context.Context
	controller               *external.CSIAttachController
	handler                  external.Handler
	attachments, volumes     workqueue.TypedRateLimitingInterface[string]
	attachmentLim, volumeLim *limiter
	informer                 informers.SharedInformerFactory
}

// retryStart and retryMax are the defaults of the flags --retry-interval-start and --retry-interval-max.
const (
	retryStart = time.Second
	retryMax   = 5 * time.Minute
)

// newLimiter returns the rate limiter of a queue in which the sync of the object has already failed some times.
func newLimiter(name string, failures int) *limiter {
	made := &limiter{TypedRateLimiter: workqueue.NewTypedItemExponentialFailureRateLimiter[string](retryStart, retryMax)}
	for range failures {
		made.TypedRateLimiter.When(name)
	}
	return made
}

// start starts an attacher. Its caches have the objects of the world. It has the handler that cmd/csi-attacher chooses.
func start(w *world, a *Attacher, name string) *kit {
	objects := []runtime.Object{}
	for _, object := range w.objects {
		objects = append(objects, object.DeepCopyObject())
	}
	client := fake.NewSimpleClientset(objects...)
	k := &kit{recorder: &recorder{begin: time.Now()}}
	k.watch(client, a.Refuse)
	k.ctx = klog.NewContext(context.Background(), logr.New(sink{k.recorder}))
	k.informer = informers.NewSharedInformerFactory(client, 0)
	core, storage := k.informer.Core().V1(), k.informer.Storage().V1()
	for _, object := range w.objects {
		var into cache.SharedIndexInformer
		switch object.(type) {
		case *v1.PersistentVolume:
			into = core.PersistentVolumes().Informer()
		case *storagev1.CSINode:
			into = storage.CSINodes().Informer()
		case *storagev1.VolumeAttachment:
			into = storage.VolumeAttachments().Informer()
		default:
			continue
		}
		if err := into.GetIndexer().Add(object.DeepCopyObject()); err != nil {
			panic(err)
		}
	}
	driver := &stub{driver: a.Driver, recorder: k.recorder}
	can := func(capability string) bool { return slices.Contains(a.Sidecar.Capabilities, capability) }
	if can("CONTROLLER_SERVICE") && can("PUBLISH_UNPUBLISH_VOLUME") {
		calls, lister := attacher.NewAttacher(nil), attacher.NewVolumeLister(nil, 0)
		*field[csi.ControllerClient](calls, "client") = driver
		*field[csi.ControllerClient](lister, "client") = driver
		timeout := time.Duration(a.Sidecar.Timeout) * time.Millisecond
		k.handler = external.NewCSIHandler(
			client, a.Sidecar.Driver, calls, lister, core.PersistentVolumes().Lister(), storage.CSINodes().Lister(),
			storage.VolumeAttachments().Lister(), &timeout, can("PUBLISH_READONLY"), can("SINGLE_NODE_MULTI_WRITER"),
			translation.New(), a.Sidecar.DefaultFSType,
		)
	} else {
		k.handler = external.NewTrivialHandler(client)
	}
	k.attachmentLim, k.volumeLim = newLimiter(name, a.Failures), newLimiter(name, a.Failures)
	k.controller = external.NewCSIAttachController(
		logr.Discard(), client, a.Sidecar.Driver, k.handler, storage.VolumeAttachments(), core.PersistentVolumes(),
		k.attachmentLim, k.volumeLim, reconciles(a.Sidecar), time.Minute,
	)
	k.attachments = *field[workqueue.TypedRateLimitingInterface[string]](k.controller, "vaQueue")
	k.volumes = *field[workqueue.TypedRateLimitingInterface[string]](k.controller, "pvQueue")
	return k
}

// reconciles returns whether the attacher compares attachments with the volumes of the driver. A driver without
// controller service is not asked for the capabilities of its controller service.
func reconciles(sidecar Sidecar) bool {
	for _, each := range []string{"CONTROLLER_SERVICE", "LIST_VOLUMES", "LIST_VOLUMES_PUBLISHED_NODES"} {
		if !slices.Contains(sidecar.Capabilities, each) {
			return false
		}
	}
	return true
}

// reconcile lets the attacher compare attachments with the volumes of the driver. It empties the queue, so that the next
// sync is that of the wanted object.
func (k *kit) reconcile() *Reconciled {
	made := &Reconciled{}
	if err := k.handler.ReconcileVA(k.ctx); err != nil {
		made.Error = err.Error()
	}
	for k.attachments.Len() > 0 {
		name, _ := k.attachments.Get()
		k.attachments.Done(name)
		made.Queued = append(made.Queued, name)
	}
	slices.Sort(made.Queued)
	return made
}

// startup is the time from the start of an attacher to the sync. It is longer than a comparison takes.
const startup = time.Minute

// ready waits until the moment of the sync.
func (k *kit) ready() {
	time.Sleep(startup - time.Since(k.begin))
	k.begin, k.effects = time.Now(), nil
}

// alone starts an attacher at the begin of a time of its own, lets it act, and ends it.
func alone(w *world, a *Attacher, name string, act func(*kit)) {
	// The test is only there because synctest needs one. Nothing of it is used.
	synctest.Test(new(testing.T), func(*testing.T) {
		k := start(w, a, name)
		act(k)
		k.attachments.ShutDown()
		k.volumes.ShutDown()
	})
}

func answer(l *Line) error {
	a := l.Attacher
	if a == nil {
		return nil
	}
	w, err := decode(l.World.Items, a.Secrets)
	if err != nil {
		return err
	}
	a.Reconciled, a.Attachments, a.Volumes = nil, nil, nil
	if reconciles(a.Sidecar) {
		alone(w, a, "", func(k *kit) { a.Reconciled = k.reconcile() })
	}
	for _, name := range w.attachments {
		alone(w, a, name, func(k *kit) {
			if reconciles(a.Sidecar) {
				k.reconcile()
			}
			k.ready()
			k.attachments.Add(name)
			syncVA(k.controller, k.ctx)
			a.Attachments = append(a.Attachments, AttachmentAnswer{name, k.effects, k.failed, k.attachmentLim.noted})
		})
	}
	for _, name := range w.volumes {
		alone(w, a, name, func(k *kit) {
			stored, _, _ := k.informer.Core().V1().PersistentVolumes().Informer().GetIndexer().GetByKey(name)
			pvAdded(k.controller, stored)
			queued := k.volumes.Len() > 0
			k.ready()
			k.volumes.Add(name)
			syncPV(k.controller, k.ctx)
			a.Volumes = append(a.Volumes, VolumeAnswer{name, queued, k.effects, k.volumeLim.noted})
		})
	}
	return nil
}
