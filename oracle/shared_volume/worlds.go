package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

const (
	labelVolume    = "csi.storage.k8s.io/pv/name"
	labelClaim     = "csi.storage.k8s.io/pvc/name"
	labelNamespace = "csi.storage.k8s.io/pvc/namespace"
	labelID        = "storageos.com/volume-id"
)

// endpoints are the values of serviceEndpoint. The first ones are usual. The others are those for which the parser, the
// conversion to a port or the validation of the API server has a rule.
var (
	usualEndpoints = []string{"10.0.0.5:25710", "10.0.0.6:25711", "10.0.0.7:25705", "10.0.0.5:25960"}
	v6Endpoints    = []string{"[fd00::5]:25710", "[fd00::6]:25711", "[FD00:0::5]:25710"}
	oddEndpoints   = []string{
		"", ":25710", "10.0.0.5:", "10.0.0.5", "10.0.0.5:0", "10.0.0.5:65536", "10.0.0.5:-1", "10.0.0.5:+25710", "10.0.0.5:nfs",
		"10.0.0.5:025710", "10.0.0.5:0x64", "10.0.0.5:2_5", "10.0.0.5:4294993006", "10.0.0.5:99999999999999999999", "localhost:80",
		"localhost%lo0:80", "[localhost%lo0]:80", "127.0.0.1:80", "[::1]:80", "[::1%lo0]:80", "[fe80::1]:25710", "golang.org",
		"127.0.0.1", "[::1]", "[fe80::1%lo0]", "[localhost%lo0]", "localhost%lo0", "[foo:bar]", "::1", "fe80::1%lo0", "fe80::1%lo0:80",
		"[foo]:[bar]:baz", "golang.org:", "[foo]:[bar]baz", "foo[bar]:baz", "foo]bar:baz", "10.0.0.005:25710", "010.0.0.5:25710",
		"[::ffff:10.0.0.5]:25710", "0.0.0.0:25710", "169.254.0.5:25710", "224.0.0.5:25710", "node-1.example.com:25710", "10.0.0.5:25710:",
		" 10.0.0.5:25710", "10.0.0.5:25710 ", "[10.0.0.5]:25710", "[]:25710", "[::]:25710", "10.0.0.256:25710", "10.0.5:25710",
	}
)

// generator holds one world while it is generated.
type generator struct {
	*rand.Rand
	items []object
	ipv6  bool
	// volumes are the volumes of the storage system.
	volumes []*shared
	// made counts the objects, so that each has a uid of its own.
	made int
	// odd is the probability in percent that a field has another value than the rest of the world suggests.
	odd int
	// theme is the part of the world that is odd more often: "", "requests", "volumes", "services" or "endpoints".
	theme string
}

// shared is a volume with the values on which its objects usually agree.
type shared struct {
	name, claim, namespace, id string
	// endpoint is where the node serves the volume, and address the address of its Service.
	endpoint, address string
	// resource is the Volume as it was last written.
	resource object
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

// object returns a new object with the metadata that an API server adds.
func (g *generator) object(version, kind, namespace, name string, parts object) object {
	g.made++
	metadata := object{
		"name": name, "uid": fmt.Sprintf("u-%s-%s-%d", strings.ToLower(kind), name, g.made),
		"creationTimestamp": "2026-06-01T10:00:00Z", "resourceVersion": strconv.Itoa(1000 + g.made),
	}
	if namespace != "" {
		metadata["namespace"] = namespace
	}
	made := object{"apiVersion": version, "kind": kind, "metadata": metadata}
	for key, value := range parts {
		made[key] = value
	}
	return made
}

// delete makes an object one that is being deleted.
func deleting(each object, finalizer string) object {
	metadata := each["metadata"].(object)
	metadata["deletionTimestamp"], metadata["finalizers"] = "2026-06-01T11:00:00Z", []string{finalizer}
	metadata["deletionGracePeriodSeconds"] = 0
	return each
}

// generate generates the index-th world of a seed. The same seed and index always give the same bytes.
func generate(seed uint64, index int) Line {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[0:], seed)
	binary.LittleEndian.PutUint64(key[8:], uint64(index))
	copy(key[16:], "pvctl shared")
	g := &generator{Rand: rand.New(rand.NewChaCha8(key))}
	g.odd = one(g, 0, 2, 5, 10, 25)
	if g.theme = one(g, "", "", "requests", "volumes", "services", "endpoints"); g.theme != "" {
		g.odd = one(g, 0, 0, 2)
	}
	g.ipv6 = g.percent(10)
	for number := range one(g, 1, 1, 1, 1, 2, 3) {
		g.addVolume(number + 1)
	}
	share := &Share{IPv6: g.ipv6}
	for place := range one(g, 1, 1, 1, 2, 2, 3) {
		share.Turns = append(share.Turns, g.turn(place))
	}
	list := List{APIVersion: "v1", Kind: "List", Items: []json.RawMessage{}}
	for _, each := range g.items {
		list.Items = append(list.Items, written(each))
	}
	return Line{ID: fmt.Sprintf("shared-volume-s%d-%06d", seed, index), Tags: []string{"shared-volume"}, World: list, Share: share}
}

// addVolume adds a volume, and the objects that exist at the beginning.
func (g *generator) addVolume(number int) {
	v := &shared{
		name: fmt.Sprintf("pvc-%d", number), claim: fmt.Sprintf("c%d", number), namespace: one(g, "default", "default", "apps"),
		id: fmt.Sprintf("id-%d", number), address: fmt.Sprintf("10.96.0.%d", number), endpoint: one(g, usualEndpoints...),
	}
	if g.ipv6 {
		v.address, v.endpoint = fmt.Sprintf("fd00:10:96::1:%d", number), one(g, v6Endpoints...)
	}
	if number == 1 && g.percent(20) {
		// The Service has the address that would be assigned first.
		v.address = map[bool]string{false: "10.96.100.1", true: "fd00:10:96::1"}[g.ipv6]
	}
	if number > 1 && g.percent(15) {
		// Two volumes have one name, so that they share a Service.
		v.name, v.namespace = g.volumes[0].name, g.volumes[0].namespace
	}
	g.volumes = append(g.volumes, v)
	stale := one(g, true, false, false)
	service := g.percent(60)
	endpoint := v.endpoint
	if !g.percent(g.odd / 3) {
		claim := g.claim(v)
		g.items = append(g.items, claim)
		if service {
			g.items = append(g.items, g.service(v, claim))
		}
	}
	if service && g.percent(85) || g.percent(8) {
		g.items = append(g.items, g.endpoints(v))
	}
	if stale {
		// The node has moved since the objects were written.
		v.endpoint = one(g, usualEndpoints...)
	}
	recorded := ""
	if service {
		recorded = one(g, v.address+":2049", v.address+":2049", v.address+":2049", "", "10.96.0.250:2049", "None:2049")
	}
	g.items = append(g.items, g.resource(v, number, recorded))
	if endpoint != v.endpoint && g.percent(10) {
		v.endpoint = endpoint
	}
}

// resource returns the Volume of a volume.
func (g *generator) resource(v *shared, number int, recorded string) object {
	defer g.focus("volumes")()
	labels := object{
		labelVolume: usual(g, v.name, "", "pvc.one", "PVC-1", "1-pvc", strings.Repeat("p", 64)),
		labelClaim:  usual(g, v.claim, "", "c9"), labelNamespace: usual(g, v.namespace, "", "gone"),
	}
	for _, label := range []string{labelVolume, labelClaim, labelNamespace} {
		if g.percent(g.odd / 5) {
			delete(labels, label)
		}
	}
	if recorded != "" {
		labels[mountEndpoint] = recorded
	}
	spec := object{"configLabels": labels, "nfs": object{}}
	if g.percent(g.odd / 8) {
		delete(spec, "configLabels")
	}
	v.endpoint = usual(g, v.endpoint, oddEndpoints...)
	if !g.percent(g.odd / 2) {
		spec["nfs"] = object{"serviceEndpoint": v.endpoint}
	} else if g.percent(50) {
		delete(spec, "nfs")
	}
	status := object{}
	if !g.percent(g.odd / 2) {
		status["volumeId"] = v.id
	}
	name := v.name
	if number > 1 {
		name = fmt.Sprintf("pvc-%d", number)
	}
	made := g.object("api.storageos.com/v1", "Volume", "", name, object{"spec": spec, "status": status})
	if g.percent(g.odd / 3) {
		deleting(made, "storageos.com/volume")
	}
	v.resource = made
	return made
}

func (g *generator) claim(v *shared) object {
	modes := one(g, []string{"ReadWriteMany"}, []string{"ReadWriteMany"}, []string{"ReadOnlyMany"}, []string{"ReadWriteOnce"})
	made := g.object("v1", "PersistentVolumeClaim", v.namespace, v.claim, object{
		"spec": object{
			"accessModes": modes, "resources": object{"requests": object{"storage": "1Gi"}}, "volumeName": v.name,
		},
	})
	if g.percent(g.odd / 3) {
		deleting(made, "kubernetes.io/pvc-protection")
	}
	return made
}

// turn returns a part of the script.
func (g *generator) turn(place int) Turn {
	turn := Turn{Publish: g.percent(70)}
	set := func(each object) { turn.Set = append(turn.Set, written(each)) }
	for number, v := range g.volumes {
		if place == 0 && !g.percent(20) {
			continue
		}
		target := Object{"Service", v.namespace, v.name}
		for range one(g, 0, 1, 1, 2) {
			switch one(g, "move", "move", "down", "resync", "gone", "service", "service", "endpoints", "endpoints", "lost", "lost", "claim", "volume") {
			case "move":
				v.endpoint = one(g, usualEndpoints...)
				if g.ipv6 {
					v.endpoint = one(g, v6Endpoints...)
				}
				set(g.resource(v, number+1, one(g, "", v.address+":2049")))
			case "down":
				made := copied(v.resource)
				made["spec"].(object)["nfs"] = object{}
				set(made)
			case "resync":
				set(v.resource)
			case "gone":
				turn.Delete = append(turn.Delete, Object{"PersistentVolumeClaim", v.namespace, v.claim})
				if g.percent(60) {
					turn.Delete = append(turn.Delete, target)
				}
			case "service":
				set(g.service(v, nil))
			case "endpoints":
				set(g.endpoints(v))
			case "lost":
				turn.Delete = append(turn.Delete, target)
				if g.percent(60) {
					turn.Delete = append(turn.Delete, Object{"Endpoints", v.namespace, v.name})
				}
			case "claim":
				set(g.claim(v))
			case "volume":
				turn.Delete = append(turn.Delete, Object{Kind: "Volume", Name: keyOf(v.resource).Name})
			}
		}
	}
	for number := range g.volumes {
		for range one(g, 1, 1, 1, 1, 1, 2) {
			name := usual(g, keyOf(g.volumes[number].resource).Name, "pvc-9")
			turn.Reconcile = append(turn.Reconcile, Reconcile{Volume: name, Refuse: g.refuse()})
		}
	}
	g.Shuffle(len(turn.Reconcile), func(one, other int) {
		turn.Reconcile[one], turn.Reconcile[other] = turn.Reconcile[other], turn.Reconcile[one]
	})
	return turn
}

// refuse returns the requests of a sync that fail. The wait of a creation is never over after exactly 20 reads: whether
// it reads once more at its end is left to chance.
func (g *generator) refuse() (all []Refused) {
	defer g.focus("requests")()
	add := func(request string, place, count int, reason string) {
		if count == 1 {
			count = 0
		}
		all = append(all, Refused{Request: request, Place: place, Count: count, Reason: reason})
	}
	for _, request := range []string{"getVolume", "getClaim", "getService", "getEndpoints"} {
		if g.percent(g.odd / 5) {
			add(request, 0, 1, one(g, "NotFound", "InternalError"))
		}
	}
	if g.percent(g.odd) {
		add("getService", 1, one(g, 1, 2, 5, 19, 40), one(g, "NotFound", "NotFound", "NoAddress", "InternalError"))
	}
	if g.percent(g.odd) {
		add("getEndpoints", 1, one(g, 1, 1, 3), one(g, "NotFound", "NotFound", "InternalError"))
	}
	for _, request := range []string{"createService", "createEndpoints"} {
		if g.percent(g.odd / 4) {
			add(request, 0, 1, one(g, "AlreadyExists", "InternalError"))
		}
	}
	for _, request := range []string{"updateService", "updateEndpoints"} {
		if g.percent(g.odd / 2) {
			add(request, 0, 1, one(g, "Conflict", "NotFound", "InternalError"))
		}
	}
	if g.percent(g.odd / 2) {
		add("setExternalEndpoint", 0, 1, one(g, "volume not found", "the storage API says no"))
	}
	return all
}
