package volume

import (
	"testing"

	v1 "k8s.io/api/core/v1"
)

// pvctlFind is FindMatchingVolume, written down. The test holds the answer against its expectation.
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
