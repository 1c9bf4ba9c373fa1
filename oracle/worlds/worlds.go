// Package worlds generates small random clusters. Their persistent volumes and claims, and everything else that the
// controllers read, often conflict with each other.
//
// A world depends only on its seed and its index, not on the worlds that were generated before it. Objects have the
// form in which the API server stores them. If a world contains an object that the API server would refuse or complete,
// a tag says so:
//
//   - deletionTimestamp: a volume or a claim is terminating;
//   - undefaulted: volumeMode, volumeBindingMode, phases or policies are missing, as in a manifest that no server has
//     read;
//   - api-invalid: the current validation refuses an object, so it also refuses most writes to the object;
//   - invalid-selector: a claim's selector cannot be parsed; only older servers stored some of these selectors;
//   - noncanonical-quantity, fractional-quantity, huge-quantity: the world has quantities of these kinds.
//
// The first tag is the profile.
package worlds

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"pvctl.dev/oracle/line"
)

// object is a JSON object.
type object = map[string]any

// generator holds a world that is being generated.
type generator struct {
	*rand.Rand
	tags map[string]bool
	// classes, volumes, claims, pods and nodes are the objects that were added so far.
	classes, volumes, claims, pods, nodes []object

	// The following values are shared by most objects of this world, so that they fit each other.
	palette    []string
	spellings  bool
	modes      []string
	volumeMode string
	class      string
	attributes string
	labels     object
	// odd is the probability in percent that a field has a different value.
	odd int
}

// profile is a kind of world. It has a relative frequency and a function.
type profile struct {
	name   string
	weight int
	build  func(*generator)
}

var profiles = []profile{
	{"near-healthy", 18, nearHealthy},
	{"contended", 15, contended},
	{"chains", 13, chains},
	{"delayed", 11, delayed},
	{"deletion", 8, deletion},
	{"reclaim", 11, reclaim},
	{"defaults", 6, defaults},
	{"chaotic", 9, chaotic},
	{"tiny", 5, tiny},
	{"free", 4, free},
}

// Generate generates the index-th world of a seed. The same seed and index always give the same bytes.
func Generate(seed uint64, index int) line.Line {
	return generate(seed, index, "", "pvctl worlds 1", func(*generator) {})
}

// generate generates a world of some kind. before is the beginning of the world's id. stream separates the random
// numbers of this kind from those of other kinds. change modifies the objects before they are made storable.
func generate(seed uint64, index int, before, stream string, change func(*generator)) line.Line {
	g := newGenerator(seed, index, stream)
	total := 0
	for _, each := range profiles {
		total += each.weight
	}
	drawn := g.IntN(total)
	var chosen profile
	for _, each := range profiles {
		if drawn < each.weight {
			chosen = each
			break
		}
		drawn -= each.weight
	}
	g.common()
	chosen.build(g)
	change(g)
	g.finish()

	made := line.Line{ID: fmt.Sprintf("%ss%d-%06d", before, seed, index), World: g.listed()}
	if g.percent(33) || chosen.name == "reclaim" && g.percent(25) {
		made.Cases = g.cases()
	}
	made.Tags = append([]string{chosen.name}, g.sortedTags()...)
	return made
}

// newGenerator returns a generator. Its random numbers depend on the seed, the index and the stream, which is the name
// of a kind of worlds.
func newGenerator(seed uint64, index int, stream string) *generator {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[0:], seed)
	binary.LittleEndian.PutUint64(key[8:], uint64(index))
	copy(key[16:], stream)
	return &generator{Rand: rand.New(rand.NewChaCha8(key)), tags: map[string]bool{}}
}

// listed returns the list of the objects with increasing versions, sometimes in another order.
func (g *generator) listed() line.List {
	all := slices.Concat(g.classes, g.volumes, g.claims, g.pods, g.nodes)
	if g.percent(30) {
		g.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	}
	return numbered(all)
}

// numbered returns the list of the objects, with increasing versions.
func numbered(all []object) line.List {
	list := line.List{APIVersion: "v1", Kind: "List", Items: []json.RawMessage{}}
	for place, each := range all {
		set(each, strconv.Itoa(firstResourceVersion+place), "metadata", "resourceVersion")
		list.Items = append(list.Items, encode(each))
	}
	return list
}

func (g *generator) sortedTags() []string {
	names := make([]string, 0, len(g.tags))
	for name := range g.tags {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// common draws the values that the objects of the world share.
func (g *generator) common() {
	g.palette = one(g, palettes)
	g.spellings = g.percent(30)
	g.modes = one(g, claimThemes)
	g.volumeMode = one(g, volumeModes)
	g.class = one(g, []string{"a", "a", "a", "a", "", "", "b", missingClass})
	if g.percent(8) {
		g.attributes = one(g, attributes)
	}
	if g.percent(15) {
		g.labels = object{"tier": "fast"}
	}
	g.odd = one(g, []int{0, 3, 8, 15})
}

// finish makes the objects of the profile storable. In rare cases it then makes some objects invalid on purpose.
func (g *generator) finish() {
	g.store()
	if g.percent(4) {
		g.invalidate()
	}
	if g.percent(5) {
		g.undefault()
	}
	g.tag()
}

// store removes what the validation refuses.
func (g *generator) store() {
	for _, volume := range g.volumes {
		if text(volume, "spec", "hostPath", "path") == "/" && text(volume, "spec", "persistentVolumeReclaimPolicy") == "Recycle" {
			set(volume, "/data", "spec", "hostPath", "path")
		}
		if get(volume, "spec", "csi") == nil {
			remove(volume, "spec", "volumeAttributesClassName")
		}
		if get(volume, "spec", "nfs") == nil {
			// The validation refuses mount options for some sources. It also refuses every write to such a volume.
			remove(volume, "spec", "mountOptions")
			unannotate(volume, annMountOptions)
		}
	}
}

// tag records rare properties of the volumes and claims.
func (g *generator) tag() {
	for _, each := range slices.Concat(g.volumes, g.claims) {
		if get(each, "metadata", "deletionTimestamp") != nil {
			g.tags["deletionTimestamp"] = true
		}
		g.tagQuantities(each)
	}
}

// tagQuantities records the kinds of quantities of a volume or a claim.
func (g *generator) tagQuantities(each object) {
	for _, path := range [][]string{{"spec", "capacity", "storage"}, {"spec", "resources", "requests", "storage"}, {"status", "capacity", "storage"}} {
		written := text(each, path...)
		for _, family := range sizeKeys {
			place := slices.Index(sizes[family], written)
			if place < 0 {
				continue
			}
			if !slices.Contains(stored[family], written) {
				g.tags["noncanonical-quantity"] = true
			}
			switch family {
			case "1.5":
				g.tags["fractional-quantity"] = true
			case "8Ei", "10E", "20E":
				g.tags["huge-quantity"] = true
			}
		}
	}
}

// undefault removes fields for which the API server sets defaults.
func (g *generator) undefault() {
	lost := func(list []object, paths ...[]string) {
		for _, each := range list {
			for _, path := range paths {
				if get(each, path...) != nil && g.percent(50) {
					remove(each, path...)
					g.tags["undefaulted"] = true
				}
			}
		}
	}
	lost(g.volumes, []string{"spec", "volumeMode"}, []string{"status", "phase"}, []string{"spec", "persistentVolumeReclaimPolicy"}, []string{"spec", "hostPath", "type"})
	lost(g.claims, []string{"spec", "volumeMode"}, []string{"status", "phase"})
	lost(g.classes, []string{"volumeBindingMode"}, []string{"reclaimPolicy"})
	lost(g.pods, []string{"status", "phase"})
}

// invalidate changes one object so that the current validation would not allow to create it. Older servers accepted
// some of these objects. The other objects show what the controller does without the validation of the API server.
func (g *generator) invalidate() {
	kinds := []string{}
	if len(g.volumes) > 0 {
		kinds = append(kinds, "modes", "no modes", "zero", "digits", "no capacity", "local", "root", "attributes", "policy")
	}
	if len(g.claims) > 0 {
		kinds = append(kinds, "claim modes", "claim zero")
	}
	if len(g.classes) > 0 {
		kinds = append(kinds, "provisioner")
	}
	if len(kinds) == 0 {
		return
	}
	g.tags["api-invalid"] = true
	var volume, claim object
	if len(g.volumes) > 0 {
		volume = one(g, g.volumes)
	}
	if len(g.claims) > 0 {
		claim = one(g, g.claims)
	}
	switch one(g, kinds) {
	case "modes":
		set(volume, g.shuffled([]string{"ReadWriteOncePod", one(g, plainModes)}), "spec", "accessModes")
	case "no modes":
		remove(volume, "spec", "accessModes")
	case "zero":
		set(volume, one(g, sizes["zero"]), "spec", "capacity", "storage")
	case "digits":
		// In this notation the integer value of the number is negative. In the notation 10E the integer value is 0.
		set(volume, "10000000000000000000", "spec", "capacity", "storage")
	case "no capacity":
		remove(volume, "spec", "capacity")
		if claim != nil && g.percent(70) {
			// Only the last step of the binding is missing. This step reads the capacity.
			g.bind(volume, claim, 3)
			set(claim, nameOf(volume), "spec", "volumeName")
			set(claim, object{"phase": "Pending"}, "status")
		}
	case "local":
		g.setSource(volume, "local")
		remove(volume, "spec", "nodeAffinity")
	case "root":
		g.setSource(volume, "hostPath")
		set(volume, "/", "spec", "hostPath", "path")
		set(volume, "Recycle", "spec", "persistentVolumeReclaimPolicy")
	case "attributes":
		g.setSource(volume, "nfs")
		set(volume, one(g, attributes), "spec", "volumeAttributesClassName")
	case "policy":
		set(volume, "Keep", "spec", "persistentVolumeReclaimPolicy")
		if g.percent(60) {
			g.orphan(volume)
		}
	case "claim modes":
		set(claim, g.shuffled([]string{"ReadWriteOncePod", one(g, plainModes)}), "spec", "accessModes")
	case "claim zero":
		set(claim, one(g, sizes["zero"]), "spec", "resources", "requests", "storage")
	case "provisioner":
		set(one(g, g.classes), one(g, []string{"", "kubernetes.io/"}), "provisioner")
	}
}

// percent returns true with this probability in percent.
func (g *generator) percent(chance int) bool { return g.IntN(100) < chance }

// between draws a number from low to high, both included.
func (g *generator) between(low, high int) int { return low + g.IntN(high-low+1) }

func (g *generator) shuffled(list []string) []string {
	copied := slices.Clone(list)
	g.Shuffle(len(copied), func(i, j int) { copied[i], copied[j] = copied[j], copied[i] })
	return copied
}

// one draws an element of a list that is not empty.
func one[T any](g *generator, list []T) T { return list[g.IntN(len(list))] }

// set sets the value at a path. It creates the objects on the path that do not exist.
func set(in object, value any, path ...string) {
	for _, key := range path[:len(path)-1] {
		next, found := in[key].(object)
		if !found {
			next = object{}
			in[key] = next
		}
		in = next
	}
	in[path[len(path)-1]] = value
}

// get returns the value at a path, or nil if there is none.
func get(in object, path ...string) any {
	for _, key := range path[:len(path)-1] {
		in, _ = in[key].(object)
	}
	return in[path[len(path)-1]]
}

// text returns the string at a path, or "" if there is none.
func text(in object, path ...string) string {
	found, _ := get(in, path...).(string)
	return found
}

// remove removes the value at a path. Below metadata and spec it also removes objects that become empty.
func remove(in object, path ...string) {
	parent, found := in, true
	if len(path) > 1 {
		parent, found = get(in, path[:len(path)-1]...).(object)
	}
	if !found {
		return
	}
	delete(parent, path[len(path)-1])
	if len(parent) == 0 && len(path) > 2 {
		remove(in, path[:len(path)-1]...)
	}
}

// encode writes an object with sorted keys.
func encode(each any) json.RawMessage {
	written, bad := json.Marshal(each)
	if bad != nil {
		panic(bad) // Strings, numbers, lists and maps always have a JSON form.
	}
	return written
}

// copied returns a deep copy.
func copied(each object) object {
	var again object
	if bad := json.Unmarshal(encode(each), &again); bad != nil {
		panic(bad) // encode wrote this text, so it can be decoded.
	}
	return again
}
