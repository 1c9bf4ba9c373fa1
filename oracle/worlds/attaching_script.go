package worlds

import (
	"fmt"
	"slices"

	"pvctl.dev/oracle/line"
)

// settledAfter is the time after which nothing new happens.
const settledAfter = 2700 * second

// everyEndAt is the end of a run in which nothing new happens after 20 minutes.
const everyEndAt = 1500*second + 19001000

// addHeartbeats lets something else than the entries of volumes change in the status of each node. The controller then
// learns which volumes the node has mounted.
func (w *attachingWorld) addHeartbeats() {
	for number, node := range w.nodes {
		beat := copied(node)
		remove(beat, "metadata", "resourceVersion")
		remove(beat, "status", "volumesAttached") // The change keeps what the controller has written.
		annotate(beat, "example.com/heartbeat", "1")
		at := second + 37*millisecond + int64(number)*7003*1000 + 7
		w.run.Script = append(w.run.Script, line.AttachingChange{At: at, Put: encode(beat)})
	}
}

// addScript draws the changes that other actors make during the run.
func (w *attachingWorld) addScript() {
	var steps []int64
	for range w.number(0, 1, 1, 1, 2, 2, 3, 3, 4, 5, 6) {
		// Most changes are early, so that the controller has time to react.
		last := w.run.Until/second - 3
		if w.percent(60) {
			last = min(last, 30)
		}
		steps = append(steps, int64(w.between(5, int(last)*10))) // in units of 100 ms
	}
	dying := w.dying()
	if len(dying) > 0 {
		for range dying {
			steps = append(steps, int64(w.between(5, 400)))
		}
		steps = steps[max(0, len(steps)-6):]
	}
	slices.Sort(steps)
	for number, step := range steps {
		// The rest modulo 100 ms differs from that of the loops, of the attachers and of the other changes.
		at := step*100*millisecond + 37*millisecond + int64(number)*7003*1000 + int64(w.IntN(4000))*1000 + 7
		draw := w.change
		if number < len(dying) {
			draw = dying[number]
		}
		for range 10 {
			if change, found := draw(); found {
				change.At = at
				w.run.Script = append(w.run.Script, change)
				break
			}
		}
	}
}

// dying returns changes with which a node dies and a pod on it is deleted, for some of the long worlds.
func (w *attachingWorld) dying() []func() (line.AttachingChange, bool) {
	if !w.long || len(w.places) == 0 || w.percent(35) {
		return nil
	}
	used := one(w.generator, w.places)
	node := w.find(used.node)
	if node == nil {
		return nil
	}
	w.tags["dying"] = true
	changes := []func() (line.AttachingChange, bool){
		func() (line.AttachingChange, bool) {
			dead := w.now(node)
			remove(dead, "status", "volumesAttached")
			setReady(dead, w.text("Unknown", "Unknown", "False"))
			w.fill(dead)
			return w.put(dead)
		},
		func() (line.AttachingChange, bool) { return w.gone(used.pod) },
	}
	if w.percent(60) {
		changes = append(changes, func() (line.AttachingChange, bool) { return w.put(w.moved(used.pod)) })
	}
	return changes
}

// now returns a copy of the current form of an object.
func (w *attachingWorld) now(each object) object {
	if changed := w.current[w.keyOf(each)]; changed != nil {
		return copied(changed)
	}
	return copied(each)
}

func (w *attachingWorld) keyOf(each object) string {
	return text(each, "kind") + " " + spaceOf(each) + "/" + nameOf(each)
}

// put returns the change that creates or replaces an object.
func (w *attachingWorld) put(each object) (line.AttachingChange, bool) {
	remove(each, "metadata", "resourceVersion")
	w.current[w.keyOf(each)] = each
	return line.AttachingChange{Put: encode(each)}, true
}

// gone returns the change that deletes an object.
func (w *attachingWorld) gone(each object) (line.AttachingChange, bool) {
	return line.AttachingChange{
		Delete: &line.Object{Kind: text(each, "kind"), Namespace: spaceOf(each), Name: nameOf(each)},
	}, true
}

// change draws a change. It returns false if the world has no object for the change.
func (w *attachingWorld) change() (line.AttachingChange, bool) {
	node := w.now(one(w.generator, w.nodes))
	remove(node, "status", "volumesAttached") // The controller writes this field. The change keeps what it has written.
	var pod object
	if len(w.pods) > 0 {
		pod = w.now(one(w.generator, w.pods))
	}
	switch w.IntN(28) {
	case 0, 1, 2, 3:
		if pod != nil {
			return w.gone(pod)
		}
	case 4:
		if pod != nil {
			w.finish(pod)
			return w.put(pod)
		}
	case 5, 6:
		if pod != nil {
			return w.put(w.moved(pod))
		}
	case 7:
		if pod != nil {
			return w.put(w.changed(pod))
		}
	case 8, 9, 10:
		remove(node, "status", "volumesInUse")
		return w.put(node)
	case 11:
		w.fill(node)
		return w.put(node)
	case 12, 13, 14:
		setReady(node, w.text("True", "False", "Unknown", "Unknown"))
		return w.put(node)
	case 15:
		w.setOutOfService(node)
		return w.put(node)
	case 16:
		return w.gone(node)
	case 17:
		// The node is created again, or only its status is reset.
		if w.percent(50) {
			set(node, fmt.Sprintf("40de0000-0000-4000-9000-%012d", w.IntN(1000)), "metadata", "uid")
		}
		set(node, []any{}, "status", "volumesAttached")
		remove(node, "status", "volumesInUse")
		return w.put(node)
	case 18, 19, 20:
		return w.changeAttachment()
	case 21:
		if len(w.claims) > 0 {
			return w.changeClaim(w.now(one(w.generator, w.claims)))
		}
	case 22:
		volume := w.now(one(w.generator, w.volumes))
		if w.percent(50) {
			return w.gone(volume)
		}
		set(volume, one(w.generator, [][]string{{"ReadWriteOnce"}, {"ReadWriteMany"}}), "spec", "accessModes")
		return w.put(volume)
	case 23:
		return w.put(w.driver(w.text(attachDriver, otherAttachDriver, ebsDriver), w.percent(20)))
	case 24:
		if len(w.drivers) > 0 {
			return w.gone(one(w.generator, w.drivers))
		}
	case 25, 26:
		w.tags["restart"] = true
		return line.AttachingChange{Restart: true}, true
	case 27:
		if len(w.csiNodes) > 0 {
			made := w.now(one(w.generator, w.csiNodes))
			annotate(made, annMigratedPlugins, w.text("kubernetes.io/aws-ebs,kubernetes.io/gce-pd", ""))
			return w.put(made)
		}
	}
	return line.AttachingChange{}, false
}

// moved returns a new pod with the volumes of a pod, usually on another node.
func (w *attachingWorld) moved(pod object) object {
	made := w.newPod(spaceOf(pod), w.node())
	set(made, get(pod, "spec", "volumes"), "spec", "volumes")
	w.pods = append(w.pods, copied(made))
	return made
}

// changed returns a pod with some other change.
func (w *attachingWorld) changed(pod object) object {
	switch w.IntN(4) {
	case 0:
		w.terminatePod(pod)
	case 1:
		if text(pod, "spec", "nodeName") == "" {
			set(pod, w.node(), "spec", "nodeName")
		}
	case 2:
		set(pod, "Running", "status", "phase")
		setContainer(pod, "running")
	default:
		set(pod, "yes", "metadata", "labels", "changed")
	}
	return pod
}

// fill lets the kubelet use volumes of the pods on the node.
func (w *attachingWorld) fill(node object) {
	list := []any{}
	for _, each := range w.places {
		name := uniqueName(each.volume)
		if each.node == nameOf(node) && name != "" && !slices.Contains(list, any(name)) {
			list = append(list, name)
		}
	}
	set(node, list, "status", "volumesInUse")
}

// changeAttachment returns a change of a VolumeAttachment by a person.
func (w *attachingWorld) changeAttachment() (line.AttachingChange, bool) {
	if len(w.attachments) > 0 && w.percent(60) {
		made := w.now(one(w.generator, w.attachments))
		switch w.IntN(4) {
		case 0:
			return w.gone(made)
		case 1:
			setFinalizers(made)
			set(made, terminatingSince, "metadata", "deletionTimestamp")
			change := line.AttachingChange{Put: encode(made)}
			return change, true
		case 2:
			set(made, object{"attached": false}, "status")
		default:
			set(made, object{"attached": true}, "status")
		}
		return w.put(made)
	}
	if len(w.places) == 0 {
		return line.AttachingChange{}, false
	}
	used := one(w.generator, w.places)
	driver, handle := handleOf(used.volume)
	if driver == "" || used.node == "" {
		return line.AttachingChange{}, false
	}
	return line.AttachingChange{
		Delete: &line.Object{Kind: "VolumeAttachment", Name: attachmentName(driver, handle, used.node)},
	}, true
}

// changeClaim returns a change of a claim.
func (w *attachingWorld) changeClaim(claim object) (line.AttachingChange, bool) {
	switch w.IntN(4) {
	case 0:
		return w.gone(claim)
	case 1:
		set(claim, w.text("Lost", "Pending"), "status", "phase")
	case 2:
		set(claim, "yes", "metadata", "labels", "changed")
	default:
		// The claim gets bound.
		set(claim, "Bound", "status", "phase")
		for _, volume := range w.volumes {
			if text(volume, "spec", "claimRef", "uid") == uidOf(claim) {
				set(claim, nameOf(volume), "spec", "volumeName")
			}
		}
	}
	return w.put(claim)
}
