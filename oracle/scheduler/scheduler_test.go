//go:build !k8s_1_30 && !k8s_1_32 && !k8s_1_34

package scheduler

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	"k8s.io/kubernetes/pkg/features"

	"pvctl.dev/oracle/line"
)

const (
	affinityReason = "node(s) didn't match PersistentVolume's node affinity"
	bindReason     = "node(s) didn't find available persistent volumes to bind"
	spaceReason    = "node(s) did not have enough free storage"
	missingReason  = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"
	onceReason     = "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod"
	diskReason     = "node(s) had no available disk"
	limitReason    = "node(s) exceed max volume count"
	zoneReason     = "node(s) had no available volume zone"
	taintReason    = "node(s) had untolerated taint(s)"
)

// build is a world to which a test adds one object after another.
type build struct {
	t     *testing.T
	items []json.RawMessage
}

// object adds an object. The JSON text need not have the metadata that every object has, because object adds it.
func (b *build) object(kind, namespace, name, rest string, arguments ...any) *build {
	b.t.Helper()
	version := "v1"
	if slices.Contains([]string{"StorageClass", "CSINode", "CSIDriver", "CSIStorageCapacity", "VolumeAttachment"}, kind) {
		version = "storage.k8s.io/v1"
	}
	tree := map[string]any{}
	if err := json.Unmarshal(fmt.Appendf(nil, rest, arguments...), &tree); err != nil {
		b.t.Fatalf("%s %s: %v", kind, name, err)
	}
	meta, _ := tree["metadata"].(map[string]any)
	if meta == nil {
		meta = map[string]any{}
	}
	meta["name"], meta["uid"], meta["resourceVersion"] = name, "uid-"+name, fmt.Sprint(len(b.items)+1)
	if namespace != "" {
		meta["namespace"] = namespace
	}
	tree["metadata"], tree["apiVersion"], tree["kind"] = meta, version, kind
	text, err := json.Marshal(tree)
	if err != nil {
		b.t.Fatal(err)
	}
	b.items = append(b.items, text)
	return b
}

// nodes adds nodes with free resources. The zone of a node has the same number as its name.
func (b *build) nodes(names ...string) *build {
	for _, name := range names {
		zone := strings.Replace(name, "n", "z", 1)
		b.object("Node", "", name, `{"metadata": {"labels": {"kubernetes.io/hostname": %q, "topology.kubernetes.io/zone": %q}},
			"spec": {}, "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}}}`, name, zone)
	}
	return b
}

// class adds a class with the mode WaitForFirstConsumer.
func (b *build) class(name, provisioner string) *build {
	return b.object("StorageClass", "", name, `{"provisioner": %q, "volumeBindingMode": "WaitForFirstConsumer", "reclaimPolicy": "Delete"}`, provisioner)
}

// waiting adds a claim that has a class and no volume.
func (b *build) waiting(name, class, modes string) *build {
	return b.object("PersistentVolumeClaim", "default", name, `{"spec": {"accessModes": [%s], "storageClassName": %q, "volumeMode": "Filesystem",
		"resources": {"requests": {"storage": "1Gi"}}}, "status": {"phase": "Pending"}}`, modes, class)
}

// bound adds a claim and the volume to which it is bound. Both have the same name. spec contains further fields of the
// spec of the volume.
func (b *build) bound(name, modes, spec, labels string) *build {
	b.boundClaim(name, name, modes)
	return b.object("PersistentVolume", "", name, `{"metadata": {"labels": {%s}}, "spec": {"accessModes": [%s], "capacity": {"storage": "1Gi"},
		"volumeMode": "Filesystem", "persistentVolumeReclaimPolicy": "Retain",
		"claimRef": {"kind": "PersistentVolumeClaim", "namespace": "default", "name": %q, "uid": %q}, %s}, "status": {"phase": "Bound"}}`,
		labels, modes, name, "uid-"+name, spec)
}

// boundClaim adds a claim that is bound to a volume.
func (b *build) boundClaim(name, volume, modes string) *build {
	return b.object("PersistentVolumeClaim", "default", name, `{"metadata": {"annotations": {"pv.kubernetes.io/bind-completed": "yes"}},
		"spec": {"accessModes": [%s], "volumeName": %q, "volumeMode": "Filesystem", "storageClassName": "",
		"resources": {"requests": {"storage": "1Gi"}}}, "status": {"phase": "Bound"}}`, modes, volume)
}

// free adds an available hostPath volume.
func (b *build) free(name, class, modes, spec string) *build {
	if spec != "" {
		spec = ", " + spec
	}
	return b.object("PersistentVolume", "", name, `{"spec": {"accessModes": [%s], "capacity": {"storage": "1Gi"}, "volumeMode": "Filesystem",
		"storageClassName": %q, "persistentVolumeReclaimPolicy": "Retain", "hostPath": {"path": "/x", "type": ""}%s}, "status": {"phase": "Available"}}`,
		modes, class, spec)
}

// csi adds a claim that is bound to a CSI volume.
func (b *build) csi(name string) *build {
	return b.bound(name, once, fmt.Sprintf(`"csi": {"driver": "csi.example.com", "volumeHandle": "h-%s"}`, name), "")
}

// limit adds a CSINode with a limit for the volumes of the driver.
func (b *build) limit(node string, count int) *build {
	return b.object("CSINode", "", node, `{"spec": {"drivers": [{"name": "csi.example.com", "nodeID": "x", "topologyKeys": null, "allocatable": {"count": %d}}]}}`, count)
}

// attach adds the VolumeAttachment of a volume to a node.
func (b *build) attach(volume, node string) *build {
	return b.object("VolumeAttachment", "", "csi-"+volume+"-"+node, `{"spec": {"attacher": "csi.example.com", "nodeName": %q,
		"source": {"persistentVolumeName": %q}}, "status": {"attached": true}}`, node, volume)
}

// claims returns the field volumes of a pod that uses these claims.
func claims(names ...string) string {
	var all []string
	for number, name := range names {
		all = append(all, fmt.Sprintf(`{"name": "v%d", "persistentVolumeClaim": {"claimName": %q}}`, number, name))
	}
	return `"volumes": [` + strings.Join(all, ", ") + `]`
}

// ephemeral is the field volumes of a pod with an ephemeral volume. For the pod w its claim is w-e.
const ephemeral = `"volumes": [{"name": "e", "ephemeral": {"volumeClaimTemplate": {"spec": {"accessModes": ["ReadWriteOnce"],
	"resources": {"requests": {"storage": "1Gi"}}}}}}]`

const once = `"ReadWriteOnce"`

// pod adds a pod. spec contains further fields of its spec.
func (b *build) pod(name, spec string) *build { return b.podIn(name, "Pending", "{}", spec) }

func (b *build) podIn(name, phase, metadata, spec string) *build {
	if spec != "" {
		spec = ", " + spec
	}
	return b.object("Pod", "default", name, `{"metadata": %s, "spec": {"containers": [{"name": "c", "image": "i"}]%s}, "status": {"phase": %q}}`,
		metadata, spec, phase)
}

// answer returns what the scheduler says about the pod w.
func (b *build) answer() line.Scheduling {
	b.t.Helper()
	s, err := New()
	if err != nil {
		b.t.Fatal(err)
	}
	asked := line.Line{World: line.List{APIVersion: "v1", Kind: "List", Items: b.items}}
	if err := s.Schedule(&asked); err != nil {
		b.t.Fatal(err)
	}
	for _, one := range *asked.Scheduling {
		if one.Pod.Name == "w" {
			return one
		}
	}
	b.t.Fatal("no answer about the pod w")
	return line.Scheduling{}
}

// expect checks an answer: the status of PreFilter or the verdicts about each node, and the messages.
func (b *build) expect(preFilter string, nodes []string, messages ...string) {
	b.t.Helper()
	answer := b.answer()
	is := ""
	if answer.PreFilter != nil {
		is = answer.PreFilter.Plugin + ": " + strings.Join(answer.PreFilter.Reasons, ", ")
	}
	if is != preFilter {
		b.t.Errorf("PreFilter says %q, not %q", is, preFilter)
	}
	var seen []string
	for _, node := range answer.Nodes {
		for _, one := range node.Verdicts {
			seen = append(seen, node.Node+" "+show(one))
		}
	}
	if !slices.Equal(seen, nodes) {
		b.t.Errorf("the nodes are\n%s\nnot\n%s", strings.Join(seen, "\n"), strings.Join(nodes, "\n"))
	}
	if !slices.Equal(answer.Messages, messages) {
		b.t.Errorf("the messages are %q, not %q", answer.Messages, messages)
	}
}

// show returns a short form of a verdict.
func show(v line.Verdict) string {
	if v.Code != "Success" {
		return fmt.Sprintf("%s: %s", v.Plugin, strings.Join(v.Reasons, ", "))
	}
	text := []string{"fits"}
	for _, binding := range v.Bindings {
		text = append(text, binding.Claim+"="+binding.Volume)
	}
	for _, claim := range v.Provisions {
		text = append(text, "provisions "+claim)
	}
	return strings.Join(text, " ") + v.ReserveError
}

// available returns the message for a number of nodes with these reasons.
func available(nodes int, reasons string) string {
	return fmt.Sprintf("0/%d nodes are available: %s.", nodes, reasons)
}

// TestPreFilter checks the texts of PreFilter, and which text comes first.
func TestPreFilter(t *testing.T) {
	lost := func(b *build, name string) *build {
		return b.object("PersistentVolumeClaim", "default", name, `{"spec": {"volumeName": "pv-1", "accessModes": ["ReadWriteOnce"]}, "status": {"phase": "Lost"}}`)
	}
	deleting := func(b *build, name string) *build {
		return b.object("PersistentVolumeClaim", "default", name, `{"metadata": {"deletionTimestamp": "2026-06-05T10:00:00Z", "finalizers": ["x"]},
			"spec": {"accessModes": ["ReadWriteOnce"]}, "status": {"phase": "Pending"}}`)
	}
	for name, test := range map[string]struct {
		world        func(*build) *build
		plugin, text string
	}{
		"missing before Lost and deleting": {
			func(b *build) *build { return deleting(lost(b, "c1"), "c2").pod("w", claims("c1", "c2", "gone")) },
			"VolumeRestrictions", `persistentvolumeclaim "gone" not found`,
		},
		"missing ephemeral": {
			func(b *build) *build { return b.pod("w", ephemeral) },
			"VolumeBinding", `waiting for ephemeral volume controller to create the persistentvolumeclaim "w-e"`,
		},
		"lost": {
			func(b *build) *build { return lost(b, "c1").pod("w", claims("c1")) },
			"VolumeBinding", `persistentvolumeclaim "c1" bound to non-existent persistentvolume "pv-1"`,
		},
		"deleting": {
			func(b *build) *build { return deleting(b, "c1").pod("w", claims("c1")) },
			"VolumeBinding", `persistentvolumeclaim "c1" is being deleted`,
		},
		"foreign": {
			func(b *build) *build { return b.waiting("w-e", "wait", once).pod("w", ephemeral) },
			"VolumeBinding", `PVC default/w-e was not created for pod default/w (pod is not owner)`,
		},
		"without a class": {
			func(b *build) *build { return b.waiting("c1", "", once).pod("w", claims("c1")) },
			"VolumeBinding", `pod has unbound immediate PersistentVolumeClaims`,
		},
		"class is missing": {
			func(b *build) *build { return b.waiting("c1", "gone", once).pod("w", claims("c1")) },
			"VolumeBinding", `pod has unbound immediate PersistentVolumeClaims`,
		},
		"volume is missing": {
			func(b *build) *build { return b.boundClaim("c1", "pv-1", once).pod("w", claims("c1")) },
			"VolumeZone", `persistentvolume "pv-1" not found`,
		},
		"no such node": {
			func(b *build) *build {
				return b.pod("w", `"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
					{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}, {"key": "metadata.name", "operator": "In", "values": ["n2"]}]}]}}}`)
			},
			"NodeAffinity", `pod affinity terms conflict`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			test.world((&build{t: t}).nodes("n1", "n2")).expect(test.plugin+": "+test.text, nil, available(2, test.text))
		})
	}
}

// TestBoundVolumes checks the verdicts about nodes for bound volumes.
func TestBoundVolumes(t *testing.T) {
	at := func(node string) string {
		return fmt.Sprintf(`"local": {"path": "/x"}, "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [
			{"key": "kubernetes.io/hostname", "operator": "In", "values": [%q]}]}]}}`, node)
	}
	t.Run("affinity", func(t *testing.T) {
		(&build{t: t}).nodes("n1", "n2").bound("c1", once, at("n1"), "").pod("w", claims("c1")).
			expect("", []string{"n1 fits", "n2 VolumeBinding: " + affinityReason})
	})
	t.Run("matchFields alone fits every node", func(t *testing.T) {
		for _, operator := range []string{"In", "NotIn"} {
			(&build{t: t}).nodes("n1", "n2").bound("c1", once, fmt.Sprintf(`"local": {"path": "/x"}, "nodeAffinity": {"required": {"nodeSelectorTerms": [
				{"matchFields": [{"key": "metadata.name", "operator": %q, "values": ["n1"]}]}]}}`, operator), "").pod("w", claims("c1")).
				expect("", []string{"n1 fits", "n2 fits"})
		}
	})
	t.Run("a missing volume is reported only for an ephemeral volume", func(t *testing.T) {
		b := (&build{t: t}).nodes("n1")
		b.object("PersistentVolumeClaim", "default", "w-e", `{"metadata": {"annotations": {"pv.kubernetes.io/bind-completed": "yes"},
			"ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "w", "uid": "uid-w", "controller": true}]},
			"spec": {"volumeName": "pv-1", "accessModes": ["ReadWriteOnce"]}, "status": {"phase": "Bound"}}`)
		b.pod("w", ephemeral).expect("", []string{"n1 VolumeBinding: " + missingReason}, available(1, "1 "+missingReason))
	})
	t.Run("zones", func(t *testing.T) {
		for labels, nodes := range map[string][]string{
			`"topology.kubernetes.io/zone": "z1"`:              {"n1 fits", "n2 VolumeZone: " + zoneReason},
			`"topology.kubernetes.io/zone": "z1__z2"`:          {"n1 fits", "n2 fits"},
			`"failure-domain.beta.kubernetes.io/zone": "z1"`:   {"n1 fits", "n2 VolumeZone: " + zoneReason},
			`"topology.kubernetes.io/region": "r1"`:            {"n1 VolumeZone: " + zoneReason, "n2 VolumeZone: " + zoneReason},
			`"topology.kubernetes.io/zone": "z1____z2"`:        {"n1 fits", "n2 fits"},
			`"failure-domain.beta.kubernetes.io/region": "r1"`: {"n1 VolumeZone: " + zoneReason, "n2 VolumeZone: " + zoneReason},
		} {
			b := (&build{t: t}).nodes("n1", "n2").object("Node", "", "n3", `{"status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}}}`)
			var messages []string
			b.bound("c1", once, `"hostPath": {"path": "/x"}`, labels).pod("w", claims("c1")).expect("", append(nodes, "n3 fits"), messages...)
		}
	})
}

// TestReadWriteOncePod checks that one user of a claim with ReadWriteOncePod blocks all nodes, and which pods are
// users.
func TestReadWriteOncePod(t *testing.T) {
	blocked := []string{"n1 VolumeRestrictions: " + onceReason, "n2 VolumeRestrictions: " + onceReason}
	fits := []string{"n1 fits", "n2 fits"}
	world := func(user func(*build) *build) *build {
		return user((&build{t: t}).nodes("n1", "n2").bound("c1", `"ReadWriteOncePod"`, `"hostPath": {"path": "/x"}`, "").pod("w", claims("c1")))
	}
	on := func(node string) string { return fmt.Sprintf(`"nodeName": %q, `, node) + claims("c1") }
	for name, test := range map[string]struct {
		user  func(*build) *build
		nodes []string
	}{
		"running": {func(b *build) *build { return b.podIn("r", "Running", "{}", on("n1")) }, blocked},
		"terminating": {func(b *build) *build {
			return b.podIn("r", "Running", `{"deletionTimestamp": "2026-06-05T10:00:00Z"}`, on("n1"))
		}, blocked},
		"ended":        {func(b *build) *build { return b.podIn("r", "Succeeded", "{}", on("n1")) }, fits},
		"node is gone": {func(b *build) *build { return b.podIn("r", "Running", "{}", on("n9")) }, fits},
		"waits too":    {func(b *build) *build { return b.pod("r", claims("c1")) }, fits},
	} {
		t.Run(name, func(t *testing.T) {
			if test.nodes[0] == fits[0] {
				world(test.user).expect("", test.nodes)
			} else {
				world(test.user).expect("", test.nodes, available(2, "2 "+onceReason))
			}
		})
	}
}

// TestDisks checks pods whose spec names a disk without a claim.
func TestDisks(t *testing.T) {
	disk := func(readOnly bool) string {
		return fmt.Sprintf(`"volumes": [{"name": "d", "gcePersistentDisk": {"pdName": "disk-1", "readOnly": %v}}]`, readOnly)
	}
	for _, test := range []struct{ first, second, conflict bool }{{true, true, false}, {true, false, true}, {false, true, true}} {
		nodes := []string{"n1 fits", "n2 fits"}
		if test.conflict {
			nodes[0] = "n1 VolumeRestrictions: " + diskReason
		}
		(&build{t: t}).nodes("n1", "n2").podIn("r", "Running", "{}", `"nodeName": "n1", `+disk(test.first)).pod("w", disk(test.second)).expect("", nodes)
	}
}

// TestLimits checks how volumes are counted against the limit of a driver.
func TestLimits(t *testing.T) {
	full := []string{"n1 NodeVolumeLimits: " + limitReason}
	message := available(1, "1 "+limitReason)
	t.Run("used by a pod", func(t *testing.T) {
		world := func(limit int) *build {
			return (&build{t: t}).nodes("n1").limit("n1", limit).csi("c1").csi("c2").podIn("r", "Running", "{}", `"nodeName": "n1", `+claims("c1"))
		}
		world(1).pod("w", claims("c2")).expect("", full, message)
		world(2).pod("w", claims("c2")).expect("", []string{"n1 fits"})
		world(1).pod("w", claims("c1")).expect("", []string{"n1 fits"})
	})
	t.Run("attached and used by no pod counts twice", func(t *testing.T) {
		world := func(limit int) *build {
			return (&build{t: t}).nodes("n1").limit("n1", limit).csi("c1").attach("c1", "n1").pod("w", claims("c1"))
		}
		world(1).expect("", full, message)
		world(2).expect("", []string{"n1 fits"})
	})
	t.Run("an attachment whose volume is missing does not count", func(t *testing.T) {
		(&build{t: t}).nodes("n1").limit("n1", 1).csi("c1").attach("gone", "n1").pod("w", claims("c1")).expect("", []string{"n1 fits"})
	})
	t.Run("a waiting claim counts for the provisioner of its class", func(t *testing.T) {
		(&build{t: t}).nodes("n1").limit("n1", 0).class("wait", "csi.example.com").waiting("c1", "wait", once).pod("w", claims("c1")).
			expect("", full, message)
	})
	t.Run("hides the reasons of VolumeBinding", func(t *testing.T) {
		(&build{t: t}).nodes("n1").limit("n1", 0).bound("c1", once, `"csi": {"driver": "csi.example.com", "volumeHandle": "h"}, "nodeAffinity": {"required":
			{"nodeSelectorTerms": [{"matchExpressions": [{"key": "x", "operator": "Exists"}]}]}}`, "").pod("w", claims("c1")).expect("", full, message)
	})
	t.Run("a migrated volume counts without the annotation of the CSINode", func(t *testing.T) {
		(&build{t: t}).nodes("n1").
			object("CSINode", "", "n1", `{"spec": {"drivers": [{"name": "ebs.csi.aws.com", "nodeID": "x", "allocatable": {"count": 0}}]}}`).
			bound("c1", once, `"awsElasticBlockStore": {"volumeID": "vol-1"}`, "").pod("w", claims("c1")).expect("", full, message)
	})
	t.Run("the claim of another pod's ephemeral volume ends the cycle", func(t *testing.T) {
		text := `running "NodeVolumeLimits" filter plugin: PVC default/r-e was not created for pod default/r (pod is not owner)`
		b := (&build{t: t}).nodes("n1", "n2").limit("n1", 5).csi("c1").waiting("r-e", "wait", once)
		b.podIn("r", "Running", "{}", `"nodeName": "n1", `+ephemeral).pod("w", claims("c1")).
			expect("", []string{"n1 NodeVolumeLimits: " + text, "n2 fits"}, text)
	})
}

// TestWaitingClaims checks which waiting claims are bound or provisioned, and the reasons if they are not.
func TestWaitingClaims(t *testing.T) {
	capacity := func(b *build, size string) *build {
		return b.object("CSIDriver", "", "csi.example.com", `{"spec": {"storageCapacity": true}}`).
			object("CSIStorageCapacity", "kube-system", "s", `{"storageClassName": "wait", "capacity": %q,
				"nodeTopology": {"matchLabels": {"topology.kubernetes.io/zone": "z1"}}}`, size)
	}
	t.Run("provisioned", func(t *testing.T) {
		(&build{t: t}).nodes("n1").class("wait", "csi.example.com").waiting("c1", "wait", once).pod("w", claims("c1")).
			expect("", []string{"n1 fits provisions c1"})
	})
	t.Run("capacity", func(t *testing.T) {
		world := func(size string) *build {
			return capacity((&build{t: t}).nodes("n1", "n2"), size).class("wait", "csi.example.com").waiting("c1", "wait", once).pod("w", claims("c1"))
		}
		world("1Gi").expect("", []string{"n1 fits provisions c1", "n2 VolumeBinding: " + spaceReason})
		world("1Mi").expect("", []string{"n1 VolumeBinding: " + spaceReason, "n2 VolumeBinding: " + spaceReason}, available(2, "2 "+spaceReason))
	})
	t.Run("no provisioner", func(t *testing.T) {
		(&build{t: t}).nodes("n1").class("local", "kubernetes.io/no-provisioner").waiting("c1", "local", once).pod("w", claims("c1")).
			expect("", []string{"n1 VolumeBinding: " + bindReason}, available(1, "1 "+bindReason))
	})
	t.Run("equal volumes", func(t *testing.T) {
		b := (&build{t: t}).nodes("n1").class("local", "kubernetes.io/no-provisioner").waiting("c1", "local", once)
		b.free("pv-1", "local", once, "").free("pv-2", "local", once, "").pod("w", claims("c1")).
			expect("", []string{"n1 fits c1=pv-1", "n1 fits c1=pv-2"})
	})
	t.Run("the order of equal volumes decides the verdict", func(t *testing.T) {
		b := (&build{t: t}).nodes("n1").class("local", "kubernetes.io/no-provisioner").waiting("c1", "local", once).waiting("c2", "local", `"ReadWriteMany"`)
		b.free("pv-1", "local", once, "").free("pv-2", "local", `"ReadWriteOnce", "ReadWriteMany"`, "").pod("w", claims("c1", "c2")).
			expect("", []string{"n1 fits c1=pv-1 c2=pv-2", "n1 VolumeBinding: " + bindReason}, available(1, "1 "+bindReason))
	})
	t.Run("one claim mounted twice", func(t *testing.T) {
		b := (&build{t: t}).nodes("n1").class("local", "kubernetes.io/no-provisioner").waiting("c1", "local", once)
		b.free("pv-1", "local", once, "").free("pv-2", "local", once, "").pod("w", claims("c1", "c1")).
			expect("", []string{"n1 fits c1=pv-1 c1=pv-2"})
	})
	t.Run("a volume that is reserved with the uid is not changed", func(t *testing.T) {
		b := (&build{t: t}).nodes("n1").class("local", "kubernetes.io/no-provisioner").waiting("c1", "local", once)
		b.free("pv-1", "local", once, `"claimRef": {"kind": "PersistentVolumeClaim", "apiVersion": "v1", "namespace": "default", "name": "c1", "uid": "uid-c1"}`)
		got := b.pod("w", claims("c1")).answer().Nodes[0].Verdicts[0].Bindings
		if want := []line.Binding{{Claim: "c1", Volume: "pv-1"}}; !slices.Equal(got, want) {
			t.Errorf("%v", got)
		}
	})
	t.Run("a selector that cannot be parsed ends the cycle", func(t *testing.T) {
		b := (&build{t: t}).nodes("n1").class("wait", "csi.example.com").object("PersistentVolumeClaim", "default", "c1", `{"spec": {
			"accessModes": ["ReadWriteOnce"], "storageClassName": "wait", "selector": {"matchLabels": {"x": "-"}},
			"resources": {"requests": {"storage": "1Gi"}}}, "status": {"phase": "Pending"}}`).pod("w", claims("c1"))
		answer := b.answer()
		if answer.Reason != "SchedulerError" || len(answer.Messages) != 1 ||
			!strings.HasPrefix(answer.Messages[0], `running "VolumeBinding" filter plugin: error creating internal label selector for claim: default/c1: `) {
			t.Errorf("%+v", answer)
		}
	})
	t.Run("another node was selected", func(t *testing.T) {
		// The free storage is not checked, but the node affinity of the bound volume is still reported.
		b := capacity((&build{t: t}).nodes("n1"), "0").class("wait", "csi.example.com")
		b.object("PersistentVolumeClaim", "default", "c1", `{"metadata": {"annotations": {"volume.kubernetes.io/selected-node": "n2"}}, "spec": {
			"accessModes": ["ReadWriteOnce"], "storageClassName": "wait", "resources": {"requests": {"storage": "1Gi"}}}, "status": {"phase": "Pending"}}`)
		b.bound("c2", once, `"local": {"path": "/x"}, "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [
			{"key": "x", "operator": "Exists"}]}]}}`, "").pod("w", claims("c1", "c2")).
			expect("", []string{"n1 VolumeBinding: " + affinityReason + ", " + bindReason}, available(1, "1 "+bindReason+", 1 "+affinityReason))
	})
}

// TestOtherPlugins checks the texts of other plugins, and pods that do not reach PreFilter.
func TestOtherPlugins(t *testing.T) {
	tainted := func() *build {
		return (&build{t: t}).object("Node", "", "n1", `{"spec": {"taints": [{"key": "dedicated", "value": "db", "effect": "NoSchedule"}]},
			"status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}}}`)
	}
	tainted().pod("w", "").expect("", []string{"n1 TaintToleration: " + taintReason}, available(1, "1 "+taintReason))
	tainted().nodes("n2", "n3").pod("w", `"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
		{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}]}}}`).
		expect("", []string{"n1 TaintToleration: " + taintReason, "n2 : node(s) didn't satisfy plugin(s) [NodeAffinity]", "n3 : node(s) didn't satisfy plugin(s) [NodeAffinity]"},
			available(3, "1 "+taintReason+", 2 node(s) didn't satisfy plugin(s) [NodeAffinity]"))
	(&build{t: t}).pod("w", "").expect("", nil, "no nodes available to schedule pods")

	gated := tainted().pod("w", `"schedulingGates": [{"name": "a"}, {"name": "b"}]`).answer()
	if gated.Gate == nil || gated.Gate.Plugin != "SchedulingGates" || gated.Gate.Reasons[0] != "waiting for scheduling gates: [a b]" || gated.Nodes != nil {
		t.Errorf("%+v", gated)
	}
	skipped := tainted().podIn("w", "Pending", `{"deletionTimestamp": "2026-06-05T10:00:00Z"}`, "").answer()
	if skipped.Skip != "skip schedule deleting pod: default/w" || skipped.Nodes != nil {
		t.Errorf("%+v", skipped)
	}
}

// TestPostFilter checks what is added to a message when no pod can be preempted.
func TestPostFilter(t *testing.T) {
	const tainted = `{"spec": {"taints": [{"key": "dedicated", "effect": "NoSchedule"}]}, "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}}}`
	const full = `{"spec": {}, "status": {"allocatable": {"cpu": "1", "memory": "8Gi", "pods": "0"}}}`
	for name, test := range map[string]struct {
		world func(*build) *build
		want  string
	}{
		"PreFilter": {func(b *build) *build { return b.nodes("n1").pod("w", claims("gone")) }, "not found"},
		"Filter": {
			func(b *build) *build {
				return b.object("Node", "", "n1", tainted).object("Node", "", "n2", full).pod("w", "")
			},
			"no new claims to deallocate, preemption: 0/2 nodes are available: 1 No preemption victims found for incoming pod, " +
				"1 Preemption is not helpful for scheduling.",
		},
	} {
		if got := test.world(&build{t: t}).answer().PostFilter; !slices.Equal(got, []string{test.want}) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestMissingDriver checks the reason that occurs only with the feature gate VolumeLimitScaling.
func TestMissingDriver(t *testing.T) {
	world := func() *build {
		return (&build{t: t}).nodes("n1").object("CSIDriver", "", "csi.example.com", `{"spec": {"preventPodSchedulingIfMissing": true}}`).
			csi("c1").pod("w", claims("c1"))
	}
	world().expect("", []string{"n1 fits"})
	featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.VolumeLimitScaling, true)
	text := "csi.example.com CSI driver is not installed on the node"
	world().expect("", []string{"n1 NodeVolumeLimits: " + text}, available(1, "1 "+text))
}
