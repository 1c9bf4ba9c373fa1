package worlds

import (
	"fmt"
	"slices"
	"strings"

	"pvctl.dev/oracle/line"
)

var (
	// podNames and podVolumes are chosen so that different pods and volumes can give the same claim name: a with b-c,
	// and a-b with c.
	podNames   = []string{"a", "a", "a-b", "p1", "web-0"}
	podVolumes = []string{"c", "c", "b-c", "b-c", "e", "data"}
	// templateAnnotations are the annotations of templates. The binder ignores some of them. It would treat others as
	// its own annotations on the claim.
	templateAnnotations = [][2]string{
		{"example.com/team", "storage"}, {"example.com/team", "storage"}, {"example.com/team", ""}, {annBetaClass, "a"}, {annSelectedNode, "n1"},
		{annProvisioner, driverName}, {annBindCompleted, "yes"}, {annBoundByController, "yes"},
	}
)

// Ephemeral generates the index-th world with generic ephemeral volumes: pods, the claims that are created for them or
// have the same names, and volumes and classes for these claims. All objects are valid, as an API server stores them.
func Ephemeral(seed uint64, index int) line.Line {
	g := newGenerator(seed, index, "pvctl ephemeral")
	g.palette = one(g, [][]string{{"1Gi"}, {"1Gi"}, {"1Gi", "2Gi"}, {"1Gi", "2Gi", "3Gi"}, {"512Mi", "1Gi"}})
	g.modes = one(g, claimThemes)
	g.volumeMode = one(g, volumeModes)
	g.class = one(g, []string{"", "", "", "a", "a", "a", "a", missingClass})
	if g.percent(10) {
		g.attributes = one(g, attributes)
	}
	if g.percent(15) {
		g.labels = object{"tier": "fast"}
	}
	g.awaited()
	if namespace := one(g, namespaces); g.percent(10) {
		g.podWithVolumes(namespace, "a", "b-c")
		g.podWithVolumes(namespace, "a-b", "c")
	}
	for len(g.pods) == 0 || g.percent(35) {
		g.podWithVolumes(one(g, namespaces), one(g, podNames), one(g, podVolumes))
	}
	g.meetTemplates()
	for range one(g, []int{0, 0, 1, 1, 2}) {
		if claim := g.addClaim(); claim != nil && g.percent(20) {
			g.terminate(claim, finClaimProtection)
		}
	}
	for range one(g, []int{0, 1, 1, 2, 2, 3}) {
		g.volumeForTemplates()
	}
	if g.percent(15) {
		g.addNodes()
	}
	g.store()
	g.tag()
	made := line.Line{ID: fmt.Sprintf("ephemeral-s%d-%06d", seed, index), World: g.listed()}
	if g.percent(50) {
		made.Cases = g.podCases()
	}
	if g.percent(10) {
		made.Cases = append(made.Cases, g.cases()...)
	}
	made.Tags = append([]string{"ephemeral"}, g.sortedTags()...)
	return made
}

// awaited usually adds the class that the templates name. If they name none, it sometimes adds classes that can be the
// default class.
func (g *generator) awaited() {
	if g.class == "a" && g.percent(85) {
		g.addClass("a")
	}
	if g.class == "" && g.percent(60) {
		for _, name := range []string{"b", "d"} {
			if class := g.addClass(name); g.percent(60) {
				g.makeDefault(class)
			}
			if g.percent(60) {
				break
			}
		}
	}
	for _, class := range g.classes {
		class["provisioner"] = one(g, []string{noProvisionerName, noProvisionerName, driverName, "kubernetes.io/nfs", "kubernetes.io/x", hostPathName})
		class["volumeBindingMode"] = one(g, []string{bindingImmediate, bindingImmediate, bindingDelayed})
		remove(class, "allowedTopologies")
	}
}

// podWithVolumes adds a pod with ephemeral and other volumes, unless the world has a pod with this name. The first
// volume of the world's first pod is always ephemeral.
func (g *generator) podWithVolumes(namespace, name, first string) {
	if find(g.pods, namespace, name) != nil {
		return
	}
	uid := fmt.Sprintf("90d10000-0000-4000-8000-%06d%06d", spaceNumber(namespace), slices.Index(podNames, name)+1)
	pod := g.newObject("v1", "Pod", namespace, name, uid)
	var volumes []any
	var mounts []string
	for range one(g, []int{1, 1, 1, 2, 2, 3}) {
		volume := object{"name": first}
		first = one(g, podVolumes)
		if slices.Contains(mounts, volume["name"].(string)) {
			continue
		}
		mounts = append(mounts, volume["name"].(string))
		switch {
		case len(g.pods)+len(volumes) == 0 || g.percent(75):
			volume["ephemeral"] = object{"volumeClaimTemplate": g.template()}
		case g.percent(70):
			volume["persistentVolumeClaim"] = object{"claimName": one(g, []string{"c1", "c2", "gone"})}
		default:
			volume["emptyDir"] = object{}
		}
		volumes = append(volumes, volume)
	}
	set(pod, []any{object{"name": "main", "image": "example.com/main"}}, "spec", "containers")
	set(pod, volumes, "spec", "volumes")
	phase := one(g, []string{"Pending", "Pending", "Pending", "Running", "Succeeded", "Failed"})
	set(pod, phase, "status", "phase")
	if phase != "Pending" || g.percent(20) {
		set(pod, one(g, nodeNames), "spec", "nodeName")
	}
	if phase == "Running" {
		set(pod, []any{object{
			"name": "main", "image": "example.com/main", "imageID": "", "ready": true, "restartCount": 0,
			"state": object{"running": object{"startedAt": podStarted}},
		}}, "status", "containerStatuses")
	}
	if g.percent(15) {
		set(pod, terminatingSince, "metadata", "deletionTimestamp")
		set(pod, 30, "metadata", "deletionGracePeriodSeconds")
		if g.percent(30) {
			setFinalizers(pod, finForeign)
		}
	}
	g.pods = append(g.pods, pod)
}

// template draws a template of a claim for an ephemeral volume.
func (g *generator) template() object {
	made := object{}
	set(made, slices.Clone(g.modes), "spec", "accessModes")
	set(made, g.size(), "spec", "resources", "requests", "storage")
	set(made, g.volumeMode, "spec", "volumeMode")
	switch {
	case g.class != "":
		set(made, g.class, "spec", "storageClassName")
	case g.percent(30):
		set(made, "", "spec", "storageClassName")
	}
	switch {
	case g.labels != nil && g.percent(60):
		set(made, object{"matchLabels": copied(g.labels)}, "spec", "selector")
	case g.percent(6):
		set(made, copied(one(g, selectors)), "spec", "selector")
	}
	if g.percent(6) {
		set(made, one(g, []string{"pv-1", "pv-1", "pv-2", missingVolume}), "spec", "volumeName")
	}
	if g.attributes != "" && g.percent(70) {
		set(made, g.attributes, "spec", "volumeAttributesClassName")
	}
	if g.percent(6) {
		g.setDataSource(made)
		if g.percent(60) {
			// In a claim the API server completes dataSource from dataSourceRef or the other way round. In a template
			// it does not.
			remove(made, "spec", one(g, []string{"dataSource", "dataSourceRef"}))
		}
	}
	if g.percent(4) {
		set(made, "4Gi", "spec", "resources", "limits", "storage")
	}
	if g.percent(15) {
		set(made, object{"app": "web"}, "metadata", "labels")
	}
	for range one(g, []int{0, 0, 0, 0, 1, 1, 2}) {
		chosen := one(g, templateAnnotations)
		annotate(made, chosen[0], chosen[1])
	}
	return made
}

// made is a claim that should be created for an ephemeral volume. It also has the pod and the template.
type made struct {
	pod, template object
	name          string
}

// templates returns the claims that the pods request.
func (g *generator) templates() []made {
	var all []made
	for _, pod := range g.pods {
		volumes, _ := get(pod, "spec", "volumes").([]any)
		for _, volume := range volumes {
			volume := volume.(object)
			if template, ephemeral := get(volume, "ephemeral", "volumeClaimTemplate").(object); ephemeral {
				all = append(all, made{pod, template, nameOf(pod) + "-" + volume["name"].(string)})
			}
		}
	}
	return all
}

// meetTemplates adds claims with the names of the claims that the pods request. Some of the claims belong to the pods.
func (g *generator) meetTemplates() {
	for _, wanted := range g.templates() {
		namespace := spaceOf(wanted.pod)
		if !g.percent(40) || find(g.claims, namespace, wanted.name) != nil {
			continue
		}
		claim := g.newObject("v1", "PersistentVolumeClaim", namespace, wanted.name, fmt.Sprintf("c1a20000-0000-4000-8000-%012d", len(g.claims)+1))
		claim["spec"] = get(copied(wanted.template), "spec")
		if text(claim, "spec", "storageClassName") == "" && g.percent(50) {
			set(claim, "", "spec", "storageClassName")
		}
		for _, source := range []string{"dataSource", "dataSourceRef"} {
			remove(claim, "spec", source)
		}
		set(claim, "Pending", "status", "phase")
		setFinalizers(claim, finClaimProtection)
		g.own(claim, wanted.pod)
		switch {
		case g.percent(20):
			g.terminate(claim, finClaimProtection)
		case g.percent(10):
			g.terminate(claim, finClaimProtection)
			setFinalizers(claim, finForeign)
		}
		g.claims = append(g.claims, claim)
	}
}

// own sets the owners of a claim that has the name of a claim for the pod.
func (g *generator) own(claim, pod object) {
	owner := object{
		"apiVersion": "v1", "kind": "Pod", "name": nameOf(pod), "uid": uidOf(pod), "controller": true, "blockOwnerDeletion": true,
	}
	other := object{"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "web", "uid": foreignUID}
	owners := []any{owner}
	switch g.IntN(14) {
	case 0:
		// The owner is an earlier pod with the same name.
		owner["uid"] = staleUID
	case 1:
		remove(owner, "controller")
	case 2:
		owner["controller"] = false
	case 3:
		other["controller"] = true
		remove(owner, "controller")
		owners = []any{owner, other}
	case 4:
		owners = []any{other, owner}
	case 5:
		// Only the uid identifies the owner.
		owner["name"], owner["kind"] = "renamed", "ReplicaSet"
	case 6, 7:
		return
	}
	set(claim, owners, "metadata", "ownerReferences")
}

// volumeForTemplates adds a volume that is bound to a claim of the world, or that a claim to be created may take.
func (g *generator) volumeForTemplates() {
	volume := g.addVolume()
	set(volume, "Available", "status", "phase")
	if g.percent(70) {
		g.setSource(volume, one(g, []string{"hostPath", "nfs", "csi"}))
	}
	if wanted := g.templates(); len(wanted) > 0 {
		template := one(g, wanted)
		if class := text(template.template, "spec", "storageClassName"); class == "" && g.percent(40) && len(g.classes) > 0 {
			set(volume, nameOf(one(g, g.classes)), "spec", "storageClassName")
		}
		reference := object{"namespace": spaceOf(template.pod), "name": template.name}
		switch {
		case g.percent(15):
			set(volume, reference, "spec", "claimRef")
		case g.percent(15):
			// An earlier claim with this name was bound to the volume.
			reference["uid"] = staleUID
			set(volume, reference, "spec", "claimRef")
			set(volume, one(g, []string{"Bound", "Released", "Released", "Failed"}), "status", "phase")
			annotate(volume, annBoundByController, "yes")
		}
	}
	if claim := g.waiting(); claim != nil && get(volume, "spec", "claimRef") == nil && g.percent(45) {
		g.bind(volume, claim, one(g, []int{1, 2, 3, 4, 4, 4}))
	}
}

// waiting returns a claim without a volume, or nil if there is none.
func (g *generator) waiting() object {
	for _, claim := range g.claims {
		if text(claim, "spec", "volumeName") == "" {
			return claim
		}
	}
	return nil
}

// podCases proposes syncs of pods in special situations.
func (g *generator) podCases() []line.Case {
	wanted := g.templates()
	if len(wanted) == 0 {
		return nil
	}
	var all []line.Case
	for range g.between(1, 3) {
		each := one(g, wanted)
		next := line.Case{Object: reference(each.pod)}
		if g.percent(65) {
			next.Cached = append(next.Cached, g.claimCopy(each))
		}
		if g.percent(25) {
			next.Cached = append(next.Cached, g.podCopy(each.pod))
		}
		if len(next.Cached) == 0 || g.percent(20) {
			next.Refuse = g.refuse()
			next.Refuse.Write = one(g, []int{1, 1, 1, 2})
		}
		next.Cached = slices.DeleteFunc(next.Cached, func(copy line.Cached) bool { return copy.As == "" })
		all = append(all, next)
	}
	return all
}

// claimCopy returns a copy of a claim that differs from the API's object. The claim exists, or it existed earlier.
func (g *generator) claimCopy(wanted made) line.Cached {
	claim := find(g.claims, spaceOf(wanted.pod), wanted.name)
	if claim == nil {
		claim = g.newObject("v1", "PersistentVolumeClaim", spaceOf(wanted.pod), wanted.name, staleUID)
		claim["spec"] = get(copied(wanted.template), "spec")
		set(claim, "Pending", "status", "phase")
		g.own(claim, wanted.pod)
		set(claim, "900", "metadata", "resourceVersion")
		if g.percent(20) {
			g.terminate(claim, finClaimProtection)
		}
		return line.Cached{Object: reference(claim), As: "stale", Copy: encode(claim)}
	}
	if g.percent(50) {
		return line.Cached{Object: reference(claim), As: "unseen"}
	}
	before := g.older(claim)
	remove(before, "metadata", "ownerReferences")
	g.own(before, wanted.pod)
	return line.Cached{Object: reference(claim), As: "stale", Copy: encode(before)}
}

// podCopy returns a copy of a pod that differs from the API's object.
func (g *generator) podCopy(pod object) line.Cached {
	if g.percent(40) {
		return line.Cached{Object: reference(pod), As: "unseen"}
	}
	before := aged(pod)
	switch g.IntN(3) {
	case 0:
		// The copy is an earlier pod with this name.
		set(before, staleUID, "metadata", "uid")
	case 1:
		remove(before, "metadata", "deletionTimestamp")
		remove(before, "metadata", "deletionGracePeriodSeconds")
	case 2:
		set(before, terminatingSince, "metadata", "deletionTimestamp")
		set(before, 30, "metadata", "deletionGracePeriodSeconds")
		set(before, strings.Replace(uidOf(before), "90d1", "90d2", 1), "metadata", "uid")
	}
	return line.Cached{Object: reference(pod), As: "stale", Copy: encode(before)}
}
