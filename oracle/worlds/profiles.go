package worlds

import (
	"cmp"
	"fmt"
	"slices"
)

// add adds these numbers of free volumes and waiting claims.
func (g *generator) add(volumes, claims int) {
	for range claims {
		g.addClaim()
	}
	for range volumes {
		g.addVolume()
	}
}

// addClasses usually adds the class that most objects name, and sometimes others.
func (g *generator) addClasses(delay int) {
	if g.class != "" && g.class != missingClass && !g.percent(12) {
		class := g.addClass(g.class)
		class["volumeBindingMode"] = bindingImmediate
		if g.percent(delay) {
			class["volumeBindingMode"] = bindingDelayed
		}
	}
	for _, name := range classNames {
		if g.percent(20) {
			g.addClass(name)
		}
	}
}

func (g *generator) addNodes() {
	for number := range nodeNames {
		if g.percent(70) {
			g.addNode(number)
		}
	}
}

// addPods adds pods that use claims of the world, and some pods that use claims that do not exist.
func (g *generator) addPods(most int) {
	for range g.between(0, most) {
		if len(g.claims) == 0 || g.percent(8) {
			g.addPod(one(g, namespaces), one(g, []string{"c1", "gone", ephemeralClaimName}))
			continue
		}
		claim := one(g, g.claims)
		names := []string{nameOf(claim)}
		if other := one(g, g.claims); g.percent(30) && spaceOf(other) == spaceOf(claim) && nameOf(other) != nameOf(claim) {
			names = append(names, nameOf(other))
		}
		g.addPod(spaceOf(claim), names...)
	}
}

// fullRef returns a claimRef to the claim, as the controller writes it.
func (g *generator) fullRef(claim object) object {
	return object{
		"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": spaceOf(claim), "name": nameOf(claim), "uid": uidOf(claim),
		"resourceVersion": fmt.Sprint(g.between(600, 999)),
	}
}

// refer sets a claimRef of any kind on a volume. The claim may be nil or a claim of the world.
func (g *generator) refer(volume, claim object) {
	if claim == nil {
		claim = object{"metadata": object{"namespace": one(g, namespaces), "name": one(g, []string{"gone", "gone", "c1"}), "uid": one(g, []string{staleUID, foreignUID})}}
	}
	ref := g.fullRef(claim)
	switch g.IntN(16) {
	case 0, 1, 2, 3:
	case 4, 5, 6, 7:
		delete(ref, "uid")
		delete(ref, "resourceVersion")
		if g.percent(50) {
			delete(ref, "apiVersion")
			delete(ref, "kind")
		}
	case 8, 9:
		ref["uid"] = staleUID
	case 10:
		ref["uid"] = foreignUID
		ref["name"] = one(g, []string{"c1", "c2", "other"})
	case 11:
		delete(ref, "namespace")
		if g.percent(60) {
			delete(ref, "uid")
		}
	case 12:
		ref["name"] = ""
		if g.percent(50) {
			delete(ref, "uid")
		}
	case 13:
		// The claimRef has the right uid and a wrong name. If the claim is bound, only the uid decides to which claim
		// the volume belongs.
		ref["name"] = one(g, []string{"c1", "c3", "other"})
	case 14:
		ref["namespace"] = one(g, []string{"default", "db", "other"})
		if g.percent(50) {
			delete(ref, "uid")
		}
	case 15:
		ref["fieldPath"] = "spec"
		delete(ref, "resourceVersion")
	}
	set(volume, ref, "spec", "claimRef")
}

// bind creates the state after the given number of the four writes of a binding. After 4 writes the binding is
// complete.
func (g *generator) bind(volume, claim object, writes int) {
	named := g.percent(25)
	if writes >= 1 || named {
		set(volume, g.fullRef(claim), "spec", "claimRef")
		if !g.percent(25) {
			annotate(volume, annBoundByController, one(g, yesValues))
		}
	}
	if writes >= 2 {
		set(volume, "Bound", "status", "phase")
	}
	if named || writes >= 3 {
		set(claim, nameOf(volume), "spec", "volumeName")
		if !named {
			annotate(claim, annBoundByController, one(g, yesValues))
		}
	}
	if writes >= 3 {
		annotate(claim, annBindCompleted, one(g, yesValues))
	}
	if writes >= 4 {
		set(claim, "Bound", "status", "phase")
		if modes, found := get(volume, "spec", "accessModes").([]string); found {
			set(claim, slices.Clone(modes), "status", "accessModes")
		}
		set(claim, text(volume, "spec", "capacity", "storage"), "status", "capacity", "storage")
		if name := text(volume, "spec", "volumeAttributesClassName"); name != "" {
			set(claim, name, "status", "currentVolumeAttributesClassName")
		}
	}
}

// pairs binds volumes and claims one to one, and sometimes leaves a binding incomplete.
func (g *generator) pairs(half int) {
	for place := range min(len(g.volumes), len(g.claims)) {
		writes := 4
		if g.percent(half) {
			writes = g.between(1, 3)
		}
		g.bind(g.volumes[place], g.claims[place], writes)
	}
}

// mostlyBound adds a few pairs, and some free volumes and waiting claims. half is the percentage of pairs whose binding
// is incomplete.
func (g *generator) mostlyBound(odd, most, half int) {
	g.odd = min(g.odd, odd)
	pairs := g.between(1, most)
	g.add(pairs, pairs)
	g.pairs(half)
	g.add(g.between(0, 2), g.between(0, 2))
	g.addClasses(25)
}

func nearHealthy(g *generator) {
	g.mostlyBound(5, 4, 20)
	if g.percent(30) {
		g.addNodes()
	}
	g.addPods(2)
	for range g.between(0, 3) {
		g.mutate()
	}
}

func contended(g *generator) {
	g.odd = min(g.odd, 8)
	if g.class == missingClass {
		g.class = ""
	}
	g.add(g.between(1, 6), g.between(1, 6))
	for _, volume := range g.volumes {
		if g.percent(18) {
			g.refer(volume, one(g, g.claims))
		}
	}
	g.addClasses(8)
	g.addPods(1)
	for range g.between(0, 1) {
		g.mutate()
	}
}

func chains(g *generator) {
	g.odd = one(g, []int{0, 5, 10, 25})
	g.add(g.between(1, 4), g.between(1, 4))
	for place, claim := range g.claims {
		if g.percent(80) {
			volume := g.volumes[(place+g.IntN(2))%len(g.volumes)]
			set(claim, one(g, []string{nameOf(volume), nameOf(volume), nameOf(volume), nameOf(volume), nameOf(volume), missingVolume}), "spec", "volumeName")
			if g.percent(35) {
				annotate(claim, annBindCompleted, one(g, yesValues))
			}
			if g.percent(30) {
				annotate(claim, annBoundByController, one(g, yesValues))
			}
			g.statusOf(claim)
		}
	}
	for place, volume := range g.volumes {
		if g.percent(65) {
			claim := g.claims[(place+g.IntN(3))%len(g.claims)]
			if g.percent(50) {
				set(volume, g.fullRef(claim), "spec", "claimRef")
			} else {
				g.refer(volume, claim)
			}
			if g.percent(40) {
				annotate(volume, annBoundByController, one(g, yesValues))
			}
			if g.percent(60) {
				set(volume, one(g, volumePhases), "status", "phase")
			}
		}
		if g.percent(15) {
			g.provision(volume)
		}
	}
	g.addClasses(20)
	g.addPods(1)
	for range g.between(0, 2) {
		g.mutate()
	}
}

// statusOf sets an arbitrary status of a claim: any phase, and sometimes fields that remain from an earlier status.
func (g *generator) statusOf(claim object) {
	phase := one(g, claimPhases)
	set(claim, phase, "status", "phase")
	if phase == "Bound" || g.percent(20) {
		set(claim, g.claimModes(), "status", "accessModes")
		set(claim, g.size(), "status", "capacity", "storage")
	}
	if g.percent(8) {
		set(claim, one(g, []string{"gold", "silver", ""}), "status", "currentVolumeAttributesClassName")
	}
}

func delayed(g *generator) {
	g.class = "a"
	g.add(g.between(0, 4), g.between(1, 4))
	g.addClasses(85)
	g.addNodes()
	g.addPods(4)
	for _, claim := range g.claims {
		if g.percent(25) {
			annotate(claim, annSelectedNode, g.node())
		}
		if g.percent(20) {
			g.askProvisioner(claim)
		}
	}
	for _, volume := range g.volumes {
		if g.percent(40) {
			g.refer(volume, one(g, g.claims))
			if g.percent(50) {
				annotate(volume, annBoundByController, one(g, yesValues))
			}
		}
		if g.percent(30) {
			set(volume, copied(one(g, affinities)), "spec", "nodeAffinity")
		}
	}
	for range g.between(0, 1) {
		g.mutate()
	}
}

// askProvisioner adds the annotations of a claim for which the controller has requested a volume from a provisioner.
func (g *generator) askProvisioner(claim object) {
	class := find(g.classes, "", text(claim, "spec", "storageClassName"))
	if class == nil {
		return
	}
	name := text(class, "provisioner")
	for _, pair := range migrations {
		if name == pair[0] && !g.percent(30) {
			name = pair[1]
		}
	}
	annotate(claim, annProvisioner, name)
	if g.percent(75) {
		annotate(claim, annBetaProvisioner, name)
	}
}

func deletion(g *generator) {
	g.mostlyBound(8, 3, 25)
	for _, volume := range g.volumes {
		if g.percent(45) {
			g.terminate(volume, finVolumeProtection)
		}
		if g.percent(25) {
			g.provision(volume)
			if g.percent(50) {
				set(volume, "Delete", "spec", "persistentVolumeReclaimPolicy")
			}
		}
	}
	for _, claim := range g.claims {
		if g.percent(50) {
			g.terminate(claim, finClaimProtection)
		}
	}
	g.addPods(3)
	for range g.between(0, 2) {
		g.mutate()
	}
}

func reclaim(g *generator) {
	g.odd = min(g.odd, 8)
	g.add(g.between(1, 4), g.between(0, 3))
	for _, volume := range g.volumes {
		set(volume, one(g, []string{"Delete", "Delete", "Delete", "Recycle", "Recycle", "Retain"}), "spec", "persistentVolumeReclaimPolicy")
		set(volume, one(g, []string{"Bound", "Bound", "Released", "Released", "Failed", "Available", "Pending"}), "status", "phase")
		if text(volume, "status", "phase") == "Failed" {
			set(volume, "it failed before", "status", "message")
			if g.percent(20) {
				set(volume, "Before", "status", "reason")
			}
		}
		if g.percent(35) {
			g.provision(volume)
		}
		if g.percent(8) {
			// hostPath is the only source here for which the controller itself deletes volumes, with its own finalizer.
			g.setSource(volume, "hostPath")
			set(volume, paths[0], "spec", "hostPath", "path")
			set(volume, "Delete", "spec", "persistentVolumeReclaimPolicy")
			annotate(volume, annProvisionedBy, hostPathName)
			unannotate(volume, annMigratedTo)
			setFinalizers(volume, finVolumeProtection, finVolumeController)
		}
		switch {
		case len(g.claims) > 0 && g.percent(15):
			g.refer(volume, one(g, g.claims))
		case len(g.claims) > 0 && g.percent(25):
			g.surplus(volume, one(g, g.claims))
		case g.percent(90):
			g.orphan(volume)
		}
		if g.percent(60) {
			annotate(volume, annBoundByController, one(g, yesValues))
		}
		if ref, found := get(volume, "spec", "claimRef").(object); found && g.percent(25) {
			g.addPod(cmp.Or(text(ref, "namespace"), "default"), text(ref, "name"))
		}
		if text(volume, "spec", "persistentVolumeReclaimPolicy") == "Recycle" && g.percent(5) && nameOf(volume) == "pv-1" {
			// An older recycler's pod already has the name of the new one.
			pod := g.newObject("v1", "Pod", "default", "recycler-for-pv-1", "90d00000-0000-4000-8000-000000000099")
			set(pod, []any{object{"name": "pv-recycler", "image": "busybox"}}, "spec", "containers")
			set(pod, "Running", "status", "phase")
			g.pods = append(g.pods, pod)
		}
	}
	g.addClasses(20)
	for range g.between(0, 2) {
		g.mutate()
	}
}

// orphan changes a volume so that its claim does not exist.
func (g *generator) orphan(volume object) {
	gone := object{"metadata": object{"namespace": one(g, namespaces), "name": one(g, []string{"gone", "gone", "c1", "c2"}), "uid": staleUID}}
	set(volume, g.fullRef(gone), "spec", "claimRef")
}

// surplus makes the claimRef of a volume name a claim that names another volume.
func (g *generator) surplus(volume, claim object) {
	set(volume, g.fullRef(claim), "spec", "claimRef")
	if text(claim, "spec", "volumeName") == "" || text(claim, "spec", "volumeName") == nameOf(volume) {
		set(claim, missingVolume, "spec", "volumeName")
	}
	if g.percent(50) {
		annotate(volume, annBoundByController, one(g, yesValues))
	}
	if g.percent(40) {
		g.provision(volume)
		set(volume, "Delete", "spec", "persistentVolumeReclaimPolicy")
	}
	set(volume, one(g, volumePhases), "status", "phase")
}

func defaults(g *generator) {
	g.class = ""
	g.add(g.between(0, 3), g.between(1, 4))
	for _, name := range classNames {
		if g.percent(75) {
			class := g.addClass(name)
			if !annotated(class, annDefaultClass) && !annotated(class, annBetaDefaultClass) && g.percent(75) {
				g.makeDefault(class)
			}
		}
	}
	for _, claim := range g.claims {
		if text(claim, "spec", "storageClassName") == "" && g.percent(60) {
			remove(claim, "spec", "storageClassName")
		}
		if g.percent(10) {
			annotate(claim, annBetaClass, one(g, []string{"", "a"}))
		}
	}
	g.addPods(1)
	for range g.between(0, 1) {
		g.mutate()
	}
}

func chaotic(g *generator) {
	g.odd = one(g, []int{30, 60, 90})
	g.add(g.between(0, 6), g.between(0, 6))
	for _, name := range classNames {
		if g.percent(60) {
			g.addClass(name)
		}
	}
	g.addNodes()
	g.addPods(3)
	g.scatter()
	for range g.between(0, 4) {
		g.mutate()
	}
}

func tiny(g *generator) {
	g.odd = one(g, []int{10, 40, 90})
	switch g.IntN(12) {
	case 0:
	case 1, 2:
		g.add(1, 0)
	case 3, 4:
		g.add(0, 1)
	case 5:
		g.add(2, 0)
	case 6:
		g.add(0, 2)
	default:
		g.add(1, 1)
	}
	if g.percent(30) {
		g.addClass(one(g, classNames))
	}
	g.scatter()
	if g.percent(50) {
		g.mutate()
	}
}

// scatter sets the state of every claim and volume independently of the others.
func (g *generator) scatter() {
	for _, claim := range g.claims {
		if len(g.volumes) > 0 && g.percent(45) {
			set(claim, nameOf(one(g, g.volumes)), "spec", "volumeName")
		} else if g.percent(8) {
			set(claim, missingVolume, "spec", "volumeName")
		}
		if g.percent(30) {
			annotate(claim, annBindCompleted, one(g, yesValues))
		}
		if g.percent(30) {
			annotate(claim, annBoundByController, one(g, yesValues))
		}
		if g.percent(60) {
			g.statusOf(claim)
		}
		if g.percent(12) {
			g.terminate(claim, finClaimProtection)
		}
	}
	for _, volume := range g.volumes {
		if g.percent(60) {
			var claim object
			if len(g.claims) > 0 && g.percent(75) {
				claim = one(g, g.claims)
			}
			g.refer(volume, claim)
		}
		if g.percent(60) {
			set(volume, one(g, volumePhases), "status", "phase")
		}
		if g.percent(30) {
			annotate(volume, annBoundByController, one(g, yesValues))
		}
		if g.percent(12) {
			g.terminate(volume, finVolumeProtection)
		}
	}
}

// free generates free volumes and waiting claims that differ only in their names and sizes.
func free(g *generator) {
	g.odd, g.attributes, g.labels = 0, "", nil
	g.palette = one(g, [][]string{{"1Gi"}, {"1Gi", "2Gi"}, {"1Gi", "2Gi", "3Gi"}, {"512Mi", "1G", "1Gi", "2Gi"}})
	g.class = one(g, []string{"", "a"})
	claims, volumes := g.between(1, 6), g.between(1, 6)
	for range claims {
		claim := g.newObject("v1", "PersistentVolumeClaim", "default", "", "")
		name := ""
		for {
			space := one(g, namespaces)
			name = one(g, claimNames[:3])
			if find(g.claims, space, name) == nil {
				set(claim, space, "metadata", "namespace")
				set(claim, name, "metadata", "name")
				set(claim, claimUID(space, name), "metadata", "uid")
				break
			}
		}
		setFinalizers(claim, finClaimProtection)
		set(claim, slices.Clone(g.modes), "spec", "accessModes")
		set(claim, g.size(), "spec", "resources", "requests", "storage")
		set(claim, g.volumeMode, "spec", "volumeMode")
		set(claim, g.class, "spec", "storageClassName")
		set(claim, "Pending", "status", "phase")
		g.claims = append(g.claims, claim)
	}
	for number := range volumes {
		volume := g.newObject("v1", "PersistentVolume", "", fmt.Sprintf("pv-%d", number+1), fmt.Sprintf("90000000-0000-4000-8000-%012d", number+1))
		setFinalizers(volume, finVolumeProtection)
		set(volume, slices.Clone(g.modes), "spec", "accessModes")
		set(volume, g.size(), "spec", "capacity", "storage")
		set(volume, g.volumeMode, "spec", "volumeMode")
		if g.class != "" {
			set(volume, g.class, "spec", "storageClassName")
		}
		set(volume, "Retain", "spec", "persistentVolumeReclaimPolicy")
		g.setSource(volume, "nfs")
		set(volume, "Available", "status", "phase")
		set(volume, phaseChanged, "status", "lastPhaseTransitionTime")
		g.volumes = append(g.volumes, volume)
	}
	if g.class != "" && g.percent(60) {
		class := g.addClass(g.class)
		class["volumeBindingMode"] = bindingImmediate
		class["provisioner"] = one(g, []string{noProvisionerName, driverName})
	}
}

// mutate changes one property of one object, as people, other controllers and crashes do.
func (g *generator) mutate() {
	if len(g.volumes) == 0 && len(g.claims) == 0 {
		return
	}
	if len(g.claims) == 0 || len(g.volumes) > 0 && g.percent(50) {
		var claim object
		if len(g.claims) > 0 {
			claim = one(g, g.claims)
		}
		g.mutateVolume(one(g, g.volumes), claim)
		return
	}
	g.mutateClaim(one(g, g.claims))
}

func (g *generator) mutateVolume(volume, any object) {
	claim := g.claimOf(volume)
	switch g.IntN(24) {
	case 0, 1:
		remove(volume, "spec", "claimRef")
	case 2:
		if get(volume, "spec", "claimRef") != nil {
			remove(volume, "spec", "claimRef", "uid")
		}
	case 3:
		if get(volume, "spec", "claimRef") != nil {
			set(volume, staleUID, "spec", "claimRef", "uid")
		}
	case 4:
		g.refer(volume, any)
	case 5:
		unannotate(volume, annBoundByController)
	case 6:
		annotate(volume, annBoundByController, one(g, yesValues))
	case 7, 8:
		set(volume, one(g, volumePhases), "status", "phase")
	case 9:
		g.terminate(volume, finVolumeProtection)
	case 10:
		set(volume, one(g, policies), "spec", "persistentVolumeReclaimPolicy")
	case 11:
		g.provision(volume)
	case 12:
		// The controller must add its finalizer. But the volume is being deleted, so the API server refuses the new
		// finalizer.
		annotate(volume, annProvisionedBy, one(g, []string{hostPathName, "kubernetes.io/nfs", "kubernetes.io/x"}))
		set(volume, "Delete", "spec", "persistentVolumeReclaimPolicy")
		setFinalizers(volume, one(g, []string{finVolumeProtection, finForeign}))
		if g.percent(50) {
			g.terminate(volume, finVolumeProtection)
		}
	case 13:
		setFinalizers(volume, g.shuffled([]string{finVolumeProtection, finVolumeController, finExternal, finForeign})[:g.between(0, 3)]...)
		if len(finalizers(volume)) == 0 {
			remove(volume, "metadata", "deletionTimestamp")
			remove(volume, "metadata", "deletionGracePeriodSeconds")
		}
	case 14:
		set(volume, g.anyModes(), "spec", "accessModes")
	case 15:
		set(volume, g.spell(one(g, oddSizes)), "spec", "capacity", "storage")
	case 16:
		set(volume, one(g, []string{modeFilesystem, modeBlock}), "spec", "volumeMode")
	case 17:
		set(volume, one(g, []string{"a", "b", missingClass}), "spec", "storageClassName")
	case 18:
		annotate(volume, annPreResize, one(g, preResizes))
	case 19:
		if any != nil {
			g.surplus(volume, any)
		}
	case 20, 21:
		// The claim of the volume is not bound yet. Sometimes it cannot be bound, because it requests another
		// volumeMode.
		if claim == nil {
			claim = any
		}
		if claim != nil {
			set(volume, g.fullRef(claim), "spec", "claimRef")
			remove(claim, "spec", "volumeName")
			unannotate(claim, annBindCompleted)
			set(claim, object{"phase": "Pending"}, "status")
			if g.percent(55) {
				other := modeBlock
				if text(claim, "spec", "volumeMode") == modeBlock {
					other = modeFilesystem
				}
				set(volume, other, "spec", "volumeMode")
			}
		}
	case 22:
		set(volume, one(g, []string{"gold", "silver"}), "spec", "volumeAttributesClassName")
		g.setSource(volume, "csi")
	case 23:
		g.volumes = slices.DeleteFunc(g.volumes, func(each object) bool { return nameOf(each) == nameOf(volume) })
	}
}

func (g *generator) mutateClaim(claim object) {
	switch g.IntN(22) {
	case 0, 1:
		unannotate(claim, annBindCompleted)
	case 2:
		unannotate(claim, annBoundByController)
	case 3:
		annotate(claim, annBindCompleted, one(g, yesValues))
	case 4:
		set(claim, one(g, claimPhases), "status", "phase")
	case 5, 6:
		remove(claim, "spec", "volumeName")
	case 7:
		set(claim, missingVolume, "spec", "volumeName")
	case 8, 9:
		if len(g.volumes) > 0 {
			set(claim, nameOf(one(g, g.volumes)), "spec", "volumeName")
		}
	case 10, 11:
		// The claim does not exist any more.
		g.claims = slices.DeleteFunc(g.claims, func(each object) bool { return uidOf(each) == uidOf(claim) })
	case 12:
		// Another claim with the same name has replaced the claim.
		if !slices.ContainsFunc(g.claims, func(each object) bool { return uidOf(each) == foreignUID }) {
			set(claim, foreignUID, "metadata", "uid")
		}
	case 13:
		g.terminate(claim, finClaimProtection)
	case 14:
		g.statusOf(claim)
	case 15:
		set(claim, g.spell(one(g, oddSizes)), "spec", "resources", "requests", "storage")
	case 16:
		set(claim, g.anyModes(), "spec", "accessModes")
	case 17:
		set(claim, one(g, []string{"a", "b", "", missingClass}), "spec", "storageClassName")
	case 18:
		g.setSelector(claim)
	case 19:
		annotate(claim, annSelectedNode, g.node())
	case 20:
		annotate(claim, one(g, []string{annProvisioner, annBetaProvisioner}), g.claimProvisioner())
	case 21:
		annotate(claim, annMigratedTo, one(g, migratedTo))
	}
}

// claimOf returns the claim of the world that a volume's claimRef names, or nil if there is none.
func (g *generator) claimOf(volume object) object {
	return find(g.claims, text(volume, "spec", "claimRef", "namespace"), text(volume, "spec", "claimRef", "name"))
}
