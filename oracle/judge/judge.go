// Package judge runs the real controllers of kube-controller-manager in its own process, against an API server in
// memory.
package judge

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"sort"
	"strings"
	"time"
	"unsafe"

	"github.com/go-logr/logr"
	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	v1helper "k8s.io/kubernetes/pkg/apis/core/v1/helper"
	"k8s.io/kubernetes/pkg/controller/volume/persistentvolume"
	"k8s.io/kubernetes/pkg/controller/volume/pvcprotection"
	"k8s.io/kubernetes/pkg/controller/volume/pvprotection"
	"k8s.io/kubernetes/pkg/util/goroutinemap"
	"k8s.io/kubernetes/pkg/util/goroutinemap/exponentialbackoff"

	"k8s.io/klog/v2"

	"pvctl.dev/oracle/line"
)

// Judge is one set of controllers with its caches and its API server. It answers for one world at a time and is not
// safe for concurrent use.
type Judge struct {
	ctx              context.Context
	api              *api
	world            *world
	binder           *persistentvolume.PersistentVolumeController
	volumeProtection *pvprotection.Controller
	claimProtection  *pvcprotection.Controller
	ephemeral        ephemeralController

	// volumes to nodes are the informers' stores. ownVolumes and ownClaims are the stores of the binder itself.
	volumes, claims, classes, pods, nodes cache.Indexer
	ownVolumes                            *orderedIndexer
	ownClaims                             *watchedStore
	// cached says that the informers contain the current world.
	cached     bool
	operations *operations
	// hostPathProvisions and dynamic are the flags of kube-controller-manager that a line can set.
	hostPathProvisions bool
	dynamic            *bool
	// enqueued is called with the kind and key of everything that the binder and the ephemeral-volume controller
	// enqueue themselves.
	enqueued func(kind, key string)
	// ended is called after the first sync of an answer.
	ended func()
	// log receives the entries that the controllers log, if they are recorded.
	log *log
	// Pods is kube-scheduler, if it takes part in Settle.
	Pods PodScheduler
}

// Field returns the address of a field, even if the field is not exported. The names lead from the object to the field.
func Field[T any](object any, names ...string) *T {
	value := reflect.ValueOf(object).Elem()
	for _, name := range names {
		value = value.FieldByName(name)
	}
	if value.Type() != reflect.TypeFor[T]() {
		panic(fmt.Sprintf("field %s of %T is a %s", strings.Join(names, "."), object, value.Type()))
	}
	return (*T)(unsafe.Pointer(value.UnsafeAddr()))
}

func init() {
	// The logs of the controllers are not part of an answer.
	klog.SetLogger(logr.Discard())
}

// New creates a judge with the controllers as kube-controller-manager configures them by default.
func New() (*Judge, error) {
	j := &Judge{ctx: klog.NewContext(context.Background(), logr.Discard()), api: newAPI()}
	clients := &client{api: j.api}
	factory := informers.NewSharedInformerFactory(clients, 0)
	core, storage := factory.Core().V1(), factory.Storage().V1()
	binder, err := persistentvolume.NewController(j.ctx, persistentvolume.ControllerParameters{
		KubeClient:                clients,
		SyncPeriod:                15 * time.Second,
		VolumePlugins:             plugins(&j.hostPathProvisions),
		VolumeInformer:            core.PersistentVolumes(),
		ClaimInformer:             core.PersistentVolumeClaims(),
		ClassInformer:             storage.StorageClasses(),
		PodInformer:               core.Pods(),
		NodeInformer:              core.Nodes(),
		EnableDynamicProvisioning: true,
	})
	if err != nil {
		return nil, err
	}
	j.binder = binder
	j.volumeProtection = pvprotection.NewPVProtectionController(logr.Discard(), core.PersistentVolumes(), clients)
	j.claimProtection, err = pvcprotection.NewPVCProtectionController(
		logr.Discard(), core.PersistentVolumeClaims(), core.Pods(), clients)
	if err != nil {
		return nil, err
	}
	if err := j.newEphemeral(clients, factory); err != nil {
		return nil, err
	}
	if j.api.admission, err = admissionPlugins(factory); err != nil {
		return nil, err
	}
	j.volumes, j.claims = core.PersistentVolumes().Informer().GetIndexer(), core.PersistentVolumeClaims().Informer().GetIndexer()
	j.classes = storage.StorageClasses().Informer().GetIndexer()
	j.pods, j.nodes = core.Pods().Informer().GetIndexer(), core.Nodes().Informer().GetIndexer()

	own := Field[cache.Indexer](binder, "volumes", "store")
	j.ownVolumes = &orderedIndexer{watchedStore: watchedStore{Indexer: *own}}
	*own = j.ownVolumes
	claims := Field[cache.Store](binder, "claims")
	j.ownClaims = &watchedStore{Indexer: (*claims).(cache.Indexer)} // every store of client-go is an Indexer
	*claims = j.ownClaims
	*Field[record.EventRecorder](binder, "eventRecorder") = recorder{j}
	j.operations = &operations{judge: j}
	*Field[goroutinemap.GoRoutineMap](binder, "runningOperations") = j.operations
	j.watchQueues()
	j.dynamic = Field[bool](binder, "enableDynamicProvisioning")
	*Field[time.Duration](binder, "createProvisionedPVInterval") = 0
	return j, nil
}

// load makes a line's world the state of the API server and of all caches.
func (j *Judge) load(l *line.Line) error {
	w, err := read(l.World)
	if err != nil {
		return err
	}
	j.hostPathProvisions, *j.dynamic = false, true
	for name, value := range l.Flags {
		on := value == "true"
		if !on && value != "false" {
			return fmt.Errorf("flag %s is %q; it can be true or false", name, value)
		}
		switch name {
		case "enable-hostpath-provisioner":
			j.hostPathProvisions = on
		case "enable-dynamic-provisioning":
			*j.dynamic = on
		default:
			return fmt.Errorf("flag %s is not known", name)
		}
	}
	j.world = w
	j.api.trace, j.api.gate, j.api.changed, j.enqueued = nil, nil, nil, nil
	j.api.load(w)
	replace(j.classes, w.classes)
	replace(j.pods, w.pods)
	replace(j.nodes, w.nodes)
	j.cache(w.volumes, w.claims)
	j.fillOwn(w.volumes, w.claims)
	j.cached = true
	return nil
}

// reset restores the state that load created.
func (j *Judge) reset() {
	j.api.reset()
	if !j.cached {
		j.cache(j.world.volumes, j.world.claims)
		j.cached = true
		j.ownVolumes.dirty, j.ownClaims.dirty = true, true
	}
	if j.ownVolumes.dirty {
		replace(j.ownVolumes, j.world.volumes)
		j.ownVolumes.dirty = false
	}
	if j.ownClaims.dirty {
		replace(j.ownClaims, j.world.claims)
		j.ownClaims.dirty = false
	}
	j.operations.running, j.operations.backingOff, j.operations.later = nil, nil, nil
}

// cache fills the informers' stores.
func (j *Judge) cache(volumes []*v1.PersistentVolume, claims []*v1.PersistentVolumeClaim) {
	replace(j.volumes, volumes)
	replace(j.claims, claims)
}

// fillOwn fills the binder's own stores as the start of the binder does. The objects are shared with the informers, not
// copied: the controller copies an object before it changes it.
func (j *Judge) fillOwn(volumes []*v1.PersistentVolume, claims []*v1.PersistentVolumeClaim) {
	replace(j.ownVolumes, volumes)
	replace(j.ownClaims, claims)
	j.ownVolumes.dirty, j.ownClaims.dirty = false, false
}

func replace[T any](store cache.Store, objects []T) {
	list := make([]any, len(objects))
	for i, object := range objects {
		list[i] = object
	}
	must(store.Replace(list, ""))
}

//go:linkname processVolume k8s.io/kubernetes/pkg/controller/volume/pvprotection.(*Controller).processPV
func processVolume(ctrl *pvprotection.Controller, ctx context.Context, name string) error

// protect runs the worker of the protection controller of a kind for one key.
func (j *Judge) protect(kind, key string) error {
	if kind == "PersistentVolume" {
		return processVolume(j.volumeProtection, j.ctx, key)
	}
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return err
	}
	return protectClaim(j.claimProtection, j.ctx, namespace, name)
}

// hear calls enqueued with a key that a controller enqueued itself.
func (j *Judge) hear(kind, key string) {
	if j.enqueued != nil {
		j.enqueued(kind, key)
	}
}

// watchedStore is a store of the binder that records whether it was changed.
type watchedStore struct {
	cache.Indexer
	dirty bool
}

func (s *watchedStore) Add(object any) error {
	s.dirty = true
	return s.Indexer.Add(object)
}

func (s *watchedStore) Update(object any) error {
	if old, ok, _ := s.Get(object); !ok || old != object {
		s.dirty = true
	}
	return s.Indexer.Update(object)
}

func (s *watchedStore) Delete(object any) error {
	s.dirty = true
	return s.Indexer.Delete(object)
}

// orderedIndexer is the binder's store of volumes. The real store returns them in the order of Go's maps, which is
// random. This store returns them in a chosen order: sorted by name with one volume first, or shuffled.
//
// To reach every answer, it is enough to put each volume first once. The order only decides between equally good lists
// of access modes, and between equally good volumes with the same list. The controller takes the first one of these.
type orderedIndexer struct {
	watchedStore
	// first is the volume at the front, or nil. If random is set, the order is shuffled instead.
	first  *v1.PersistentVolume
	random *rand.Rand
	// tied says that the store returned more than one element since this field was last cleared. Then the order may
	// matter.
	tied bool
}

func (s *orderedIndexer) Index(name string, object any) ([]any, error) {
	found, err := s.Indexer.Index(name, object)
	if len(found) < 2 {
		return found, err
	}
	s.tied = true
	title := func(i int) string { return found[i].(*v1.PersistentVolume).Name }
	sort.Slice(found, func(a, b int) bool {
		first := s.first != nil && title(a) == s.first.Name
		return first || (s.first == nil || title(b) != s.first.Name) && title(a) < title(b)
	})
	if s.random != nil {
		s.random.Shuffle(len(found), func(a, b int) { found[a], found[b] = found[b], found[a] })
	}
	return found, err
}

func (s *orderedIndexer) ListIndexFuncValues(name string) []string {
	found := s.Indexer.ListIndexFuncValues(name)
	if len(found) < 2 {
		return found
	}
	s.tied = true
	sort.Strings(found)
	if s.first != nil {
		modes := v1helper.GetAccessModesAsString(s.first.Spec.AccessModes)
		sort.SliceStable(found, func(a, b int) bool { return found[a] == modes && found[b] != modes })
	}
	if s.random != nil {
		s.random.Shuffle(len(found), func(a, b int) { found[a], found[b] = found[b], found[a] })
	}
	return found
}

// operations is the binder's map of operations. A started operation runs at once, within the sync, unless later is set.
type operations struct {
	judge               *Judge
	running, backingOff map[string]bool
	// later, if it is set, receives each started operation. The operation then does not run at once.
	later func(name string, run func())
}

var _ goroutinemap.GoRoutineMap = &operations{}

func (o *operations) Run(name string, operation func() error) error {
	t := o.judge.api.trace
	switch {
	case o.running[name]:
		t.operation(name, "running")
		return goroutinemap.NewAlreadyExistsError(name)
	case o.backingOff[name]:
		t.operation(name, "backoff")
		return exponentialbackoff.NewExponentialBackoffError(name, exponentialbackoff.ExponentialBackoff{})
	}
	t.operation(name, "started")
	if o.later != nil {
		o.later(name, func() { o.finish(operation) })
	} else {
		o.finish(operation)
	}
	return nil
}

// remoteStorage ends an operation at the point where a plugin would act on storage, because there is no storage.
type remoteStorage struct{}

// finish runs an operation to its end, or to a point that cannot be simulated: the pod of a recycler that the case does
// not mention, or a plugin that acts on storage. The operation then ends without a result, so that the next sync can
// start another one.
func (o *operations) finish(operation func() error) {
	defer func() {
		switch ended := recover().(type) {
		case nil, recycling:
		case remoteStorage:
			o.judge.api.trace.note("remote-storage")
		default:
			panic(ended)
		}
	}()
	if err := operation(); err != nil {
		o.judge.api.trace.note("op-error")
	}
}

func (o *operations) Wait()                               {}
func (o *operations) WaitForCompletion()                  {}
func (o *operations) IsOperationPending(name string) bool { return o.running[name] }
