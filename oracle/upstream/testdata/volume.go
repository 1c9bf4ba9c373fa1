package volume

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// pvctlFind calls FindMatchingVolume and records the result. The test compares the result with its expectation.
func pvctlFind(
	t *testing.T, name string, claim *v1.PersistentVolumeClaim, volumes []*v1.PersistentVolume, node *v1.Node,
	excluded map[string]*v1.PersistentVolume, delayed, attributesClasses bool,
) (*v1.PersistentVolume, error) {
	volume, err := FindMatchingVolume(claim, volumes, node, excluded, delayed, attributesClasses)
	names := []string{}
	for name := range excluded {
		names = append(names, name)
	}
	record := map[string]any{
		"kind": "match", "test": t.Name(), "name": t.Name() + "/" + name, "claims": []*v1.PersistentVolumeClaim{claim}, "delayed": delayed,
		"volumes": volumes, "excluded": names, "chosen": "", "scheduler": true, "attributesClasses": attributesClasses,
	}
	if node != nil {
		record["nodes"] = []*v1.Node{node}
	}
	if volume != nil {
		record["chosen"] = volume.Name
	}
	if err != nil {
		record["error"] = err.Error()
	}
	pvctlWrite(record)
	return volume, err
}

// pvctlNode records whether a volume fits a node.
func pvctlNode(t *testing.T, name string, volume *v1.PersistentVolume, labels map[string]string, suits bool) {
	pvctlWrite(map[string]any{
		"kind": "match", "test": t.Name(), "name": t.Name() + "/" + name, "claims": []*v1.PersistentVolumeClaim{{}}, "delayed": true,
		"volumes": []*v1.PersistentVolume{volume}, "nodes": []*v1.Node{{ObjectMeta: metav1.ObjectMeta{Name: "node", Labels: labels}}},
		"pair": true, "suits": suits, "scheduler": true, "attributesClasses": true,
	})
}

// pvctlDelays records whether a claim waits for its pod.
func pvctlDelays(
	t *testing.T, name string, claim *v1.PersistentVolumeClaim, classes []*storagev1.StorageClass, delays, fails bool,
) {
	pvctlWrite(map[string]any{
		"kind": "delays", "test": t.Name(), "name": t.Name() + "/" + name, "claims": []*v1.PersistentVolumeClaim{claim},
		"classes": classes, "suits": delays, "fails": fails,
	})
}

// pvctlClass records whether a claim is regarded as a claim with a class.
func pvctlClass(t *testing.T, name string, claim *v1.PersistentVolumeClaim, has bool) {
	class := &storagev1.StorageClass{}
	class.Name, class.Provisioner = "default", "example.com/provisioner"
	class.Annotations = map[string]string{"storageclass.kubernetes.io/is-default-class": "true"}
	pvctlWrite(map[string]any{
		"kind": "class", "test": t.Name(), "name": t.Name()[:len("TestPersistentVolumeClaimHasClass")] + "/" + name,
		"claims": []*v1.PersistentVolumeClaim{claim}, "classes": []*storagev1.StorageClass{class}, "suits": has,
	})
}
