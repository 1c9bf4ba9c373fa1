package scheduler

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1 "k8s.io/kubernetes/pkg/apis/core/v1"
	storageapi "k8s.io/kubernetes/pkg/apis/storage/v1"

	"pvctl.dev/oracle/judge"
	"pvctl.dev/oracle/line"
)

// world contains a line's objects as the scheduler's informers have them.
type world struct {
	// pods does not contain pods that have ended, because the scheduler's informer does not list them.
	nodes, pods, namespaces, volumes, claims, classes, csiNodes, drivers, capacities, attachments []any
}

// read parses the objects of a line. It ignores kinds that the plugins do not read.
func read(list line.List) (*world, error) {
	w := &world{}
	for number, item := range list.Items {
		if err := w.add(item); err != nil {
			return nil, fmt.Errorf("item %d: %w", number, err)
		}
	}
	for _, objects := range []*[]any{
		&w.nodes, &w.pods, &w.namespaces, &w.volumes, &w.claims, &w.classes, &w.csiNodes, &w.drivers, &w.capacities, &w.attachments,
	} {
		slices.SortFunc(*objects, func(a, b any) int {
			first, second := a.(metav1.Object), b.(metav1.Object)
			if order := strings.Compare(first.GetNamespace(), second.GetNamespace()); order != 0 {
				return order
			}
			return strings.Compare(first.GetName(), second.GetName())
		})
	}
	return w, nil
}

func (w *world) add(item json.RawMessage) error {
	var meta metav1.TypeMeta
	if err := json.Unmarshal(item, &meta); err != nil {
		return err
	}
	var into *[]any
	var object any
	var err error
	switch meta.Kind {
	case "PersistentVolume":
		into = &w.volumes
		object, err = judge.ReadObject(item, corev1.SetObjectDefaults_PersistentVolume)
	case "PersistentVolumeClaim":
		into = &w.claims
		object, err = judge.ReadClaim(item)
	case "StorageClass":
		into = &w.classes
		object, err = judge.ReadObject(item, storageapi.SetObjectDefaults_StorageClass)
	case "Pod":
		pod, failed := judge.ReadObject(item, corev1.SetObjectDefaults_Pod)
		if failed == nil && pod.Status.Phase != v1.PodSucceeded && pod.Status.Phase != v1.PodFailed {
			into = &w.pods
		}
		object, err = pod, failed
	case "Node":
		into = &w.nodes
		object, err = judge.ReadObject(item, corev1.SetObjectDefaults_Node)
	case "Namespace":
		into = &w.namespaces
		object, err = judge.ReadObject(item, corev1.SetObjectDefaults_Namespace)
	case "CSIDriver":
		into = &w.drivers
		object, err = judge.ReadObject(item, storageapi.SetObjectDefaults_CSIDriver)
	case "CSINode":
		into = &w.csiNodes
		object, err = judge.ReadObject(item, func(*storagev1.CSINode) {})
	case "CSIStorageCapacity":
		into = &w.capacities
		object, err = judge.ReadObject(item, func(*storagev1.CSIStorageCapacity) {})
	case "VolumeAttachment":
		into = &w.attachments
		object, err = judge.ReadObject(item, func(*storagev1.VolumeAttachment) {})
	}
	if err == nil && into != nil {
		*into = append(*into, object)
	}
	return err
}
