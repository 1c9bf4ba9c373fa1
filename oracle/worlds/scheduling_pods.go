package worlds

import (
	"fmt"
	"slices"
)

// newPod returns a pod with the fields that the API server and its admission plugins set.
func (w *schedulingWorld) newPod(namespace, name string) object {
	number := len(w.pods) + 1
	pod := w.newObject("v1", "Pod", namespace, name, fmt.Sprintf("90d00000-0000-4000-8000-%06d%06d", spaceNumber(namespace), number))
	set(pod, object{"app": pick(w, "web", "web", "db")}, "metadata", "labels")
	container := object{"name": "main", "image": "example.com/main", "resources": object{}}
	size := w.IntN(40)
	if w.crowd == "resources" {
		size = pick(w, 8, 9, 10)
	}
	switch {
	case size < 8:
		set(container, object{"cpu": "100m", "memory": "64Mi"}, "resources", "requests")
	case size < 10:
		set(container, object{"cpu": pick(w, "600m", "2", "2", "5"), "memory": pick(w, "64Mi", "1Gi")}, "resources", "requests")
	case size == 10:
		set(container, object{"memory": pick(w, "600Mi", "600Mi", "9Gi")}, "resources", "requests")
	}
	if w.percent(1) || w.crowd == "ports" && w.percent(60) {
		port := object{"containerPort": 80, "hostPort": 8080, "protocol": pick(w, "TCP", "TCP", "UDP")}
		if w.percent(20) {
			port["hostIP"] = pick(w, "10.0.0.1", "10.0.0.2")
		}
		container["ports"] = []any{port}
	}
	pod["spec"] = object{
		"containers": []any{container}, "restartPolicy": "Always", "dnsPolicy": "ClusterFirst", "schedulerName": "default-scheduler",
		"priority": 0, "preemptionPolicy": "PreemptLowerPriority", "terminationGracePeriodSeconds": 30,
		"tolerations": []any{
			object{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300},
			object{"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300},
		},
	}
	set(pod, "Pending", "status", "phase")
	return pod
}

// namespace draws the namespace of a pod. Usually this namespace has claims.
func (w *schedulingWorld) namespace() string {
	if w.percent(3) {
		return pick(w, "default", "db")
	}
	return spaceOf(one(w.generator, w.claims))
}

// claimName draws the name of a claim in a namespace. missing is the probability in percent that the claim does not
// exist.
func (w *schedulingWorld) claimName(namespace string, missing int) string {
	var names []string
	for _, claim := range w.claims {
		if spaceOf(claim) == namespace && len(nameOf(claim)) == 2 {
			names = append(names, nameOf(claim))
		}
	}
	if len(names) == 0 || w.percent(missing) {
		return "gone"
	}
	return one(w.generator, names)
}

// addVolumes adds volumes to a pod. missing has the same meaning as in claimName.
func (w *schedulingWorld) addVolumes(pod object, missing int) {
	volumes := []any{}
	for place := range pick(w, 0, 1, 1, 1, 1, 2, 2, 2, 3) {
		name := fmt.Sprintf("v%d", place+1)
		switch {
		case w.percent(w.inline):
			volume := w.inlineVolume()
			volume["name"] = name
			volumes = append(volumes, volume)
		case w.percent(12):
			volumes = append(volumes, w.ephemeralVolume(pod, name))
		case w.percent(4):
			volumes = append(volumes, object{"name": name, "emptyDir": object{}})
		case w.percent(1):
			volumes = append(volumes, object{"name": name, "csi": object{"driver": driverName}})
		default:
			claim := w.claimName(spaceOf(pod), missing)
			if len(volumes) > 0 && w.percent(60) && slices.ContainsFunc(volumes, func(other any) bool {
				return text(other.(object), "persistentVolumeClaim", "claimName") == claim
			}) {
				claim = w.claimName(spaceOf(pod), missing) // Only few pods should mount a claim twice.
			}
			volumes = append(volumes, object{"name": name, "persistentVolumeClaim": object{"claimName": claim}})
		}
	}
	if len(volumes) > 0 {
		set(pod, volumes, "spec", "volumes")
	}
}

// inlineVolume draws a disk for a pod's spec, without a claim.
func (w *schedulingWorld) inlineVolume() object {
	readOnly := w.percent(40)
	switch w.IntN(7) {
	case 0, 1:
		return object{"gcePersistentDisk": object{"pdName": pick(w, "disk-1", "disk-2"), "fsType": "ext4", "readOnly": readOnly}}
	case 2, 3:
		return object{"awsElasticBlockStore": object{"volumeID": pick(w, "vol-1", "vol-2"), "fsType": "ext4", "readOnly": readOnly}}
	case 4:
		return object{"iscsi": object{
			"targetPortal": pick(w, "10.0.0.9:3260", "10.0.0.8:3260"), "iqn": "iqn.2026-06.com.example:t", "lun": w.IntN(2),
			"iscsiInterface": "default", "readOnly": readOnly,
		}}
	case 5:
		return object{"rbd": object{
			"monitors": pick(w, []string{"10.0.0.9:6789"}, []string{"10.0.0.9:6789", "10.0.0.8:6789"}, []string{"10.0.0.8:6789"}),
			"image":    "i", "pool": pick(w, "rbd", "rbd", "other"), "user": "admin", "keyring": "/etc/ceph/keyring", "readOnly": readOnly,
		}}
	}
	if w.percent(20) {
		return object{"azureFile": object{"secretName": "s", "shareName": "share", "readOnly": readOnly}}
	}
	return object{"azureDisk": object{
		"diskName": "disk-1", "diskURI": "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/disks/disk-1",
		"kind": "Managed", "cachingMode": "ReadWrite", "fsType": "ext4", "readOnly": readOnly,
	}}
}

// ephemeralVolume returns an ephemeral volume of a pod, and usually adds the claim of this volume.
func (w *schedulingWorld) ephemeralVolume(pod object, name string) object {
	if !w.percent(18) {
		claim := w.addClaim(spaceOf(pod), nameOf(pod)+"-"+name)
		owner := object{"apiVersion": "v1", "kind": "Pod", "name": nameOf(pod), "uid": uidOf(pod), "controller": true, "blockOwnerDeletion": true}
		switch w.IntN(12) {
		case 0:
			owner["uid"] = staleUID
		case 1:
			owner = nil
		}
		if owner != nil {
			set(claim, []any{owner}, "metadata", "ownerReferences")
		}
	}
	return object{"name": name, "ephemeral": object{"volumeClaimTemplate": object{"metadata": object{"creationTimestamp": nil}, "spec": object{
		"accessModes": []string{"ReadWriteOnce"}, "resources": object{"requests": object{"storage": "1Gi"}},
		"storageClassName": w.class, "volumeMode": modeFilesystem,
	}}}}
}

// addRunning adds a pod that is on a node.
func (w *schedulingWorld) addRunning() {
	number := 1
	for _, pod := range w.pods {
		if text(pod, "spec", "nodeName") != "" {
			number++
		}
	}
	pod := w.newPod(w.namespace(), fmt.Sprintf("r%d", number))
	w.addVolumes(pod, 4)
	set(pod, w.node(), "spec", "nodeName")
	set(pod, pick(w, "Running", "Running", "Running", "Running", "Running", "Running", "Pending", "Succeeded", "Failed"), "status", "phase")
	if w.percent(10) {
		w.terminatePod(pod)
	}
	if w.percent(2) || w.crowd == "neighbors" && w.percent(50) {
		set(pod, object{"podAntiAffinity": required(w.podTerm())}, "spec", "affinity")
	}
	w.pods = append(w.pods, pod)
}

func (w *schedulingWorld) terminatePod(pod object) {
	set(pod, terminatingSince, "metadata", "deletionTimestamp")
	set(pod, 30, "metadata", "deletionGracePeriodSeconds")
}

// addWaiting adds a pod that is not on a node.
func (w *schedulingWorld) addWaiting() {
	number := 1
	for _, pod := range w.pods {
		if text(pod, "spec", "nodeName") == "" {
			number++
		}
	}
	pod := w.newPod(w.namespace(), fmt.Sprintf("w%d", number))
	w.addVolumes(pod, 3)
	spec := pod["spec"].(object)
	if w.percent(5) {
		spec["nodeSelector"] = object{pick(w, diskLabel, zoneLabel): pick(w, "ssd", "z1")}
	}
	affinity := object{}
	if w.percent(6) {
		affinity["nodeAffinity"] = object{"requiredDuringSchedulingIgnoredDuringExecution": get(pick(w,
			terms(object{"matchExpressions": []any{requirement(zoneLabel, "In", "z1")}}),
			terms(object{"matchExpressions": []any{requirement(diskLabel, "NotIn", "hdd")}}),
			terms(object{"matchExpressions": []any{requirement(hostLabel, "In", "n1", "n2")}}),
			terms(object{"matchFields": []any{requirement("metadata.name", "In", w.node())}}),
			terms(object{"matchFields": []any{requirement("metadata.name", "NotIn", "n1")}}),
			terms(object{"matchFields": []any{requirement("metadata.name", "In", "n1")}}, object{"matchFields": []any{requirement("metadata.name", "In", "n2")}}),
			terms(object{"matchFields": []any{requirement("metadata.name", "In", "n1")}}, object{"matchExpressions": []any{requirement(zoneLabel, "Exists")}}),
		), "required")}
	}
	if w.percent(2) || w.crowd == "neighbors" && w.percent(40) {
		affinity["podAffinity"] = required(w.podTerm())
	}
	if w.percent(1) || w.crowd == "neighbors" && w.percent(30) {
		affinity["podAntiAffinity"] = required(w.podTerm())
	}
	if len(affinity) > 0 {
		spec["affinity"] = affinity
	}
	if w.percent(10) {
		spec["tolerations"] = append(spec["tolerations"].([]any), pick(w,
			object{"key": "dedicated", "operator": "Equal", "value": "db", "effect": "NoSchedule"}, object{"key": "dedicated", "operator": "Exists"},
			object{"key": "node.kubernetes.io/unschedulable", "operator": "Exists", "effect": "NoSchedule"}, object{"operator": "Exists"},
		))
	}
	if w.percent(1) || w.crowd == "domains" && w.percent(80) {
		constraint := object{
			"maxSkew": pick(w, 1, 1, 2), "topologyKey": pick(w, zoneLabel, hostLabel), "whenUnsatisfiable": pick(w, "DoNotSchedule", "DoNotSchedule", "ScheduleAnyway"),
			"labelSelector": object{"matchLabels": object{"app": "web"}},
		}
		if w.percent(25) && constraint["whenUnsatisfiable"] == "DoNotSchedule" {
			constraint["minDomains"] = pick(w, 1, 2, 4)
		}
		if w.percent(20) {
			constraint["nodeTaintsPolicy"] = "Honor"
		}
		spec["topologySpreadConstraints"] = []any{constraint}
	}
	switch w.IntN(100) {
	case 0, 1:
		spec["schedulingGates"] = pick(w, []any{object{"name": "example.com/wait"}}, []any{object{"name": "example.com/wait"}, object{"name": "example.com/quota"}})
	case 2:
		w.terminatePod(pod)
	case 3:
		set(pod, "Failed", "status", "phase")
	case 4:
		spec["schedulerName"] = "example-scheduler"
	}
	w.pods = append(w.pods, pod)
}

// podTerm draws a term of an affinity between pods.
func (w *schedulingWorld) podTerm() object {
	term := object{"topologyKey": pick(w, zoneLabel, hostLabel, hostLabel), "labelSelector": object{"matchLabels": object{"app": pick(w, "web", "db")}}}
	if w.percent(20) {
		term["namespaces"] = []string{"db"}
	}
	return term
}

func required(term object) object {
	return object{"requiredDuringSchedulingIgnoredDuringExecution": []any{term}}
}
