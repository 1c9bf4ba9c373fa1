package worlds

import (
	"slices"

	"pvctl.dev/oracle/line"
)

// HostPath generates the index-th world in which the controller manager runs with --enable-hostpath-provisioner. In
// such a world the controller itself creates volumes. The names of these volumes depend on the uids of claims. In some
// worlds claims name these volumes, or existing volumes already have these names, or the controller takes an existing
// volume that it finds late.
func HostPath(seed uint64, index int) line.Line {
	made := generate(seed, index, "host-path-", "pvctl host-path", (*generator).provisionInTree)
	made.Flags = map[string]string{"enable-hostpath-provisioner": "true"}
	return made
}

// created returns the name of the volume that the controller creates for a claim.
func created(claim object) string { return "pvc-" + uidOf(claim) }

// provisionInTree changes a world of any kind. Most worlds are replaced by a few objects around created volumes. The
// worlds stay small, because each claim can add a volume.
func (g *generator) provisionInTree() {
	const most = 4
	g.claims = g.claims[:min(len(g.claims), most)]
	g.volumes = g.volumes[:min(len(g.volumes), most)]
	if g.percent(65) {
		g.tags["created"] = true
		g.classes, g.volumes, g.claims, g.pods = nil, nil, nil, nil
		g.labels, g.attributes, g.odd = nil, "", one(g, []int{0, 0, 3})
		g.add(g.between(0, 3), g.between(2, 4))
		for _, volume := range g.volumes {
			if g.percent(30) {
				g.nameAsCreated(volume, one(g, g.claims))
			}
			if g.percent(25) {
				g.vanish(volume)
			} else if g.percent(20) {
				g.refer(volume, one(g, g.claims))
			}
		}
	}
	if len(g.classes) == 0 || g.class != "" && g.class != missingClass {
		name := g.class
		if name == "" || name == missingClass {
			name = "a"
		}
		g.addClass(name)
	}
	var provisioned []string
	for place, class := range g.classes {
		if place > 0 && !g.percent(75) {
			continue
		}
		class["provisioner"] = hostPathName
		class["reclaimPolicy"] = one(g, []string{"Delete", "Retain", "Retain"})
		if g.percent(60) {
			class["volumeBindingMode"] = bindingImmediate
		}
		if g.percent(85) {
			remove(class, "mountOptions")
		}
		provisioned = append(provisioned, nameOf(class))
	}
	rename := func(each object) {
		unannotate(each, annBetaClass)
		set(each, one(g, provisioned), "spec", "storageClassName")
	}
	for _, claim := range g.claims {
		if text(claim, "spec", "volumeName") != "" || annotated(claim, annBindCompleted) {
			if g.percent(10) {
				set(claim, created(one(g, g.claims)), "spec", "volumeName")
			}
			continue
		}
		if g.percent(65) {
			rename(claim)
		}
		if g.percent(80) {
			set(claim, modeFilesystem, "spec", "volumeMode")
		}
		if g.percent(15) {
			set(claim, "gold", "spec", "volumeAttributesClassName")
		}
		if g.percent(4) {
			g.setSelector(claim)
		} else if g.percent(5) {
			g.tags["invalid-selector"] = true
			set(claim, copied(one(g, unparsable)), "spec", "selector")
		}
		if other := one(g, g.claims); g.percent(18) {
			set(claim, created(other), "spec", "volumeName")
			if g.percent(50) {
				annotate(claim, annBoundByController, "yes")
			}
			if g.percent(15) {
				annotate(claim, annBindCompleted, "yes")
			}
		}
		if g.percent(25) {
			set(claim, object{"phase": "Lost"}, "status")
		}
	}
	for _, volume := range g.volumes {
		if len(g.claims) > 0 && g.percent(20) {
			g.nameAsCreated(volume, one(g, g.claims))
		}
		if get(volume, "spec", "claimRef") != nil {
			continue
		}
		if g.percent(55) {
			rename(volume)
		}
		if g.percent(45) {
			set(volume, "Pending", "status", "phase")
		}
		if g.percent(20) {
			set(volume, "gold", "spec", "volumeAttributesClassName")
			g.setSource(volume, "csi")
		}
	}
}

// vanish changes a volume so that its claim does not exist and the controller deletes the volume.
func (g *generator) vanish(volume object) {
	g.orphan(volume)
	g.setSource(volume, "hostPath")
	set(volume, "/tmp/pvctl-oracle-void/x", "spec", "hostPath", "path")
	set(volume, "Delete", "spec", "persistentVolumeReclaimPolicy")
	setFinalizers(volume)
}

// nameAsCreated gives a volume the name that the controller would give to a volume which it creates for a claim. It
// does nothing if another volume has this name. Claims that named the volume get the new name.
func (g *generator) nameAsCreated(volume, claim object) {
	was, name := nameOf(volume), created(claim)
	if slices.ContainsFunc(g.volumes, func(each object) bool { return nameOf(each) == name }) {
		return
	}
	set(volume, name, "metadata", "name")
	for _, each := range g.claims {
		if text(each, "spec", "volumeName") == was {
			set(each, name, "spec", "volumeName")
		}
	}
}
