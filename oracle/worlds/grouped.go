package worlds

import (
	"fmt"
	"slices"

	"pvctl.dev/oracle/line"
)

// Grouped generates the index-th world with groups of objects that differ only in their names. Such a world has too
// many states to search all of them. Every second world is small instead: in this world the hostPath provisioner is
// enabled, and there are claims for it and a few volumes.
func Grouped(seed uint64, index int) line.Line {
	g := newGenerator(seed, index, "pvctl grouped")
	made := line.Line{ID: fmt.Sprintf("grouped-s%d-%06d", seed, index), Tags: []string{"grouped"}}
	if index%2 == 0 {
		g.groups()
	} else {
		made.Flags = map[string]string{"enable-hostpath-provisioner": "true"}
		g.provisioned()
	}
	made.World = numbered(slices.Concat(g.classes, g.claims, g.volumes, g.pods))
	return made
}

// plainClaim adds a waiting claim. If label is not empty, the claim selects volumes with this label.
func (g *generator) plainClaim(class, size, label string) object {
	name := fmt.Sprintf("c%03d", len(g.claims))
	claim := g.newObject("v1", "PersistentVolumeClaim", "default", name, fmt.Sprintf("91000000-0000-4000-8000-%012d", len(g.claims)))
	set(claim, []string{"ReadWriteOnce"}, "spec", "accessModes")
	set(claim, size, "spec", "resources", "requests", "storage")
	set(claim, class, "spec", "storageClassName")
	set(claim, modeFilesystem, "spec", "volumeMode")
	set(claim, "Pending", "status", "phase")
	setFinalizers(claim, finClaimProtection)
	if label != "" {
		set(claim, label, "spec", "selector", "matchLabels", "speed")
	}
	g.claims = append(g.claims, claim)
	return claim
}

// plainVolume adds a free volume. If label is not empty, the volume has this label.
func (g *generator) plainVolume(class, size, label string) object {
	name := fmt.Sprintf("pv-%03d", len(g.volumes))
	volume := g.newObject("v1", "PersistentVolume", "", name, fmt.Sprintf("90000000-0000-4000-8000-%012d", len(g.volumes)))
	set(volume, []string{"ReadWriteOnce"}, "spec", "accessModes")
	set(volume, size, "spec", "capacity", "storage")
	set(volume, object{"path": "/tmp/pvctl-oracle-void"}, "spec", "hostPath")
	set(volume, "Retain", "spec", "persistentVolumeReclaimPolicy")
	set(volume, modeFilesystem, "spec", "volumeMode")
	set(volume, "Available", "status", "phase")
	setFinalizers(volume, finVolumeProtection)
	if class != "" {
		set(volume, class, "spec", "storageClassName")
	}
	if label != "" {
		set(volume, label, "metadata", "labels", "speed")
	}
	g.volumes = append(g.volumes, volume)
	return volume
}

// groups adds a few kinds of volumes and claims, several of each kind, and some objects that differ.
func (g *generator) groups() {
	labels := []string{"", "", "fast", "slow"}
	sizes := []string{"1Gi", "1Gi", "2Gi", "3Gi"}
	for range 2 + g.IntN(2) {
		size, label, deleted := one(g, sizes), one(g, labels), g.percent(15)
		modes := one(g, [][]string{{"ReadWriteOnce"}, {"ReadWriteOnce"}, {"ReadOnlyMany"}, {"ReadWriteOnce", "ReadOnlyMany"}})
		for range 6 + g.IntN(5) {
			claim := g.plainClaim("", size, label)
			set(claim, modes, "spec", "accessModes")
			if deleted || g.percent(4) {
				g.terminate(claim, finClaimProtection)
			}
			if deleted && g.percent(30) {
				g.pods = append(g.pods, g.plainPod(claim))
			}
		}
	}
	for range 2 + g.IntN(2) {
		size, label, phase := one(g, sizes), one(g, labels), one(g, []string{"Available", "Available", "Pending", "Failed"})
		policy := one(g, []string{"Retain", "Retain", "Delete", "Recycle"})
		modes := one(g, [][]string{{"ReadWriteOnce"}, {"ReadWriteOnce"}, {"ReadWriteOnce", "ReadOnlyMany"}, {"ReadWriteMany", "ReadWriteOnce"}})
		deleted := g.percent(15)
		for range 6 + g.IntN(4) {
			volume := g.plainVolume("", size, label)
			set(volume, modes, "spec", "accessModes")
			set(volume, policy, "spec", "persistentVolumeReclaimPolicy")
			set(volume, phase, "status", "phase")
			if deleted || g.percent(4) {
				g.terminate(volume, finVolumeProtection)
			}
			g.meet(volume)
		}
	}
}

// meet sometimes sets the volumeName of a claim to this volume, or the claimRef of the volume to a claim.
func (g *generator) meet(volume object) {
	claim := one(g, g.claims)
	switch {
	case g.percent(5):
		set(claim, nameOf(volume), "spec", "volumeName")
	case g.percent(5):
		set(volume, object{"namespace": "default", "name": nameOf(claim)}, "spec", "claimRef")
	case g.percent(5):
		set(volume, g.fullRef(claim), "spec", "claimRef")
		annotate(volume, annBoundByController, "yes")
	case g.percent(5):
		g.refer(volume, claim)
	}
}

// provisioned adds claims for the hostPath provisioner, and volumes that fit some of these claims.
func (g *generator) provisioned() {
	class := g.newObject("storage.k8s.io/v1", "StorageClass", "", "local", "5c000000-0000-4000-8000-000000000777")
	class["provisioner"] = hostPathName
	class["reclaimPolicy"] = one(g, []string{"Delete", "Retain"})
	class["volumeBindingMode"] = one(g, []string{bindingImmediate, bindingImmediate, bindingDelayed})
	g.classes = append(g.classes, class)
	for range 1 + g.IntN(3) {
		claim := g.plainClaim("local", one(g, []string{"1Gi", "1Gi", "2Gi"}), "")
		if g.percent(10) {
			set(claim, "", "spec", "storageClassName")
		}
		if g.percent(15) {
			g.terminate(claim, finClaimProtection)
		}
		if g.percent(8) {
			remove(claim, "spec", "resources")
		}
	}
	for range g.IntN(4) {
		volume := g.plainVolume(one(g, []string{"local", "local", ""}), one(g, []string{"1Gi", "2Gi", "3Gi"}), "")
		set(volume, one(g, []string{"Delete", "Retain", "Recycle"}), "spec", "persistentVolumeReclaimPolicy")
		set(volume, one(g, []string{"Available", "Available", "Pending", "Released"}), "status", "phase")
		if g.percent(8) {
			g.terminate(volume, finVolumeProtection)
		}
		g.meet(volume)
	}
}

// plainPod returns a running pod that uses a claim.
func (g *generator) plainPod(claim object) object {
	name := "p-" + nameOf(claim)
	pod := g.newObject("v1", "Pod", spaceOf(claim), name, fmt.Sprintf("92000000-0000-4000-8000-%012d", len(g.pods)))
	set(pod, []any{object{"name": "main", "image": "example.com/main"}}, "spec", "containers")
	set(pod, []any{object{"name": "data", "persistentVolumeClaim": object{"claimName": nameOf(claim)}}}, "spec", "volumes")
	set(pod, "n1", "spec", "nodeName")
	set(pod, "Running", "status", "phase")
	return pod
}
