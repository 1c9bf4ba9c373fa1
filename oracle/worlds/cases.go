package worlds

import (
	"fmt"
	"strconv"

	"pvctl.dev/oracle/line"
)

// cases proposes syncs of the world in special situations: stale caches, running operations, failing requests.
func (g *generator) cases() []line.Case {
	objects := append(append([]object{}, g.claims...), g.volumes...)
	if len(objects) == 0 {
		return nil
	}
	made := []line.Case{}
	for range g.between(1, 4) {
		each := one(g, objects)
		next := line.Case{Object: reference(each)}
		switch g.IntN(10) {
		case 0, 1, 2:
			next.Cached = g.cached(each)
		case 3, 4:
			g.operations(&next, each)
		case 5, 6, 7:
			next.Refuse = g.refuse()
		case 8:
			next.FailRead = g.failRead(each)
			if claim := g.claimOf(each); each["kind"] == "PersistentVolume" && claim != nil && g.percent(75) {
				// The controller requests the claim from the API server if its own copy is missing or has another uid.
				next.Cached = []line.Cached{{Object: reference(claim), As: "unseen"}}
				if g.percent(50) {
					namesake := g.older(claim)
					set(namesake, staleUID, "metadata", "uid")
					next.Cached = []line.Cached{{Object: reference(claim), As: "stale", Copy: encode(namesake)}}
				}
			}
		case 9:
			// This case combines several situations.
			next.Cached = g.cached(each)
			if g.percent(60) {
				next.Refuse = g.refuse()
			}
			if g.percent(30) {
				g.operations(&next, each)
			}
			if g.percent(40) {
				next.FailRead = g.failRead(each)
			}
		}
		if text(each, "spec", "persistentVolumeReclaimPolicy") == "Keep" && next.Refuse == nil {
			next.Refuse = g.refuse()
		}
		made = append(made, next)
	}
	return made
}

func reference(each object) line.Object {
	return line.Object{Kind: text(each, "kind"), Namespace: spaceOf(each), Name: nameOf(each)}
}

// partners returns the objects whose copies a sync of the object reads. These are usually the objects that it names or
// that name it. If there are none, and sometimes in other cases, all objects of the other kinds are returned.
func (g *generator) partners(of object) []object {
	var near, all []object
	if of["kind"] == "PersistentVolume" {
		for _, claim := range g.claims {
			if text(claim, "spec", "volumeName") == nameOf(of) {
				near = append(near, claim)
			}
		}
		if claim := g.claimOf(of); claim != nil {
			near = append(near, claim, claim)
		}
		all = g.claims
	} else {
		for _, volume := range g.volumes {
			if text(of, "spec", "volumeName") == nameOf(volume) || text(volume, "spec", "claimRef", "name") == nameOf(of) {
				near = append(near, volume)
			}
		}
		all = append(append([]object{}, g.volumes...), g.classes...)
	}
	if len(near) > 0 && !g.percent(15) {
		return near
	}
	return all
}

// cached draws copies that differ from the API's objects. They are copies of the object itself, or of objects that its
// sync reads.
func (g *generator) cached(of object) []line.Cached {
	list := []line.Cached{}
	taken := map[line.Object]bool{}
	for range g.between(1, 2) {
		from := g.partners(of)
		each := of
		if len(from) > 0 && !g.percent(30) {
			each = one(g, from)
		}
		about := reference(each)
		if taken[about] || about.Kind == "StorageClass" {
			continue
		}
		taken[about] = true
		as := one(g, []string{"unseen", "informerOnly", "stale", "stale"})
		if nameOf(each) == nameOf(of) && each["kind"] == of["kind"] && as == "unseen" && !g.percent(25) {
			as = "stale"
		}
		next := line.Cached{Object: about, As: as}
		if as == "stale" {
			next.Copy = encode(g.older(each))
		}
		list = append(list, next)
	}
	return list
}

// aged returns a copy of an object with an older resourceVersion.
func aged(each object) object {
	before := copied(each)
	version, bad := strconv.Atoi(text(before, "metadata", "resourceVersion"))
	if bad != nil {
		panic(bad) // Versions are assigned before cases are generated.
	}
	set(before, strconv.Itoa(version-firstResourceVersion+501), "metadata", "resourceVersion")
	return before
}

// older returns a version that an object may have had earlier.
func (g *generator) older(each object) object {
	before := aged(each)
	if g.percent(60) {
		remove(before, "metadata", "deletionTimestamp")
		remove(before, "metadata", "deletionGracePeriodSeconds")
	}
	if each["kind"] == "PersistentVolume" {
		switch g.IntN(10) {
		case 0, 1:
			remove(before, "spec", "claimRef")
			unannotate(before, annBoundByController)
			set(before, "Available", "status", "phase")
		case 2:
			if get(before, "spec", "claimRef") != nil {
				remove(before, "spec", "claimRef", "uid")
			}
			unannotate(before, annBoundByController)
		case 3, 4:
			set(before, one(g, volumePhases), "status", "phase")
		case 5:
			unannotate(before, annBoundByController)
			unannotate(before, annMigratedTo)
		case 6:
			if claims := g.claims; len(claims) > 0 {
				set(before, g.fullRef(one(g, claims)), "spec", "claimRef")
				set(before, "Bound", "status", "phase")
			}
		case 8, 9:
			// The old version of the volume was about to be reclaimed. After that, another claim got the volume.
			gone := object{"metadata": object{"namespace": "default", "name": "gone", "uid": staleUID}}
			set(before, g.fullRef(gone), "spec", "claimRef")
			set(before, one(g, []string{"Released", "Released", "Failed"}), "status", "phase")
			unannotate(before, annMigratedTo)
			if text(before, "spec", "persistentVolumeReclaimPolicy") == "Retain" {
				set(before, one(g, []string{"Delete", "Recycle"}), "spec", "persistentVolumeReclaimPolicy")
			}
		case 7:
			remove(before, "metadata", "finalizers")
			remove(before, "metadata", "deletionTimestamp")
			remove(before, "metadata", "deletionGracePeriodSeconds")
		}
		return before
	}
	switch g.IntN(8) {
	case 0, 1:
		remove(before, "spec", "volumeName")
		unannotate(before, annBindCompleted)
		unannotate(before, annBoundByController)
		set(before, object{"phase": "Pending"}, "status")
	case 2:
		unannotate(before, annBindCompleted)
		set(before, "Pending", "status", "phase")
	case 3:
		set(before, object{"phase": "Pending"}, "status")
	case 4:
		set(before, one(g, claimPhases), "status", "phase")
	case 5:
		unannotate(before, annSelectedNode)
		unannotate(before, annProvisioner)
		unannotate(before, annBetaProvisioner)
		unannotate(before, annMigratedTo)
	case 6:
		remove(before, "spec", "storageClassName")
	case 7:
		// An earlier object had the same name.
		set(before, staleUID, "metadata", "uid")
	}
	return before
}

// operations makes an operation of the object run or back off. Sometimes an operation of another object runs as well.
func (g *generator) operations(in *line.Case, each object) {
	name := func(each object) string {
		if each["kind"] == "PersistentVolumeClaim" {
			return fmt.Sprintf("provision-%s/%s[%s]", spaceOf(each), nameOf(each), uidOf(each))
		}
		verb := "delete"
		if text(each, "spec", "persistentVolumeReclaimPolicy") == "Recycle" {
			verb = "recycle"
		}
		if g.percent(8) {
			verb = one(g, []string{"delete", "recycle"})
		}
		return fmt.Sprintf("%s-%s[%s]", verb, nameOf(each), uidOf(each))
	}
	own := name(each)
	if g.percent(50) {
		in.Running = []string{own}
	} else {
		in.BackingOff = []string{own}
	}
	if from := g.partners(each); len(from) > 0 && g.percent(20) {
		if other := one(g, from); other["kind"] != "StorageClass" {
			in.Running = append(in.Running, name(other))
		}
	}
}

func (g *generator) refuse() *line.Refuse {
	made := &line.Refuse{
		Write: one(g, []int{1, 1, 1, 2, 2, 3, 4}), From: g.percent(50), Reason: one(g, []string{"Conflict", "NotFound", "InternalError"}),
	}
	if made.Reason == "InternalError" {
		made.Text = internalErrorText
	}
	return made
}

// failRead makes one kind of live read fail, which a sync of the object can send.
func (g *generator) failRead(each object) *line.FailRead {
	reads := []string{"getVolume", "getVolume", "listPods"}
	if each["kind"] == "PersistentVolume" {
		reads = []string{"getClaim", "getClaim", "getVolume"}
	}
	return &line.FailRead{Read: one(g, reads), Reason: "InternalError", Text: internalErrorText}
}
