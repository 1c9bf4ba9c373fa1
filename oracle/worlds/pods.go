package worlds

import (
	"fmt"
	"slices"

	"pvctl.dev/oracle/line"
)

// mostClaims is the largest number of claims, and of volumes, in a world of Pods.
const mostClaims = 6

// Pods generates the index-th world in which pods wait for nodes and volumes and compete for them: at most four nodes,
// four waiting pods, six claims and six volumes.
func Pods(seed uint64, index int) line.Line {
	w := &schedulingWorld{generator: newGenerator(seed, index, "pvctl pods")}
	w.zoned = pick(w, "", "today", "today", "today", "both")
	w.limited = w.percent(20)
	w.once = pick(w, 0, 0, 0, 50)
	w.inline = pick(w, 0, 0, 0, 0, 0, 40)
	w.sizes = pick(w, []string{"1Gi"}, []string{"1Gi"}, []string{"1Gi", "2Gi"}, []string{"2Gi", "5Gi"})
	w.class = pick(w, awaitingClass, awaitingClass, awaitingClass, localClass, localClass, localClass, localClass, immediateClass, inTreeClass)
	w.crowd = pick(w, "", "", "", "resources", "resources", "resources", "resources", "ports", "domains", "neighbors")
	w.alike, w.open = w.percent(60), pick(w, 0, 40, 60, 80)
	w.topologyKeys, w.driverCapacity = pick(w, []string{zoneLabel}, []string{hostLabel}, nil), w.percent(30)
	// In a dense world nearly everything competes, and each number is large.
	dense := w.percent(10)
	if dense {
		w.once, w.inline, w.sizes, w.open = pick(w, 0, 0, 20), 0, []string{"1Gi"}, 90
		w.class, w.crowd, w.alike = pick(w, awaitingClass, localClass), pick(w, "", "resources", "resources"), true
	}
	some := func(few []int) int {
		if dense {
			return few[len(few)-1] - w.IntN(3)
		}
		return one(w.generator, few)
	}
	for range some([]int{1, 1, 2, 2, 2, 3, 4}) {
		w.addNode()
		if node := w.nodes[len(w.nodes)-1]; w.crowd == "resources" {
			set(node, pick(w, "600m", "2", "2", "4"), "status", "allocatable", "cpu")
			set(node, pick(w, "110", "110", "110", "1", "2"), "status", "allocatable", "pods")
		}
	}
	w.addDrivers()
	w.addClasses()
	for range some([]int{1, 1, 2, 2, 3, 3, 4, 5, 6}) {
		w.addClaim(pick(w, "default", "default", "default", "default", "default", "db"), fmt.Sprintf("c%d", len(w.claims)+1))
	}
	for range some([]int{0, 1, 2, 2, 3, 3, 4, 5, 6}) {
		if len(w.volumes) < mostClaims {
			w.addFree()
		}
	}
	for _, claim := range w.claims {
		w.bindPartly(claim)
	}
	for range pick(w, 0, 0, 0, 1, 1, 2) {
		w.addRunning()
	}
	for range some([]int{1, 2, 2, 2, 3, 3, 3, 4}) {
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
	return line.Line{ID: fmt.Sprintf("pods-s%d-%06d", seed, index), Tags: append([]string{"pods"}, w.sortedTags()...), World: numbered(all)}
}

// bindPartly brings some claims that wait into a state in which the scheduler or the binder has stopped halfway.
func (w *schedulingWorld) bindPartly(claim object) {
	if text(claim, "spec", "volumeName") != "" || !w.percent(25) {
		return
	}
	if w.percent(40) {
		annotate(claim, annSelectedNode, w.node())
		return
	}
	for _, volume := range w.volumes {
		if get(volume, "spec", "claimRef") != nil || text(volume, "spec", "storageClassName") != text(claim, "spec", "storageClassName") || w.percent(50) {
			continue
		}
		set(volume, w.referenceTo(claim), "spec", "claimRef")
		if w.percent(80) {
			annotate(volume, annBoundByController, "yes")
		}
		if w.percent(50) {
			set(volume, "Bound", "status", "phase")
		}
		if w.percent(30) {
			set(claim, nameOf(volume), "spec", "volumeName")
		}
		return
	}
}
