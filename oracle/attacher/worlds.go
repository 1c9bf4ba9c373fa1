package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// The domains are small on purpose: objects whose values come from the same few values are often related. A value that
// is listed more than once is chosen more often.
const (
	ownDriver     = "csi.example.com"
	foreignDriver = "other.example.com"
	ebsDriver     = "ebs.csi.aws.com"
	cinderDriver  = "cinder.csi.openstack.org"
	nodeID        = "csi.alpha.kubernetes.io/node-id"
	migratedTo    = "pv.kubernetes.io/migrated-to"
)

// object is a JSON object.
type object = map[string]any

// generator holds one world while it is generated.
type generator struct {
	*rand.Rand
	objects []object
	sidecar Sidecar
	// odd is the probability in percent that a field has another value than the rest of the world suggests.
	odd int
	// theme is the part of the world that is odd more often: "", "requests", "modes", "volumes" or
	// "sources".
	theme string
	// volumes are the names of the volumes, handles are their handles, and ids are the ids of the nodes.
	volumes, handles, ids []string
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

func (g *generator) add(version, kind, name string, parts object) object {
	uid := fmt.Sprintf("u-%s-%s", strings.ToLower(kind), name)
	metadata := object{"name": name, "uid": uid, "creationTimestamp": "2026-06-01T10:00:00Z", "resourceVersion": strconv.Itoa(1001 + len(g.objects))}
	made := object{"apiVersion": version, "kind": kind, "metadata": metadata}
	for key, value := range parts {
		made[key] = value
	}
	g.objects = append(g.objects, made)
	return made
}

func setMeta(each object, key string, value any) { each["metadata"].(object)[key] = value }

// focus raises odd if theme is the theme of the world. The returned function restores odd.
func (g *generator) focus(theme string) func() {
	before := g.odd
	if g.theme == theme {
		g.odd = 50
	}
	return func() { g.odd = before }
}

// finish sets the finalizers. An object that is being deleted has at least one.
func (g *generator) finish(each object, deleting bool, finalizers []string) {
	if deleting && len(finalizers) == 0 {
		finalizers = []string{"example.com/hold"}
	}
	if len(finalizers) > 0 {
		setMeta(each, "finalizers", finalizers)
	}
	if deleting {
		setMeta(each, "deletionTimestamp", "2026-06-01T11:00:00Z")
		setMeta(each, "deletionGracePeriodSeconds", 0)
	}
}

// finalizerOf returns the finalizer of the attacher of a driver.
func finalizerOf(driver string) string {
	replaced := strings.Map(func(letter rune) rune {
		if letter == '-' || letter >= '0' && letter <= '9' || letter >= 'a' && letter <= 'z' || letter >= 'A' && letter <= 'Z' {
			return letter
		}
		return '-'
	}, driver)
	if strings.HasSuffix(replaced, "-") {
		replaced += "X"
	}
	return "external-attacher/" + replaced
}

// generate generates the index-th world of a seed. The same seed and index always give the same bytes.
func generate(seed uint64, index int) Line {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[0:], seed)
	binary.LittleEndian.PutUint64(key[8:], uint64(index))
	copy(key[16:], "pvctl attacher")
	g := &generator{Rand: rand.New(rand.NewChaCha8(key))}
	g.odd = one(g, 0, 2, 5, 10, 25, 50)
	if g.theme = one(g, "", "", "requests", "modes", "volumes", "sources"); g.theme != "" {
		g.odd = one(g, 0, 0, 2)
	}
	g.start()
	g.addNodes()
	for number := range one(g, 1, 2, 2, 3, 3, 4) {
		name := fmt.Sprintf("pv-%d", number+1)
		g.volumes = append(g.volumes, name)
		g.addVolume(name)
	}
	for number := range one(g, 1, 2, 3, 3, 4, 5, 6) {
		g.addAttachment(fmt.Sprintf("csi-%d", number+1))
	}
	attacher := &Attacher{Sidecar: g.sidecar, Driver: g.driver(), Failures: one(g, 0, 0, 0, 1, 2, 5, 8, 9, 12, 70)}
	for _, name := range []string{"default/s1", "default/s2", "vault/s1"} {
		if g.percent(75) {
			attacher.Secrets = append(attacher.Secrets, name)
		}
	}
	attacher.Refuse = g.refuse()
	list := List{APIVersion: "v1", Kind: "List", Items: []json.RawMessage{}}
	for _, each := range g.objects {
		text, err := json.Marshal(each)
		if err != nil {
			panic(err)
		}
		list.Items = append(list.Items, text)
	}
	return Line{ID: fmt.Sprintf("attacher-s%d-%06d", seed, index), Tags: []string{"attacher"}, World: list, Attacher: attacher}
}

func (g *generator) refuse() []Refused {
	defer g.focus("requests")()
	var all []Refused
	for _, request := range []string{"volume", "attachment", "status"} {
		if g.percent(g.odd) {
			all = append(all, Refused{Request: request, Times: one(g, 1, 1, 2), Reason: one(g, "InternalError", "NotFound")})
		}
	}
	return all
}

func (g *generator) start() {
	s := &g.sidecar
	s.Driver = one(g, ownDriver, ownDriver, ownDriver, ownDriver, ebsDriver, ebsDriver, cinderDriver)
	s.Driver = usual(g, s.Driver, s.Driver, s.Driver, "csi.Example_9.com", "csi.example.com.")
	for _, each := range []string{"CONTROLLER_SERVICE", "PUBLISH_UNPUBLISH_VOLUME"} {
		if !g.percent(3 + g.odd/4) {
			s.Capabilities = append(s.Capabilities, each)
		}
	}
	for _, each := range []string{"PUBLISH_READONLY", "SINGLE_NODE_MULTI_WRITER"} {
		if g.percent(50) {
			s.Capabilities = append(s.Capabilities, each)
		}
	}
	if g.percent(50) {
		s.Capabilities = append(s.Capabilities, "LIST_VOLUMES")
		if !g.percent(20) {
			s.Capabilities = append(s.Capabilities, "LIST_VOLUMES_PUBLISHED_NODES")
		}
	}
	s.DefaultFSType = one(g, "", "", "ext4")
	s.Timeout = one[int64](g, 15000, 15000, 15000, 10000, 30000)
}

func (g *generator) driver() Driver {
	code := func() string {
		return one(g, "OK", "OK", "OK", "OK", "OK", "OK", "OK", "Internal", "NotFound", "DeadlineExceeded", "Aborted", "Unavailable",
			"ResourceExhausted", "FailedPrecondition", "InvalidArgument", "Canceled", "Unknown", "Unimplemented", "PermissionDenied",
			"AlreadyExists", "OutOfRange", "DataLoss", "Unauthenticated")
	}
	made := Driver{
		Publish: code(), Unpublish: code(), Latency: one[int64](g, 0, 0, 0, 0, 300, 1500, 4200, 9900, 12000, 40000),
		List: usual(g, "OK", "Internal", "Unavailable"), Published: map[string][]string{},
	}
	if g.percent(60) {
		made.Context = map[string]string{"device": one(g, "/dev/xvda", "/dev/xvdb")}
		if g.percent(30) {
			made.Context["lun"] = "3"
		}
	}
	for _, handle := range g.handles {
		if g.percent(70) && len(g.ids) > 0 {
			made.Published[handle] = []string{one(g, g.ids...)}
			if g.percent(30) {
				made.Published[handle] = append(made.Published[handle], one(g, g.ids...))
			}
		}
	}
	return made
}

func (g *generator) addNodes() {
	for number := range 3 {
		name := fmt.Sprintf("n%d", number+1)
		if g.percent(g.odd) {
			continue
		}
		drivers := []object{}
		for _, driver := range []string{foreignDriver, g.sidecar.Driver} {
			if g.percent(90 - g.odd/2) {
				id := usual(g, "id-"+name, "", "other-id")
				drivers = append(drivers, object{"name": driver, "nodeID": id, "topologyKeys": nil})
				g.ids = append(g.ids, id)
			}
		}
		g.add("storage.k8s.io/v1", "CSINode", name, object{"spec": object{"drivers": drivers}})
	}
}

// source returns the fields of a CSI volume.
func (g *generator) source(handle string) object {
	g.handles = append(g.handles, handle)
	csi := object{"driver": usual(g, g.sidecar.Driver, foreignDriver, ebsDriver, cinderDriver), "volumeHandle": handle}
	if g.percent(20) {
		csi["readOnly"] = true
	}
	if g.percent(50) {
		csi["fsType"] = one(g, "ext4", "xfs")
	}
	if g.percent(50) {
		csi["volumeAttributes"] = object{"pool": one(g, "a", "b"), "storage.kubernetes.io/csiProvisionerIdentity": "1-8081-x"}
	}
	if g.percent(15 + g.odd/2) {
		csi["controllerPublishSecretRef"] = object{"name": one(g, "s1", "s2"), "namespace": one(g, "default", "vault")}
	}
	return csi
}

// modes adds the access modes, the volume mode and the mount options of a volume.
func (g *generator) modes(spec object) {
	defer g.focus("modes")()
	spec["accessModes"] = usual(g, one(g, []string{"ReadWriteOnce"}, []string{"ReadWriteOnce"}, []string{"ReadOnlyMany"}, []string{"ReadWriteMany"},
		[]string{"ReadWriteOncePod"}), []string{"ReadWriteOnce", "ReadOnlyMany"}, []string{"ReadOnlyMany", "ReadWriteMany"},
		[]string{"ReadWriteOncePod", "ReadWriteOnce"}, []string{"ReadWriteOncePod", "ReadWriteOncePod"}, []string{}, []string{"Sometimes", "Never"})
	if !g.percent(10) {
		spec["volumeMode"] = one(g, "Filesystem", "Filesystem", "Block")
	}
	if g.percent(20) {
		spec["mountOptions"] = []string{"noatime", "ro"}
	}
}

func (g *generator) addVolume(name string) {
	defer g.focus("volumes")()
	spec := object{
		"capacity": object{"storage": "10Gi"}, "persistentVolumeReclaimPolicy": one(g, "Delete", "Retain"), "storageClassName": "fast",
	}
	g.modes(spec)
	handle := "handle-of-" + usual(g, name, "pv-1")
	inTree := 5 + g.odd
	if g.sidecar.Driver == ebsDriver || g.sidecar.Driver == cinderDriver {
		inTree = 60
	}
	disk := object{}
	if g.percent(50) {
		disk["fsType"] = "ext4"
	}
	if g.percent(20) {
		disk["readOnly"] = true
	}
	switch {
	case !g.percent(inTree):
		spec["csi"] = g.source(handle)
	case g.percent(5 + g.odd/2):
		spec["azureDisk"] = object{"diskName": name, "diskURI": handle, "kind": "Dedicated"}
	case g.percent(15):
		spec["nfs"] = object{"server": "nfs.example.com", "path": "/srv/" + name}
	case g.sidecar.Driver == cinderDriver || g.percent(20):
		disk["volumeID"] = handle
		g.handles = append(g.handles, handle)
		spec["cinder"] = disk
	default:
		id := usual(g, one(g, "vol-"+name, "aws://us-east-1a/vol-"+name), "aws://us-east-1a/disk-"+name, "aws:///", "aws://us-east-1a/x/vol-1")
		disk["volumeID"] = id
		if g.percent(30) {
			disk["partition"] = one(g, 1, 2)
		}
		g.handles = append(g.handles, "vol-"+name)
		spec["awsElasticBlockStore"] = disk
	}
	made := g.add("v1", "PersistentVolume", name, object{"spec": spec, "status": object{"phase": one(g, "Bound", "Bound", "Released", "Available")}})
	finalizers := []string{}
	for _, each := range []string{"kubernetes.io/pv-protection", finalizerOf(g.sidecar.Driver), finalizerOf(foreignDriver)} {
		if g.percent(55) {
			finalizers = append(finalizers, each)
		}
	}
	if g.percent(20) {
		slices.Reverse(finalizers)
	}
	g.finish(made, g.percent(10+g.odd/2), finalizers)
	annotations := object{}
	if g.percent(30) {
		annotations["pv.kubernetes.io/provisioned-by"] = g.sidecar.Driver
	}
	if _, isCSI := spec["csi"]; !isCSI && g.percent(60) || g.percent(g.odd/2) {
		annotations[migratedTo] = usual(g, g.sidecar.Driver, foreignDriver, "")
	}
	if len(annotations) > 0 {
		setMeta(made, "annotations", annotations)
	}
}

func (g *generator) addAttachment(name string) {
	node := usual(g, one(g, "n1", "n2", "n3"), "n9")
	restore := g.focus("sources")
	source := object{}
	isInline := g.percent(10 + g.odd/3)
	if !isInline || g.percent(g.odd/5) {
		source["persistentVolumeName"] = usual(g, one(g, g.volumes...), "pv-9")
	}
	if isInline {
		spec := object{}
		g.modes(spec)
		if !g.percent(g.odd / 2) {
			spec["csi"] = g.source("handle-of-inline")
		} else if g.percent(50) {
			spec["nfs"] = object{"server": "nfs.example.com", "path": "/srv"}
		}
		source["inlineVolumeSpec"] = spec
	}
	if g.percent(g.odd / 10) {
		source = object{}
	}
	restore()
	attacher := usual(g, g.sidecar.Driver, foreignDriver, g.sidecar.Driver)
	spec := object{"attacher": attacher, "nodeName": node, "source": source}
	deleting := g.percent(50)
	attached := g.percent(35) || deleting && g.percent(40)
	status := object{"attached": attached}
	if attached && g.percent(50) {
		status["attachmentMetadata"] = object{"device": one(g, "/dev/xvda", "/dev/xvdb")}
	}
	for _, field := range []string{"attachError", "detachError"} {
		if g.percent(20) {
			volumeError := object{"time": "2026-06-01T10:30:00Z", "message": one(g, "the driver said no", "rpc error: code = Internal desc = the driver says no")}
			if field == "attachError" && g.percent(50) {
				volumeError["errorCode"] = one(g, 8, 13)
			}
			status[field] = volumeError
		}
	}
	made := g.add("storage.k8s.io/v1", "VolumeAttachment", name, object{"spec": spec, "status": status})
	finalizers := []string{}
	if g.percent(15) {
		finalizers = append(finalizers, "example.com/hold")
	}
	if g.percent(60) {
		finalizers = append(finalizers, finalizerOf(usual(g, attacher, foreignDriver)))
	}
	if g.percent(10) {
		finalizers = append(finalizers, "example.com/last")
	}
	g.finish(made, deleting, finalizers)
	annotations := object{}
	if g.percent(60) {
		annotations[nodeID] = usual(g, "id-"+node, "other-id", "")
	}
	if g.percent(10) {
		annotations["example.com/note"] = "x"
	}
	if len(annotations) > 0 {
		setMeta(made, "annotations", annotations)
	}
}
