package worlds

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"

	"pvctl.dev/oracle/line"
)

// Contended makes the index-th world of the large common case: volumes and claims without a class that differ in size,
// the volumes also in whether they were synced already. In some worlds a volume is reserved for a claim.
func Contended(seed uint64, index int) line.Line {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[0:], seed)
	binary.LittleEndian.PutUint64(key[8:], uint64(index))
	copy(key[16:], "pvctl contended")
	g := &generator{Rand: rand.New(rand.NewChaCha8(key)), tags: map[string]bool{}}

	size := func() string { return strconv.Itoa(1+g.IntN(5)) + "Gi" }
	late := g.percent(50)
	claims := 1 + g.IntN(7)
	var all []object
	for number := range claims {
		name := "c" + strconv.Itoa(number)
		claim := g.newObject("v1", "PersistentVolumeClaim", "default", name, claimUID("default", name))
		set(claim, []string{"ReadWriteOnce"}, "spec", "accessModes")
		set(claim, size(), "spec", "resources", "requests", "storage")
		set(claim, "", "spec", "storageClassName")
		set(claim, modeFilesystem, "spec", "volumeMode")
		set(claim, "Pending", "status", "phase")
		all = append(all, claim)
	}
	reserved := g.percent(20)
	for number := range 1 + g.IntN(7) {
		name := "pv-" + strconv.Itoa(number)
		volume := g.newObject("v1", "PersistentVolume", "", name, fmt.Sprintf("90000000-0000-4000-8000-%012d", number))
		set(volume, []string{"ReadWriteOnce"}, "spec", "accessModes")
		set(volume, size(), "spec", "capacity", "storage")
		set(volume, object{"path": "/srv/tmp/pvctl-oracle-void"}, "spec", "hostPath")
		set(volume, "Retain", "spec", "persistentVolumeReclaimPolicy")
		set(volume, modeFilesystem, "spec", "volumeMode")
		phase := "Available"
		if late && g.percent(40) {
			phase = one(g, []string{"Pending", "Failed", "Released"})
		}
		set(volume, phase, "status", "phase")
		if number == 0 && reserved {
			set(volume, object{"namespace": "default", "name": "c" + strconv.Itoa(g.IntN(claims))}, "spec", "claimRef")
		}
		all = append(all, volume)
	}
	made := line.Line{
		ID:    fmt.Sprintf("contended-s%d-%06d", seed, index),
		Tags:  []string{"contended"},
		World: line.List{APIVersion: "v1", Kind: "List", Items: []json.RawMessage{}},
	}
	for place, each := range all {
		set(each, strconv.Itoa(firstResourceVersion+place), "metadata", "resourceVersion")
		made.World.Items = append(made.World.Items, encode(each))
	}
	return made
}
