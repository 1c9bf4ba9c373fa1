package judge

import (
	"encoding/json"
	"fmt"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	pvcutil "k8s.io/kubernetes/pkg/api/persistentvolumeclaim"
	"k8s.io/kubernetes/pkg/apis/core"
	corev1 "k8s.io/kubernetes/pkg/apis/core/v1"
	storageapi "k8s.io/kubernetes/pkg/apis/storage/v1"

	"pvctl.dev/oracle/line"
)

// world contains a line's objects in typed form, with the API's defaults.
type world struct {
	volumes []*v1.PersistentVolume
	claims  []*v1.PersistentVolumeClaim
	classes []*storagev1.StorageClass
	pods    []*v1.Pod
	nodes   []*v1.Node
	// objects are the volumes and claims in the order of the line.
	objects []line.Object
}

// read parses the objects of a line. It ignores kinds that no controller here reads.
func read(list line.List) (*world, error) {
	w := &world{}
	for number, item := range list.Items {
		if err := w.add(item); err != nil {
			return nil, fmt.Errorf("item %d: %w", number, err)
		}
	}
	return w, nil
}

func (w *world) add(item json.RawMessage) error {
	var meta metav1.TypeMeta
	if err := json.Unmarshal(item, &meta); err != nil {
		return err
	}
	switch meta.Kind {
	case "PersistentVolume":
		volume, err := ReadObject(item, corev1.SetObjectDefaults_PersistentVolume)
		if err != nil {
			return err
		}
		w.volumes = append(w.volumes, volume)
		w.objects = append(w.objects, line.Object{Kind: meta.Kind, Name: volume.Name})
	case "PersistentVolumeClaim":
		claim, err := ReadClaim(item)
		if err != nil {
			return err
		}
		w.claims = append(w.claims, claim)
		w.objects = append(w.objects, line.Object{Kind: meta.Kind, Namespace: claim.Namespace, Name: claim.Name})
	case "StorageClass":
		class, err := ReadObject(item, storageapi.SetObjectDefaults_StorageClass)
		if err != nil {
			return err
		}
		w.classes = append(w.classes, class)
	case "Pod":
		pod, err := ReadObject(item, corev1.SetObjectDefaults_Pod)
		if err != nil {
			return err
		}
		w.pods = append(w.pods, pod)
	case "Node":
		node, err := ReadObject(item, corev1.SetObjectDefaults_Node)
		if err != nil {
			return err
		}
		w.nodes = append(w.nodes, node)
	}
	return nil
}

// ReadObject reads one object as the API server returns it: with its defaults and without its kind.
func ReadObject[T any, P interface {
	*T
	runtime.Object
}](item json.RawMessage, defaults func(P)) (P, error) {
	object := P(new(T))
	if err := utiljson.Unmarshal(item, object); err != nil {
		return nil, err
	}
	object.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	defaults(object)
	return object, nil
}

// ReadClaim reads a claim as the API server returns it.
func ReadClaim(item json.RawMessage) (*v1.PersistentVolumeClaim, error) {
	claim, err := ReadObject(item, corev1.SetObjectDefaults_PersistentVolumeClaim)
	if err != nil {
		return nil, err
	}
	if claim.Spec.DataSource != nil || claim.Spec.DataSourceRef != nil {
		// Whenever the API server reads a claim, it completes dataSource from dataSourceRef and dataSourceRef from
		// dataSource.
		spec := &core.PersistentVolumeClaimSpec{}
		if err := corev1.Convert_v1_PersistentVolumeClaimSpec_To_core_PersistentVolumeClaimSpec(&claim.Spec, spec, nil); err != nil {
			return nil, err
		}
		pvcutil.NormalizeDataSources(spec)
		if err := corev1.Convert_core_PersistentVolumeClaimSpec_To_v1_PersistentVolumeClaimSpec(spec, &claim.Spec, nil); err != nil {
			return nil, err
		}
	}
	return claim, nil
}
