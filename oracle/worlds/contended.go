package worlds

import (
	"fmt"
	"strconv"

	"pvctl.dev/oracle/line"
)

// Contended generates the index-th world in which claims compete for volumes. This is the common case: volumes and
// claims have no class and different sizes. The controller has not synced some of the volumes yet. In some worlds a
// volume is reserved for a claim.
func Contended(seed uint64, index int) line.Line {
	g := newGenerator(seed, index, "pvctl contended")
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
	return line.Line{ID: fmt.Sprintf("contended-s%d-%06d", seed, index), Tags: []string{"contended"}, World: numbered(all)}
}
