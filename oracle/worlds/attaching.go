package worlds

import (
	"crypto/sha256"
	"fmt"
	"slices"

	"pvctl.dev/oracle/line"
)

const (
	attachDriver      = "d1.csi"
	otherAttachDriver = "d2.csi"
	annManaged        = "volumes.kubernetes.io/controller-managed-attach-detach"
	outOfService      = "node.kubernetes.io/out-of-service"
	// millisecond and second are durations in nanoseconds.
	millisecond = int64(1000000)
	second      = 1000 * millisecond
)

// attachingWorld is a world for the attach/detach controller that is being generated.
type attachingWorld struct {
	*generator
	csiNodes, drivers, attachments []object
	run                            line.Attaching
	// places are the uses of volumes by pods on nodes.
	places []place
	// modes are the access modes of most volumes.
	modes []string
	// long says that the run is longer than the six minutes after which a volume is detached by force.
	long bool
	sort attachingSort
	// current has the last form of each object that the script has changed, by kind, namespace and name.
	current map[string]object
}

// place is a volume that a pod uses on a node.
type place struct {
	pod, volume object
	node        string
}

// Attaching generates the index-th world for the attach/detach controller: nodes, volumes, claims, pods and
// VolumeAttachments, and a script of changes. In about a quarter of the worlds the run lasts long enough for a detach
// by force.
func Attaching(seed uint64, index int) line.Line {
	return attaching(seed, index, "attaching", changed)
}

// AttachingEnds generates the index-th world that settles: nobody but the controller and the attachers changes
// anything. The status of each node is only written once more, as a kubelet does.
func AttachingEnds(seed uint64, index int) line.Line {
	return attaching(seed, index, "attaching-ends", settling)
}

// AttachingEveryEnd generates the index-th small world that settles, and asks for all its ends.
func AttachingEveryEnd(seed uint64, index int) line.Line {
	return attaching(seed, index, "attaching-every-end", settlingEverywhere)
}

// attachingSort is a sort of worlds for the attach/detach controller.
type attachingSort int

const (
	// changed worlds have a script of changes.
	changed attachingSort = iota
	// settling worlds are left alone until nothing new happens.
	settling
	// settlingEverywhere worlds are so small that all choices of the attachers can be tried.
	settlingEverywhere
)

func attaching(seed uint64, index int, name string, sort attachingSort) line.Line {
	w := &attachingWorld{
		generator: newGenerator(seed, index, "pvctl "+name), current: map[string]object{}, sort: sort,
	}
	nodes, volumes, pods := []int{1, 2, 2, 2, 3, 3, 4}, []int{1, 1, 2, 2, 3, 4, 5}, []int{1, 1, 2, 2, 3, 3, 4, 5}
	if sort == settlingEverywhere {
		nodes, volumes, pods = []int{1, 2, 2, 3}, []int{1, 1, 1, 2}, []int{0, 1, 1, 2, 2}
	}
	w.long = w.percent(25)
	w.modes = one(w.generator, [][]string{
		{"ReadWriteOnce"}, {"ReadWriteOnce"}, {"ReadWriteOnce"}, {"ReadWriteOncePod"}, {"ReadWriteMany"}, {"ReadOnlyMany"},
	})
	for range w.number(nodes...) {
		w.addNode()
	}
	w.addDrivers()
	for range w.number(volumes...) {
		w.addVolume()
	}
	for range w.number(pods...) {
		w.addPod()
	}
	w.addState()
	w.addOddities()
	w.addRun()
	all := slices.Concat(w.nodes, w.csiNodes, w.drivers, w.volumes, w.claims, w.attachments, w.pods)
	if sort == settlingEverywhere {
		w.run.Until, w.run.EveryEnd, w.run.Attachers = everyEndAt, true, nil
	}
	if w.settles() {
		w.addHeartbeats()
	} else {
		w.addScript()
	}
	tags := append([]string{name}, w.sortedTags()...)
	return line.Line{
		ID: fmt.Sprintf("%s-s%d-%06d", name, seed, index), Tags: tags, World: numbered(all), Attaching: &w.run,
	}
}

// settles says that the run is so long that nothing new happens at its end.
func (w *attachingWorld) settles() bool { return w.sort != changed }

// percentOf draws with the second chance in worlds that are so small that all choices of the attachers can be tried.
func (w *attachingWorld) percentOf(usual, everywhere int) bool {
	if w.sort == settlingEverywhere {
		return w.percent(everywhere)
	}
	return w.percent(usual)
}

// number draws one of the numbers.
func (w *attachingWorld) number(list ...int) int { return one(w.generator, list) }

// text draws one of the texts.
func (w *attachingWorld) text(list ...string) string { return one(w.generator, list) }

// node draws the name of a node. In rare cases the world does not have this node.
func (w *attachingWorld) node() string {
	if w.percent(3) {
		return vanishedNode
	}
	return nameOf(one(w.generator, w.nodes))
}

func (w *attachingWorld) addNode() {
	number := len(w.nodes) + 1
	name := fmt.Sprintf("n%d", number)
	node := w.newObject("v1", "Node", "", name, fmt.Sprintf("40de0000-0000-4000-8000-%012d", number))
	if !w.percent(7) {
		annotate(node, annManaged, w.text("true", "true", "true", "true", "true", "true", "false"))
	}
	set(node, object{}, "spec")
	if w.percent(5) {
		w.setOutOfService(node)
	}
	if ready := w.text("True", "True", "True", "True", "True", "True", "False", "Unknown", "Unknown", ""); ready != "" {
		setReady(node, ready)
	}
	w.nodes = append(w.nodes, node)
	if w.percent(15) {
		return
	}
	made := w.newObject("storage.k8s.io/v1", "CSINode", "", name, fmt.Sprintf("c5100000-0000-4000-8000-%012d", number))
	owner := object{"apiVersion": "v1", "kind": "Node", "name": name, "uid": uidOf(node)}
	set(made, []any{owner}, "metadata", "ownerReferences")
	if !w.percent(15) {
		annotate(made, annMigratedPlugins, w.text(
			"kubernetes.io/aws-ebs,kubernetes.io/gce-pd", "kubernetes.io/aws-ebs,kubernetes.io/gce-pd",
			"kubernetes.io/aws-ebs", "",
		))
	}
	installed := []any{}
	for _, driver := range []string{attachDriver, otherAttachDriver, ebsDriver, gceDriver} {
		if !w.percent(15) {
			installed = append(installed, object{"name": driver, "nodeID": "id-" + name, "topologyKeys": nil})
		}
	}
	set(made, installed, "spec", "drivers")
	w.csiNodes = append(w.csiNodes, made)
}

func setReady(node object, status string) {
	ready := object{"type": "Ready", "status": status, "reason": "Kubelet", "message": "said so"}
	set(node, []any{ready}, "status", "conditions")
}

func (w *attachingWorld) setOutOfService(node object) {
	effect := w.text("NoExecute", "NoExecute", "NoSchedule")
	set(node, []any{object{"key": outOfService, "value": "nodeshutdown", "effect": effect}}, "spec", "taints")
}

func (w *attachingWorld) addDrivers() {
	for _, name := range []string{attachDriver, otherAttachDriver, ebsDriver, gceDriver} {
		if w.percent(60) {
			w.drivers = append(w.drivers, w.driver(name, !w.percent(10)))
		}
	}
}

// driver returns a CSIDriver.
func (w *attachingWorld) driver(name string, attach bool) object {
	made := w.newObject(
		"storage.k8s.io/v1", "CSIDriver", "", name, fmt.Sprintf("c5200000-0000-4000-8000-%012d", len(name)),
	)
	made["spec"] = object{
		"attachRequired": attach, "podInfoOnMount": false, "volumeLifecycleModes": []string{"Persistent"},
	}
	return made
}

// addVolume adds a volume with its claim.
func (w *attachingWorld) addVolume() {
	number := len(w.volumes) + 1
	name := fmt.Sprintf("pv-%d", number)
	volume := w.newObject("v1", "PersistentVolume", "", name, fmt.Sprintf("90000000-0000-4000-8000-%012d", number))
	modes := w.modes
	if w.percent(25) {
		modes = one(w.generator, [][]string{
			{"ReadWriteOnce"}, {"ReadWriteOncePod"}, {"ReadOnlyMany"}, {"ReadWriteMany"}, {"ReadWriteOnce", "ReadWriteMany"}, {},
		})
	}
	set(volume, object{"storage": "1Gi"}, "spec", "capacity")
	// Only a file can have a volume without access modes.
	if len(modes) > 0 {
		set(volume, modes, "spec", "accessModes")
	}
	w.setSource(volume, number)
	namespace := w.text("default", "default", "default", "db")
	uid := fmt.Sprintf("c1a10000-0000-4000-8000-%012d", number)
	claim := w.newObject("v1", "PersistentVolumeClaim", namespace, fmt.Sprintf("c%d", number), uid)
	set(claim, modes, "spec", "accessModes")
	set(claim, object{"storage": "1Gi"}, "spec", "resources", "requests")
	reference := object{
		"kind": "PersistentVolumeClaim", "namespace": namespace, "name": nameOf(claim), "uid": uidOf(claim),
	}
	set(claim, name, "spec", "volumeName")
	set(claim, "Bound", "status", "phase")
	set(volume, reference, "spec", "claimRef")
	set(volume, "Bound", "status", "phase")
	switch w.IntN(30) {
	case 0:
		set(claim, "Pending", "status", "phase")
	case 1:
		set(claim, "Pending", "status", "phase")
		remove(claim, "spec", "volumeName")
	case 2:
		reference["uid"] = staleUID
	case 3:
		remove(volume, "spec", "claimRef")
	case 4:
		set(claim, missingVolume, "spec", "volumeName")
	case 5:
		set(claim, "Lost", "status", "phase")
	}
	w.volumes = append(w.volumes, volume)
	if !w.percent(4) {
		w.claims = append(w.claims, claim)
	}
}

// setSource sets the source of a volume.
func (w *attachingWorld) setSource(volume object, number int) {
	switch kind := w.IntN(20); {
	case kind < 12:
		driver := w.text(attachDriver, attachDriver, otherAttachDriver)
		set(volume, object{"driver": driver, "volumeHandle": fmt.Sprintf("h%d", number)}, "spec", "csi")
		if number > 1 && w.percent(10) {
			set(volume, "h1", "spec", "csi", "volumeHandle")
		}
	case kind < 14:
		id := w.text("", "aws://z1/") + fmt.Sprintf("vol-%d", number)
		set(volume, object{"volumeID": id, "fsType": "ext4"}, "spec", "awsElasticBlockStore")
	case kind == 14:
		set(volume, object{"pdName": fmt.Sprintf("disk-%d", number), "fsType": "ext4"}, "spec", "gcePersistentDisk")
		if w.percent(60) {
			set(volume, object{zoneLabel: "us-east1-a"}, "metadata", "labels")
		}
	case kind < 17:
		target := fmt.Sprintf("iqn.2026-06.com.example:s%d", number)
		set(volume, object{"targetPortal": "10.0.0.1:3260", "iqn": target, "lun": 0}, "spec", "iscsi")
	case kind == 17:
		set(volume, object{"targetWWNs": []string{fmt.Sprintf("50060e801049cf%02d", number)}, "lun": 0}, "spec", "fc")
	case kind == 18:
		set(volume, object{"path": "/data"}, "spec", "hostPath")
	default:
		set(volume, object{"server": "10.0.0.2", "path": "/data"}, "spec", "nfs")
	}
}

// handleOf returns the driver and the handle of a volume that is attached through CSI.
func handleOf(volume object) (driver, handle string) {
	name := nameOf(volume)
	switch {
	case get(volume, "spec", "csi") != nil:
		return text(volume, "spec", "csi", "driver"), text(volume, "spec", "csi", "volumeHandle")
	case get(volume, "spec", "awsElasticBlockStore") != nil:
		return ebsDriver, "vol-" + name[len("pv-"):]
	case get(volume, "spec", "gcePersistentDisk") != nil:
		zone := "UNSPECIFIED"
		if found := text(volume, "metadata", "labels", zoneLabel); found != "" {
			zone = found
		}
		return gceDriver, "projects/UNSPECIFIED/zones/" + zone + "/disks/" + text(
			volume, "spec", "gcePersistentDisk", "pdName",
		)
	}
	return "", ""
}

// uniqueName returns the name of a volume in the status of a node.
func uniqueName(volume object) string {
	if driver, handle := handleOf(volume); driver != "" {
		return "kubernetes.io/csi/" + driver + "^" + handle
	}
	switch {
	case get(volume, "spec", "iscsi") != nil:
		return "kubernetes.io/iscsi/10.0.0.1:3260:" + text(volume, "spec", "iscsi", "iqn") + ":0"
	case get(volume, "spec", "fc") != nil:
		return fmt.Sprintf("kubernetes.io/fc/%v:0", get(volume, "spec", "fc", "targetWWNs"))
	}
	return ""
}

// attachmentName returns the name that upstream gives to a VolumeAttachment.
func attachmentName(driver, handle, node string) string {
	return fmt.Sprintf("csi-%x", sha256.Sum256([]byte(handle+driver+node)))
}

// claimed returns the volume whose claim this is, or nil.
func (w *attachingWorld) claimed(claim object) object {
	place := slices.IndexFunc(
		w.volumes, func(volume object) bool { return nameOf(volume) == text(claim, "spec", "volumeName") },
	)
	if place < 0 {
		return nil
	}
	return w.volumes[place]
}

// addPod adds a pod that uses volumes.
func (w *attachingWorld) addPod() {
	namespace, node := w.text("default", "default", "default", "db"), w.node()
	if len(w.claims) > 0 && w.percent(80) {
		namespace = spaceOf(one(w.generator, w.claims))
	}
	if w.percent(8) {
		node = ""
	}
	pod := w.newPod(namespace, node)
	volumes := []any{}
	for each := range w.number(0, 1, 1, 1, 1, 2, 2, 3) {
		volumes = append(volumes, w.podVolume(pod, fmt.Sprintf("v%d", each+1)))
	}
	set(pod, volumes, "spec", "volumes")
	switch w.IntN(20) {
	case 0, 1:
		w.finish(pod)
	case 2, 3:
		w.terminatePod(pod)
	}
	w.pods = append(w.pods, pod)
}

// newPod returns a pod without volumes.
func (w *attachingWorld) newPod(namespace, node string) object {
	number := len(w.pods) + 1
	name := fmt.Sprintf("p%d", number)
	pod := w.newObject("v1", "Pod", namespace, name, fmt.Sprintf("90d00000-0000-4000-8000-%012d", number))
	pod["spec"] = object{"containers": []any{object{"name": "main", "image": "example.com/main"}}}
	if node != "" {
		set(pod, node, "spec", "nodeName")
	}
	set(pod, "Pending", "status", "phase")
	if node != "" && w.percent(60) {
		set(pod, "Running", "status", "phase")
		setContainer(pod, "running")
	}
	return pod
}

// setContainer sets the state of the only container.
func setContainer(pod object, state string) {
	states := object{"running": object{}}
	if state == "terminated" {
		states = object{"terminated": object{"exitCode": 0}}
	}
	set(pod, []any{object{"name": "main", "state": states}}, "status", "containerStatuses")
}

// finish lets a pod be finished.
func (w *attachingWorld) finish(pod object) {
	set(pod, w.text("Succeeded", "Failed"), "status", "phase")
	setContainer(pod, "terminated")
}

// terminatePod marks a pod as being deleted.
func (w *attachingWorld) terminatePod(pod object) {
	set(pod, terminatingSince, "metadata", "deletionTimestamp")
	set(pod, 30, "metadata", "deletionGracePeriodSeconds")
	switch w.IntN(4) {
	case 0, 1:
		setContainer(pod, "running")
	case 2:
		setContainer(pod, "terminated")
	default:
		remove(pod, "status", "containerStatuses")
	}
}

// podVolume returns a volume of a pod.
func (w *attachingWorld) podVolume(pod object, name string) object {
	switch w.IntN(24) {
	case 0:
		return object{"name": name, "csi": object{"driver": attachDriver}}
	case 1:
		return object{"name": name, "awsElasticBlockStore": object{"volumeID": "vol-inline"}}
	case 2:
		return object{"name": name, "emptyDir": object{}}
	case 3:
		return object{"name": name, "persistentVolumeClaim": object{"claimName": "c9"}}
	case 4:
		return object{"name": name, "gcePersistentDisk": object{"pdName": "disk-inline", "readOnly": w.percent(50)}}
	case 5, 6:
		w.addEphemeral(pod, name)
		return object{
			"name": name, "ephemeral": object{"volumeClaimTemplate": object{"spec": object{"accessModes": w.modes}}},
		}
	}
	var fitting []object
	for _, claim := range w.claims {
		if spaceOf(claim) == spaceOf(pod) {
			fitting = append(fitting, claim)
		}
	}
	if len(fitting) == 0 {
		return object{"name": name, "persistentVolumeClaim": object{"claimName": "c1"}}
	}
	claim := one(w.generator, fitting)
	if volume := w.claimed(claim); volume != nil {
		w.places = append(w.places, place{pod: pod, volume: volume, node: text(pod, "spec", "nodeName")})
	}
	source := object{"claimName": nameOf(claim)}
	if w.percent(10) {
		source["readOnly"] = true
	}
	return object{"name": name, "persistentVolumeClaim": source}
}

// addEphemeral adds the claim of an ephemeral volume. It is a claim of the world under the name of the ephemeral claim.
func (w *attachingWorld) addEphemeral(pod object, name string) {
	before := len(w.claims)
	w.addVolume()
	if len(w.claims) == before {
		return
	}
	claim, volume := w.claims[before], w.volumes[len(w.volumes)-1]
	set(claim, spaceOf(pod), "metadata", "namespace")
	set(claim, nameOf(pod)+"-"+name, "metadata", "name")
	if get(volume, "spec", "claimRef") != nil {
		set(volume, spaceOf(pod), "spec", "claimRef", "namespace")
		set(volume, nameOf(claim), "spec", "claimRef", "name")
	}
	owner := object{"apiVersion": "v1", "kind": "Pod", "name": nameOf(pod), "uid": uidOf(pod), "controller": true}
	if w.percent(15) {
		owner["uid"] = staleUID
	}
	if !w.percent(10) {
		set(claim, []any{owner}, "metadata", "ownerReferences")
	}
	w.places = append(w.places, place{pod: pod, volume: volume, node: text(pod, "spec", "nodeName")})
}
