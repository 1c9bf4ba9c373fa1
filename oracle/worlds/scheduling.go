package worlds

import (
	"fmt"
	"slices"

	"pvctl.dev/oracle/line"
)

const (
	zoneLabel       = "topology.kubernetes.io/zone"
	regionLabel     = "topology.kubernetes.io/region"
	betaZoneLabel   = "failure-domain.beta.kubernetes.io/zone"
	betaRegionLabel = "failure-domain.beta.kubernetes.io/region"
	hostLabel       = "kubernetes.io/hostname"
	diskLabel       = "example.com/disk"
	// annMigratedPlugins is an annotation of a CSINode. It lists the in-tree plugins whose volumes the node uses
	// through CSI.
	annMigratedPlugins = "storage.alpha.kubernetes.io/migrated-plugins"
	ebsDriver          = "ebs.csi.aws.com"
	gceDriver          = "pd.csi.storage.gke.io"
	awaitingClass      = "wait"
	localClass         = "local"
	immediateClass     = "fast"
	inTreeClass        = "ebs"
	vanishedNode       = "n9"
)

// schedulingWorld is a world for the scheduler that is being generated.
type schedulingWorld struct {
	*generator
	csiNodes, drivers, capacities, attachments []object
	// zoned says which labels with zones the nodes have: "" (none), "today" (the current labels), "beta" (the old
	// labels) or "both".
	zoned string
	// limited says that the drivers limit the number of volumes on the nodes.
	limited bool
	// once is the probability in percent that a claim has the access mode ReadWriteOncePod.
	once int
	// inline is the probability in percent that a volume of a pod is a disk in the pod's spec, without a claim.
	inline int
	// sizes are the sizes of most claims and volumes.
	sizes []string
	// class is the class of most claims.
	class string
	// crowd is what many pods of the world compete for besides volumes: "" (nothing), "ports", "domains" (topology
	// spread), "neighbors" (affinity between pods) or "resources".
	crowd string
	// alike says that most free volumes fit most claims, so that the scheduler can choose between volumes.
	alike bool
	// open is the probability in percent that a claim waits for a volume, besides the claims that wait in any case.
	open int
	// topologyKeys are those of the drivers, and driverCapacity says that they track their capacity.
	topologyKeys   []string
	driverCapacity bool
}

// Scheduling generates the index-th world for the scheduler: nodes and what drivers report about them, volumes, claims
// and classes, running pods and waiting pods. Most differences between these worlds concern volumes.
func Scheduling(seed uint64, index int) line.Line {
	w := &schedulingWorld{generator: newGenerator(seed, index, "pvctl scheduling")}
	w.zoned = one(w.generator, []string{"", "", "today", "today", "today", "today", "both", "beta"})
	w.limited = w.percent(40)
	w.once = one(w.generator, []int{0, 0, 0, 60})
	w.inline = one(w.generator, []int{0, 0, 0, 0, 3, 45, 60})
	w.sizes = one(w.generator, [][]string{{"1Gi"}, {"1Gi"}, {"1Gi", "2Gi"}, {"1Gi", "2Gi", "5Gi"}, {"2Gi", "5Gi"}})
	w.class = one(w.generator, []string{
		awaitingClass, awaitingClass, awaitingClass, awaitingClass, localClass, localClass, localClass, inTreeClass, immediateClass,
	})
	w.crowd = pick(w, "", "", "", "", "", "", "", "", "", "", "", "", "ports", "domains", "neighbors", "resources")
	if w.alike = w.percent(20); w.alike {
		w.sizes, w.once = []string{"1Gi"}, 0
		w.class = pick(w, awaitingClass, localClass)
	}
	w.topologyKeys, w.driverCapacity = pick(w, []string{zoneLabel}, []string{hostLabel}, nil), w.percent(50)
	for range one(w.generator, []int{1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 6}) {
		w.addNode()
	}
	w.addDrivers()
	w.addClasses()
	for range one(w.generator, []int{1, 1, 2, 2, 3, 3, 4, 5}) {
		w.addClaim(one(w.generator, []string{"default", "default", "default", "default", "db"}), fmt.Sprintf("c%d", len(w.claims)+1))
	}
	for range one(w.generator, []int{0, 0, 1, 2, 2, 3, 4, 5}) {
		w.addFree()
	}
	for range one(w.generator, []int{0, 0, 1, 1, 2, 3, 4}) {
		w.addRunning()
	}
	for range one(w.generator, []int{1, 1, 1, 1, 2, 2, 3}) {
		w.addWaiting()
	}
	w.addAttachments()
	created := one(w.generator, creations)
	all := slices.Concat(
		w.nodes, w.csiNodes, w.drivers, w.capacities, w.classes, w.volumes, w.claims, w.attachments, w.pods,
	)
	for _, each := range all {
		set(each, created, "metadata", "creationTimestamp")
	}
	if w.percent(10) {
		w.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	}
	return line.Line{
		ID: fmt.Sprintf("scheduling-s%d-%06d", seed, index), Tags: append([]string{"scheduling"}, w.sortedTags()...), World: numbered(all),
	}
}

// pick draws an element of a list that is not empty.
func pick[T any](w *schedulingWorld, list ...T) T { return list[w.IntN(len(list))] }

func (w *schedulingWorld) zone() string { return pick(w, "z1", "z1", "z1", "z2", "z2", "z3") }

func (w *schedulingWorld) region() string { return pick(w, "r1", "r1", "r1", "r2") }

// node returns the name of a node. In rare cases the world does not have this node.
func (w *schedulingWorld) node() string {
	if w.percent(6) {
		return vanishedNode
	}
	return nameOf(one(w.generator, w.nodes))
}

func (w *schedulingWorld) addNode() {
	number := len(w.nodes) + 1
	name := fmt.Sprintf("n%d", number)
	node := w.newObject("v1", "Node", "", name, fmt.Sprintf("40de0000-0000-4000-8000-%012d", number))
	labels := object{}
	if !w.percent(3) {
		labels[hostLabel] = name
	}
	if zone, region := w.zone(), w.region(); w.zoned != "" && !w.percent(8) {
		if w.zoned != "beta" {
			labels[zoneLabel], labels[regionLabel] = zone, region
		}
		if w.zoned != "today" {
			labels[betaZoneLabel], labels[betaRegionLabel] = zone, region
		}
		if w.percent(10) {
			delete(labels, pick(w, zoneLabel, regionLabel, betaZoneLabel, betaRegionLabel))
		}
	}
	if w.percent(40) {
		labels[diskLabel] = pick(w, "ssd", "ssd", "hdd")
	}
	if w.percent(15) {
		labels["example.com/cores"] = pick(w, "2", "8", "many")
	}
	set(node, labels, "metadata", "labels")
	spec, taints := object{}, []any{}
	if w.percent(5) {
		spec["unschedulable"] = true
	}
	if (spec["unschedulable"] == true) != w.percent(2) {
		taints = append(taints, object{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"})
	}
	if w.percent(5) {
		taints = append(taints, pick(w,
			object{"key": "dedicated", "value": "db", "effect": "NoSchedule"},
			object{"key": "dedicated", "value": "db", "effect": "NoExecute"},
			object{"key": "dedicated", "value": "web", "effect": "NoSchedule"},
			object{"key": "dedicated", "effect": "PreferNoSchedule"},
			object{"key": "node.kubernetes.io/not-ready", "effect": "NoExecute"},
			object{"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"},
			object{"key": "node.kubernetes.io/disk-pressure", "effect": "NoSchedule"},
		))
	}
	if len(taints) > 0 {
		spec["taints"] = taints
	}
	node["spec"] = spec
	resources := object{"cpu": "4", "memory": "8Gi", "pods": "110"}
	if w.percent(8) {
		resources[pick(w, "cpu", "memory")] = "500M"
	}
	if w.percent(3) {
		resources["pods"] = pick(w, "0", "1", "2")
	}
	set(node, resources, "status", "allocatable")
	w.nodes = append(w.nodes, node)
	if w.percent(88) {
		w.addCSINode(name, uidOf(node))
	}
}

func (w *schedulingWorld) addCSINode(name, owner string) {
	made := w.newObject("storage.k8s.io/v1", "CSINode", "", name, fmt.Sprintf("c5100000-0000-4000-8000-%012d", len(w.csiNodes)+1))
	set(made, []any{object{"apiVersion": "v1", "kind": "Node", "name": name, "uid": owner}}, "metadata", "ownerReferences")
	drivers, ebs := []any{}, 15
	if w.class == inTreeClass {
		ebs = 85
	}
	switch w.IntN(10) {
	case 0, 1:
	case 2:
		annotate(made, annMigratedPlugins, pick(w, "", "kubernetes.io/gce-pd", "kubernetes.io/aws-ebs"))
	default:
		annotate(made, annMigratedPlugins, "kubernetes.io/aws-ebs,kubernetes.io/azure-disk,kubernetes.io/cinder,kubernetes.io/gce-pd")
	}
	for _, each := range []struct {
		name   string
		chance int
	}{{driverName, 95}, {ebsDriver, ebs}, {gceDriver, 12}} {
		if !w.percent(each.chance) {
			continue
		}
		driver := object{"name": each.name, "nodeID": "id-" + name, "topologyKeys": w.topologyKeys}
		if w.limited && w.percent(85) {
			driver["allocatable"] = object{"count": pick(w, 0, 1, 1, 1, 2, 2, 3)}
		}
		drivers = append(drivers, driver)
	}
	set(made, drivers, "spec", "drivers")
	w.csiNodes = append(w.csiNodes, made)
}

func (w *schedulingWorld) addDrivers() {
	for number, name := range []string{driverName, ebsDriver} {
		if !w.percent(70) || name == ebsDriver && w.class != inTreeClass && w.percent(80) {
			continue
		}
		driver := w.newObject("storage.k8s.io/v1", "CSIDriver", "", name, fmt.Sprintf("c5200000-0000-4000-8000-%012d", number+1))
		driver["spec"] = object{
			"attachRequired": true, "podInfoOnMount": false, "volumeLifecycleModes": []string{"Persistent"}, "requiresRepublish": false,
			"storageCapacity": w.driverCapacity, "fsGroupPolicy": "ReadWriteOnceWithFSType", "seLinuxMount": false,
		}
		if w.percent(6) {
			// The API server keeps this field only with the gate VolumeLimitScaling.
			set(driver, true, "spec", "preventPodSchedulingIfMissing")
			w.tags["prevent-if-missing"] = true
		}
		w.drivers = append(w.drivers, driver)
	}
}

func (w *schedulingWorld) addClasses() {
	for number, each := range []struct {
		name, provisioner, mode string
		chance                  int
	}{
		{awaitingClass, driverName, bindingDelayed, 50}, {localClass, noProvisionerName, bindingDelayed, 35},
		{immediateClass, driverName, bindingImmediate, 25}, {inTreeClass, "kubernetes.io/aws-ebs", bindingDelayed, 15},
	} {
		if !w.percent(each.chance) && (each.name != w.class || w.percent(3)) {
			continue
		}
		class := w.newObject("storage.k8s.io/v1", "StorageClass", "", each.name, fmt.Sprintf("5c000000-0000-4000-8000-%012d", number+1))
		class["provisioner"], class["volumeBindingMode"], class["reclaimPolicy"] = each.provisioner, each.mode, "Delete"
		if w.percent(6) {
			class["volumeBindingMode"] = pick(w, bindingImmediate, bindingDelayed)
		}
		if each.provisioner == driverName && w.percent(5) {
			class["provisioner"] = pick(w, ebsDriver, "example.com/nfs", "kubernetes.io/gce-pd")
		}
		if w.percent(15) {
			class["allowedTopologies"] = pick(w,
				[]any{topology(zoneLabel, "z1")}, []any{topology(zoneLabel, "z1", "z2")}, []any{topology(betaZoneLabel, "z1")},
				[]any{topology(hostLabel, "n1"), topology(zoneLabel, "z2")}, []any{topology(zoneLabel, "z9")},
			)
		}
		w.classes = append(w.classes, class)
		if each.mode == bindingDelayed && each.provisioner == driverName || w.percent(10) {
			for range pick(w, 0, 0, 1, 1, 2, 3) {
				w.addCapacity(each.name)
			}
		}
	}
}

func topology(key string, values ...string) object {
	return object{"matchLabelExpressions": []any{object{"key": key, "values": values}}}
}

func (w *schedulingWorld) addCapacity(class string) {
	number := len(w.capacities) + 1
	made := w.newObject("storage.k8s.io/v1", "CSIStorageCapacity", "kube-system", fmt.Sprintf("csisc-%d", number),
		fmt.Sprintf("c5300000-0000-4000-8000-%012d", number))
	made["storageClassName"] = class
	if selector := pick(w,
		object{"matchLabels": object{zoneLabel: w.zone()}}, object{"matchLabels": object{zoneLabel: w.zone()}},
		object{"matchLabels": object{hostLabel: w.node()}}, object{},
		object{"matchExpressions": []any{requirement(zoneLabel, "NotIn", "z1")}}, nil,
	); selector != nil {
		made["nodeTopology"] = selector
	}
	if !w.percent(6) {
		made["capacity"] = pick(w, "0", "1Gi", "2Gi", "10Gi", "10Gi")
	}
	if w.percent(20) {
		made["maximumVolumeSize"] = pick(w, "0", "1Gi", "5Gi")
	}
	w.capacities = append(w.capacities, made)
}

// claimModes draws the access modes of a claim.
func (w *schedulingWorld) claimModes() []string {
	if w.percent(w.once) {
		return []string{"ReadWriteOncePod"}
	}
	return pick(w, []string{"ReadWriteOnce"}, []string{"ReadWriteOnce"}, []string{"ReadWriteOnce"}, []string{"ReadWriteMany"}, []string{"ReadOnlyMany", "ReadWriteOnce"})
}

// addClaim adds a claim in one of the states that the plugins distinguish.
func (w *schedulingWorld) addClaim(namespace, name string) object {
	claim := w.newObject("v1", "PersistentVolumeClaim", namespace, name, fmt.Sprintf("c1a10000-0000-4000-8000-%06d%06d", spaceNumber(namespace), len(w.claims)+1))
	set(claim, w.claimModes(), "spec", "accessModes")
	set(claim, one(w.generator, w.sizes), "spec", "resources", "requests", "storage")
	set(claim, modeFilesystem, "spec", "volumeMode")
	if w.percent(4) {
		set(claim, modeBlock, "spec", "volumeMode")
	}
	w.setClass(claim)
	set(claim, "Pending", "status", "phase")
	setFinalizers(claim, finClaimProtection)
	w.claims = append(w.claims, claim)
	if w.percent(5) {
		set(claim, object{"matchLabels": object{"tier": "fast"}}, "spec", "selector")
	}
	if w.percent(4) {
		w.setDataSource(claim)
	}
	state := w.IntN(100)
	if text(claim, "spec", "storageClassName") == immediateClass && w.percent(70) || len(name) > 2 && w.percent(8) {
		state = pick(w, 0, 0, 0, 45)
	}
	if w.alike && w.percent(55) || w.open > 0 && w.percent(w.open) {
		state = 100
	}
	switch {
	case state < 42:
		w.bindTo(claim, w.addVolume())
	case state < 45:
		set(claim, missingVolume, "spec", "volumeName")
		set(claim, "Lost", "status", "phase")
		annotate(claim, annBindCompleted, "yes")
	case state < 49:
		set(claim, missingVolume, "spec", "volumeName")
		set(claim, "Bound", "status", "phase")
		annotate(claim, annBindCompleted, "yes")
	case state < 51:
		set(claim, pick(w, missingVolume, "pv-1"), "spec", "volumeName")
	case state < 54:
		set(claim, immediateClass, "spec", "storageClassName")
	case state < 56:
		remove(claim, "spec", "storageClassName")
		if w.percent(50) {
			set(claim, "", "spec", "storageClassName")
		}
	case state < 58:
		set(claim, missingClass, "spec", "storageClassName")
	case state < 68:
		annotate(claim, annSelectedNode, w.node())
	}
	if w.percent(3) {
		w.terminate(claim, finClaimProtection)
	}
	return claim
}

// setClass gives a claim or a volume its class.
func (w *schedulingWorld) setClass(each object) {
	class := w.class
	if w.percent(12) {
		class = pick(w, awaitingClass, localClass, immediateClass, inTreeClass)
	}
	set(each, class, "spec", "storageClassName")
	if w.percent(2) {
		remove(each, "spec", "storageClassName")
		annotate(each, annBetaClass, class)
	}
}

// addVolume adds a volume without a claimRef.
func (w *schedulingWorld) addVolume() object {
	number := len(w.volumes) + 1
	volume := w.newObject("v1", "PersistentVolume", "", fmt.Sprintf("pv-%d", number), fmt.Sprintf("90000000-0000-4000-8000-%012d", number))
	set(volume, []string{"ReadWriteOnce"}, "spec", "accessModes")
	set(volume, one(w.generator, w.sizes), "spec", "capacity", "storage")
	set(volume, modeFilesystem, "spec", "volumeMode")
	set(volume, "Delete", "spec", "persistentVolumeReclaimPolicy")
	set(volume, "Available", "status", "phase")
	setFinalizers(volume, finVolumeProtection)
	w.setClass(volume)
	w.setVolumeSource(volume)
	if w.percent(22) {
		labels := object{}
		for _, key := range pick(w, []string{zoneLabel}, []string{zoneLabel, regionLabel}, []string{betaZoneLabel}, []string{betaZoneLabel, betaRegionLabel}, []string{regionLabel}) {
			if key == regionLabel || key == betaRegionLabel {
				labels[key] = pick(w, "r1", "r1", "r2")
			} else {
				labels[key] = pick(w, "z1", "z1", "z2", "z1__z2", "z9", "z1____z2")
			}
		}
		set(volume, labels, "metadata", "labels")
	}
	if w.percent(6) {
		set(volume, "fast", "metadata", "labels", "tier")
	}
	w.volumes = append(w.volumes, volume)
	return volume
}

// setVolumeSource sets the source of a volume, and usually the node affinity that fits the source.
func (w *schedulingWorld) setVolumeSource(volume object) {
	name, kinds := nameOf(volume), []string{"csi", "csi", "csi", "csi", "csi", "local", "awsElasticBlockStore", "gcePersistentDisk", "azureDisk", "cinder", "hostPath", "nfs"}
	switch text(volume, "spec", "storageClassName") {
	case localClass:
		kinds = []string{"local", "local", "local", "local", "csi", "hostPath"}
	case inTreeClass:
		kinds = []string{"awsElasticBlockStore", "awsElasticBlockStore", "awsElasticBlockStore", "csi"}
	}
	kind := one(w.generator, kinds)
	if w.percent(3) {
		kind = pick(w, "azureFile", "portworxVolume", "vsphereVolume") // These in-tree volumes also have drivers.
	}
	w.setSource(volume, kind)
	switch kind {
	case "csi":
		set(volume, object{"driver": pick(w, driverName, driverName, driverName, driverName, ebsDriver), "volumeHandle": "h-" + name}, "spec", "csi")
		if w.percent(4) {
			set(volume, "h-shared", "spec", "csi", "volumeHandle")
		}
	case "awsElasticBlockStore":
		set(volume, "vol-"+name, "spec", kind, "volumeID")
		if w.percent(30) {
			set(volume, "aws://z1/vol-"+name, "spec", kind, "volumeID")
		}
		if w.percent(3) {
			set(volume, name, "spec", kind, "volumeID")
		}
	case "gcePersistentDisk":
		set(volume, "disk-"+name, "spec", kind, "pdName")
	}
	chance := 55
	if kind == "local" {
		chance = 100
	}
	if !w.percent(chance) {
		return
	}
	zone, node := w.zone(), w.node()
	byHost := terms(object{"matchExpressions": []any{requirement(hostLabel, "In", node)}})
	byZone := terms(object{"matchExpressions": []any{requirement(zoneLabel, "In", zone)}})
	affinities := []object{byZone, byZone, byZone, byZone, byHost}
	if kind == "local" {
		affinities = []object{byHost, byHost, terms(object{"matchExpressions": []any{requirement(hostLabel, "In", node, w.node())}})}
	}
	affinity := one(w.generator, affinities)
	if w.percent(22) {
		affinity = pick(w,
			terms(object{"matchExpressions": []any{requirement(betaZoneLabel, "In", zone)}}),
			terms(object{"matchFields": []any{requirement("metadata.name", pick(w, "In", "NotIn"), node)}}),
			terms(object{"matchFields": []any{requirement("metadata.name", "In", node)}, "matchExpressions": []any{requirement(zoneLabel, "Exists")}}),
			terms(object{"matchExpressions": []any{requirement(zoneLabel, "In", "z1", "z2"), requirement(hostLabel, "NotIn", node)}}),
			terms(object{"matchExpressions": []any{requirement(hostLabel, "In", vanishedNode)}}, object{"matchExpressions": []any{requirement(diskLabel, "In", "ssd")}}),
			terms(object{"matchExpressions": []any{requirement("example.com/cores", pick(w, "Gt", "Lt"), "4")}}),
			terms(object{"matchExpressions": []any{requirement(zoneLabel, "DoesNotExist")}}),
			terms(object{}),
		)
	}
	set(volume, affinity, "spec", "nodeAffinity")
}

// bindTo binds a claim and a volume to each other.
func (w *schedulingWorld) bindTo(claim, volume object) {
	set(volume, get(claim, "spec", "accessModes"), "spec", "accessModes")
	set(volume, get(claim, "spec", "volumeMode"), "spec", "volumeMode")
	set(volume, w.referenceTo(claim), "spec", "claimRef")
	set(volume, "Bound", "status", "phase")
	annotate(volume, annBoundByController, "yes")
	set(claim, nameOf(volume), "spec", "volumeName")
	set(claim, "Bound", "status", "phase")
	set(claim, get(volume, "spec", "accessModes"), "status", "accessModes")
	set(claim, object{"storage": text(volume, "spec", "capacity", "storage")}, "status", "capacity")
	annotate(claim, annBindCompleted, "yes")
	annotate(claim, annBoundByController, "yes")
	if w.percent(15) {
		annotate(claim, annSelectedNode, w.node())
	}
	if w.percent(4) {
		w.terminate(volume, finVolumeProtection)
	}
}

func (w *schedulingWorld) referenceTo(claim object) object {
	return object{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": spaceOf(claim), "name": nameOf(claim), "uid": uidOf(claim)}
}

// addFree adds a volume that waiting claims may get, or that seems to be such a volume.
func (w *schedulingWorld) addFree() {
	volume := w.addVolume()
	claim := one(w.generator, w.claims)
	if text(claim, "spec", "volumeName") != "" {
		claim = one(w.generator, w.claims)
	}
	if w.percent(70) {
		set(volume, get(claim, "spec", "accessModes"), "spec", "accessModes")
	} else if w.percent(40) {
		set(volume, pick(w, []string{"ReadWriteOnce", "ReadWriteMany"}, []string{"ReadOnlyMany"}, []string{"ReadOnlyMany", "ReadWriteOnce"}), "spec", "accessModes")
	}
	if class := text(claim, "spec", "storageClassName"); class != "" && w.percent(50) {
		set(volume, class, "spec", "storageClassName")
	}
	if w.alike && w.percent(60) {
		if set(volume, w.class, "spec", "storageClassName"); get(volume, "spec", "local") == nil {
			remove(volume, "spec", "nodeAffinity")
		}
	}
	if w.percent(12) {
		set(volume, pick(w, "512Mi", "2Gi", "5Gi"), "spec", "capacity", "storage")
	}
	if w.percent(4) {
		set(volume, modeBlock, "spec", "volumeMode")
	}
	if w.percent(2) && get(volume, "spec", "csi") != nil {
		set(volume, "gold", "spec", "volumeAttributesClassName")
	}
	switch w.IntN(16) {
	case 0, 1:
		reserved := w.referenceTo(claim)
		delete(reserved, "uid")
		set(volume, reserved, "spec", "claimRef")
	case 2:
		set(volume, w.referenceTo(claim), "spec", "claimRef")
		if w.percent(50) {
			annotate(volume, annBoundByController, "yes")
		}
	case 3:
		reserved := w.referenceTo(claim)
		reserved["uid"] = staleUID
		set(volume, reserved, "spec", "claimRef")
		set(volume, "Released", "status", "phase")
	case 4:
		set(volume, pick(w, "Pending", "Failed", "Released"), "status", "phase")
	case 5:
		w.terminate(volume, finVolumeProtection)
	}
}

// addAttachments adds VolumeAttachments for volumes of the world, and sometimes for a volume that does not exist.
func (w *schedulingWorld) addAttachments() {
	if !w.limited && !w.percent(10) {
		return
	}
	attach := func(volume, driver, node string) {
		number := len(w.attachments) + 1
		made := w.newObject("storage.k8s.io/v1", "VolumeAttachment", "", fmt.Sprintf("csi-%d", number), fmt.Sprintf("a77a0000-0000-4000-8000-%012d", number))
		made["spec"] = object{"attacher": driver, "nodeName": node, "source": object{"persistentVolumeName": volume}}
		made["status"] = object{"attached": !w.percent(10)}
		w.attachments = append(w.attachments, made)
	}
	for _, volume := range w.volumes {
		if !w.percent(30) {
			continue
		}
		driver := text(volume, "spec", "csi", "driver")
		switch {
		case get(volume, "spec", "awsElasticBlockStore") != nil:
			driver = ebsDriver
		case get(volume, "spec", "gcePersistentDisk") != nil:
			driver = gceDriver
		case driver == "":
			driver = driverName
		}
		attach(nameOf(volume), driver, w.node())
	}
	if w.percent(15) {
		attach(missingVolume, driverName, w.node())
	}
	if w.percent(4) {
		// Kubernetes creates such an attachment for a migrated disk in a pod's spec, which has no volume object.
		attach("", ebsDriver, w.node())
		set(w.attachments[len(w.attachments)-1], object{"inlineVolumeSpec": object{
			"accessModes": []string{"ReadWriteOnce"}, "csi": object{"driver": ebsDriver, "volumeHandle": "vol-1"},
		}}, "spec", "source")
	}
}
