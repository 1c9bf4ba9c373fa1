package worlds

import (
	"fmt"
	"slices"
)

func finalizers(each object) []string {
	list, _ := get(each, "metadata", "finalizers").([]string)
	return list
}

func setFinalizers(each object, names ...string) {
	if len(names) == 0 {
		remove(each, "metadata", "finalizers")
		return
	}
	set(each, names, "metadata", "finalizers")
}

func annotate(each object, key, value string) { set(each, value, "metadata", "annotations", key) }

func unannotate(each object, key string) { remove(each, "metadata", "annotations", key) }

func annotated(each object, key string) bool { return get(each, "metadata", "annotations", key) != nil }

func nameOf(each object) string { return text(each, "metadata", "name") }

func spaceOf(each object) string { return text(each, "metadata", "namespace") }

func uidOf(each object) string { return text(each, "metadata", "uid") }

// terminate marks a volume or a claim as being deleted, as the API server does for objects with finalizers.
func (g *generator) terminate(each object, protection string) {
	set(each, terminatingSince, "metadata", "deletionTimestamp")
	set(each, 0, "metadata", "deletionGracePeriodSeconds")
	if len(finalizers(each)) == 0 {
		setFinalizers(each, one(g, []string{protection, protection, finForeign}))
	}
}

// newObject returns an object with its kind and metadata.
func (g *generator) newObject(version, kind, namespace, name, uid string) object {
	metadata := object{"name": name, "uid": uid, "creationTimestamp": one(g, creations)}
	if namespace != "" {
		metadata["namespace"] = namespace
	}
	return object{"apiVersion": version, "kind": kind, "metadata": metadata}
}

// size draws one of the world's sizes, in one of its notations.
func (g *generator) size() string {
	if g.percent(g.odd) {
		return g.spell(one(g, oddSizes))
	}
	return g.spell(one(g, g.palette))
}

func (g *generator) spell(family string) string {
	if g.spellings {
		return one(g, sizes[family])
	}
	return one(g, stored[family])
}

// claimModes draws the access modes of a claim, in any order and sometimes with repetitions.
func (g *generator) claimModes() []string {
	if !g.percent(g.odd) {
		return slices.Clone(g.modes)
	}
	return g.anyModes()
}

// volumeModes draws the access modes of a volume: usually those that the world's claims request, and often more.
func (g *generator) volumeModes() []string {
	if g.percent(g.odd) || g.modes[0] == "ReadWriteOncePod" {
		if g.percent(g.odd) {
			return g.anyModes()
		}
		return slices.Clone(g.modes)
	}
	list := slices.Clone(g.modes)
	for _, mode := range plainModes {
		if !slices.Contains(list, mode) && g.percent(25) {
			list = append(list, mode)
		}
	}
	if g.percent(20) {
		return g.shuffled(list)
	}
	return list
}

func (g *generator) anyModes() []string {
	if g.percent(20) {
		if g.percent(10) {
			return []string{"ReadWriteOncePod", "ReadWriteOncePod"}
		}
		return []string{"ReadWriteOncePod"}
	}
	list := g.shuffled(plainModes)[:g.between(1, 3)]
	if g.percent(12) {
		list = append(list, one(g, list))
	}
	return list
}

func (g *generator) mode() string {
	if g.percent(g.odd) {
		return one(g, []string{modeFilesystem, modeBlock})
	}
	return g.volumeMode
}

// setClass sets the class of a claim or a volume, in one of the ways that the API provides.
func (g *generator) setClass(each object) {
	field := []string{"spec", "storageClassName"}
	if !g.percent(g.odd) {
		switch {
		case g.class != "" && g.percent(4):
			annotate(each, annBetaClass, g.class)
		case g.class != "":
			set(each, g.class, field...)
		case each["kind"] == "PersistentVolumeClaim" && g.percent(50):
			set(each, "", field...)
		}
		return
	}
	names := []string{"a", "b", "d", missingClass}
	switch g.IntN(8) {
	case 0:
	case 1:
		if each["kind"] == "PersistentVolumeClaim" {
			set(each, "", field...)
		}
	case 2, 3, 4:
		set(each, one(g, names), field...)
	case 5:
		annotate(each, annBetaClass, one(g, names))
	case 6:
		annotate(each, annBetaClass, "")
		if g.percent(50) {
			set(each, one(g, names), field...)
		}
	case 7:
		annotate(each, annBetaClass, one(g, names))
		set(each, one(g, names), field...)
	}
}

// addClaim adds a claim that waits for a volume. It returns nil if all names are in use.
func (g *generator) addClaim() object {
	namespace, name := "", ""
	for try := 0; ; try++ {
		namespace, name = one(g, namespaces), claimNames[min(g.IntN(2*len(claimNames)-1), len(claimNames)-1)]
		if name == ephemeralClaimName && !g.percent(30) {
			name = "c1"
		}
		if find(g.claims, namespace, name) == nil {
			break
		}
		if try > 20 {
			return nil
		}
	}
	claim := g.newObject("v1", "PersistentVolumeClaim", namespace, name, claimUID(namespace, name))
	set(claim, g.claimModes(), "spec", "accessModes")
	set(claim, g.size(), "spec", "resources", "requests", "storage")
	set(claim, g.mode(), "spec", "volumeMode")
	g.setClass(claim)
	set(claim, "Pending", "status", "phase")
	if g.labels != nil && g.percent(60) {
		set(claim, object{"matchLabels": copied(g.labels)}, "spec", "selector")
	}
	if g.percent(g.odd / 2) {
		g.setSelector(claim)
	}
	if g.attributes != "" && !g.percent(g.odd) {
		set(claim, g.attributes, "spec", "volumeAttributesClassName")
	} else if g.percent(g.odd / 3) {
		set(claim, one(g, []string{"gold", "silver", ""}), "spec", "volumeAttributesClassName")
	}
	if g.percent(3) {
		g.setDataSource(claim)
	}
	switch {
	case g.percent(75):
		setFinalizers(claim, finClaimProtection)
	case g.percent(40):
		setFinalizers(claim, g.shuffled([]string{finClaimProtection, one(g, []string{finForeign, finSnapshot})})...)
	case g.percent(30):
		setFinalizers(claim, finForeign)
	}
	if name == ephemeralClaimName && g.percent(85) {
		set(claim, []any{object{
			"apiVersion": "v1", "kind": "Pod", "name": ephemeralClaimPodName,
			"uid":        one(g, []string{podUID(namespace, ephemeralClaimPodName), podUID(namespace, ephemeralClaimPodName), staleUID}),
			"controller": true, "blockOwnerDeletion": true,
		}}, "metadata", "ownerReferences")
	}
	g.claimNoise(claim)
	g.claims = append(g.claims, claim)
	return claim
}

// claimNoise adds annotations that any claim can have.
func (g *generator) claimNoise(claim object) {
	if g.percent(3 + g.odd/3) {
		annotate(claim, annProvisioner, g.claimProvisioner())
	}
	if g.percent(2 + g.odd/4) {
		annotate(claim, annBetaProvisioner, g.claimProvisioner())
	}
	if g.percent(1 + g.odd/5) {
		annotate(claim, annMigratedTo, one(g, migratedTo))
	}
	if g.percent(1 + g.odd/5) {
		annotate(claim, annSelectedNode, g.node())
	}
	if g.percent(1) {
		annotate(claim, annResizer, driverName)
	}
	if g.percent(1 + g.odd/6) {
		annotate(claim, annBoundByController, one(g, yesValues))
	}
	if g.percent(1) {
		set(claim, []any{object{"type": "Resizing", "status": "True", "lastProbeTime": nil, "lastTransitionTime": phaseChanged}}, "status", "conditions")
	}
}

// claimProvisioner draws the provisioner of a claim: the provisioner of a class, a driver, or none.
func (g *generator) claimProvisioner() string {
	pair := one(g, migrations)
	return one(g, []string{driverName, driverName, "kubernetes.io/aws-ebs", pair[0], pair[1], hostPathName, noProvisionerName, ""})
}

func (g *generator) node() string { return one(g, []string{"n1", "n1", "n2", missingNode, ""}) }

func (g *generator) setSelector(claim object) {
	if g.percent(25) {
		g.tags["invalid-selector"] = true
		set(claim, copied(one(g, unparsable)), "spec", "selector")
		return
	}
	set(claim, copied(one(g, selectors)), "spec", "selector")
}

// setDataSource sets the data source of a claim. The API server copies dataSource to dataSourceRef and the other way
// round, unless dataSourceRef has a namespace.
func (g *generator) setDataSource(claim object) {
	source := object{"kind": "PersistentVolumeClaim", "name": "c2"}
	if g.percent(40) {
		source = object{"apiGroup": "snapshot.storage.k8s.io", "kind": "VolumeSnapshot", "name": "s1"}
	}
	set(claim, copied(source), "spec", "dataSourceRef")
	if g.percent(15) {
		set(claim, "db", "spec", "dataSourceRef", "namespace")
		return
	}
	set(claim, source, "spec", "dataSource")
}

// addVolume adds a volume without a claimRef.
func (g *generator) addVolume() object {
	number := len(g.volumes) + 1
	name := fmt.Sprintf("pv-%d", number)
	if len(g.claims) > 0 && g.percent(4) {
		// The controller itself would create a volume with this name for the claim.
		if own := "pvc-" + uidOf(one(g, g.claims)); find(g.volumes, "", own) == nil {
			name = own
		}
	}
	volume := g.newObject("v1", "PersistentVolume", "", name, fmt.Sprintf("90000000-0000-4000-8000-%012d", number))
	set(volume, g.volumeModes(), "spec", "accessModes")
	set(volume, g.size(), "spec", "capacity", "storage")
	set(volume, g.mode(), "spec", "volumeMode")
	g.setClass(volume)
	set(volume, one(g, policies), "spec", "persistentVolumeReclaimPolicy")
	g.setSource(volume, one(g, sources))
	set(volume, "Available", "status", "phase")
	if g.percent(8) {
		set(volume, one(g, volumePhases), "status", "phase")
	}
	if g.percent(70) {
		set(volume, phaseChanged, "status", "lastPhaseTransitionTime")
	}
	if g.labels != nil && !g.percent(25) {
		set(volume, copied(g.labels), "metadata", "labels")
	} else if own := one(g, labels); own != nil && g.percent(30) {
		set(volume, copied(own), "metadata", "labels")
	}
	if g.attributes != "" && !g.percent(g.odd) {
		set(volume, g.attributes, "spec", "volumeAttributesClassName")
		g.setSource(volume, "csi")
	} else if g.percent(g.odd / 4) {
		set(volume, one(g, attributes), "spec", "volumeAttributesClassName")
	}
	if g.percent(8) {
		set(volume, copied(one(g, affinities)), "spec", "nodeAffinity")
	}
	if g.percent(5) {
		set(volume, []string{"ro"}, "spec", "mountOptions")
	}
	switch {
	case g.percent(75):
		setFinalizers(volume, finVolumeProtection)
	case g.percent(50):
		setFinalizers(volume, g.shuffled([]string{finVolumeProtection, one(g, []string{finVolumeController, finExternal, finForeign, finAttacher})})...)
	}
	g.volumeNoise(volume)
	g.volumes = append(g.volumes, volume)
	return volume
}

// volumeNoise adds annotations that any volume can have.
func (g *generator) volumeNoise(volume object) {
	if g.percent(6 + g.odd/3) {
		g.provision(volume)
	}
	if g.percent(1 + g.odd/5) {
		annotate(volume, annMigratedTo, one(g, migratedTo))
	}
	if g.percent(1 + g.odd/4) {
		annotate(volume, annPreResize, one(g, preResizes))
	}
	if g.percent(1) {
		annotate(volume, annGid, "1000")
	}
	if g.percent(1) {
		annotate(volume, annMountOptions, "ro")
	}
	if g.percent(1) {
		annotate(volume, annCreatedBy, "hostpath-dynamic-provisioner")
	}
	if g.percent(1 + g.odd/6) {
		annotate(volume, annBoundByController, one(g, yesValues))
	}
}

// provision adds some or all of the fields that a provisioner sets on a volume.
func (g *generator) provision(volume object) {
	by := one(g, provisionedBy)
	annotate(volume, annProvisionedBy, by)
	if g.percent(40) {
		list := finalizers(volume)
		added := one(g, []string{finExternal, finVolumeController})
		if !slices.Contains(list, added) {
			setFinalizers(volume, append(slices.Clone(list), added)...)
		}
	}
	if by == hostPathName && g.percent(70) {
		g.setSource(volume, "hostPath")
	}
	for _, pair := range migrations {
		if by == pair[0] && g.percent(50) {
			annotate(volume, annMigratedTo, pair[1])
		}
	}
}

// setSource sets the source of a volume and removes the earlier source.
func (g *generator) setSource(volume object, kind string) {
	for _, each := range sources {
		remove(volume, "spec", each)
	}
	var source object
	switch kind {
	case "csi":
		source = object{"driver": one(g, []string{driverName, driverName, "ebs.csi.aws.com"}), "volumeHandle": "h-" + nameOf(volume)}
	case "hostPath":
		source = object{"path": one(g, paths), "type": ""}
	case "nfs":
		source = object{"server": "10.0.0.9", "path": "/exports/x"}
	case "local":
		source = object{"path": "/mnt/disks/ssd1"}
		set(volume, copied(one(g, affinities)), "spec", "nodeAffinity")
	case "iscsi":
		source = object{"targetPortal": "10.0.0.9:3260", "iqn": "iqn.2026-06.com.example:t", "lun": 0, "iscsiInterface": "default"}
	case "fc":
		source = object{"targetWWNs": []string{"50060e801049cfd1"}, "lun": 0}
	case "awsElasticBlockStore":
		source = object{"volumeID": "vol-1", "fsType": "ext4"}
	case "gcePersistentDisk":
		source = object{"pdName": "disk-1", "fsType": "ext4"}
	case "azureDisk":
		source = object{
			"diskName": "disk-1", "diskURI": "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/disks/disk-1",
			"kind": "Managed", "cachingMode": "ReadWrite", "fsType": "ext4", "readOnly": false,
		}
	case "azureFile":
		source = object{"secretName": "s", "secretNamespace": "default", "shareName": "share"}
	case "cinder":
		source = object{"volumeID": "vol-1"}
	case "vsphereVolume":
		source = object{"volumePath": "[ds] disk.vmdk"}
	case "portworxVolume":
		source = object{"volumeID": "vol-1"}
	case "rbd":
		source = object{"monitors": []string{"10.0.0.9:6789"}, "image": "i", "pool": "rbd", "user": "admin", "keyring": "/etc/ceph/keyring"}
	case "cephfs":
		source = object{"monitors": []string{"10.0.0.9:6789"}}
	case "glusterfs":
		source = object{"endpoints": "gluster", "path": "vol"}
	case "flexVolume":
		source = object{"driver": "example.com/flex"}
	case "quobyte":
		source = object{"registry": "10.0.0.9:7861", "volume": "vol"}
	case "storageos":
		source = object{"volumeName": "vol", "volumeNamespace": "default"}
	case "scaleIO":
		source = object{
			"gateway": "https://10.0.0.9/api", "system": "s", "volumeName": "vol", "storageMode": "ThinProvisioned", "fsType": "xfs",
			"secretRef": object{"name": "s", "namespace": "default"},
		}
	case "flocker":
		source = object{"datasetName": "set"}
	case "photonPersistentDisk":
		source = object{"pdID": "disk-1"}
	}
	set(volume, source, "spec", kind)
}

// addClass returns the class with this name. If the world does not have it yet, addClass adds it.
func (g *generator) addClass(name string) object {
	if found := find(g.classes, "", name); found != nil {
		return found
	}
	uid := fmt.Sprintf("5c000000-0000-4000-8000-%012d", int(name[0]))
	class := g.newObject("storage.k8s.io/v1", "StorageClass", "", name, uid)
	class["provisioner"] = one(g, provisioners)
	class["reclaimPolicy"] = one(g, []string{"Delete", "Delete", "Retain"})
	class["volumeBindingMode"] = one(g, []string{bindingImmediate, bindingImmediate, bindingDelayed})
	if g.percent(15) {
		class["allowVolumeExpansion"] = g.percent(50)
	}
	if g.percent(10) {
		class["mountOptions"] = one(g, [][]string{{"ro"}, {"ro", "soft"}})
	}
	if g.percent(5) {
		class["parameters"] = object{"type": "fast"}
	}
	if g.percent(5) {
		class["allowedTopologies"] = []any{object{"matchLabelExpressions": []any{object{"key": "topology.kubernetes.io/zone", "values": []string{"z1"}}}}}
	}
	if g.percent(10) {
		g.makeDefault(class)
	}
	g.classes = append(g.classes, class)
	return class
}

// makeDefault marks a class as the default class, sometimes incorrectly.
func (g *generator) makeDefault(class object) {
	switch g.IntN(8) {
	case 0, 1, 2, 3:
		annotate(class, annDefaultClass, "true")
	case 4:
		annotate(class, annBetaDefaultClass, "true")
	case 5:
		annotate(class, annDefaultClass, "true")
		annotate(class, annBetaDefaultClass, "true")
	case 6:
		annotate(class, one(g, []string{annDefaultClass, annBetaDefaultClass}), one(g, []string{"false", "True", ""}))
	case 7:
		annotate(class, annDefaultClass, "false")
		annotate(class, annBetaDefaultClass, "true")
	}
}

func (g *generator) addNode(number int) {
	name := nodeNames[number]
	node := g.newObject("v1", "Node", "", name, fmt.Sprintf("40de0000-0000-4000-8000-%012d", number+1))
	marked := copied(one(g, nodeLabels))
	marked["kubernetes.io/hostname"] = name
	set(node, marked, "metadata", "labels")
	node["spec"] = object{}
	set(node, []any{object{"type": "Ready", "status": "True"}}, "status", "conditions")
	g.nodes = append(g.nodes, node)
}

// addPod adds a pod that uses some of the named claims of its namespace.
func (g *generator) addPod(namespace string, claims ...string) object {
	number := 1
	for find(g.pods, namespace, fmt.Sprintf("p%d", number)) != nil {
		number++
	}
	name := fmt.Sprintf("p%d", number)
	pod := g.newObject("v1", "Pod", namespace, name, podUID(namespace, name))
	volumes := []any{}
	for place, claim := range claims {
		if claim == ephemeralClaimName && name == ephemeralClaimPodName && g.percent(80) {
			volumes = append(volumes, g.ephemeral())
			continue
		}
		volumes = append(volumes, object{"name": fmt.Sprintf("v%d", place), "persistentVolumeClaim": object{"claimName": claim}})
	}
	if g.percent(6) && name == ephemeralClaimPodName && !slices.Contains(claims, ephemeralClaimName) {
		volumes = append(volumes, g.ephemeral())
	}
	if g.percent(6) {
		volumes = append(volumes, object{"name": "empty", "emptyDir": object{}})
	}
	spec := object{"containers": []any{object{"name": "c", "image": "busybox"}}, "restartPolicy": "Always"}
	if len(volumes) > 0 {
		spec["volumes"] = volumes
	}
	pod["spec"] = spec
	phase := one(g, podPhases)
	set(pod, phase, "status", "phase")
	switch {
	case phase != "Pending":
		if !g.percent(6) {
			spec["nodeName"] = one(g, []string{"n1", "n2", missingNode})
		}
	case g.percent(15):
		spec["schedulingGates"] = []any{object{"name": "example.com/wait"}}
	case g.percent(25):
		spec["nodeName"] = one(g, []string{"n1", "n2"})
	}
	if g.percent(14) {
		set(pod, terminatingSince, "metadata", "deletionTimestamp")
		set(pod, one(g, []int{30, 30, 0}), "metadata", "deletionGracePeriodSeconds")
		if g.percent(20) {
			setFinalizers(pod, finForeign)
		}
	}
	if phase == "Running" || g.percent(15) {
		state := object{"running": object{"startedAt": podStarted}}
		if g.percent(30) {
			state = one(g, []object{{"waiting": object{"reason": "ContainerCreating"}}, {"terminated": object{"exitCode": 0}}})
		}
		set(pod, []any{object{"name": "c", "image": "busybox", "imageID": "", "ready": false, "restartCount": 0, "state": state}}, "status", "containerStatuses")
	}
	g.pods = append(g.pods, pod)
	return pod
}

func (g *generator) ephemeral() object {
	return object{"name": ephemeralVolumeName, "ephemeral": object{"volumeClaimTemplate": object{"spec": object{
		"accessModes": slices.Clone(g.modes), "resources": object{"requests": object{"storage": "1Gi"}}, "volumeMode": modeFilesystem,
	}}}}
}

func find(list []object, namespace, name string) object {
	for _, each := range list {
		if nameOf(each) == name && spaceOf(each) == namespace {
			return each
		}
	}
	return nil
}

// claimUID returns the uid of the claim with this name, which is the same in every world.
func claimUID(namespace, name string) string {
	return fmt.Sprintf("c1a10000-0000-4000-8000-%06d%06d", spaceNumber(namespace), slices.Index(claimNames, name)+1)
}

func podUID(namespace, name string) string {
	return fmt.Sprintf("90d00000-0000-4000-8000-%06d%06d", spaceNumber(namespace), int(name[len(name)-1]-'0'))
}

func spaceNumber(namespace string) int {
	return slices.Index([]string{"default", "db", "other"}, namespace) + 1
}
