package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
)

// The domains are small on purpose: objects whose values come from the same few values are often related. A value that
// is listed more than once is chosen more often.
const (
	namespace = "default"
	ownNode   = "n1"
	otherNode = "n2"
)

// object is a JSON object.
type object = map[string]any

// generator holds one world while it is generated.
type generator struct {
	*rand.Rand
	objects []object
	// odd is the probability in percent that a field has another value than the rest of the world suggests.
	odd int
	// attached are the volumes that the node lists as attached.
	attached []object
	// claims are the names of the claims.
	claims []string
	// onlyClaims says that pods have no volumes without a claim.
	onlyClaims bool
	// options chooses the mount options. It is a generator of its own, so that the rest of a world does not depend on
	// them.
	options *generator
}

func one[T any](g *generator, list ...T) T { return list[g.IntN(len(list))] }

func (g *generator) percent(chance int) bool { return g.IntN(100) < chance }

// usual returns the first value, or with the probability odd one of the other values.
func usual[T any](g *generator, first T, others ...T) T {
	if len(others) > 0 && g.percent(g.odd) {
		return one(g, others...)
	}
	return first
}

func (g *generator) add(version, kind, space, name string, parts object) object {
	metadata := object{"name": name, "uid": "u-" + name, "resourceVersion": strconv.Itoa(1001 + len(g.objects))}
	if space != "" {
		metadata["namespace"] = space
	}
	made := object{"apiVersion": version, "kind": kind, "metadata": metadata}
	for key, value := range parts {
		made[key] = value
	}
	g.objects = append(g.objects, made)
	return made
}

// generate generates the index-th world of a seed. The same seed and index always give the same bytes.
func generate(seed uint64, index int) Line {
	g := newGenerator(seed, index, "pvctl kubelet")
	g.odd = one(g, 0, 2, 5, 10, 25, 50)
	return Line{
		ID: fmt.Sprintf("mount-s%d-%06d", seed, index), Tags: []string{"mount"}, World: g.world(),
		Mounting: &Mounting{Node: ownNode},
	}
}

func newGenerator(seed uint64, index int, purpose string) *generator {
	made := chooser(seed, index, purpose)
	made.options = chooser(seed, index, "mount options")
	return made
}

// chooser returns a generator that chooses values. Of the purpose, 16 bytes count.
func chooser(seed uint64, index int, purpose string) *generator {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[0:], seed)
	binary.LittleEndian.PutUint64(key[8:], uint64(index))
	copy(key[16:], purpose)
	return &generator{Rand: rand.New(rand.NewChaCha8(key))}
}

// world generates the objects.
func (g *generator) world() List {
	g.addDrivers()
	for number := range one(g, 1, 1, 2, 2, 3, 4, 5) {
		g.addClaim(fmt.Sprintf("c%d", number+1))
	}
	for number := range one(g, 1, 1, 2, 2, 3, 4) {
		g.addPod(fmt.Sprintf("p%d", number+1))
	}
	g.addNode()
	list := List{APIVersion: "v1", Kind: "List", Items: []json.RawMessage{}}
	for _, each := range g.objects {
		text, err := json.Marshal(each)
		if err != nil {
			panic(err)
		}
		list.Items = append(list.Items, text)
	}
	return list
}

func (g *generator) addNode() {
	node := g.add("v1", "Node", "", ownNode, object{"status": object{"volumesAttached": g.attached}})
	node["metadata"].(object)["labels"] = object{"zone": usual(g, "a", "b"), "kubernetes.io/hostname": ownNode}
}

// drivers are the CSI drivers. The second one needs no attachments, and the third one has no object.
var drivers = []string{"d1.csi", "d2.csi", "d3.csi"}

func (g *generator) addDrivers() {
	first := g.add("storage.k8s.io/v1", "CSIDriver", "", drivers[0], object{"spec": object{"attachRequired": usual(g, true, false)}})
	g.add("storage.k8s.io/v1", "CSIDriver", "", drivers[1], object{"spec": object{"attachRequired": usual(g, false, true)}})
	if g.onlyClaims && g.percent(15) {
		first["spec"].(object)["requiresRepublish"] = true
	}
	for _, driver := range []string{"ebs.csi.aws.com", "pd.csi.storage.gke.io"} {
		if g.percent(g.odd) {
			g.add("storage.k8s.io/v1", "CSIDriver", "", driver, object{"spec": object{"attachRequired": false}})
		}
	}
}

// source returns the source of a PersistentVolume, and the name with which a node lists it as attached.
func (g *generator) source(name string) (object, string) {
	handle := usual(g, "h-"+name, "h-shared")
	inTree := func(field string, parts object, attached string) (object, string) {
		return object{field: parts}, attached
	}
	switch one(g, "csi", "csi", "csi", "csi", "nfs", "hostPath", "local", "fc", "iscsi", "aws", "gce", "azure", "odd") {
	case "nfs":
		return inTree("nfs", object{"server": "nfs.example.com", "path": "/" + handle}, "")
	case "hostPath":
		return inTree("hostPath", object{"path": "/srv/" + handle}, "")
	case "local":
		return inTree("local", object{"path": "/mnt/" + handle}, "kubernetes.io/local-volume/"+name)
	case "fc":
		return inTree("fc", object{"targetWWNs": []string{"50060e80", handle}, "lun": 0}, "kubernetes.io/fc/[50060e80 "+handle+"]:0")
	case "iscsi":
		portal, target := "10.0.0.1:3260", "iqn.2026-01.com.example:"+handle
		return inTree("iscsi", object{"targetPortal": portal, "iqn": target, "lun": 2}, "kubernetes.io/iscsi/"+portal+":"+target+":2")
	case "aws":
		id := usual(g, "vol-"+name, "aws://a/vol-"+name, "aws://a/b/"+name, "aws://"+name)
		return inTree("awsElasticBlockStore", object{"volumeID": id}, "kubernetes.io/csi/ebs.csi.aws.com^vol-"+name)
	case "gce":
		attached := "kubernetes.io/csi/pd.csi.storage.gke.io^projects/UNSPECIFIED/zones/UNSPECIFIED/disks/" + handle
		return inTree("gcePersistentDisk", object{"pdName": handle}, attached)
	case "azure":
		parts := object{"diskName": name, "diskURI": "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/disks/" + name}
		// The API server sets Shared if no kind is stated.
		parts["kind"] = usual(g, "Managed", "Dedicated", "Shared")
		return inTree("azureDisk", parts, "kubernetes.io/csi/disk.csi.azure.com^"+parts["diskURI"].(string))
	case "odd":
		return one(g, object{"rbd": object{"monitors": []string{"m"}, "image": handle}},
			object{"cephfs": object{"monitors": []string{"m"}}}, object{"glusterfs": object{"endpoints": "e", "path": "p"}}), ""
	}
	driver := one(g, drivers...)
	return object{"csi": object{"driver": driver, "volumeHandle": handle}}, "kubernetes.io/csi/" + driver + "^" + handle
}

// addVolume adds the PersistentVolume of a claim.
func (g *generator) addVolume(name, claim string) {
	spec, attached := g.source(name)
	if attached != "" && usual(g, true, false) {
		g.attached = append(g.attached, object{"name": attached, "devicePath": ""})
	}
	spec["capacity"] = object{"storage": "1Gi"}
	spec["accessModes"] = one(g, []string{"ReadWriteOnce"}, []string{"ReadWriteMany"}, []string{"ReadWriteOncePod"},
		[]string{"ReadWriteOncePod", "ReadWriteOnce"})
	spec["volumeMode"] = one(g, "Filesystem", "Filesystem", "Block")
	// Only the plugin of hostPath refuses mount options.
	if options := g.options; options.percent(g.odd) || spec["hostPath"] != nil && options.percent(50) {
		spec["mountOptions"] = one(options, []string{"ro"}, []string{"noatime", "nodev"}, []string{"ro", ""}, []string{""})
	}
	if g.percent(20 + g.odd) {
		terms := []object{{"matchExpressions": []object{
			{"key": usual(g, "zone", "region"), "operator": usual(g, "In", "NotIn"), "values": []string{usual(g, "a", "b")}},
		}}}
		if g.percent(g.odd) {
			terms[0]["matchFields"] = []object{{"key": "metadata.name", "operator": "In", "values": []string{one(g, ownNode, otherNode)}}}
		}
		spec["nodeAffinity"] = object{"required": object{"nodeSelectorTerms": terms}}
	}
	named := object{"namespace": namespace, "name": claim, "uid": usual(g, "u-"+claim, "u-other", "")}
	if usual(g, true, false) {
		spec["claimRef"] = named
	}
	g.add("v1", "PersistentVolume", "", name, object{"spec": spec, "status": object{"phase": "Bound"}})
}

// statusOf returns the status of a claim with the capacity of its volume.
func statusOf(phase string) object {
	return object{"phase": phase, "capacity": object{"storage": "1Gi"}}
}

// addClaim adds a claim and its volume.
func (g *generator) addClaim(name string) {
	g.claims = append(g.claims, name)
	volume := "pv-" + name
	if usual(g, true, false) {
		g.addVolume(volume, name)
	}
	if !usual(g, true, false) {
		return
	}
	spec := object{"volumeName": usual(g, volume, "", "pv-c1")}
	claim := g.add("v1", "PersistentVolumeClaim", namespace, name, object{
		"spec": spec, "status": statusOf(usual(g, "Bound", "Pending", "Lost")),
	})
	metadata := claim["metadata"].(object)
	if usual(g, true, false) {
		metadata["finalizers"] = []string{"kubernetes.io/pvc-protection"}
	} else {
		metadata["finalizers"] = []string{"example.com/hold"}
	}
	if g.percent(g.odd) {
		metadata["deletionTimestamp"] = "2026-06-01T11:00:00Z"
	}
}

// addEphemeral adds the claim of an ephemeral volume, and the volume of that claim.
func (g *generator) addEphemeral(pod, volume string) {
	name := pod + "-" + volume
	g.addVolume("pv-"+name, name)
	if !usual(g, true, false) {
		return
	}
	claim := g.add("v1", "PersistentVolumeClaim", namespace, name, object{
		"spec": object{"volumeName": "pv-" + name}, "status": statusOf(usual(g, "Bound", "Pending")),
	})
	claim["metadata"].(object)["ownerReferences"] = []object{{
		"apiVersion": "v1", "kind": "Pod", "name": pod, "uid": usual(g, "u-"+pod, "u-old"), "controller": usual(g, true, false),
	}}
}

// addPod adds a pod with its volumes. A volume can be used by no container, by files, as a device, or in both ways.
func (g *generator) addPod(name string) {
	volumes := []object{}
	containers := map[string]object{}
	use := func(volume string, asFiles, asDevice bool) {
		kind := one(g, "containers", "containers", "containers", "initContainers", "ephemeralContainers")
		if containers[kind] == nil {
			containers[kind] = object{"name": "c-" + kind, "image": "i", "volumeMounts": []object{}, "volumeDevices": []object{}}
		}
		made := containers[kind]
		if asFiles {
			made["volumeMounts"] = append(made["volumeMounts"].([]object), object{"name": volume, "mountPath": "/" + volume})
		}
		if asDevice {
			made["volumeDevices"] = append(made["volumeDevices"].([]object), object{"name": volume, "devicePath": "/dev/" + volume})
		}
	}
	for number := range one(g, 0, 1, 1, 2, 2, 3, 4) {
		volume := one(g, "v", "w", "a") + strconv.Itoa(number)
		var source object
		isBlock := false
		sort := one(g, "claim", "claim", "claim", "claim", "ephemeral", "other")
		if g.onlyClaims && sort == "other" {
			sort = "claim"
		}
		switch sort {
		case "claim":
			claim := usual(g, one(g, g.claims...), "missing")
			isBlock = g.isBlock("pv-" + claim)
			source = object{"persistentVolumeClaim": object{"claimName": claim}}
			if g.onlyClaims && g.percent(15) {
				source["persistentVolumeClaim"].(object)["readOnly"] = true
			}
		case "ephemeral":
			g.addEphemeral(name, volume)
			isBlock = g.isBlock("pv-" + name + "-" + volume)
			source = object{"ephemeral": object{"volumeClaimTemplate": object{"spec": object{}}}}
		case "other":
			source = one(g, object{"emptyDir": object{}}, object{"secret": object{"secretName": "s"}},
				object{"configMap": object{"name": "m"}}, object{"nfs": object{"server": "nfs.example.com", "path": "/"}},
				object{"hostPath": object{"path": "/srv"}})
		}
		source["name"] = volume
		volumes = append(volumes, source)
		isMisused := usual(g, false, true)
		if isUsed := usual(g, true, false); isUsed {
			use(volume, isBlock == isMisused, isBlock != isMisused)
		}
		if g.percent(g.odd / 2) {
			use(volume, g.percent(50), g.percent(50))
		}
	}
	slices.Reverse(volumes)
	spec := object{"nodeName": usual(g, ownNode, otherNode), "volumes": volumes}
	for kind, made := range containers {
		spec[kind] = []object{made}
	}
	g.add("v1", "Pod", namespace, name, object{"spec": spec, "status": object{"phase": "Pending"}})
}

// isBlock returns whether the volume of this name is a block device.
func (g *generator) isBlock(name string) bool {
	place := slices.IndexFunc(g.objects, func(each object) bool {
		return each["kind"] == "PersistentVolume" && each["metadata"].(object)["name"] == name
	})
	return place >= 0 && g.objects[place]["spec"].(object)["volumeMode"] == "Block"
}
