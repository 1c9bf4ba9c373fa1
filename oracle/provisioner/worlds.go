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
	ownDriver      = "csi.example.com"
	foreignDriver  = "other.example.com"
	ebsDriver      = "ebs.csi.aws.com"
	ebsPlugin      = "kubernetes.io/aws-ebs"
	finalizer      = "external-provisioner.volume.kubernetes.io/finalizer"
	cloneFinalizer = "provisioner.storage.kubernetes.io/cloning-protection"
	snapFinalizer  = "provisioner.storage.kubernetes.io/volumesnapshot-as-source-protection"
	zoneLabel      = "topology.kubernetes.io/zone"
	betaZoneLabel  = "failure-domain.beta.kubernetes.io/zone"
	ebsZoneLabel   = "topology.ebs.csi.aws.com/zone"
	rackLabel      = "example.com/rack"
	secretPrefix   = "csi.storage.k8s.io/"
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
	// theme is the part of the world that is odd more often: "", "clones", "snapshots", "secrets", "topology" or
	// "deletion".
	theme string
	// zone is the label that the driver uses for zones.
	zone   string
	claims []string
	// filled are the claims that can be the data source of other claims.
	filled []string
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

// focus raises odd if theme is the theme of the world. The returned function restores odd.
func (g *generator) focus(theme string) func() {
	before := g.odd
	if g.theme == theme {
		g.odd = 40
	}
	return func() { g.odd = before }
}

func (g *generator) add(version, kind, namespace, name string, parts object) object {
	uid := fmt.Sprintf("%s-%s-%s", map[bool]string{true: "u", false: namespace}[namespace == ""], kindShort[kind], name)
	metadata := object{"name": name, "uid": uid, "creationTimestamp": "2026-06-01T10:00:00Z", "resourceVersion": strconv.Itoa(1001 + len(g.objects))}
	if namespace != "" {
		metadata["namespace"] = namespace
	}
	made := object{"apiVersion": version, "kind": kind, "metadata": metadata}
	for key, value := range parts {
		made[key] = value
	}
	g.objects = append(g.objects, made)
	return made
}

// kindShort are the short names of kinds in uids.
var kindShort = map[string]string{
	"PersistentVolume": "pv", "PersistentVolumeClaim": "pvc", "StorageClass": "sc", "Node": "node", "CSINode": "csinode",
	"VolumeAttachment": "va", "VolumeSnapshot": "vs", "VolumeSnapshotContent": "vsc", "VolumeAttributesClass": "vac",
}

func annotate(each object, key, value string) {
	metadata := each["metadata"].(object)
	annotations, ok := metadata["annotations"].(object)
	if !ok {
		annotations = object{}
		metadata["annotations"] = annotations
	}
	annotations[key] = value
}

func setMeta(each object, key string, value any) { each["metadata"].(object)[key] = value }

// generate generates the index-th world of a seed. The same seed and index always give the same bytes.
func generate(seed uint64, index int) Line {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[0:], seed)
	binary.LittleEndian.PutUint64(key[8:], uint64(index))
	copy(key[16:], "pvctl provision")
	g := &generator{Rand: rand.New(rand.NewChaCha8(key))}
	g.odd = one(g, 0, 2, 5, 10, 25)
	if g.theme = one(g, "", "", "clones", "snapshots", "secrets", "topology", "deletion"); g.theme != "" {
		g.odd = one(g, 0, 0, 2)
	}
	g.start()
	g.addNodes()
	for _, name := range []string{"fast", "wait", "odd"} {
		g.addClass(name)
	}
	g.addSources()
	for range one(g, 1, 2, 2, 3, 3, 4) {
		g.addClaim()
	}
	for range one(g, 0, 1, 1, 2, 2, 3) {
		g.addVolume()
	}
	provisioning := &Provisioning{Sidecar: g.sidecar, Driver: g.driver()}
	for _, namespace := range []string{"default", "db", "vault"} {
		for _, name := range []string{"s1", "s2", "c1"} {
			if g.percent(75) {
				provisioning.Secrets = append(provisioning.Secrets, namespace+"/"+name)
			}
		}
	}
	list := List{APIVersion: "v1", Kind: "List", Items: []json.RawMessage{}}
	for _, each := range g.objects {
		text, err := json.Marshal(each)
		if err != nil {
			panic(err)
		}
		list.Items = append(list.Items, text)
	}
	return Line{ID: fmt.Sprintf("provisioning-s%d-%06d", seed, index), Tags: []string{"provisioning"}, World: list, Provisioning: provisioning}
}

func (g *generator) start() {
	s := &g.sidecar
	s.Driver, g.zone = ownDriver, zoneLabel
	if g.percent(15) {
		s.Driver, s.MigratedFrom, g.zone = ebsDriver, ebsPlugin, ebsZoneLabel
	}
	for _, each := range []string{
		"CONTROLLER_SERVICE", "CREATE_DELETE_VOLUME", "CREATE_DELETE_SNAPSHOT", "CLONE_VOLUME", "MODIFY_VOLUME",
	} {
		if !g.percent(1 + g.odd/5) {
			s.Capabilities = append(s.Capabilities, each)
		}
	}
	for _, each := range []string{"VOLUME_ACCESSIBILITY_CONSTRAINTS", "VOLUME_ACCESSIBILITY_CONSTRAINTS", "PUBLISH_UNPUBLISH_VOLUME", "SINGLE_NODE_MULTI_WRITER"} {
		if g.percent(60) && !slices.Contains(s.Capabilities, each) {
			s.Capabilities = append(s.Capabilities, each)
		}
	}
	s.StrictTopology, s.ImmediateTopology = g.percent(30), g.percent(75)
	s.ExtraCreateMetadata, s.ControllerPublishReadOnly = g.percent(20), g.percent(30)
	s.PreventVolumeModeConversion = g.percent(80)
	s.DefaultFSType = one(g, "", "", "ext4")
}

func (g *generator) driver() Driver {
	made := Driver{
		Create: one(g, "OK", "OK", "OK", "OK", "OK", "OK", "ResourceExhausted", "ResourceExhausted", "InvalidArgument", "Aborted", "DeadlineExceeded",
			"Unavailable", "Canceled", "Internal", "NotFound", "AlreadyExists"),
		Delete:   one(g, "OK", "OK", "OK", "OK", "Internal", "FailedPrecondition"),
		Capacity: one(g, "asked", "asked", "asked", "unknown", "more", "less"),
		Content:  g.percent(65),
	}
	for range one(g, 0, 1, 1, 2) {
		place := map[string]string{}
		if !g.percent(10) {
			place[g.zone] = g.place()
		}
		if g.percent(30) {
			place[rackLabel] = one(g, "r1", "r2")
		}
		made.Topology = append(made.Topology, place)
	}
	return made
}

// place returns a zone. An in-tree volume of AWS must have a zone of AWS, otherwise it cannot be translated.
func (g *generator) place() string {
	if g.sidecar.MigratedFrom != "" && !g.percent(10) {
		return one(g, "us-east-1a", "us-east-1a", "us-east-1b", "us-east-1c")
	}
	return one(g, "z1", "z1", "z2", "z3")
}

func (g *generator) addNodes() {
	defer g.focus("topology")()
	keys := one(g, []string{g.zone}, []string{g.zone}, []string{g.zone, rackLabel}, []string{rackLabel, g.zone})
	for number := range one(g, 0, 2, 3, 3, 3, 4, 4, 5) {
		name := fmt.Sprintf("n%d", number+1)
		labels := object{"kubernetes.io/hostname": name}
		if !g.percent(g.odd / 2) {
			labels[g.zone] = g.place()
		}
		if g.percent(80) {
			labels[rackLabel] = one(g, "r1", "r2")
		}
		if !g.percent(g.odd / 2) {
			setMeta(g.add("v1", "Node", "", name, nil), "labels", labels)
		}
		if g.percent(g.odd / 2) {
			continue
		}
		topology := usual(g, keys, nil, []string{g.zone}, []string{rackLabel}, []string{g.zone, rackLabel})
		drivers := []any{}
		if g.percent(20) {
			drivers = append(drivers, object{"name": foreignDriver, "nodeID": name, "topologyKeys": []string{"other.example.com/place"}})
		}
		if !g.percent(g.odd / 2) {
			drivers = append(drivers, object{"name": g.sidecar.Driver, "nodeID": name, "topologyKeys": topology})
		}
		g.add("storage.k8s.io/v1", "CSINode", "", name, object{"spec": object{"drivers": drivers}})
	}
}

// node returns the name of a node. Sometimes the world does not have this node.
func (g *generator) node() string { return fmt.Sprintf("n%d", 1+min(g.IntN(3), g.IntN(4))) }

func (g *generator) addClass(name string) {
	parts := object{"provisioner": g.provisionerName(), "volumeBindingMode": "Immediate"}
	if name == "wait" {
		parts["volumeBindingMode"] = "WaitForFirstConsumer"
	}
	if name == "odd" {
		if g.percent(15) {
			return
		}
		parts["volumeBindingMode"] = one(g, "Immediate", "WaitForFirstConsumer")
		if g.percent(40) {
			parts["provisioner"] = one(g, foreignDriver, "kubernetes.io/no-provisioner", ebsPlugin)
		}
	}
	parts["reclaimPolicy"] = one(g, "Delete", "Delete", "Retain")
	if g.percent(20) {
		parts["mountOptions"] = []string{"noatime", "ro"}
	}
	if g.percent(30) {
		parts["allowedTopologies"] = g.allowed()
	}
	if g.percent(60) {
		parts["parameters"] = g.parameters()
	}
	g.add("storage.k8s.io/v1", "StorageClass", "", name, parts)
}

func (g *generator) provisionerName() string {
	name := g.sidecar.Driver
	if g.sidecar.MigratedFrom != "" && g.percent(60) {
		name = g.sidecar.MigratedFrom
	}
	return usual(g, name, foreignDriver)
}

func (g *generator) allowed() []any {
	defer g.focus("topology")()
	zones := [][]string{{"z1"}, {"z2"}, {"z1", "z2"}, {"z3", "z1"}, {}}
	zone := g.zone
	if g.sidecar.MigratedFrom != "" {
		zones = [][]string{{"us-east-1a"}, {"us-east-1b"}, {"us-east-1a", "us-east-1b"}, {"us-east-1c", "us-east-1a"}, {}}
	}
	if g.sidecar.MigratedFrom != "" {
		zone = one(g, zoneLabel, betaZoneLabel, ebsZoneLabel)
	}
	terms := []any{}
	for range one(g, 1, 1, 1, 2) {
		expressions := []any{}
		if !g.percent(15) {
			expressions = append(expressions, object{"key": zone, "values": one(g, zones[:4]...)})
		}
		if g.percent(25) {
			expressions = append(expressions, object{"key": rackLabel, "values": one(g, []string{"r1"}, []string{"r2", "r1"}, []string{})})
		}
		if g.percent(3) {
			expressions = append(expressions, object{"key": zone, "values": one(g, zones...)})
		}
		terms = append(terms, object{"matchLabelExpressions": expressions})
	}
	return terms
}

// secretKinds are the prefixes of the parameters that name Secrets.
var secretKinds = []string{
	"", "provisioner-", "provisioner-", "controller-publish-", "node-stage-", "node-publish-", "controller-expand-", "node-expand-",
	"controller-modify-",
}

func (g *generator) parameters() object {
	defer g.focus("secrets")()
	made := object{}
	if g.percent(40) {
		made["type"] = "ssd"
	}
	if g.percent(25) {
		made[one(g, "fstype", "fsType", "csi.storage.k8s.io/fstype", "FSTYPE")] = one(g, "xfs", "ext4", "")
	}
	// If both parameters are set, the translation of an in-tree class keeps only one of them, and it is not defined
	// which one.
	if g.sidecar.MigratedFrom == "" && g.percent(g.odd/4) {
		made["csi.storage.k8s.io/fstype"], made["fsType"] = "xfs", "ext3"
	}
	for range one(g, 0, 0, 0, 1, 1, 2, 3) {
		kind := secretPrefix + one(g, secretKinds...)
		made[kind+"secret-name"] = usual(g,
			one(g, "s1", "s2", "${pvc.name}", "s1"),
			"", "${pv.name}", "$pvc.name", "${pvc.annotations['team']}", "Bad_Name", "${pvc.nme}", "${}", "a.b-c", "${pvc.namespace}-${x}", "$$", "${pvc.name}_x", "$", "${", "a$-b", "${*}x")
		made[kind+"secret-namespace"] = usual(g, one(g, "default", "${pvc.namespace}", "vault"),
			"", "${pvc.name}", "a.b", "Bad", "${pv.name}", "$1x", "${pvc.namespace}.x")
		if g.percent(g.odd / 4) {
			delete(made, kind+one(g, "secret-name", "secret-namespace"))
		}
	}
	if g.percent(8) {
		kind := one(g, "csiProvisioner", "csiNodeStage", "csiNodePublish", "csiControllerPublish")
		made[kind+"SecretName"], made[kind+"SecretNamespace"] = "s1", usual(g, "default", "")
	}
	if g.percent(1 + g.odd/5) {
		made["csi.storage.k8s.io/unknown"] = "x"
	}
	if g.sidecar.MigratedFrom != "" && g.percent(20) {
		made[one(g, "iopsPerGB", "iopspergb")] = "10"
	}
	return made
}

// addSources adds the data sources of claims, and the VolumeAttributesClasses.
func (g *generator) addSources() {
	defer g.focus("clones")()
	for number := range one(g, 0, 1, 1, 2) {
		name := fmt.Sprintf("src%d", number+1)
		namespace := one(g, "default", "default", "default", "default", "db")
		g.filled = append(g.filled, name)
		claim := g.add("v1", "PersistentVolumeClaim", namespace, name, object{
			"spec": object{
				"accessModes": []string{"ReadWriteOnce"}, "storageClassName": "fast", "volumeName": "pv-" + name, "volumeMode": "Filesystem",
				"resources": object{"requests": object{"storage": usual(g, "1Gi", "2Gi", "3Gi")}},
			},
			"status": object{"phase": usual(g, "Bound", "Pending", "Lost")},
		})
		spec := claim["spec"].(object)
		if g.percent(g.odd / 4) {
			delete(spec, "storageClassName")
		}
		if g.percent(g.odd / 4) {
			spec["volumeName"] = one(g, "", "gone")
		}
		finalizers := []string{"kubernetes.io/pvc-protection"}
		if g.percent(35) {
			finalizers = append(finalizers, cloneFinalizer)
		}
		setMeta(claim, "finalizers", finalizers)
		if g.percent(5 + g.odd) {
			setMeta(claim, "deletionTimestamp", "2026-06-05T10:00:00Z")
			setMeta(claim, "deletionGracePeriodSeconds", 0)
		}
		volume := g.volume("pv-"+name, usual(g, "Bound", "Released", "Available"))
		volume["spec"].(object)["claimRef"] = object{
			"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": namespace, "name": name,
			"uid": usual(g, namespace+"-pvc-"+name, "else", ""),
		}
		if g.percent(g.odd / 4) {
			delete(volume["spec"].(object), "claimRef")
		}
	}
	for number := range one(g, 0, 1, 1, 2) {
		g.addSnapshot(fmt.Sprintf("snap%d", number+1))
	}
	if g.percent(80) {
		g.add("storage.k8s.io/v1", "VolumeAttributesClass", "", "gold", object{
			"driverName": usual(g, g.sidecar.Driver, foreignDriver), "parameters": object{"iops": "100", "kind": "x"},
		})
	}
}

func (g *generator) addSnapshot(name string) {
	defer g.focus("snapshots")()
	namespace := one(g, "default", "default", "default", "default", "db")
	snapshot := g.add("snapshot.storage.k8s.io/v1", "VolumeSnapshot", namespace, name, object{
		"spec":   object{"source": object{"persistentVolumeClaimName": "src1"}},
		"status": object{"boundVolumeSnapshotContentName": usual(g, "content-"+name, "gone"), "readyToUse": usual(g, true, false)},
	})
	status := snapshot["status"].(object)
	if g.percent(70) {
		status["restoreSize"] = usual(g, "1Gi", "2Gi", "3Gi")
	}
	if g.percent(g.odd / 3) {
		delete(status, one(g, "readyToUse", "boundVolumeSnapshotContentName"))
	}
	if g.percent(g.odd / 4) {
		delete(snapshot, "status")
	}
	if g.percent(35) {
		setMeta(snapshot, "finalizers", []string{"snapshot.storage.kubernetes.io/volumesnapshot-bound-protection", snapFinalizer})
	}
	if g.percent(5 + g.odd/2) {
		setMeta(snapshot, "deletionTimestamp", "2026-06-05T10:00:00Z")
		setMeta(snapshot, "deletionGracePeriodSeconds", 0)
	}
	content := g.add("snapshot.storage.k8s.io/v1", "VolumeSnapshotContent", "", "content-"+name, object{
		"spec": object{
			"driver": usual(g, g.sidecar.Driver, foreignDriver), "deletionPolicy": "Delete", "source": object{"volumeHandle": "h"},
			"volumeSnapshotRef": object{
				"namespace": namespace, "name": usual(g, name, "else"), "uid": usual(g, namespace+"-vs-"+name, "else"),
			},
		},
		"status": object{"snapshotHandle": "handle-of-" + name},
	})
	if g.percent(50) {
		content["spec"].(object)["sourceVolumeMode"] = one(g, "Filesystem", "Filesystem", "Block")
	}
	if g.percent(30) {
		annotate(content, "snapshot.storage.kubernetes.io/allow-volume-mode-change", one(g, "true", "false", "1", "maybe", "T"))
	}
	if g.percent(g.odd / 4) {
		delete(content["status"].(object), "snapshotHandle")
	}
	if g.percent(g.odd / 5) {
		delete(content, "status")
	}
}

func (g *generator) addClaim() {
	namespace := one(g, "default", "default", "default", "default", "db")
	name := one(g, "c1", "data-web-0", "data-web-1", "data-db-7", "x-3", "logs", "a-b-c", "n-4294967296", "007", "1") + one(g, "", "", "", "9")
	if slices.Contains(g.claims, namespace+"/"+name) {
		return
	}
	g.claims = append(g.claims, namespace+"/"+name)
	class := usual(g, one(g, "fast", "wait", "wait", "odd"), "gone", "")
	spec := object{
		"accessModes": usual(g, one(g, []string{"ReadWriteOnce"}, []string{"ReadWriteOnce"}, []string{"ReadWriteMany"}, []string{"ReadOnlyMany"},
			[]string{"ReadWriteOncePod"}, []string{"ReadWriteOnce", "ReadOnlyMany"}), []string{"ReadWriteOdd"}),
		"storageClassName": class,
		"resources":        object{"requests": object{"storage": one(g, "1Gi", "2Gi", "2Gi", "1500M", "1.5Gi", "1")}},
	}
	claim := g.add("v1", "PersistentVolumeClaim", namespace, name, object{"spec": spec, "status": object{"phase": usual(g, "Pending", "Bound", "Lost")}})
	spec["volumeMode"] = one(g, "Filesystem", "Filesystem", "Filesystem", "Block")
	if g.percent(2 + g.odd/2) {
		spec["volumeName"] = one(g, "pv-1", "pv-9")
	}
	if g.percent(1 + g.odd/5) {
		spec["selector"] = object{"matchLabels": object{"a": "b"}}
	}
	if g.percent(1 + g.odd/5) {
		delete(spec, "storageClassName")
	}
	if g.percent(1 + g.odd/5) {
		annotate(claim, "volume.beta.kubernetes.io/storage-class", one(g, "fast", "wait", ""))
	}
	if g.percent(1 + g.odd/5) {
		delete(spec["resources"].(object)["requests"].(object), "storage")
	}
	if g.percent(12) {
		spec["volumeAttributesClassName"] = usual(g, "gold", "gone", "")
	}
	g.setProvisioner(claim)
	if g.percent(25) || class != "fast" && g.percent(80) {
		annotate(claim, "volume.kubernetes.io/selected-node", usual(g, g.node(), "gone", ""))
	}
	if g.percent(1 + g.odd/5) {
		annotate(claim, "volume.alpha.kubernetes.io/selected-node", g.node())
	}
	g.setSource(claim, spec)
	finalizers := []string{"kubernetes.io/pvc-protection"}
	if g.percent(4) {
		finalizers = append(finalizers, cloneFinalizer)
	}
	setMeta(claim, "finalizers", finalizers)
	if g.percent(2 + g.odd/3) {
		setMeta(claim, "deletionTimestamp", "2026-06-05T10:00:00Z")
		setMeta(claim, "deletionGracePeriodSeconds", 0)
	}
	if g.percent(1 + g.odd/5) {
		g.volume("pvc-"+namespace+"-pvc-"+name, "Available")
	}
}

func (g *generator) setProvisioner(claim object) {
	driver, plugin := g.sidecar.Driver, g.sidecar.MigratedFrom
	name := usual(g, driver, foreignDriver)
	if plugin != "" && g.percent(50) {
		name = plugin
		if !g.percent(g.odd) {
			annotate(claim, "pv.kubernetes.io/migrated-to", driver)
		}
	} else if g.percent(1 + g.odd/4) {
		annotate(claim, "pv.kubernetes.io/migrated-to", one(g, driver, foreignDriver))
	}
	if !g.percent(2 + g.odd/2) {
		annotate(claim, "volume.kubernetes.io/storage-provisioner", name)
	}
	if g.percent(50) {
		annotate(claim, "volume.beta.kubernetes.io/storage-provisioner", usual(g, name, foreignDriver, driver))
	}
}

func (g *generator) setSource(claim, spec object) {
	chosen := one(g, "claim", "snapshot", "snapshot", "other")
	switch {
	case g.theme == "clones" && g.percent(75):
		chosen = "claim"
	case g.theme == "snapshots" && g.percent(75):
		chosen = "snapshot"
	case g.percent(60):
		return
	}
	defer g.focus(chosen + "s")()
	var source object
	switch chosen {
	case "claim":
		source = object{"kind": "PersistentVolumeClaim", "name": one(g, "src1", "src1", "src1", "src1", "src2", "gone")}
		if g.percent(2) {
			source["apiGroup"] = ""
		}
	case "snapshot":
		source = object{"kind": "VolumeSnapshot", "name": one(g, "snap1", "snap1", "snap1", "snap1", "snap2", "gone"), "apiGroup": "snapshot.storage.k8s.io"}
		if g.percent(g.odd / 4) {
			delete(source, "apiGroup")
		} else if g.percent(g.odd / 4) {
			source["apiGroup"] = "example.com"
		}
	case "other":
		source = object{"kind": "Populator", "name": "p", "apiGroup": "example.com"}
	}
	if g.percent(g.odd / 5) {
		source["name"] = ""
	}
	// If possible, the API server copies dataSource to dataSourceRef or the other way round.
	switch where := g.IntN(100); {
	case where < 60:
		spec["dataSource"], spec["dataSourceRef"] = source, source
	case where < 80:
		spec["dataSourceRef"] = source
	default:
		spec["dataSource"] = source
	}
	if spec["dataSource"] == nil && g.percent(15) {
		with := object{"namespace": one(g, "default", "db")}
		for key, value := range source {
			with[key] = value
		}
		spec["dataSourceRef"] = with
	}
}

func (g *generator) volume(name, phase string) object {
	defer g.focus("deletion")()
	policy := one(g, "Delete", "Delete", "Delete", "Retain", "Recycle")
	spec := object{
		"accessModes": []string{"ReadWriteOnce"}, "capacity": object{"storage": "1Gi"}, "persistentVolumeReclaimPolicy": policy,
		"storageClassName": one(g, "fast", "wait", "odd", "gone", ""), "volumeMode": usual(g, "Filesystem", "Block"),
	}
	volume := g.add("v1", "PersistentVolume", "", name, object{"spec": spec, "status": object{"phase": phase}})
	driver := usual(g, g.sidecar.Driver, foreignDriver)
	switch plugin := g.sidecar.MigratedFrom; {
	case plugin != "" && g.percent(50):
		spec["awsElasticBlockStore"] = object{"volumeID": usual(g, one(g, "vol-1", "aws://z1/vol-2", "aws:///vol-3"), "aws://z1/x", "aws://z1/vol-4/y")}
		annotate(volume, "pv.kubernetes.io/provisioned-by", usual(g, plugin, foreignDriver))
		if !g.percent(g.odd) {
			annotate(volume, "pv.kubernetes.io/migrated-to", driver)
		}
	case g.percent(g.odd / 2):
		spec["hostPath"] = object{"path": "/data"}
		annotate(volume, "pv.kubernetes.io/provisioned-by", driver)
	default:
		spec["csi"] = object{"driver": driver, "volumeHandle": "handle-of-" + name}
		annotate(volume, "pv.kubernetes.io/provisioned-by", usual(g, driver, foreignDriver, ebsPlugin))
	}
	if g.percent(1 + g.odd) {
		delete(volume["metadata"].(object)["annotations"].(object), "pv.kubernetes.io/provisioned-by")
	}
	if g.percent(2 + g.odd/3) {
		annotate(volume, "pv.kubernetes.io/migrated-to", one(g, driver, foreignDriver, ""))
	}
	if g.percent(60) {
		spec["claimRef"] = object{
			"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": one(g, "default", "db"), "name": one(g, "c1", "logs"), "uid": "gone",
		}
	}
	switch one(g, "none", "none", "empty", "set", "half") {
	case "empty":
		annotate(volume, "volume.kubernetes.io/provisioner-deletion-secret-name", "")
		annotate(volume, "volume.kubernetes.io/provisioner-deletion-secret-namespace", "")
	case "set":
		annotate(volume, "volume.kubernetes.io/provisioner-deletion-secret-name", one(g, "s1", "gone", usual(g, "s2", "")))
		annotate(volume, "volume.kubernetes.io/provisioner-deletion-secret-namespace", one(g, "vault", "default"))
	case "half":
		if g.percent(20) {
			annotate(volume, "volume.kubernetes.io/provisioner-deletion-secret-name", "s1")
		}
	}
	finalizers := []string{}
	for _, each := range []string{"kubernetes.io/pv-protection", finalizer, "kubernetes.io/pv-controller", "example.com/hold"} {
		if g.percent(map[string]int{finalizer: 60, "kubernetes.io/pv-protection": 70}[each] + 8) {
			finalizers = append(finalizers, each)
		}
	}
	if g.percent(12) {
		setMeta(volume, "deletionTimestamp", "2026-06-05T10:00:00Z")
		setMeta(volume, "deletionGracePeriodSeconds", 0)
		if len(finalizers) == 0 {
			finalizers = append(finalizers, "example.com/hold")
		}
	}
	if len(finalizers) > 0 {
		setMeta(volume, "finalizers", finalizers)
	}
	if g.percent(15) {
		g.add("storage.k8s.io/v1", "VolumeAttachment", "", fmt.Sprintf("va-%d", len(g.objects)), object{
			"spec":   object{"attacher": driver, "nodeName": "n1", "source": object{"persistentVolumeName": usual(g, name, "pv-1")}},
			"status": object{"attached": true},
		})
	}
	return volume
}

func (g *generator) addVolume() {
	number := 1
	for _, each := range g.objects {
		if each["kind"] == "PersistentVolume" {
			number++
		}
	}
	g.volume(fmt.Sprintf("pv-%d", number), one(g, "Released", "Released", "Released", "Bound", "Available", "Failed"))
}
