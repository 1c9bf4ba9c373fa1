package worlds

import (
	"bytes"
	"fmt"
	"testing"

	"pvctl.dev/oracle/line"
)

// TestEphemeral checks the worlds with ephemeral volumes. The same number always gives the same world. Names and uids
// are unique. Cases concern pods, claims and volumes of the world. Every intended situation occurs.
func TestEphemeral(t *testing.T) {
	const count = 1000
	seen := map[string]int{}
	for index := range count {
		made := Ephemeral(testSeed, index)
		if !bytes.Equal(encode(made), encode(Ephemeral(testSeed, index))) {
			t.Fatalf("world %d differs", index)
		}
		here := map[string]bool{}
		names, uids := map[line.Object]bool{}, map[string]bool{}
		objects := objectsOf(t, made)
		for _, read := range objects {
			if names[reference(read)] || uids[uidOf(read)] || uidOf(read) == "" {
				t.Errorf("%s: %v, uid %q: a name or uid is missing or twice there", made.ID, reference(read), uidOf(read))
			}
			names[reference(read)], uids[uidOf(read)] = true, true
		}
		wanted := map[line.Object]object{}
		for _, pod := range objects {
			if pod["kind"] != "Pod" {
				continue
			}
			volumes, _ := get(pod, "spec", "volumes").([]any)
			for place, volume := range volumes {
				volume := volume.(object)
				claim := line.Object{Kind: "PersistentVolumeClaim", Namespace: spaceOf(pod), Name: nameOf(pod) + "-" + text(volume, "name")}
				if volume["ephemeral"] == nil {
					here["another volume"] = true
					continue
				}
				here[fmt.Sprintf("ephemeral volume %d", place)] = true
				if wanted[claim] != nil {
					here["two pods ask for a claim"] = true
				}
				wanted[claim] = pod
				template := asObject(get(volume, "ephemeral", "volumeClaimTemplate"))
				for _, field := range []string{
					"storageClassName", "selector", "volumeName", "volumeAttributesClassName", "dataSource", "dataSourceRef", "volumeMode",
				} {
					here[fmt.Sprintf("template %s %v", field, get(template, "spec", field) != nil)] = true
				}
				here["template block"] = here["template block"] || text(template, "spec", "volumeMode") == modeBlock
				here[fmt.Sprintf("template labels %v", get(template, "metadata", "labels") != nil)] = true
				for key, value := range asObject(get(template, "metadata", "annotations")) {
					here[fmt.Sprintf("template %s=%v", key, value)] = true
				}
			}
			here["pod "+text(pod, "status", "phase")] = true
			here[fmt.Sprintf("pod terminating %v", get(pod, "metadata", "deletionTimestamp") != nil)] = true
			here[fmt.Sprintf("pod on a node %v", text(pod, "spec", "nodeName") != "")] = true
		}
		if len(wanted) == 0 {
			t.Errorf("%s: no ephemeral volume", made.ID)
		}
		for _, each := range objects {
			switch each["kind"] {
			case "PersistentVolumeClaim":
				pod := wanted[reference(each)]
				if pod == nil {
					here["ordinary claim"] = true
					continue
				}
				here["owner "+ownership(each, pod)] = true
				here[fmt.Sprintf("claim terminating %v", get(each, "metadata", "deletionTimestamp") != nil)] = true
				here["claim "+text(each, "status", "phase")] = true
			case "PersistentVolume":
				ref := asObject(get(each, "spec", "claimRef"))
				claim := line.Object{Kind: "PersistentVolumeClaim", Namespace: text(ref, "namespace"), Name: text(ref, "name")}
				switch {
				case ref == nil:
					here["free volume"] = true
				case wanted[claim] == nil:
				case ref["uid"] == nil:
					here[fmt.Sprintf("reserved volume, the claim is there %v", names[claim])] = true
				case ref["uid"] == staleUID:
					here["volume of an earlier claim "+text(each, "status", "phase")] = true
				}
			case "StorageClass":
				here["class "+text(each, "provisioner")+" "+text(each, "volumeBindingMode")] = true
				here[fmt.Sprintf("default class %v", text(each, "metadata", "annotations", annDefaultClass) == "true")] = true
			}
		}
		for _, c := range made.Cases {
			if !names[c.Object] {
				t.Errorf("%s: a case is about %v", made.ID, c.Object)
			}
			if c.Object.Kind != "Pod" {
				here["case of another kind"] = true
				continue
			}
			for _, cached := range c.Cached {
				here[fmt.Sprintf("%s %s, there %v", cached.As, cached.Object.Kind, names[cached.Object])] = true
			}
			if c.Refuse != nil {
				here[fmt.Sprintf("refuse %d %s", c.Refuse.Write, c.Refuse.Reason)] = true
			}
		}
		for what := range here {
			seen[what]++
		}
	}
	for _, what := range []string{
		"another volume", "ephemeral volume 0", "ephemeral volume 1", "ephemeral volume 2", "two pods ask for a claim",
		"template storageClassName true", "template storageClassName false", "template selector true", "template volumeName true",
		"template volumeAttributesClassName true", "template dataSource true", "template dataSourceRef true", "template volumeMode true",
		"template block", "template labels true", "pod Pending", "pod Running", "pod Succeeded", "pod Failed", "pod terminating true",
		"pod on a node true", "pod on a node false", "ordinary claim", "owner the pod", "owner the pod's uid", "owner another uid",
		"owner without controller", "owner another controller", "owner nobody", "claim terminating true", "claim Pending", "claim Bound",
		"free volume", "reserved volume, the claim is there true", "reserved volume, the claim is there false",
		"volume of an earlier claim Bound", "volume of an earlier claim Released", "volume of an earlier claim Failed",
		"default class true", "default class false", "case of another kind",
		"unseen Pod, there true", "stale Pod, there true", "unseen PersistentVolumeClaim, there true",
		"stale PersistentVolumeClaim, there true", "stale PersistentVolumeClaim, there false",
		"refuse 1 Conflict", "refuse 1 NotFound", "refuse 1 InternalError", "refuse 2 Conflict", "refuse 2 NotFound", "refuse 2 InternalError",
	} {
		if t.Logf("%5d %s", seen[what], what); seen[what] < 5 {
			t.Errorf("%s: only %d times in %d worlds", what, seen[what], count)
		}
	}
	for _, provisioner := range []string{noProvisionerName, driverName, "kubernetes.io/nfs", "kubernetes.io/x", hostPathName} {
		for _, mode := range []string{bindingImmediate, bindingDelayed} {
			if what := "class " + provisioner + " " + mode; seen[what] < 5 {
				t.Errorf("%s: only %d times in %d worlds", what, seen[what], count)
			}
		}
	}
	for _, annotation := range templateAnnotations {
		if what := "template " + annotation[0] + "=" + annotation[1]; seen[what] < 5 {
			t.Errorf("%s: only %d times in %d worlds", what, seen[what], count)
		}
	}
}

// ownership describes the owners of a claim that has the name of a claim for the pod.
func ownership(claim, pod object) string {
	owners, _ := get(claim, "metadata", "ownerReferences").([]any)
	if len(owners) == 0 {
		return "nobody"
	}
	for _, owner := range owners {
		owner := owner.(object)
		switch {
		case owner["controller"] != true:
		case owner["uid"] == uidOf(pod) && owner["name"] == nameOf(pod):
			return "the pod"
		case owner["uid"] == uidOf(pod):
			return "the pod's uid"
		case owner["name"] == nameOf(pod):
			return "another uid"
		default:
			return "another controller"
		}
	}
	return "without controller"
}
