package attaching

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/apimachinery/pkg/watch"

	"pvctl.dev/oracle/line"
)

// stored is an object of the API.
type stored interface {
	runtime.Object
	metav1.Object
}

// kind is a kind of objects that the controller reads.
type kind struct {
	name, resource string
	group          string
	object         func() stored
	list           func() runtime.Object
}

// kinds are the kinds for which the controller has informers. The server has only these.
var kinds = []kind{
	{"Pod", "pods", "", func() stored { return &v1.Pod{} }, func() runtime.Object { return &v1.PodList{} }},
	{"Node", "nodes", "", func() stored { return &v1.Node{} }, func() runtime.Object { return &v1.NodeList{} }},
	{
		"PersistentVolumeClaim", "persistentvolumeclaims", "",
		func() stored { return &v1.PersistentVolumeClaim{} },
		func() runtime.Object { return &v1.PersistentVolumeClaimList{} },
	},
	{
		"PersistentVolume", "persistentvolumes", "",
		func() stored { return &v1.PersistentVolume{} }, func() runtime.Object { return &v1.PersistentVolumeList{} },
	},
	{
		"CSINode", "csinodes", storagev1.GroupName,
		func() stored { return &storagev1.CSINode{} }, func() runtime.Object { return &storagev1.CSINodeList{} },
	},
	{
		"CSIDriver", "csidrivers", storagev1.GroupName,
		func() stored { return &storagev1.CSIDriver{} }, func() runtime.Object { return &storagev1.CSIDriverList{} },
	},
	{
		attachmentKind, "volumeattachments", storagev1.GroupName,
		func() stored { return &storagev1.VolumeAttachment{} },
		func() runtime.Object { return &storagev1.VolumeAttachmentList{} },
	},
}

const (
	attachmentKind = "VolumeAttachment"
	nodeKind       = "Node"
)

// groupVersion is the API version of the kind.
func (k kind) groupVersion() schema.GroupVersion {
	return schema.GroupVersion{Group: k.group, Version: "v1"}
}

func (k kind) groupResource() schema.GroupResource {
	return schema.GroupResource{Group: k.group, Resource: k.resource}
}

// server is an API server in memory. It does not validate, and it sets no defaults.
type server struct {
	journal *journal
	// attachmentChanged is called after each change of a VolumeAttachment that exists.
	attachmentChanged func(*storagev1.VolumeAttachment)

	lock    sync.Mutex
	version int
	tables  map[string]*table
	// created are the numbers of objects that were created, by their keys.
	created map[string]int
}

// table contains the objects of a kind, by namespace and name.
type table struct {
	kind
	objects  map[string]stored
	watchers []*watcher
}

func newServer(j *journal) *server {
	s := &server{journal: j, version: firstVersion, tables: map[string]*table{}, created: map[string]int{}}
	for _, each := range kinds {
		s.tables[each.name] = &table{kind: each, objects: map[string]stored{}}
	}
	return s
}

// firstVersion is larger than the versions of the objects of random worlds.
const firstVersion = 100000

func keyOf(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}

// decode reads an object of one of the kinds. It returns nil for another kind.
func decode(text json.RawMessage) (string, stored, error) {
	var meta metav1.TypeMeta
	if err := json.Unmarshal(text, &meta); err != nil {
		return "", nil, err
	}
	place := slices.IndexFunc(kinds, func(each kind) bool { return each.name == meta.Kind })
	if place < 0 {
		return meta.Kind, nil, nil
	}
	object := kinds[place].object()
	if err := json.Unmarshal(text, object); err != nil {
		return "", nil, fmt.Errorf("%s: %w", meta.Kind, err)
	}
	object.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	return meta.Kind, object, nil
}

// load stores the objects of a world. It ignores the kinds that the controller does not read.
func (s *server) load(list line.List) error {
	for number, item := range list.Items {
		name, object, err := decode(item)
		if err != nil {
			return fmt.Errorf("item %d: %w", number, err)
		}
		if object != nil {
			s.tables[name].objects[keyOf(object.GetNamespace(), object.GetName())] = object
		}
	}
	return nil
}

// text returns the JSON form of a stored object with its kind.
func (t *table) text(object stored) json.RawMessage {
	copied := object.DeepCopyObject()
	copied.GetObjectKind().SetGroupVersionKind(t.groupVersion().WithKind(t.name))
	return encoded(copied)
}

// store stores an object with a new version and tells the watchers. The caller holds the lock.
func (s *server) store(t *table, object stored) {
	key := keyOf(object.GetNamespace(), object.GetName())
	s.version++
	object.SetResourceVersion(strconv.Itoa(s.version))
	event := watch.Modified
	if t.objects[key] == nil {
		event = watch.Added
		if object.GetUID() == "" {
			// The uid does not depend on the order in which objects are created.
			s.created[key]++
			sum := sha256.Sum256([]byte(key))
			object.SetUID(types.UID(fmt.Sprintf("c4ea0000-0000-4000-8%03d-%x", s.created[key], sum[:6])))
		}
		if made := object.GetCreationTimestamp(); made.IsZero() {
			object.SetCreationTimestamp(metav1.Time{Time: time.Now().UTC().Truncate(time.Second)})
		}
	}
	t.objects[key] = object
	t.tell(event, object)
}

// drop removes an object and tells the watchers. The caller holds the lock.
func (s *server) drop(t *table, object stored) {
	last := object.DeepCopyObject().(stored)
	s.version++
	last.SetResourceVersion(strconv.Itoa(s.version))
	delete(t.objects, keyOf(object.GetNamespace(), object.GetName()))
	t.tell(watch.Deleted, last)
}

func (t *table) tell(event watch.EventType, object stored) {
	for _, each := range t.watchers {
		each.events <- watch.Event{Type: event, Object: object.DeepCopyObject()}
	}
}

// notice calls attachmentChanged if the object is a VolumeAttachment.
func (s *server) notice(object stored) {
	if attachment, ok := object.(*storagev1.VolumeAttachment); ok && s.attachmentChanged != nil {
		s.attachmentChanged(attachment.DeepCopy())
	}
}

// put creates or replaces an object on behalf of the script or of an attacher, and records the change. As in the real
// server, an object that is being deleted remains so, and it is gone as soon as it has no finalizers. change, if it is
// set, gets the object that is stored. It returns the new object, or nil if there is nothing to change.
func (s *server) put(kindName, key string, change func(old stored) stored) {
	t := s.tables[kindName]
	s.lock.Lock()
	old := t.objects[key]
	object := change(old)
	if object == nil {
		s.lock.Unlock()
		return
	}
	if old != nil && object.GetUID() == old.GetUID() && object.GetDeletionTimestamp() == nil {
		object.SetDeletionTimestamp(old.GetDeletionTimestamp())
	}
	if object.GetDeletionTimestamp() != nil && len(object.GetFinalizers()) == 0 && kindName != "Pod" {
		if old != nil {
			s.drop(t, old)
			s.journal.add(line.AttachingEntry{Delete: nameOf(kindName, old)})
		}
		s.lock.Unlock()
		return
	}
	s.store(t, object)
	s.journal.add(line.AttachingEntry{Put: t.text(object)})
	s.lock.Unlock()
	s.notice(object)
}

func nameOf(kindName string, object stored) *line.Object {
	return &line.Object{Kind: kindName, Namespace: object.GetNamespace(), Name: object.GetName()}
}

// remove deletes an object on behalf of the script, and records the change.
func (s *server) remove(named line.Object) error {
	t := s.tables[named.Kind]
	if t == nil {
		return fmt.Errorf("the script deletes a %s", named.Kind)
	}
	s.lock.Lock()
	old := t.objects[keyOf(named.Namespace, named.Name)]
	if old == nil {
		s.lock.Unlock()
		return nil
	}
	marked := s.mark(t, old)
	if marked == nil {
		s.journal.add(line.AttachingEntry{Delete: nameOf(named.Kind, old)})
	} else if marked != old {
		s.journal.add(line.AttachingEntry{Put: t.text(marked)})
	}
	s.lock.Unlock()
	if marked != nil && marked != old {
		s.notice(marked)
	}
	return nil
}

// mark deletes an object. If it has finalizers, it gets a deletionTimestamp, and mark returns the new object. If it is
// already being deleted, mark returns the old object. The caller holds the lock.
func (s *server) mark(t *table, old stored) stored {
	if len(old.GetFinalizers()) == 0 {
		s.drop(t, old)
		return nil
	}
	if old.GetDeletionTimestamp() != nil {
		return old
	}
	object := old.DeepCopyObject().(stored)
	now, grace := metav1.Time{Time: time.Now().UTC().Truncate(time.Second)}, int64(0)
	object.SetDeletionTimestamp(&now)
	object.SetDeletionGracePeriodSeconds(&grace)
	s.store(t, object)
	return object
}

// get returns a copy of an object for a request of the controller.
func (s *server) get(kindName, name string) (stored, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	t := s.tables[kindName]
	object := t.objects[name]
	if object == nil {
		return nil, apierrors.NewNotFound(t.groupResource(), name)
	}
	return object.DeepCopyObject().(stored), nil
}

// create stores the object of a request of the controller. done is called before other actors see the object.
func (s *server) create(kindName string, object stored, done func(error)) (stored, error) {
	s.lock.Lock()
	t := s.tables[kindName]
	if t.objects[object.GetName()] != nil {
		s.lock.Unlock()
		err := apierrors.NewAlreadyExists(t.groupResource(), object.GetName())
		done(err)
		return nil, err
	}
	object = object.DeepCopyObject().(stored)
	s.store(t, object)
	done(nil)
	s.lock.Unlock()
	s.notice(object)
	return object.DeepCopyObject().(stored), nil
}

// delete carries out a deletion that the controller requests. done is called before other actors see the change.
func (s *server) delete(kindName, name string, done func(error)) error {
	s.lock.Lock()
	t := s.tables[kindName]
	old := t.objects[name]
	if old == nil {
		s.lock.Unlock()
		err := apierrors.NewNotFound(t.groupResource(), name)
		done(err)
		return err
	}
	marked := s.mark(t, old)
	done(nil)
	s.lock.Unlock()
	if marked != nil && marked != old {
		s.notice(marked)
	}
	return nil
}

// patchNode applies a strategic merge patch to the status of a node. As in the real server, a patch that changes
// nothing makes no new version.
func (s *server) patchNode(name string, patch []byte, done func(error)) (*v1.Node, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	t := s.tables[nodeKind]
	old, found := t.objects[name].(*v1.Node)
	if !found {
		err := apierrors.NewNotFound(t.groupResource(), name)
		done(err)
		return nil, err
	}
	merged, err := strategicpatch.StrategicMergePatch(encoded(old), patch, v1.Node{})
	if err != nil {
		err = apierrors.NewBadRequest(err.Error())
		done(err)
		return nil, err
	}
	var read v1.Node
	if err := json.Unmarshal(merged, &read); err != nil {
		err = apierrors.NewBadRequest(err.Error())
		done(err)
		return nil, err
	}
	object := old.DeepCopy()
	object.Status = read.Status
	if string(encoded(object)) != string(encoded(old)) {
		s.store(t, object)
	}
	done(nil)
	return object.DeepCopy(), nil
}

// failure returns the error that the API machinery makes for a reason.
func failure(rule line.AttachingRefuse, resource schema.GroupResource, name string) error {
	switch metav1.StatusReason(rule.Reason) {
	case metav1.StatusReasonConflict:
		return apierrors.NewConflict(resource, name, errors.New(rule.Text))
	case metav1.StatusReasonNotFound:
		return apierrors.NewNotFound(resource, name)
	case metav1.StatusReasonAlreadyExists:
		return apierrors.NewAlreadyExists(resource, name)
	case metav1.StatusReasonForbidden:
		return apierrors.NewForbidden(resource, name, errors.New(rule.Text))
	case metav1.StatusReasonInternalError:
		return apierrors.NewInternalError(errors.New(rule.Text))
	}
	panic(fmt.Sprintf("unknown reason %q", rule.Reason))
}

// watcher is a watch of a kind.
type watcher struct {
	server *server
	table  *table
	events chan watch.Event
}

func (w *watcher) ResultChan() <-chan watch.Event { return w.events }

func (w *watcher) Stop() {
	w.server.lock.Lock()
	defer w.server.lock.Unlock()
	if place := slices.Index(w.table.watchers, w); place >= 0 {
		w.table.watchers = slices.Delete(w.table.watchers, place, place+1)
		close(w.events)
	}
}

// lister lists and watches a kind for an informer.
type lister struct {
	server *server
	table  *table
}

// IsWatchListSemanticsUnSupported says to the reflector that it has to list before it watches.
func (l lister) IsWatchListSemanticsUnSupported() bool { return true }

func (l lister) List(metav1.ListOptions) (runtime.Object, error) {
	l.server.lock.Lock()
	defer l.server.lock.Unlock()
	var items []runtime.Object
	for _, each := range l.table.objects {
		items = append(items, each.DeepCopyObject())
	}
	list := l.table.list()
	if err := meta.SetList(list, items); err != nil {
		return nil, err
	}
	list.(metav1.ListInterface).SetResourceVersion(strconv.Itoa(l.server.version))
	return list, nil
}

// Watch begins a watch. The version in the options is always the current one, because nothing happens between the list
// and the watch.
func (l lister) Watch(metav1.ListOptions) (watch.Interface, error) {
	l.server.lock.Lock()
	defer l.server.lock.Unlock()
	w := &watcher{server: l.server, table: l.table, events: make(chan watch.Event, 10000)}
	l.table.watchers = append(l.table.watchers, w)
	return w, nil
}
