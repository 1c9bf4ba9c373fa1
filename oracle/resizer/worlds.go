package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// The domains are small on purpose: objects whose values come from the same few values are often related. A value that
// is listed more than once is chosen more often.
const (
	namespace     = "default"
	ownDriver     = "csi.example.com"
	foreignDriver = "other.example.com"
	ebsDriver     = "ebs.csi.aws.com"
	cinderDriver  = "cinder.csi.openstack.org"

	storageResizer  = "volume.kubernetes.io/storage-resizer"
	preResize       = "volume.alpha.kubernetes.io/pre-resize-capacity"
	notRequired     = "volume.kubernetes.io/node-expansion-not-required"
	secretName      = "volume.kubernetes.io/controller-modify-secret-name"
	secretNamespace = "volume.kubernetes.io/controller-modify-secret-namespace"
)

// object is a JSON object.
type object = map[string]any

// generator holds one world while it is generated.
type generator struct {
	*rand.Rand
	objects []object
	sidecar Sidecar
	memory  map[string]Memory
	// odd is the probability in percent that a field has another value than the rest of the world suggests.
	odd int
	// theme is the part of the world that is odd more often: "", "requests", "volumes", "claims" or "modify".
	theme string
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
	uid := fmt.Sprintf("u-%s-%s", strings.ToLower(kind), name)
	metadata := object{"name": name, "uid": uid, "creationTimestamp": "2026-06-01T10:00:00Z", "resourceVersion": strconv.Itoa(1001 + len(g.objects))}
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

// annotate sets the annotations of an object, if there are any.
func annotate(each, annotations object) {
	if len(annotations) > 0 {
		each["metadata"].(object)["annotations"] = annotations
	}
}

// focus raises odd if theme is the theme of the world. The returned function restores odd.
func (g *generator) focus(theme string) func() {
	before := g.odd
	if g.theme == theme {
		g.odd = 50
	}
	return func() { g.odd = before }
}

// generate generates the index-th world of a seed. The same seed and index always give the same bytes.
func generate(seed uint64, index int) Line {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[0:], seed)
	binary.LittleEndian.PutUint64(key[8:], uint64(index))
	copy(key[16:], "pvctl resizer")
	g := &generator{Rand: rand.New(rand.NewChaCha8(key)), memory: map[string]Memory{}}
	g.odd = one(g, 0, 2, 5, 10, 25)
	if g.theme = one(g, "", "", "requests", "volumes", "claims", "modify"); g.theme != "" {
		g.odd = one(g, 0, 0, 2)
	}
	g.start()
	for _, class := range []string{"gold", "silver", "bronze"} {
		if g.percent(70) {
			parts := object{"driverName": g.sidecar.Driver}
			if !g.percent(15) {
				parts["parameters"] = object{"iops": one(g, "100", "3000"), "of": class}
			}
			g.add("storage.k8s.io/v1", "VolumeAttributesClass", "", class, parts)
		}
	}
	for number := range one(g, 1, 2, 3, 3, 4) {
		g.addPair(number + 1)
	}
	resizer := &Resizer{
		Sidecar: g.sidecar, Driver: g.driver(), Failures: one(g, 0, 0, 0, 1, 2, 5, 8, 9, 12, 70), Memory: g.memory,
		Refuse: g.refuse(),
	}
	for _, name := range []string{"default/s1", "default/s2", "vault/s1"} {
		if g.percent(75) {
			resizer.Secrets = append(resizer.Secrets, name)
		}
	}
	list := List{APIVersion: "v1", Kind: "List", Items: []json.RawMessage{}}
	for _, each := range g.objects {
		list.Items = append(list.Items, written(each))
	}
	return Line{ID: fmt.Sprintf("resizer-s%d-%06d", seed, index), Tags: []string{"resizer"}, World: list, Resizer: resizer}
}

func (g *generator) refuse() []Refused {
	defer g.focus("requests")()
	var all []Refused
	for _, request := range []string{"volume", "claim"} {
		for place := range 2 {
			// If the first request fails, there is often no second one.
			if g.percent(g.odd / (2 - place)) {
				reason := one(g, "InternalError", "NotFound", "Conflict")
				all = append(all, Refused{Request: request, Place: place, Reason: reason})
			}
		}
	}
	return all
}

func (g *generator) start() {
	s := &g.sidecar
	s.Driver = one(g, ownDriver, ownDriver, ownDriver, ownDriver, ebsDriver, ebsDriver, cinderDriver)
	for _, each := range []struct {
		name   string
		chance int
	}{{"EXPAND_VOLUME", 88}, {"NODE_EXPAND_VOLUME", 80}, {"MODIFY_VOLUME", 80}, {"SINGLE_NODE_MULTI_WRITER", 50}} {
		if g.percent(each.chance) {
			s.Capabilities = append(s.Capabilities, each.name)
		}
	}
	s.WatchesPods = g.percent(80)
	s.ExtraMetadata = g.percent(30)
	s.ResizeTimeout = one[int64](g, 10000, 10000, 10000, 30000)
	s.ModifyTimeout = one[int64](g, 10000, 10000, 10000, 30000)
}

const mebibyte = 1 << 20

func (g *generator) driver() Driver {
	code := func(likely ...string) string {
		if g.percent(45) {
			return "OK"
		}
		if g.percent(60) {
			return one(g, likely...)
		}
		return one(g, "Internal", "NotFound", "DeadlineExceeded", "Aborted", "Unavailable", "ResourceExhausted", "FailedPrecondition",
			"InvalidArgument", "Canceled", "Unknown", "Unimplemented", "PermissionDenied", "AlreadyExists", "OutOfRange", "DataLoss",
			"Unauthenticated")
	}
	return Driver{
		Expand:  code("FailedPrecondition", "FailedPrecondition", "OutOfRange", "NotFound", "InvalidArgument", "Internal", "DeadlineExceeded"),
		Modify:  code("InvalidArgument", "InvalidArgument", "OutOfRange", "Internal", "DeadlineExceeded"),
		Latency: one[int64](g, 0, 0, 0, 0, 300, 1500, 4200, 9900, 12000, 40000),
		Capacity: one[int64](g, 1024, 2048, 3072, 3072, 4096, 4096, 5120)*mebibyte +
			usual[int64](g, 0, 1, 512, -1024*mebibyte),
		NodeExpansion: g.percent(60),
	}
}

// size returns a size as somebody may write it. Its number is about that many GiB.
func (g *generator) size(gibibytes int) string {
	return usual(g, fmt.Sprintf("%dGi", gibibytes), fmt.Sprintf("%dMi", gibibytes*1024), fmt.Sprint(gibibytes*1024*mebibyte),
		fmt.Sprintf("%dG", gibibytes), fmt.Sprintf("%d.5Gi", gibibytes), fmt.Sprintf("%de9", gibibytes), fmt.Sprintf("%d000M", gibibytes))
}

// addPair adds a claim and its volume, and sometimes pods that use the claim.
func (g *generator) addPair(number int) {
	claim, volume := fmt.Sprintf("c%d", number), fmt.Sprintf("pv-%d", number)
	uid := "u-persistentvolumeclaim-" + claim
	// The sizes that the claim has, that the volume has, that is being made and that is requested. Most claims are at one
	// of the steps of an expansion from the first to the last size.
	has := one(g, 1, 2)
	wants := has + one(g, 0, 1, 1, 2)
	capacity, allocated := has, wants
	if g.percent(35) {
		capacity = wants
	}
	if g.percent(25) {
		allocated = has + 1
	}
	if g.percent(10) {
		capacity, allocated = one(g, 1, 2, 3, 4), one(g, 1, 2, 3, 4)
	}
	target := one(g, "gold", "silver", "bronze", "gone")
	if !g.percent(g.odd / 2) {
		g.addVolume(volume, claim, uid, g.size(capacity), target)
	}
	g.addClaim(claim, volume, has, wants, allocated, target)
	for place := range one(g, 0, 0, 0, 1, 1, 2) {
		phase := one(g, "Running", "Running", "Pending", "Succeeded", "Failed")
		mount := object{"name": "data", "persistentVolumeClaim": object{"claimName": claim}}
		if g.percent(10) {
			mount = object{"name": "data", "ephemeral": object{"volumeClaimTemplate": object{"spec": object{}}}}
		}
		spec := object{"containers": []object{{"name": "main", "image": "example.com/main"}}, "volumes": []object{mount}}
		space := usual(g, namespace, "other")
		g.add("v1", "Pod", space, fmt.Sprintf("p-%s-%d", claim, place+1), object{"spec": spec, "status": object{"phase": phase}})
	}
}

func (g *generator) addVolume(name, claim, uid, capacity, target string) {
	defer g.focus("volumes")()
	spec := object{"persistentVolumeReclaimPolicy": one(g, "Delete", "Retain"), "storageClassName": "fast"}
	if !g.percent(g.odd / 8) {
		spec["capacity"] = object{"storage": capacity}
	}
	spec["accessModes"] = usual(g, one(g, []string{"ReadWriteOnce"}, []string{"ReadWriteOnce"}, []string{"ReadOnlyMany"}, []string{"ReadWriteMany"},
		[]string{"ReadWriteOncePod"}), []string{"ReadWriteOnce", "ReadOnlyMany"}, []string{"ReadWriteOncePod", "ReadWriteOnce"}, []string{})
	if !g.percent(10) {
		spec["volumeMode"] = one(g, "Filesystem", "Filesystem", "Block")
	}
	if g.percent(20) {
		spec["mountOptions"] = []string{"noatime", "ro"}
	}
	inTree := g.odd / 2
	if g.sidecar.Driver != ownDriver {
		inTree = 40
	}
	switch {
	case !g.percent(inTree):
		csi := object{"driver": usual(g, g.sidecar.Driver, foreignDriver, ebsDriver), "volumeHandle": usual(g, "handle-of-"+name, "")}
		if g.percent(50) {
			csi["fsType"] = one(g, "ext4", "xfs")
		}
		if g.percent(25 + g.odd/2) {
			csi["controllerExpandSecretRef"] = object{"name": one(g, "s1", "s2"), "namespace": one(g, "default", "vault")}
		}
		spec["csi"] = csi
	case g.percent(15):
		spec["nfs"] = object{"server": "nfs.example.com", "path": "/srv/" + name}
	case g.sidecar.Driver == cinderDriver || g.percent(20):
		spec["cinder"] = object{"volumeID": "handle-of-" + name, "fsType": "ext4"}
	default:
		id := usual(g, one(g, "vol-"+name, "aws://us-east-1a/vol-"+name), "aws://us-east-1a/disk-"+name, "aws:///")
		spec["awsElasticBlockStore"] = object{"volumeID": id}
	}
	reference := object{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": namespace, "name": claim, "uid": uid}
	switch usual(g, "", "uid", "namespace", "none") {
	case "uid":
		reference["uid"] = "u-other"
	case "namespace":
		reference["namespace"] = "other"
	case "none":
		reference = nil
	}
	if reference != nil {
		spec["claimRef"] = reference
	}
	if class := one(g, "", "gold", "silver", target); class != "" && class != "gone" {
		spec["volumeAttributesClassName"] = class
	}
	made := g.add("v1", "PersistentVolume", "", name, object{"spec": spec, "status": object{"phase": "Bound"}})
	annotations := object{}
	if g.percent(25) {
		annotations[preResize] = one(g, "1Gi", "2Gi")
	}
	if g.percent(30) {
		annotations["pv.kubernetes.io/provisioned-by"] = g.sidecar.Driver
	}
	if g.percent(25) {
		annotations[secretName] = usual(g, one(g, "s1", "s2"), "")
		annotations[secretNamespace] = one(g, "default", "vault")
		if g.percent(g.odd) {
			delete(annotations, secretNamespace)
		}
	}
	annotate(made, annotations)
}

func (g *generator) addClaim(name, volume string, has, wants, allocated int, target string) {
	defer g.focus("claims")()
	spec := object{
		"accessModes": []string{"ReadWriteOnce"}, "storageClassName": "fast", "resources": object{"requests": object{"storage": g.size(wants)}},
	}
	if name := usual(g, volume, "", "pv-9"); name != "" {
		spec["volumeName"] = name
	}
	status := object{"phase": usual(g, "Bound", "Pending", "Lost", ""), "accessModes": []string{"ReadWriteOnce"}}
	if !g.percent(g.odd / 4) {
		status["capacity"] = object{"storage": g.size(has)}
	}
	memory := Memory{}
	resizing := g.resizing(status, allocated)
	modifying := g.modifying(spec, status, target)
	conditions := append(resizing, modifying...)
	for _, kind := range []string{"Unused", "example.com/Checked"} {
		if g.percent(8) {
			conditions = append(conditions, g.condition(kind))
		}
	}
	g.Shuffle(len(conditions), func(one, other int) { conditions[one], conditions[other] = conditions[other], conditions[one] })
	if len(conditions) > 0 {
		status["conditions"] = conditions
	}
	made := g.add("v1", "PersistentVolumeClaim", namespace, name, object{"spec": spec, "status": status})
	if g.percent(10) {
		made["metadata"].(object)["deletionTimestamp"] = "2026-06-01T11:00:00Z"
		made["metadata"].(object)["finalizers"] = []string{"kubernetes.io/pvc-protection"}
	}
	annotations := object{}
	if g.percent(85) {
		annotations["pv.kubernetes.io/bind-completed"] = "yes"
	}
	if g.sidecar.Driver != ownDriver && g.percent(75) || g.percent(g.odd) {
		annotations[storageResizer] = usual(g, g.sidecar.Driver, "kubernetes.io/aws-ebs", foreignDriver)
	}
	if g.percent(25) {
		annotations[notRequired] = one(g, "true", "true", "yes")
	}
	annotate(made, annotations)
	// The times of the slow set are no multiples of 100 ms: the set loses claims every 100 ms.
	until := func() int64 { return one[int64](g, 50, 2050, 9950, 60050, 299950) }
	if g.percent(20) {
		memory.Slow = until()
	}
	if g.percent(20) {
		memory.ModifySlow = until()
	}
	memory.Final, memory.InUse, memory.Uncertain = g.percent(25), g.percent(30), g.percent(45)
	g.memory[namespace+"/"+name] = memory
}

// resizing sets the fields of the status that show an expansion. It returns the conditions.
func (g *generator) resizing(status object, allocated int) []object {
	progress := one(g, "", "", "", "ControllerResizeInProgress", "ControllerResizeInProgress", "ControllerResizeInfeasible", "NodeResizePending",
		"NodeResizeInProgress", "NodeResizeInfeasible")
	progress = usual(g, progress, "ControllerResizeFailed", "NodeResizeFailed")
	statuses, sizes := object{}, object{}
	if progress != "" {
		statuses["storage"] = progress
	}
	if progress != "" && !g.percent(15) || g.percent(20) {
		sizes["storage"] = g.size(allocated)
	}
	if g.percent(12) {
		statuses["example.com/inodes"], sizes["example.com/inodes"] = "NodeResizePending", "5"
	}
	if len(statuses) > 0 {
		status["allocatedResourceStatuses"] = statuses
	}
	if len(sizes) > 0 {
		status["allocatedResources"] = sizes
	}
	var conditions []object
	for _, kind := range []string{"Resizing", "FileSystemResizePending", "ControllerResizeError", "NodeResizeError"} {
		if g.percent(25) {
			conditions = append(conditions, g.condition(kind))
		}
	}
	return conditions
}

// modifying sets the fields that show a modification of the volume. It returns the conditions.
func (g *generator) modifying(spec, status object, target string) []object {
	defer g.focus("modify")()
	if g.percent(25) {
		return nil
	}
	if wanted := one(g, target, target, target, "gold", "silver", ""); wanted != "" {
		spec["volumeAttributesClassName"] = wanted
	} else if g.percent(30) {
		spec["volumeAttributesClassName"] = ""
	}
	if current := one(g, "", "gold", "silver", target); current != "" {
		status["currentVolumeAttributesClassName"] = current
	}
	if progress := one(g, "", "", "Pending", "InProgress", "InProgress", "InProgress", "Infeasible", "Infeasible"); progress != "" {
		made := object{"status": progress}
		if to := usual(g, target, "gold", "bronze", ""); to != "" {
			made["targetVolumeAttributesClassName"] = to
		}
		status["modifyVolumeStatus"] = made
	}
	var conditions []object
	for _, kind := range []string{"ModifyingVolume", "ModifyVolumeError"} {
		if g.percent(40) {
			conditions = append(conditions, g.condition(kind))
		}
	}
	return conditions
}

func (g *generator) condition(kind string) object {
	made := object{"type": kind, "status": usual(g, "True", "False"), "lastTransitionTime": "2026-06-01T10:30:00Z"}
	if g.percent(50) {
		made["lastProbeTime"] = "2026-06-01T10:45:00Z"
	}
	if g.percent(50) {
		made["message"] = one(g, "the driver said no", "waiting")
	}
	if kind == "ModifyVolumeError" && g.percent(70) {
		made["reason"] = one(g, "Internal", "InvalidArgument")
		made["message"] = "the driver says no"
	}
	return made
}
