package worlds

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pvctl.dev/oracle/line"
)

const (
	testSeed   = 4242
	testWorlds = 2000
)

func TestSameSeedSameBytes(t *testing.T) {
	for index := range 300 {
		first, again := encode(Generate(7, index)), encode(Generate(7, index))
		if !bytes.Equal(first, again) {
			t.Fatalf("world %d differs:\n%s\n%s", index, first, again)
		}
		if bytes.Equal(first, encode(Generate(8, index))) {
			t.Fatalf("world %d does not depend on the seed", index)
		}
	}
}

// every calls check for each of the worlds, with the decoded objects of the world.
func every(t *testing.T, count int, check func(made line.Line, objects []object)) {
	t.Helper()
	for index := range count {
		made := Generate(testSeed, index)
		check(made, objectsOf(t, made))
	}
}

// objectsOf returns the decoded objects of a world.
func objectsOf(t *testing.T, made line.Line) []object {
	t.Helper()
	var objects []object
	for _, item := range made.World.Items {
		var read object
		if bad := json.Unmarshal(item, &read); bad != nil {
			t.Fatalf("%s: %v", made.ID, bad)
		}
		objects = append(objects, read)
	}
	return objects
}

func TestObjectsAreStorable(t *testing.T) {
	every(t, testWorlds, func(made line.Line, objects []object) {
		names, uids, kinds := map[string]bool{}, map[string]bool{}, map[string]int{}
		version := 0
		for _, each := range objects {
			kind := text(each, "kind")
			kinds[kind]++
			name := kind + " " + spaceOf(each) + "/" + nameOf(each)
			if names[name] || uids[uidOf(each)] || nameOf(each) == "" || uidOf(each) == "" {
				t.Errorf("%s: %s, uid %q: a name or uid is missing or occurs twice", made.ID, name, uidOf(each))
			}
			names[name], uids[uidOf(each)] = true, true
			own, bad := strconv.Atoi(text(each, "metadata", "resourceVersion"))
			if bad != nil || own <= version {
				t.Errorf("%s: %s: resourceVersion %d after %d", made.ID, name, own, version)
			}
			version = own
			if text(each, "metadata", "creationTimestamp") == "" {
				t.Errorf("%s: %s: no creationTimestamp", made.ID, name)
			}
			namespaced := kind == "PersistentVolumeClaim" || kind == "Pod"
			if namespaced != (spaceOf(each) != "") {
				t.Errorf("%s: %s: namespace %q", made.ID, name, spaceOf(each))
			}
			if kind != "PersistentVolume" && kind != "PersistentVolumeClaim" {
				continue
			}
			held, _ := get(each, "metadata", "finalizers").([]any)
			terminating := get(each, "metadata", "deletionTimestamp") != nil
			if terminating && len(held) == 0 {
				t.Errorf("%s: %s is terminating without a finalizer", made.ID, name)
			}
			if terminating && !slices.Contains(made.Tags, "deletionTimestamp") {
				t.Errorf("%s: %s is terminating without the tag", made.ID, name)
			}
			if !slices.Contains(made.Tags, "undefaulted") && (text(each, "spec", "volumeMode") == "" || text(each, "status", "phase") == "") {
				t.Errorf("%s: %s lacks a default without the tag", made.ID, name)
			}
			if slices.Contains(made.Tags, "api-invalid") {
				continue
			}
			modes, _ := get(each, "spec", "accessModes").([]any)
			if len(modes) == 0 || slices.Contains(modes, any("ReadWriteOncePod")) && slices.ContainsFunc(modes, func(mode any) bool { return mode != "ReadWriteOncePod" }) {
				t.Errorf("%s: %s has the modes %v", made.ID, name, modes)
			}
			if kind == "PersistentVolume" {
				count := 0
				for _, source := range slices.Compact(slices.Clone(sources)) {
					if get(each, "spec", source) != nil {
						count++
					}
				}
				if count != 1 {
					t.Errorf("%s: %s has %d sources", made.ID, name, count)
				}
				if get(each, "spec", "local") != nil && get(each, "spec", "nodeAffinity") == nil {
					t.Errorf("%s: %s is local and has no nodeAffinity", made.ID, name)
				}
				if text(each, "spec", "capacity", "storage") == "" {
					t.Errorf("%s: %s has no capacity", made.ID, name)
				}
			}
		}
		if kinds["PersistentVolume"] > 6 || kinds["PersistentVolumeClaim"] > 6 {
			t.Errorf("%s: too many objects: %v", made.ID, kinds)
		}
	})
}

func TestCasesAreAboutTheWorld(t *testing.T) {
	every(t, testWorlds, func(made line.Line, objects []object) {
		known := map[line.Object]object{}
		for _, each := range objects {
			known[reference(each)] = each
		}
		if len(made.Cases) > 4 {
			t.Errorf("%s: %d cases", made.ID, len(made.Cases))
		}
		for _, each := range made.Cases {
			if known[each.Object] == nil {
				t.Errorf("%s: a case is about %v", made.ID, each.Object)
			}
			for _, cached := range each.Cached {
				present := known[cached.Object]
				if present == nil {
					t.Fatalf("%s: a copy of %v", made.ID, cached.Object)
				}
				if (cached.As == "stale") != (cached.Copy != nil) {
					t.Errorf("%s: %s with the copy %s", made.ID, cached.As, cached.Copy)
				}
				if cached.Copy == nil {
					continue
				}
				var before object
				if bad := json.Unmarshal(cached.Copy, &before); bad != nil {
					t.Fatal(bad)
				}
				held, _ := get(before, "metadata", "finalizers").([]any)
				if get(before, "metadata", "deletionTimestamp") != nil && len(held) == 0 {
					t.Errorf("%s: the copy of %v is terminating without a finalizer", made.ID, cached.Object)
				}
				old, _ := strconv.Atoi(text(before, "metadata", "resourceVersion"))
				if old == 0 || old >= firstResourceVersion || reference(before) != cached.Object {
					t.Errorf("%s: the copy of %v has version %d", made.ID, cached.Object, old)
				}
			}
		}
	})
}

// TestEveryValueOccurs counts the worlds in which each value of each domain occurs.
func TestEveryValueOccurs(t *testing.T) {
	seen := map[string]int{}
	every(t, testWorlds, func(made line.Line, objects []object) {
		here := map[string]bool{}
		note := func(domain string, value any) { here[fmt.Sprintf("%s: %v", domain, value)] = true }
		for _, tag := range made.Tags {
			note("tag", tag)
		}
		note("cases", len(made.Cases))
		for _, each := range made.Cases {
			for _, cached := range each.Cached {
				note("cached", cached.As+" "+cached.Object.Kind)
			}
			if each.Refuse != nil {
				note("refuse", each.Refuse.Reason)
				note("refuse write", each.Refuse.Write)
				note("refuse from", each.Refuse.From)
			}
			if each.FailRead != nil {
				note("fail read", each.FailRead.Read)
			}
			for _, name := range each.Running {
				note("running", strings.SplitN(name, "-", 2)[0])
			}
			for _, name := range each.BackingOff {
				note("backing off", strings.SplitN(name, "-", 2)[0])
			}
		}
		counts := map[string]int{}
		for _, each := range objects {
			kind := text(each, "kind")
			counts[kind]++
			for key, value := range asObject(get(each, "metadata", "annotations")) {
				note(kind+" annotation "+key, value)
			}
			list, _ := get(each, "metadata", "finalizers").([]any)
			for _, name := range list {
				note(kind+" finalizer", name)
			}
			note(kind+" finalizers", len(list))
			note(kind+" terminating", get(each, "metadata", "deletionTimestamp") != nil)
			for _, path := range [][]string{
				{"status", "phase"}, {"spec", "volumeMode"}, {"spec", "accessModes"}, {"spec", "storageClassName"}, {"spec", "capacity", "storage"},
				{"spec", "resources", "requests", "storage"}, {"spec", "persistentVolumeReclaimPolicy"}, {"spec", "volumeAttributesClassName"},
				{"status", "currentVolumeAttributesClassName"}, {"provisioner"}, {"volumeBindingMode"}, {"mountOptions"}, {"spec", "hostPath", "path"},
			} {
				note(kind+" "+strings.Join(path, "."), get(each, path...))
			}
			for _, path := range [][]string{{"spec", "selector"}, {"spec", "nodeAffinity"}, {"metadata", "labels"}} {
				note(kind+" "+strings.Join(path, "."), string(encode(get(each, path...))))
			}
			switch kind {
			case "PersistentVolume":
				for _, source := range sources {
					if get(each, "spec", source) != nil {
						note("source", source)
						note(source+" with policy", text(each, "spec", "persistentVolumeReclaimPolicy"))
					}
				}
				ref := asObject(get(each, "spec", "claimRef"))
				claim := known(objects, "PersistentVolumeClaim", text(ref, "namespace"), text(ref, "name"))
				switch {
				case ref == nil:
					note("claimRef", "absent")
				case text(ref, "namespace") == "":
					note("claimRef", "without namespace")
				case text(ref, "name") == "":
					note("claimRef", "empty name")
				case ref["uid"] == nil:
					note("claimRef", "reserved")
				case claim == nil:
					note("claimRef", "to no claim")
				case text(ref, "uid") == uidOf(claim):
					note("claimRef", "right")
				default:
					note("claimRef", "stale")
				}
			case "PersistentVolumeClaim":
				note("data source", text(each, "spec", "dataSource", "kind"))
				name := text(each, "spec", "volumeName")
				note("volumeName", map[bool]string{true: "empty", false: "set"}[name == ""])
				if name != "" {
					note("named volume", known(objects, "PersistentVolume", "", name) != nil)
				}
			case "Pod":
				note("Pod scheduled", text(each, "spec", "nodeName") != "")
				note("Pod gated", get(each, "spec", "schedulingGates") != nil)
				note("Pod ephemeral", strings.Contains(string(encode(each)), "volumeClaimTemplate"))
			}
		}
		for _, kind := range []string{"PersistentVolume", "PersistentVolumeClaim", "StorageClass", "Pod", "Node"} {
			note("number of "+kind, counts[kind])
		}
		for value := range here {
			seen[value]++
		}
	})

	wanted := []string{}
	want := func(domain string, values ...string) {
		for _, value := range values {
			wanted = append(wanted, domain+": "+value)
		}
	}
	for _, each := range profiles {
		want("tag", each.name)
	}
	want("tag", "deletionTimestamp", "undefaulted", "api-invalid", "invalid-selector", "noncanonical-quantity", "fractional-quantity", "huge-quantity")
	for _, family := range sizeKeys[1:] {
		want("PersistentVolume spec.capacity.storage", sizes[family]...)
		want("PersistentVolumeClaim spec.resources.requests.storage", sizes[family]...)
	}
	want("PersistentVolume spec.capacity.storage", "0", "10000000000000000000", "<nil>")
	want("PersistentVolumeClaim spec.resources.requests.storage", "0")
	for _, kind := range []string{"PersistentVolume", "PersistentVolumeClaim"} {
		want(kind+" spec.volumeMode", "<nil>", modeFilesystem, modeBlock)
		want(kind+" status.phase", "<nil>")
		want(kind+" spec.storageClassName", "<nil>", "a", "b", "d", missingClass)
		want(kind+" annotation "+annBetaClass, "", "a", "b", missingClass)
		want(kind+" annotation "+annBoundByController, "yes", "true", "")
		want(kind+" annotation "+annMigratedTo, migratedTo...)
		want(kind+" spec.volumeAttributesClassName", "<nil>", "gold", "silver")
		want(kind+" terminating", "true", "false")
		want(kind+" finalizer", finForeign)
		for _, modes := range []string{"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod", "ReadWriteOnce ReadOnlyMany", "ReadOnlyMany ReadWriteOnce", "ReadWriteOnce ReadWriteMany",
			"ReadWriteMany ReadWriteOnce", "ReadOnlyMany ReadWriteMany", "ReadWriteMany ReadOnlyMany", "ReadWriteOnce ReadOnlyMany ReadWriteMany", "ReadWriteMany ReadOnlyMany ReadWriteOnce", "ReadWriteOnce ReadWriteOnce"} {
			want(kind+" spec.accessModes", "["+modes+"]")
		}
	}
	want("PersistentVolumeClaim spec.storageClassName", "")
	want("PersistentVolumeClaim spec.volumeAttributesClassName", "")
	want("PersistentVolumeClaim status.currentVolumeAttributesClassName", "gold", "silver", "")
	want("PersistentVolume finalizer", finVolumeProtection, finVolumeController, finExternal, finAttacher)
	want("PersistentVolumeClaim finalizer", finClaimProtection, finSnapshot)
	want("PersistentVolume status.phase", volumePhases...)
	want("PersistentVolumeClaim status.phase", claimPhases...)
	want("PersistentVolume annotation "+annProvisionedBy, provisionedBy...)
	want("PersistentVolume annotation "+annPreResize, preResizes...)
	want("PersistentVolume annotation "+annGid, "1000")
	want("PersistentVolumeClaim annotation "+annBindCompleted, "yes", "true", "")
	want("PersistentVolumeClaim annotation "+annSelectedNode, "n1", "n2", missingNode, "")
	for _, key := range []string{annProvisioner, annBetaProvisioner} {
		want("PersistentVolumeClaim annotation "+key, driverName, "kubernetes.io/aws-ebs", "ebs.csi.aws.com", hostPathName, noProvisionerName, "")
	}
	for _, pair := range migrations {
		want("PersistentVolumeClaim annotation "+annProvisioner, pair[0], pair[1])
	}
	want("PersistentVolume spec.persistentVolumeReclaimPolicy", "Retain", "Delete", "Recycle", "Keep", "<nil>")
	want("PersistentVolume spec.hostPath.path", paths...)
	want("source", sources...)
	for _, policy := range policies {
		for _, source := range []string{"csi", "hostPath", "nfs", "local", "iscsi", "fc", "awsElasticBlockStore"} {
			want(source+" with policy", policy)
		}
	}
	for _, each := range slices.Concat(selectors, unparsable) {
		want("PersistentVolumeClaim spec.selector", string(encode(each)))
	}
	for _, each := range affinities {
		want("PersistentVolume spec.nodeAffinity", string(encode(each)))
	}
	for _, each := range labels {
		if each != nil {
			want("PersistentVolume metadata.labels", string(encode(each)))
		}
	}
	want("claimRef", "absent", "without namespace", "empty name", "reserved", "to no claim", "right", "stale")
	want("volumeName", "empty", "set")
	want("named volume", "true", "false")
	want("data source", "PersistentVolumeClaim", "VolumeSnapshot", "")
	want("StorageClass provisioner", provisioners...)
	want("StorageClass provisioner", "")
	want("StorageClass volumeBindingMode", bindingImmediate, bindingDelayed, "<nil>")
	want("StorageClass mountOptions", "[ro]", "[ro soft]")
	want("StorageClass annotation "+annDefaultClass, "true", "false", "True", "")
	want("StorageClass annotation "+annBetaDefaultClass, "true", "false", "True", "")
	want("Pod status.phase", podPhases...)
	want("Pod terminating", "true", "false")
	want("Pod scheduled", "true", "false")
	want("Pod gated", "true", "false")
	want("Pod ephemeral", "true", "false")
	for number := range 7 {
		want("number of PersistentVolume", strconv.Itoa(number))
		want("number of PersistentVolumeClaim", strconv.Itoa(number))
	}
	want("number of StorageClass", "0", "1", "2", "3")
	want("cases", "0", "1", "2", "3", "4")
	for _, as := range []string{"unseen ", "informerOnly ", "stale "} {
		want("cached", as+"PersistentVolume", as+"PersistentVolumeClaim")
	}
	want("refuse", "Conflict", "NotFound", "InternalError")
	want("refuse write", "1", "2", "3", "4")
	want("refuse from", "true", "false")
	want("fail read", "getClaim", "getVolume", "listPods")
	want("running", "provision", "delete", "recycle")
	want("backing off", "provision", "delete", "recycle")

	for _, value := range slices.Compact(slices.Sorted(slices.Values(wanted))) {
		t.Logf("%5d %s", seen[value], value)
		if seen[value] == 0 {
			t.Errorf("%s is in none of %d worlds", value, testWorlds)
		}
	}
}

func asObject(value any) object {
	found, _ := value.(object)
	return found
}

func known(objects []object, kind, namespace, name string) object {
	for _, each := range objects {
		if each["kind"] == kind && spaceOf(each) == namespace && nameOf(each) == name {
			return each
		}
	}
	return nil
}
