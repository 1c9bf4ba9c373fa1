//go:build !k8s_1_30 && !k8s_1_32 && !k8s_1_34

package scheduler

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	podapi "k8s.io/kubernetes/pkg/api/pod"
	"k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	"k8s.io/kubernetes/pkg/apis/core/validation"
	"k8s.io/kubernetes/pkg/apis/storage"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	storagevalidation "k8s.io/kubernetes/pkg/apis/storage/validation"

	"pvctl.dev/oracle/worlds"
)

// TestStorable checks that the current validation of the API server accepts every object of the random worlds.
func TestStorable(t *testing.T) {
	for index := range 2000 {
		l := worlds.Scheduling(6, index)
		if index%2 == 1 {
			l = worlds.Pods(6, index)
		}
		w, err := read(l.World)
		if err != nil {
			t.Fatal(err)
		}
		for _, each := range slices.Concat(
			w.nodes, w.pods, w.volumes, w.claims, w.classes, w.csiNodes, w.drivers, w.capacities, w.attachments,
		) {
			object, err := legacyscheme.Scheme.ConvertToVersion(each.(runtime.Object), runtime.InternalGroupVersioner)
			if err != nil {
				t.Fatal(err)
			}
			if errs := validate(t, object); len(errs) > 0 {
				t.Errorf("world %s: %T: %v", l.ID, object, errs.ToAggregate())
			}
		}
	}
}

// validate runs the validation of a new object.
func validate(t *testing.T, object runtime.Object) field.ErrorList {
	switch object := object.(type) {
	case *core.Node:
		return validation.ValidateNode(object)
	case *core.Pod:
		return validation.ValidatePodCreate(object, podapi.GetValidationOptionsFromPodSpecAndMeta(&object.Spec, nil, &object.ObjectMeta, nil))
	case *core.PersistentVolume:
		return validation.ValidatePersistentVolume(object, validation.ValidationOptionsForPersistentVolume(object, nil))
	case *core.PersistentVolumeClaim:
		return validation.ValidatePersistentVolumeClaim(object, validation.ValidationOptionsForPersistentVolumeClaimCreate())
	case *storage.StorageClass:
		return storagevalidation.ValidateStorageClass(object)
	case *storage.CSINode:
		return storagevalidation.ValidateCSINode(object)
	case *storage.CSIDriver:
		return storagevalidation.ValidateCSIDriver(object)
	case *storage.CSIStorageCapacity:
		return storagevalidation.ValidateCSIStorageCapacity(object, storagevalidation.CSIStorageCapacityValidateOptions{})
	case *storage.VolumeAttachment:
		return storagevalidation.ValidateVolumeAttachment(object)
	}
	t.Fatalf("a %T is not validated", object)
	return nil
}
