package main

import (
	"encoding/json"
	"fmt"
	"reflect"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clienttesting "k8s.io/client-go/testing"
)

// recorder records what the controllers do, in this order. It replaces their event recorders.
type recorder struct {
	effects []Effect
}

func (r *recorder) Event(object runtime.Object, eventType, reason, message string) {
	r.effects = append(r.effects, Effect{Event: &Event{eventType, reason, message, nameOf(object)}})
}

func (r *recorder) Eventf(object runtime.Object, eventType, reason, format string, args ...any) {
	r.Event(object, eventType, reason, fmt.Sprintf(format, args...))
}

func (r *recorder) AnnotatedEventf(object runtime.Object, _ map[string]string, eventType, reason, format string, args ...any) {
	r.Eventf(object, eventType, reason, format, args...)
}

// kinds are the kinds of the resources that are written.
var kinds = map[string]string{
	"persistentvolumes":      "PersistentVolume",
	"persistentvolumeclaims": "PersistentVolumeClaim",
	"volumesnapshots":        "VolumeSnapshot",
}

func nameOf(object runtime.Object) Object {
	found, err := meta.Accessor(object)
	if err != nil {
		panic(err)
	}
	return Object{reflect.TypeOf(object).Elem().Name(), found.GetNamespace(), found.GetName()}
}

// faked is a fake client of client-go.
type faked interface {
	PrependReactor(verb, resource string, reaction clienttesting.ReactionFunc)
	Tracker() clienttesting.ObjectTracker
}

// watch makes the recorder record every write of the client. A volume with finalizers that is deleted is only marked as
// being deleted, as in the API server.
func (r *recorder) watch(client faked) {
	tracker := client.Tracker()
	react := clienttesting.ObjectReaction(tracker)
	client.PrependReactor("*", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
		resource := action.GetResource()
		switch action := action.(type) {
		case clienttesting.CreateActionImpl:
			sent := action.GetObject()
			r.effects = append(r.effects, Effect{Write: &Write{Verb: "create", Object: nameOf(sent), Sent: volumeSent(sent)}})
			return react(action)
		case clienttesting.UpdateActionImpl:
			sent := action.GetObject()
			about := nameOf(sent)
			before := get(tracker, resource, about)
			r.effects = append(r.effects, Effect{Write: &Write{Verb: "update", Object: about, Patch: mergePatch(before, sent)}})
			return react(action)
		case clienttesting.PatchActionImpl:
			about := Object{kinds[resource.Resource], action.GetNamespace(), action.GetName()}
			before := get(tracker, resource, about)
			handled, result, err := react(action)
			write := &Write{Verb: "patch", Object: about}
			if err == nil {
				write.Patch = mergePatch(before, result)
			}
			r.effects = append(r.effects, Effect{Write: write})
			return handled, result, err
		case clienttesting.DeleteActionImpl:
			about := Object{kinds[resource.Resource], action.GetNamespace(), action.GetName()}
			r.effects = append(r.effects, Effect{Write: &Write{Verb: "delete", Object: about}})
			if volume, ok := get(tracker, resource, about).(*v1.PersistentVolume); ok && len(volume.Finalizers) > 0 {
				marked := volume.DeepCopy()
				now := metav1.Now()
				marked.DeletionTimestamp = &now
				return true, nil, tracker.Update(resource, marked, "")
			}
			return react(action)
		}
		return false, nil, nil
	})
}

func get(tracker clienttesting.ObjectTracker, resource schema.GroupVersionResource, about Object) runtime.Object {
	found, err := tracker.Get(resource, about.Namespace, about.Name)
	if err != nil {
		return nil
	}
	return found
}

func asMap(object any) map[string]any {
	text, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	made := map[string]any{}
	if err := json.Unmarshal(text, &made); err != nil {
		panic(err)
	}
	return made
}

// mergePatch returns the RFC 7386 merge patch between two objects, without the resourceVersion and the
// deletionTimestamp.
func mergePatch(before, after runtime.Object) json.RawMessage {
	one, other := asMap(before), asMap(after)
	for _, each := range []map[string]any{one, other} {
		if metadata, ok := each["metadata"].(map[string]any); ok {
			delete(metadata, "resourceVersion")
			delete(metadata, "deletionTimestamp")
		}
	}
	text, err := json.Marshal(difference(one, other))
	if err != nil {
		panic(err)
	}
	return text
}

func difference(before, after map[string]any) map[string]any {
	patch := map[string]any{}
	for key, value := range after {
		old, found := before[key]
		if found && reflect.DeepEqual(old, value) {
			continue
		}
		oldMap, oldIs := old.(map[string]any)
		newMap, newIs := value.(map[string]any)
		if oldIs && newIs {
			value = difference(oldMap, newMap)
		}
		patch[key] = value
	}
	for key := range before {
		if _, found := after[key]; !found {
			patch[key] = nil
		}
	}
	return patch
}

// volumeSent returns a volume that is sent to be created, with its capacity in bytes. It leaves out the parts that
// depend only on the driver and the time.
func volumeSent(object runtime.Object) json.RawMessage {
	volume, ok := object.(*v1.PersistentVolume)
	if !ok {
		return nil
	}
	made := asMap(volume)
	delete(made, "status")
	metadata, spec := made["metadata"].(map[string]any), made["spec"].(map[string]any)
	delete(metadata, "creationTimestamp")
	size := volume.Spec.Capacity[v1.ResourceStorage]
	spec["capacity"] = map[string]any{"storage": size.Value()}
	if source, ok := spec["csi"].(map[string]any); ok {
		delete(source, "volumeAttributes")
	}
	if affinity := volume.Spec.NodeAffinity; affinity != nil {
		// The order of the requirements of a term comes from a map, so it is random.
		terms := []map[string]string{}
		for _, term := range affinity.Required.NodeSelectorTerms {
			labels := map[string]string{}
			for _, requirement := range term.MatchExpressions {
				labels[requirement.Key] = requirement.Values[0]
			}
			terms = append(terms, labels)
		}
		spec["nodeAffinity"] = terms
	}
	text, err := json.Marshal(made)
	if err != nil {
		panic(err)
	}
	return text
}
