package worlds

import (
	"fmt"
	"slices"

	"pvctl.dev/oracle/line"
)

// addState lets some of the volumes that pods use be attached already.
func (w *attachingWorld) addState() {
	known := w.percent(50)
	for _, each := range w.places {
		if each.node == "" || each.node == vanishedNode || !known || w.percent(30) {
			continue
		}
		if name := uniqueName(each.volume); name != "" {
			if !w.percent(15) {
				w.reportAttached(each.node, name, "")
			}
			if w.percent(65) {
				w.reportInUse(each.node, name)
			}
		}
		if !w.percent(12) {
			w.attach(each.volume, each.node)
		}
	}
}

// find returns the node with a name, or nil.
func (w *attachingWorld) find(name string) object {
	place := slices.IndexFunc(w.nodes, func(node object) bool { return nameOf(node) == name })
	if place < 0 {
		return nil
	}
	return w.nodes[place]
}

// reportAttached adds a volume to status.volumesAttached of a node.
func (w *attachingWorld) reportAttached(name, volume, device string) {
	node := w.find(name)
	list, _ := get(node, "status", "volumesAttached").([]any)
	if !slices.ContainsFunc(list, func(each any) bool { return each.(object)["name"] == volume }) {
		set(node, append(list, object{"name": volume, "devicePath": device}), "status", "volumesAttached")
	}
}

// reportInUse adds a volume to status.volumesInUse of a node.
func (w *attachingWorld) reportInUse(name, volume string) {
	node := w.find(name)
	list, _ := get(node, "status", "volumesInUse").([]any)
	if !slices.Contains(list, any(volume)) {
		set(node, append(list, volume), "status", "volumesInUse")
	}
}

// attach adds the VolumeAttachment of a volume on a node, if the volume is attached through CSI.
func (w *attachingWorld) attach(volume object, node string) {
	driver, handle := handleOf(volume)
	if driver == "" {
		return
	}
	name := attachmentName(driver, handle, node)
	if slices.ContainsFunc(w.attachments, func(each object) bool { return nameOf(each) == name }) {
		return
	}
	w.addAttachment(name, driver, node, object{"persistentVolumeName": nameOf(volume)})
}

// addAttachment adds a VolumeAttachment in one of the states in which it can be.
func (w *attachingWorld) addAttachment(name, driver, node string, source object) {
	number := len(w.attachments) + 1
	made := w.newObject(
		"storage.k8s.io/v1", "VolumeAttachment", "", name, fmt.Sprintf("a77a0000-0000-4000-8000-%012d", number),
	)
	made["spec"] = object{"attacher": driver, "nodeName": node, "source": source}
	status := object{"attached": true}
	setFinalizers(made, w.finalizer(driver))
	switch w.IntN(16) {
	case 0:
		status["attached"] = false
	case 1:
		status["attached"] = false
		setFinalizers(made)
	case 2:
		status = object{"attached": false, "attachError": object{"message": "disk is broken", "time": terminatingSince}}
	case 3:
		status["detachError"] = object{"message": "disk is busy", "time": terminatingSince}
	case 4, 5:
		set(made, terminatingSince, "metadata", "deletionTimestamp")
		set(made, 0, "metadata", "deletionGracePeriodSeconds")
		if w.percent(40) {
			status["detachError"] = object{"message": "disk is busy", "time": terminatingSince}
		}
	}
	// Another component holds the VolumeAttachment, or the attacher has not stored its finalizer yet.
	if w.settles() && w.percentOf(20, 50) {
		held := w.text("", w.finalizer(driver))
		finalizers := slices.DeleteFunc([]string{held, "example.com/hold"}, func(each string) bool { return each == "" })
		setFinalizers(made, finalizers...)
	}
	made["status"] = status
	w.attachments = append(w.attachments, made)
}

// finalizer returns the finalizer of an attacher.
func (w *attachingWorld) finalizer(driver string) string {
	if driver == otherAttachDriver {
		return "external-attacher/d2-csi"
	}
	return map[string]string{
		attachDriver: "external-attacher/d1-csi", ebsDriver: "external-attacher/ebs-csi-aws-com",
		gceDriver: "external-attacher/pd-csi-storage-gke-io",
	}[driver]
}

// addOddities adds states that do not fit the pods: volumes that no pod uses any more, and names that nothing knows.
func (w *attachingWorld) addOddities() {
	for range w.number(0, 0, 0, 1, 1, 2) {
		volume, node := one(w.generator, w.volumes), nameOf(one(w.generator, w.nodes))
		name := uniqueName(volume)
		if name == "" {
			name = "kubernetes.io/csi/d1.csi^h9"
		}
		switch w.IntN(11) {
		case 0, 1, 2:
			w.reportAttached(node, name, "")
			w.attach(volume, node)
			if w.percent(40) {
				w.reportInUse(node, name)
			}
		case 3:
			w.attach(volume, node)
		case 4:
			w.reportAttached(node, name, w.text("", "/dev/sdb"))
		case 5:
			w.reportInUse(node, name)
		case 6:
			w.reportAttached(node, w.text(
				"kubernetes.io/csi/d1.csi^h9", "kubernetes.io/aws-ebs/vol-1", "kubernetes.io/gce-pd/disk-1",
				"kubernetes.io/csi/d1.csi", "kubernetes.io/iscsi/10.0.0.1:3260:iqn.2026-06.com.example:s9:0", "broken",
				"kubernetes.io/csi", "example.com/flex/x^y^z",
				"kubernetes.io/csi/d1.csi^a^b",
			), "")
			// If the controller cannot detach a volume with such a name, it patches the node twice in every loop.
			w.tags["unknown-name"], w.long = true, false
		case 7:
			w.addAttachment(
				attachmentName(attachDriver, "h9", node), attachDriver, node, object{"persistentVolumeName": missingVolume},
			)
		case 8:
			w.attach(volume, vanishedNode)
		case 9:
			w.addAttachment(
				fmt.Sprintf("manual-%d", len(w.attachments)+1), attachDriver, node, object{"persistentVolumeName": nameOf(volume)},
			)
		default:
			name := attachmentName(ebsDriver, "vol-inline", node)
			if !slices.ContainsFunc(w.attachments, func(each object) bool { return nameOf(each) == name }) {
				w.addAttachment(name, ebsDriver, node, object{"inlineVolumeSpec": object{
					"accessModes": []string{"ReadWriteOnce"}, "csi": object{"driver": ebsDriver, "volumeHandle": "vol-inline"},
				}})
			}
		}
	}
}

// addRun draws the flags, the attachers and the requests that fail.
func (w *attachingWorld) addRun() {
	w.run = line.Attaching{
		DisableForceDetach: w.percentOf(12, 40), DisableSync: w.percent(12), SyncPeriod: 60 * second, Latency: 1003000,
		Until: int64(w.between(20, 70)) * second,
	}
	if w.tags["unknown-name"] {
		w.run.Until = int64(w.between(10, 25)) * second
	}
	if w.percent(20) {
		w.run.SyncPeriod = one(w.generator, []int64{5 * second, 10 * second, second, second / 2, 100 * second})
	}
	if w.long {
		w.run.Until = int64(w.between(420, 540)) * second
		w.tags["long"] = true
	}
	// A name that the controller does not know keeps it busy for ever.
	if w.settles() && !w.tags["unknown-name"] {
		w.run.Until, w.run.Settles = settledAfter, true
	}
	w.run.Until += 19001000 // The end is not at the same moment as a loop either.
	for number, driver := range []string{attachDriver, otherAttachDriver, ebsDriver, gceDriver} {
		// The moments of an attacher never coincide with those of a loop or of the script.
		shift := int64(number)*11000 + 37000
		made := line.Attacher{
			Driver: driver,
			Attach: int64(w.number(100, 800, 1500, 1500, 1500, 3000, 9000))*millisecond + shift,
			Detach: int64(w.number(100, 700, 700, 700, 2500, 8000))*millisecond + shift + 4000,
		}
		switch w.IntN(20) {
		case 0:
			made.AttachError = w.text("rpc error: code = Internal desc = disk not found", "no such disk")
		case 1:
			made.DetachError = w.text("rpc error: code = Internal desc = disk is busy", "busy")
		case 2:
			made.Absent = true
		case 3:
			if w.long {
				made.Attach = int64(w.number(110, 130, 150))*second + shift
			}
		}
		w.run.Attachers = append(w.run.Attachers, made)
	}
	if !w.settles() && w.percent(22) {
		for range w.number(1, 1, 2) {
			w.refuse()
		}
	}
}

// refuse makes some requests fail.
func (w *attachingWorld) refuse() {
	first := w.number(1, 1, 1, 2, 3)
	rule := line.AttachingRefuse{First: first, Last: first + w.number(0, 0, 1, 2, 5)}
	switch w.IntN(8) {
	case 0, 1:
		rule.Verb, rule.Resource = "create", "volumeattachments"
		rule.Reason = w.text("InternalError", "InternalError", "Forbidden", "AlreadyExists", "Conflict")
	case 2, 3:
		rule.Verb, rule.Resource = "delete", "volumeattachments"
		rule.Reason = w.text("InternalError", "InternalError", "Forbidden", "NotFound", "Conflict")
	case 4:
		rule.Verb, rule.Resource = "get", "volumeattachments"
		rule.Reason = w.text("InternalError", "NotFound")
	case 5:
		rule.Verb, rule.Resource = "get", "nodes"
		rule.Reason = w.text("InternalError", "NotFound", "Forbidden")
	default:
		rule.Verb, rule.Resource = "patch", "nodes"
		rule.Reason = w.text("InternalError", "Conflict", "NotFound", "Forbidden")
		if w.percent(40) {
			rule.Name = nameOf(one(w.generator, w.nodes))
		}
	}
	if rule.Reason != "NotFound" && rule.Reason != "AlreadyExists" {
		rule.Text = w.text("etcd is slow", "no quorum")
	}
	w.tags["refused"] = true
	w.run.Refuse = append(w.run.Refuse, rule)
}
