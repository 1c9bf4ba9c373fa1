package worlds

import (
	"bytes"
	"testing"
)

// TestHostPath checks the worlds in which the controller provisions. The same number always gives the same world. The
// worlds have the same form as the other worlds and contain the intended situations.
func TestHostPath(t *testing.T) {
	seen := map[string]int{}
	for index := range 300 {
		made := HostPath(testSeed, index)
		if !bytes.Equal(encode(made), encode(HostPath(testSeed, index))) {
			t.Fatalf("world %d differs", index)
		}
		if made.Flags["enable-hostpath-provisioner"] != "true" {
			t.Errorf("%s: the flag is %v", made.ID, made.Flags)
		}
		names, claims := map[string]bool{}, map[string]bool{}
		objects := objectsOf(t, made)
		for _, read := range objects {
			name := text(read, "kind") + " " + spaceOf(read) + "/" + nameOf(read)
			if names[name] {
				t.Errorf("%s: %s is twice there", made.ID, name)
			}
			names[name] = true
			if text(read, "kind") == "PersistentVolumeClaim" {
				claims[created(read)] = true
			}
		}
		for _, each := range objects {
			switch kind := text(each, "kind"); {
			case kind == "StorageClass" && text(each, "provisioner") == hostPathName:
				seen["class "+text(each, "reclaimPolicy")]++
			case kind == "PersistentVolume" && claims[nameOf(each)]:
				seen["volume"]++
			case kind == "PersistentVolumeClaim" && claims[text(each, "spec", "volumeName")]:
				seen["claim"]++
			}
		}
	}
	for _, what := range []string{"class Delete", "class Retain", "volume", "claim"} {
		if seen[what] < 50 {
			t.Errorf("%s: only %d times in 300 worlds: %v", what, seen[what], seen)
		}
	}
}
