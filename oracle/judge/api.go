package judge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strconv"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validation/path"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/admission"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install" // the strategies look up kinds in the scheme
	corev1 "k8s.io/kubernetes/pkg/apis/core/v1"
	"k8s.io/kubernetes/pkg/registry/core/persistentvolume"
	"k8s.io/kubernetes/pkg/registry/core/persistentvolumeclaim"
)

// optimisticLock is the API server's text for an update of an older version.
const optimisticLock = registry.OptimisticLockErrorMsg

// createdUID is the beginning of the uids of created objects. A number follows. No world uses such a uid.
const createdUID = "00000000-0000-4000-8000-"

func init() {
	persistentvolume.NowFunc = func() metav1.Time { return now }
}

// request is a request to the API server.
type request struct {
	verb, resource, subresource, namespace, name string
	// read is the kind of a live read, as in the failRead of a case. It is empty for a write.
	read string
}

// api is an API server in memory. Its strategies, conversions, defaults and validations are the real ones. The store,
// conflicts, deletion and the client's own checks are imitations.
type api struct {
	volumes *resource[*v1.PersistentVolume]
	claims  *resource[*v1.PersistentVolumeClaim]
	pods    []*v1.Pod
	version uint64
	// admission are the plugins that may change an object before it is created.
	admission []admission.MutationInterface
	// trace records the requests of one sync. It may be nil.
	trace *trace
	// gate is called before every request. It may wait. It may return an error, which the caller then gets instead of
	// the server's answer. It may panic, which ends the caller.
	gate func(request) error
	// changed is called after every change. before is nil for a new object, and after is nil for a deleted one.
	changed func(before, after runtime.Object)
}

// object is what a resource stores.
type object interface {
	*v1.PersistentVolume | *v1.PersistentVolumeClaim
	metav1.Object
	runtime.Object
}

// strategy is the part of a resource's strategy that handles creations and updates.
type strategy interface {
	rest.RESTCreateStrategy
	rest.RESTUpdateStrategy
}

// resource stores the objects of one kind. Stored objects are never modified. Each change stores a new object.
type resource[T object] struct {
	api        *api
	name, kind string
	namespaced bool
	read       string
	main       strategy
	status     rest.RESTUpdateStrategy
	empty      func() T
	internal   func(T) runtime.Object
	external   func(runtime.Object) T
	base       map[string]T
	stored     map[string]T
	dirty      bool
}

func newAPI() *api {
	a := &api{version: firstVersion}
	a.volumes = &resource[*v1.PersistentVolume]{
		api: a, name: "persistentvolumes", kind: "PersistentVolume", read: "getVolume",
		main: persistentvolume.Strategy, status: persistentvolume.StatusStrategy,
		empty: func() *v1.PersistentVolume { return &v1.PersistentVolume{} },
		internal: func(from *v1.PersistentVolume) runtime.Object {
			corev1.SetObjectDefaults_PersistentVolume(from) // as the server does whenever it decodes an object
			to := &core.PersistentVolume{}
			must(corev1.Convert_v1_PersistentVolume_To_core_PersistentVolume(from, to, nil))
			return to
		},
		external: func(from runtime.Object) *v1.PersistentVolume {
			to := &v1.PersistentVolume{}
			must(corev1.Convert_core_PersistentVolume_To_v1_PersistentVolume(from.(*core.PersistentVolume), to, nil))
			return to
		},
	}
	a.claims = &resource[*v1.PersistentVolumeClaim]{
		api: a, name: "persistentvolumeclaims", kind: "PersistentVolumeClaim", namespaced: true, read: "getClaim",
		main: persistentvolumeclaim.Strategy, status: persistentvolumeclaim.StatusStrategy,
		empty: func() *v1.PersistentVolumeClaim { return &v1.PersistentVolumeClaim{} },
		internal: func(from *v1.PersistentVolumeClaim) runtime.Object {
			corev1.SetObjectDefaults_PersistentVolumeClaim(from)
			to := &core.PersistentVolumeClaim{}
			must(corev1.Convert_v1_PersistentVolumeClaim_To_core_PersistentVolumeClaim(from, to, nil))
			return to
		},
		external: func(from runtime.Object) *v1.PersistentVolumeClaim {
			to := &v1.PersistentVolumeClaim{}
			must(corev1.Convert_core_PersistentVolumeClaim_To_v1_PersistentVolumeClaim(from.(*core.PersistentVolumeClaim), to, nil))
			return to
		},
	}
	return a
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// load replaces the content of the API server by a world.
func (a *api) load(w *world) {
	a.volumes.base, a.claims.base = map[string]*v1.PersistentVolume{}, map[string]*v1.PersistentVolumeClaim{}
	for _, volume := range w.volumes {
		a.volumes.base[volume.Name] = volume
	}
	for _, claim := range w.claims {
		a.claims.base[claim.Namespace+"/"+claim.Name] = claim
	}
	a.volumes.dirty, a.claims.dirty = true, true
	a.pods = w.pods
	a.reset()
}

// reset undoes all changes since load.
func (a *api) reset() {
	a.volumes.reset()
	a.claims.reset()
	a.version = firstVersion
}

func (r *resource[T]) reset() {
	if r.dirty {
		r.stored = maps.Clone(r.base)
		r.dirty = false
	}
}

func (r *resource[T]) key(namespace, name string) string {
	if r.namespaced {
		return namespace + "/" + name
	}
	return name
}

func (r *resource[T]) version() schema.GroupVersion { return v1.SchemeGroupVersion }

func (r *resource[T]) group() schema.GroupResource {
	return r.version().WithResource(r.name).GroupResource()
}

// preflight checks the address of a request, as the real client does before it sends a request.
func (r *resource[T]) preflight(namespace, name string) error {
	if namespace != "" {
		if bad := path.IsValidPathSegmentName(namespace); len(bad) != 0 {
			return fmt.Errorf("invalid namespace %q: %v", namespace, bad)
		}
	}
	if name == "" {
		return errors.New("resource name may not be empty")
	}
	if bad := path.IsValidPathSegmentName(name); len(bad) != 0 {
		return fmt.Errorf("invalid resource name %q: %v", name, bad)
	}
	if r.namespaced && namespace == "" && refusesEmptyNamespace {
		return errors.New("an empty namespace may not be set when a resource name is provided")
	}
	return nil
}

// get returns the same values as the typed clients: after a failure it returns an empty object and the error.
func (r *resource[T]) get(namespace, name string) (T, error) {
	if err := r.preflight(namespace, name); err != nil {
		return r.empty(), err
	}
	asked := request{verb: "get", resource: r.name, namespace: namespace, name: name, read: r.read}
	if r.api.gate != nil {
		if err := r.api.gate(asked); err != nil {
			return r.empty(), err
		}
	}
	if err := r.api.trace.read(asked); err != nil {
		return r.empty(), err
	}
	found, ok := r.stored[r.key(namespace, name)]
	if !ok {
		return r.empty(), apierrors.NewNotFound(r.group(), name)
	}
	return found.DeepCopyObject().(T), nil
}

func (r *resource[T]) update(sent T, subresource string) (T, error) {
	asked := request{verb: "update", resource: r.name, subresource: subresource, namespace: sent.GetNamespace(), name: sent.GetName()}
	if err := r.preflight(asked.namespace, asked.name); err != nil {
		return r.empty(), err
	}
	var fault error
	if r.api.gate != nil {
		fault = r.api.gate(asked)
	}
	stored, exists := r.stored[r.key(asked.namespace, asked.name)]
	if r.api.trace.full() {
		var patch json.RawMessage
		if exists {
			patch = mergePatch(stored, sent, subresource)
		}
		if err := r.api.trace.write(asked, patch, nil, nil); err != nil {
			fault = err
		}
	}
	if fault == nil {
		var result T
		if result, fault = r.commit(sent, stored, exists, subresource); fault == nil {
			return result, nil
		}
	}
	r.api.trace.refused(fault)
	return r.empty(), fault
}

// commit handles an update, as the generic registry of the API server does.
func (r *resource[T]) commit(sent, stored T, exists bool, subresource string) (T, error) {
	if !exists {
		return nil, apierrors.NewNotFound(r.group(), sent.GetName())
	}
	if sent.GetUID() != "" && sent.GetUID() != stored.GetUID() {
		return nil, apierrors.NewConflict(r.group(), sent.GetName(), fmt.Errorf(
			"StorageError: invalid object, Code: 4, Key: /registry/%s/%s, ResourceVersion: 0, AdditionalErrorMsg: "+
				"Precondition failed: UID in precondition: %v, UID in object meta: %v",
			r.name, r.key(sent.GetNamespace(), sent.GetName()), sent.GetUID(), stored.GetUID()))
	}
	if sent.GetResourceVersion() != "" && sent.GetResourceVersion() != stored.GetResourceVersion() {
		return nil, apierrors.NewConflict(r.group(), sent.GetName(), errors.New(optimisticLock))
	}
	var rules rest.RESTUpdateStrategy = r.main
	if subresource == "status" {
		rules = r.status
	}
	fresh, old := r.internal(sent.DeepCopyObject().(T)), r.internal(stored.DeepCopyObject().(T))
	if err := rest.BeforeUpdate(rules, r.context(sent.GetNamespace()), fresh, old); err != nil {
		return nil, err
	}
	result := r.external(fresh)
	switch {
	case registry.ShouldDeleteDuringUpdate(context.Background(), "", result, stored):
		r.put(stored, nil)
	case equality.Semantic.DeepEqual(result, stored):
		// An update that changes nothing is not stored and gets no new version.
	default:
		r.api.version++
		result.SetResourceVersion(strconv.FormatUint(r.api.version, 10))
		r.put(stored, result)
	}
	return result.DeepCopyObject().(T), nil
}

// context returns the context of a request in a namespace.
func (r *resource[T]) context(namespace string) context.Context {
	if !r.namespaced {
		namespace = metav1.NamespaceNone
	}
	return genericapirequest.WithNamespace(context.Background(), namespace)
}

// create handles a creation. The namespace is the one in the address of the request, because the object need not name
// it.
func (r *resource[T]) create(namespace string, sent T) (T, error) {
	asked := request{verb: "create", resource: r.name, namespace: namespace, name: sent.GetName()}
	var fault error
	if r.api.gate != nil {
		fault = r.api.gate(asked)
	}
	if r.api.trace.full() {
		if err := r.api.trace.write(asked, nil, encode(placeholders(tree(sent))), nil); err != nil {
			fault = err
		}
	}
	if fault == nil {
		var result T
		if result, fault = r.add(namespace, sent); fault == nil {
			return result, nil
		}
	}
	r.api.trace.refused(fault)
	return r.empty(), fault
}

// add stores a new object, as the admission plugins and the generic registry of the API server do.
func (r *resource[T]) add(namespace string, sent T) (T, error) {
	fresh := sent.DeepCopyObject().(T)
	r.api.version++
	version := strconv.FormatUint(r.api.version, 10)
	fresh.SetUID(types.UID(createdUID + version[1:]))
	fresh.SetCreationTimestamp(now)
	object := r.internal(fresh)
	if err := r.admit(object, namespace, sent.GetName()); err != nil {
		return nil, err
	}
	if err := rest.BeforeCreate(r.main, r.context(namespace), object); err != nil {
		return nil, err
	}
	key := r.key(namespace, sent.GetName())
	if stored, exists := r.stored[key]; exists {
		taken := apierrors.NewAlreadyExists(r.group(), sent.GetName())
		if stored.GetDeletionTimestamp() != nil {
			taken.ErrStatus.Message = "object is being deleted: " + taken.ErrStatus.Message
		}
		return nil, taken
	}
	result := r.external(object)
	r.internal(result) // The strategy has cleared the status. This sets the defaults of the status again.
	result.SetResourceVersion(version)
	r.dirty = true
	r.stored[key] = result
	if r.api.changed != nil {
		r.api.changed(nil, result)
	}
	return result.DeepCopyObject().(T), nil
}

// put replaces an object in the store. A nil successor deletes it.
func (r *resource[T]) put(before, after T) {
	r.dirty = true
	key := r.key(before.GetNamespace(), before.GetName())
	if after == nil {
		delete(r.stored, key)
		if r.api.changed != nil {
			r.api.changed(before, nil)
		}
		return
	}
	r.stored[key] = after
	if r.api.changed != nil {
		r.api.changed(before, after)
	}
}

func (r *resource[T]) remove(namespace, name string, options metav1.DeleteOptions) error {
	if err := r.preflight(namespace, name); err != nil {
		return err
	}
	asked := request{verb: "delete", resource: r.name, namespace: namespace, name: name}
	var fault error
	if r.api.gate != nil {
		fault = r.api.gate(asked)
	}
	if r.api.trace.full() {
		var preconditions json.RawMessage
		if options.Preconditions != nil {
			preconditions = encode(options.Preconditions)
		}
		if err := r.api.trace.write(asked, nil, nil, preconditions); err != nil {
			fault = err
		}
	}
	if fault == nil {
		fault = r.delete(namespace, name)
	}
	r.api.trace.refused(fault)
	return fault
}

// delete deletes an object without a grace period. An object with finalizers is only marked as being deleted.
func (r *resource[T]) delete(namespace, name string) error {
	stored, ok := r.stored[r.key(namespace, name)]
	if !ok {
		return apierrors.NewNotFound(r.group(), name)
	}
	if len(stored.GetFinalizers()) == 0 {
		r.put(stored, nil)
		return nil
	}
	if stored.GetDeletionTimestamp() != nil {
		return nil
	}
	marked := stored.DeepCopyObject().(T)
	zero, when := int64(0), now
	marked.SetDeletionTimestamp(&when)
	marked.SetDeletionGracePeriodSeconds(&zero)
	r.api.version++
	marked.SetResourceVersion(strconv.FormatUint(r.api.version, 10))
	r.put(stored, marked)
	return nil
}
