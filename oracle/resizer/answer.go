package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/go-logr/logr"
	"github.com/kubernetes-csi/csi-lib-utils/slowset"
	"github.com/kubernetes-csi/external-resizer/v2/pkg/controller"
	"github.com/kubernetes-csi/external-resizer/v2/pkg/modifier"
	"github.com/kubernetes-csi/external-resizer/v2/pkg/modifycontroller"
	"github.com/kubernetes-csi/external-resizer/v2/pkg/resizer"
	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"

	kube "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
)

// The receivers of these functions have types that are not exported.

//go:linkname syncResize github.com/kubernetes-csi/external-resizer/v2/pkg/controller.(*resizeController).syncPVCs
func syncResize(unsafe.Pointer)

//go:linkname addPod github.com/kubernetes-csi/external-resizer/v2/pkg/controller.(*resizeController).addPod
func addPod(unsafe.Pointer, any)

//go:linkname addInUseError github.com/kubernetes-csi/external-resizer/v2/pkg/controller.(*inUsePVCStore).addPVCWithInUseError
func addInUseError(unsafe.Pointer, *v1.PersistentVolumeClaim)

//go:linkname hasInUseError github.com/kubernetes-csi/external-resizer/v2/pkg/controller.(*inUsePVCStore).hasInUseErrors
func hasInUseError(unsafe.Pointer, *v1.PersistentVolumeClaim) bool

//go:linkname syncModify github.com/kubernetes-csi/external-resizer/v2/pkg/modifycontroller.(*modifyController).sync
func syncModify(unsafe.Pointer)

// field returns the address of the field with this name, even if the field is not exported.
func field[T any](object any, name string) *T {
	value := reflect.ValueOf(object).Elem().FieldByName(name)
	if value.Type() != reflect.TypeFor[T]() {
		panic(fmt.Sprintf("field %s of %T is a %s", name, object, value.Type()))
	}
	return (*T)(unsafe.Pointer(value.UnsafeAddr()))
}

// world contains the decoded objects of a line, and its claims, sorted by name.
type world struct {
	objects []kube.Object
	claims  []*v1.PersistentVolumeClaim
}

func keyOf(claim *v1.PersistentVolumeClaim) string { return claim.Namespace + "/" + claim.Name }

func decode(items []json.RawMessage, secrets []string) (*world, error) {
	w := &world{}
	for _, text := range items {
		object, _, err := scheme.Codecs.UniversalDeserializer().Decode(text, nil, nil)
		if err != nil {
			return nil, err
		}
		// Objects that a client reads have no kind and no apiVersion.
		switch typed := object.(type) {
		case *v1.PersistentVolumeClaim:
			typed.Kind, typed.APIVersion = "", ""
			w.claims = append(w.claims, typed)
		case *v1.PersistentVolume:
			typed.Kind, typed.APIVersion = "", ""
		}
		w.objects = append(w.objects, object)
	}
	for _, name := range secrets {
		namespace, secret, _ := strings.Cut(name, "/")
		made := &v1.Secret{Data: map[string][]byte{secretKey: []byte(name)}}
		made.Namespace, made.Name = namespace, secret
		w.objects = append(w.objects, made)
	}
	slices.SortFunc(w.claims, func(one, other *v1.PersistentVolumeClaim) int {
		return strings.Compare(keyOf(one), keyOf(other))
	})
	return w, nil
}

// queue is the queue of a controller. It notes what the controller does with the claim that is synced.
type queue struct {
	workqueue.TypedRateLimitingInterface[string]
	limiter workqueue.TypedRateLimiter[string]
	noted   *Answer
}

func (q *queue) AddRateLimited(key string) {
	q.noted.Retry, q.noted.Failed = q.limiter.When(key).Milliseconds(), true
}

func (q *queue) AddAfter(_ string, delay time.Duration) { q.noted.Retry = delay.Milliseconds() }

func (q *queue) Forget(key string) {
	q.TypedRateLimitingInterface.Forget(key)
	q.noted.Forgotten = true
}

// retryStart and retryMax are the defaults of the flags --retry-interval-start and --retry-interval-max. resync is the
// default of --resync-period.
const (
	retryStart = time.Second
	retryMax   = 5 * time.Minute
	resync     = 10 * time.Minute
)

// startup is the time from the start of a resizer to the sync.
const startup = time.Minute

// kit contains what both controllers need: a client and caches with the objects of a world, a driver, and the recorder
// of what they do.
type kit struct {
	*recorder
	client   *fake.Clientset
	informer informers.SharedInformerFactory
	driver   *stub
	limiter  workqueue.TypedRateLimiter[string]
}

func start(w *world, r *Resizer, key string) *kit {
	objects := []kube.Object{}
	for _, object := range w.objects {
		objects = append(objects, object.DeepCopyObject())
	}
	k := &kit{recorder: &recorder{begin: time.Now()}, client: fake.NewSimpleClientset(objects...)}
	k.watch(k.client, r.Refuse)
	klog.SetLogger(logr.New(sink{k.recorder}))
	k.informer = informers.NewSharedInformerFactory(k.client, 0)
	core, storage := k.informer.Core().V1(), k.informer.Storage().V1()
	for _, object := range w.objects {
		var into cache.SharedIndexInformer
		switch object.(type) {
		case *v1.PersistentVolume:
			into = core.PersistentVolumes().Informer()
		case *v1.PersistentVolumeClaim:
			into = core.PersistentVolumeClaims().Informer()
		case *storagev1.VolumeAttributesClass:
			into = storage.VolumeAttributesClasses().Informer()
		default:
			continue
		}
		must(into.GetIndexer().Add(object.DeepCopyObject()))
	}
	k.driver = &stub{driver: r.Driver, capabilities: r.Sidecar.Capabilities, recorder: k.recorder}
	k.limiter = workqueue.NewTypedItemExponentialFailureRateLimiter[string](retryStart, retryMax)
	for range r.Failures {
		k.limiter.When(key)
	}
	return k
}

// take replaces the recorder of events and the queue of a controller, so that what it does is noted. It returns a
// function that ends the controller.
func (k *kit) take(made any, noted *Answer) func() {
	events := field[record.EventRecorder](made, "eventRecorder")
	broadcaster := *field[*watch.Broadcaster](*events, "Broadcaster")
	*events = k.recorder
	claims := field[workqueue.TypedRateLimitingInterface[string]](made, "claimQueue")
	inner := *claims
	*claims = &queue{inner, k.limiter, noted}
	return func() {
		broadcaster.Shutdown()
		inner.ShutDown()
	}
}

// slowly puts a claim into the set of claims that are tried less often, and lets the set lose claims with time.
func slowly(ctx context.Context, made any, key string, until int64) func() int64 {
	set := *field[*slowset.SlowSet](made, "slowSet")
	if until > 0 {
		added := time.Now().Add(time.Duration(until)*time.Millisecond - retryMax)
		set.Add(key, slowset.ObjectData{Timestamp: added})
	}
	begin := time.Now()
	go set.Run(ctx.Done())
	return func() int64 {
		found, ok := set.Get(key)
		if !ok {
			return 0
		}
		return found.Timestamp.Add(retryMax).Sub(begin).Milliseconds()
	}
}

// synced runs one sync of a controller, and notes how it ends.
func (k *kit) synced(sync func(), noted *Answer) {
	defer func() {
		if thrown := recover(); thrown != nil {
			var known runtime.Error
			if err, ok := thrown.(error); !ok || !errors.As(err, &known) || !strings.Contains(err.Error(), "nil map") {
				panic(thrown)
			}
			noted.Crashed = true
		}
		noted.Effects, noted.Error = k.effects, k.failed
	}()
	sync()
}

// resize syncs a claim with the resize controller, if cmd/csi-resizer starts one.
func resize(w *world, r *Resizer, claim *v1.PersistentVolumeClaim) *Answer {
	key := keyOf(claim)
	before, answer := r.Memory[key], &Answer{Claim: key}
	k := start(w, r, key)
	timeout := time.Duration(r.Sidecar.ResizeTimeout) * time.Millisecond
	expander, err := resizer.NewResizerFromClient(k.driver, timeout, k.client, r.Sidecar.Driver)
	if errors.Is(err, resizer.ResizeNotSupportErr) {
		return nil
	}
	must(err)
	made := controller.NewResizeController(
		r.Sidecar.Driver, expander, k.client, resync, k.informer, k.limiter, r.Sidecar.WatchesPods, retryMax,
	)
	defer k.take(made, answer)()
	self := reflect.ValueOf(made).UnsafePointer()
	used := reflect.ValueOf(made).Elem().FieldByName("usedPVCs").UnsafePointer()
	for _, object := range w.objects {
		if pod, ok := object.(*v1.Pod); ok && r.Sidecar.WatchesPods {
			addPod(self, pod)
		}
	}
	time.Sleep(startup)
	final := *field[sets.Set[string]](made, "finalErrorPVCs")
	if before.Final {
		final.Insert(key)
	}
	if before.InUse {
		addInUseError(used, claim)
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	slow := slowly(ctx, made, key, before.Slow)
	k.begin = time.Now()
	(*field[workqueue.TypedRateLimitingInterface[string]](made, "claimQueue")).Add(key)
	k.synced(func() { syncResize(self) }, answer)
	answer.Memory = Memory{Slow: slow(), Final: final.Has(key), InUse: hasInUseError(used, claim)}
	return answer
}

// modify syncs a claim with the modify controller, if cmd/csi-resizer starts one.
func modify(w *world, r *Resizer, claim *v1.PersistentVolumeClaim) *Answer {
	key := keyOf(claim)
	before, answer := r.Memory[key], &Answer{Claim: key}
	k := start(w, r, key)
	timeout := time.Duration(r.Sidecar.ModifyTimeout) * time.Millisecond
	changer, err := modifier.NewModifierFromClient(
		k.driver, timeout, k.client, k.informer, r.Sidecar.ExtraMetadata, r.Sidecar.Driver,
	)
	if errors.Is(err, modifier.ModifyNotSupportErr) {
		return nil
	}
	must(err)
	made := modifycontroller.NewModifyController(
		r.Sidecar.Driver, changer, k.client, resync, retryMax, r.Sidecar.ExtraMetadata, k.informer, k.limiter,
	)
	defer k.take(made, answer)()
	time.Sleep(startup)
	uncertain := field[sync.Map](made, "uncertainPVCs")
	if before.Uncertain {
		uncertain.Store(key, claim)
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	slow := slowly(ctx, made, key, before.ModifySlow)
	k.begin = time.Now()
	(*field[workqueue.TypedRateLimitingInterface[string]](made, "claimQueue")).Add(key)
	k.synced(func() { syncModify(reflect.ValueOf(made).UnsafePointer()) }, answer)
	_, is := uncertain.Load(key)
	answer.Memory = Memory{ModifySlow: slow(), Uncertain: is}
	return answer
}

func answer(l *Line) error {
	r := l.Resizer
	if r == nil {
		return nil
	}
	w, err := decode(l.World.Items, r.Secrets)
	if err != nil {
		return err
	}
	r.Resizes, r.Modifies = nil, nil
	for _, claim := range w.claims {
		// The test is only there because synctest needs one. Nothing of it is used.
		synctest.Test(new(testing.T), func(*testing.T) {
			if made := resize(w, r, claim); made != nil {
				r.Resizes = append(r.Resizes, *made)
			}
		})
		synctest.Test(new(testing.T), func(*testing.T) {
			if made := modify(w, r, claim); made != nil {
				r.Modifies = append(r.Modifies, *made)
			}
		})
	}
	return nil
}
