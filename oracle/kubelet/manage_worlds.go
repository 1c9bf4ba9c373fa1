package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

const millisecond = 1_000_000

// generateRun generates the index-th run of a seed.
func generateRun(seed uint64, index int) Line {
	g := newGenerator(seed, index, "pvctl kubelet run")
	g.odd, g.onlyClaims = one(g, 0, 0, 2, 5, 10, 25), true
	g.world()
	r := &runGenerator{generator: g}
	r.until = one(g, 4000, 8000, 8000, 15000, 15000, 30000)
	if g.percent(10) {
		r.until = one(g, 140_000, 200_000)
	}
	r.addPods()
	r.addChanges()
	r.addCalls()
	r.addExpansions()
	if g.percent(35) {
		r.addDisk()
	}
	return Line{
		ID: fmt.Sprintf("manage-s%d-%06d", seed, index), Tags: []string{"manage"}, World: r.finished(),
		Managing: &Managing{
			Node: ownNode, Until: int64(r.until)*millisecond + 900_500, Latency: 37_000_001, Disk: r.disk, Calls: r.calls,
			Script: r.script(),
		},
	}
}

// runGenerator holds a run while it is generated.
type runGenerator struct {
	*generator
	// until is the length of the run in milliseconds.
	until int
	steps []timedStep
	calls []CallRule
	disk  []OnDisk
	// changes is the number of changed objects.
	changes int
	// late are the names of the pods that do not exist at the beginning.
	late []string
}

// timedStep is a step at a moment in milliseconds.
type timedStep struct {
	at   int
	step Step
}

func (r *runGenerator) add(at int, step Step) {
	if at < r.until {
		r.steps = append(r.steps, timedStep{at, step})
	}
}

// script returns the steps in the order of time. The moment of a step is never that of anything else: loops are at full
// milliseconds, and calls end at full microseconds.
func (r *runGenerator) script() []Step {
	slices.SortStableFunc(r.steps, func(a, b timedStep) int { return a.at - b.at })
	all := []Step{}
	for number, each := range r.steps {
		each.step.At = int64(each.at)*millisecond + 50_500 + int64(number)*3000
		all = append(all, each.step)
	}
	return all
}

// finished returns the objects that exist at the beginning.
func (r *runGenerator) finished() List {
	list := List{APIVersion: "v1", Kind: "List", Items: []json.RawMessage{}}
	for _, each := range r.objects {
		if !slices.Contains(r.late, nameOf(each)) {
			list.Items = append(list.Items, encoded(each))
		}
	}
	return list
}

func nameOf(each object) string { return each["metadata"].(object)["name"].(string) }

func encoded(each object) json.RawMessage {
	text, err := json.Marshal(each)
	if err != nil {
		panic(err)
	}
	return text
}

func (r *runGenerator) all(kind string) []object {
	var all []object
	for _, each := range r.objects {
		if each["kind"] == kind {
			all = append(all, each)
		}
	}
	return all
}

func (r *runGenerator) between(first, last int) int { return first + r.IntN(last-first+1) }

// addPods decides when pods appear, when the kubelet waits for their volumes, and when they end.
func (r *runGenerator) addPods() {
	for _, pod := range r.all("Pod") {
		name, at := nameOf(pod), 0
		if r.percent(50) {
			at = r.between(20, r.until/2)
			r.late = append(r.late, name)
			r.add(at, Step{Put: encoded(pod)})
		} else if r.percent(12) {
			// The kubelet starts when the containers of the pod have ended.
			r.add(at, Step{Terminate: name})
			r.add(at, Step{End: name})
		}
		for range one(r.generator, 0, 1, 1, 1, 2) {
			at += r.between(20, 2500)
			r.add(at, Step{Wait: name})
		}
		if !r.percent(55) {
			continue
		}
		at += r.between(20, r.until/2)
		r.add(at, Step{Terminate: name})
		removed := at + r.between(20, 4000)
		at += r.between(20, 1500)
		r.add(at, Step{End: name})
		// A pod that is deleted by force can be removed before its containers have ended.
		if r.percent(80) {
			r.add(removed, Step{Remove: &Named{Kind: "Pod", Namespace: namespace, Name: name}})
		}
	}
}

// addChanges decides when the node is written, and when claims and volumes change.
func (r *runGenerator) addChanges() {
	for at := r.between(20, 700); at < r.until; at += r.between(100, r.until/3) {
		r.add(at, Step{Report: true})
		r.add(at+r.between(10, 90), Step{Reported: true})
	}
	for range one(r.generator, 0, 0, 1, 1, 2, 3) {
		at := r.between(20, r.until/2)
		made := maps.Clone(r.all("Node")[0])
		attached := []object{}
		names := []string{}
		for _, each := range r.attached {
			if r.percent(75) {
				attached, names = append(attached, each), append(names, each["name"].(string))
			}
		}
		made["status"] = object{"volumesAttached": attached}
		r.add(at, Step{Put: encoded(made)})
		r.add(at+r.between(1, 600), Step{Cached: &names})
	}
	for _, driver := range r.all("CSIDriver") {
		if r.percent(10) {
			spec := maps.Clone(driver["spec"].(object))
			spec["attachRequired"] = !spec["attachRequired"].(bool)
			r.add(r.between(20, r.until), Step{Put: encoded(r.changed(driver, "spec", spec))})
		}
	}
	for _, claim := range r.all("PersistentVolumeClaim") {
		if r.percent(85) {
			continue
		}
		at := r.between(20, r.until)
		if r.percent(50) {
			r.add(at, Step{Remove: &Named{Kind: "PersistentVolumeClaim", Namespace: namespace, Name: nameOf(claim)}})
			if pods := r.all("Pod"); r.percent(60) {
				// The kubelet looks at the volumes of a pod again.
				r.add(at+r.between(20, 500), Step{Wait: nameOf(one(r.generator, pods...))})
				r.add(at+r.between(600, 1500), Step{Wait: nameOf(one(r.generator, pods...))})
			}
			continue
		}
		r.add(at, Step{Put: encoded(r.changed(claim, "status", statusOf(one(r.generator, "Bound", "Bound", "Pending", "Lost"))))})
	}
}

// changed returns an object with another field, and with another resource version.
func (r *runGenerator) changed(each object, field string, value any) object {
	made, metadata := maps.Clone(each), maps.Clone(each["metadata"].(object))
	r.changes++
	metadata["resourceVersion"] = strconv.Itoa(2000 + r.changes)
	made["metadata"], made[field] = metadata, value
	return made
}

// addExpansions decides which volumes are larger than before, at the beginning or from a moment on, and what the status
// of their claims says then.
func (r *runGenerator) addExpansions() {
	for _, claim := range r.all("PersistentVolumeClaim") {
		name, _ := claim["spec"].(object)["volumeName"].(string)
		place := slices.IndexFunc(r.objects, func(each object) bool {
			return each["kind"] == "PersistentVolume" && nameOf(each) == name
		})
		if place < 0 || !r.percent(55) {
			continue
		}
		volume := r.objects[place]
		spec := maps.Clone(volume["spec"].(object))
		spec["capacity"] = object{"storage": "2Gi"}
		request := maps.Clone(claim["spec"].(object))
		request["accessModes"] = spec["accessModes"]
		request["resources"] = object{"requests": object{"storage": one(r.generator, "2Gi", "2Gi", "2Gi", "3Gi", "1Gi")}}
		claim["spec"] = request
		if r.percent(15) {
			claim["metadata"].(object)["annotations"] = object{"volume.kubernetes.io/node-expansion-not-required": "true"}
		}
		r.addExpandCalls(name)
		if r.percent(35) {
			volume["spec"], claim["status"] = spec, r.grown(claim["status"].(object)["phase"])
			continue
		}
		at := r.between(20, r.until*2/3)
		r.add(at, Step{Put: encoded(r.changed(volume, "spec", spec))})
		for range one(r.generator, 1, 2, 3, 5) {
			at += r.between(1, 1500)
			r.add(at, Step{Put: encoded(r.changed(claim, "status", r.grown(claim["status"].(object)["phase"])))})
		}
		for range one(r.generator, 1, 2, 3) {
			// The kubelet looks at the volumes of a pod again.
			if pods := r.all("Pod"); len(pods) > 0 {
				r.add(at+r.between(1, 3000), Step{Wait: nameOf(one(r.generator, pods...))})
			}
		}
	}
}

// grown returns the status of a claim whose volume is larger than before.
func (r *runGenerator) grown(phase any) object {
	status := object{"phase": phase, "capacity": object{"storage": "1Gi"}}
	conditions := []object{}
	add := func(kind, message string) {
		conditions = append(conditions, object{"type": kind, "status": "True", "message": message})
	}
	progress := one(r.generator, "", "", "", "", "NodeResizePending", "NodeResizePending", "NodeResizePending", "NodeResizeInProgress",
		"NodeResizeInProgress", "NodeResizeInfeasible", "ControllerResizeInProgress", "ControllerResizeInfeasible")
	if progress != "" {
		status["allocatedResourceStatuses"] = object{"storage": progress}
	}
	if progress != "" && r.percent(95) || r.percent(50) {
		status["allocatedResources"] = object{"storage": "2Gi"}
	}
	if progress == "" && r.percent(50) {
		// The expansion has ended.
		status["capacity"] = object{"storage": "2Gi"}
	}
	if progress == "NodeResizePending" || r.percent(20) {
		add("FileSystemResizePending", "Waiting for user to (re-)start a pod to finish file system resize of volume on node.")
	}
	if r.percent(15) {
		add(one(r.generator, "NodeResizeError", "ControllerResizeError", "Resizing"), "an earlier message")
	}
	if r.percent(10) {
		add("example.com/Checked", "a message of another program")
	}
	if len(conditions) > 0 {
		status["conditions"] = conditions
	}
	return status
}

// addExpandCalls decides how a driver answers when it has to expand a volume.
func (r *runGenerator) addExpandCalls(volume string) {
	first := 1
	for range one(r.generator, 0, 0, 1, 1, 2) {
		last := first + one(r.generator, 0, 0, 1, 3)
		rule := CallRule{
			Call: "NodeExpand", Volume: volume, First: first, Last: last,
			Takes: int64(one(r.generator, 3, 3, 3, 50, 260, 900, 2500, 6000))*millisecond + 11_000,
		}
		if r.percent(85) {
			rule.Kind = one(r.generator, "final", "final", "uncertain", "transient", "infeasible", "in-use", "in-use",
				"unsupported", "unsupported")
			rule.Error = errorTexts[rule.Kind]
		}
		r.calls, first = append(r.calls, rule), last+1
	}
}

// errorTexts are the errors of drivers, by what is known after them.
var errorTexts = map[string]string{
	"final":     "rpc error: code = Internal desc = disk is broken",
	"uncertain": "rpc error: code = DeadlineExceeded desc = context deadline exceeded",
	"transient": "driver name d1.csi not found in the list of registered CSI drivers",
	// The rest is only for the expansion of volumes.
	"infeasible":  "rpc error: code = OutOfRange desc = no such size",
	"in-use":      "rpc error: code = FailedPrecondition desc = volume is in use",
	"unsupported": "NodeExpand is not supported by the CSI driver d1.csi",
}

// callNames are the calls for files, and the calls for block devices.
var callNames = map[bool][]string{
	false: {"WaitForAttach", "MountDevice", "MountDevice", "SetUp", "SetUp", "TearDown", "TearDown", "UnmountDevice"},
	true:  {"WaitForAttach", "SetUpDevice", "SetUpDevice", "MapPodDevice", "UnmapPodDevice", "TearDownDevice"},
}

// addCalls decides which calls of drivers fail or are slow.
func (r *runGenerator) addCalls() {
	volumes := r.all("PersistentVolume")
	if len(volumes) == 0 {
		return
	}
	for range one(r.generator, 0, 1, 2, 3, 4, 6, 8) {
		volume := one(r.generator, volumes...)
		isBlock := volume["spec"].(object)["volumeMode"] == "Block"
		first := one(r.generator, 1, 1, 1, 1, 2, 3)
		rule := CallRule{
			Call: one(r.generator, callNames[isBlock]...), Volume: nameOf(volume), First: first,
			Last:  first + one(r.generator, 0, 0, 0, 1, 2, 100),
			Takes: int64(one(r.generator, 3, 3, 3, 50, 260, 900, 2500, 6000))*millisecond + 11_000,
		}
		if r.percent(85) {
			rule.Kind = one(r.generator, "final", "final", "uncertain", "uncertain", "transient")
			rule.Error = errorTexts[rule.Kind]
		}
		r.calls = append(r.calls, rule)
		if rule.Kind == "uncertain" && r.percent(60) {
			// Later it is certain that nothing has happened.
			rule.First, rule.Last = rule.Last+1, rule.Last+one(r.generator, 1, 1, 2, 50)
			rule.Kind, rule.Error = "final", errorTexts["final"]
			r.calls = append(r.calls, rule)
		}
	}
}

// addDisk decides for which volumes there are directories when the kubelet starts.
func (r *runGenerator) addDisk() {
	known, named := map[string]bool{}, map[string]string{}
	for range one(r.generator, 1, 1, 2, 3) {
		volumes := r.all("PersistentVolume")
		if len(volumes) == 0 {
			return
		}
		volume := one(r.generator, volumes...)
		pod := one(r.generator, "u-p1", "u-p2", "u-p3", "u-gone")
		// Mostly, the pod uses the volume.
		for _, each := range r.all("Pod") {
			for _, used := range each["spec"].(object)["volumes"].([]object) {
				claim, named := used["persistentVolumeClaim"].(object)
				if named && "pv-"+claim["claimName"].(string) == nameOf(volume) && r.percent(70) {
					pod = "u-" + nameOf(each)
				}
			}
		}
		made := OnDisk{
			Pod: pod, Volume: nameOf(volume), Broken: r.percent(20),
		}
		spec := volume["spec"].(object)
		if source, ok := spec["csi"].(object); ok {
			made.Driver, made.Handle = source["driver"].(string), source["volumeHandle"].(string)
			made.Block = spec["volumeMode"] == "Block"
		} else if _, ok := spec["nfs"]; !ok {
			continue
		}
		// The kubelet takes the first of several volumes with the same handle, in an order that is not fixed.
		key := made.Handle
		if key == "" {
			key = made.Volume
		}
		if other, isKnown := named[key]; isKnown && other != made.Volume || known[made.Pod+made.Volume] {
			continue
		}
		named[key], known[made.Pod+made.Volume] = made.Volume, true
		r.disk = append(r.disk, made)
		if r.percent(30) {
			call := one(r.generator, "SetUp", "TearDown", "MountDevice")
			if made.Block && !made.Broken {
				call = one(r.generator, "MapPodDevice", "SetUpDevice")
			}
			r.calls = append(r.calls, CallRule{
				Call: call, Volume: made.Volume, First: 1, Last: one(r.generator, 1, 2, 3), Takes: 3*millisecond + 11_000,
				Error: errorTexts["final"], Kind: "final",
			})
		}
	}
}
