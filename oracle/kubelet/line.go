package main

import "encoding/json"

// Line is one world. After the command mount or manage, it also contains what the real kubelet does. It does not have
// the fields that other commands of the oracle fill in, which are in ../line/line.go.
type Line struct {
	ID       string    `json:"id"`
	Tags     []string  `json:"tags,omitempty"`
	World    List      `json:"world"`
	Mounting *Mounting `json:"mounting,omitempty"`
	Managing *Managing `json:"managing,omitempty"`
}

// List is a v1 List whose items are kept as raw JSON.
type List struct {
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
	Items      []json.RawMessage `json:"items"`
}

// Mounting is what the volume manager of a kubelet that has just been started does with the pods of its node. Nothing
// has been on the disk before, and every driver mounts at once.
type Mounting struct {
	// Node is the name of the node.
	Node string `json:"node"`
	// Pods are the answers about the pods of the node, sorted by namespace and name.
	Pods []PodAnswer `json:"pods,omitempty"`
	// InUse are the volumes that the kubelet reports in status.volumesInUse, sorted.
	InUse []string `json:"inUse,omitempty"`
	// Invalid says why the world cannot exist. Then there are no answers.
	Invalid string `json:"invalid,omitempty"`
}

// PodAnswer is the answer about a pod.
type PodAnswer struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Error is why the volumes of the pod are not mounted. It is empty if they are mounted.
	Error string `json:"error,omitempty"`
	// Events are the events about the pod, each once: type, reason and message.
	Events []string `json:"events,omitempty"`
}

// Managing is a run of the volume manager of a kubelet: what is on the disk when the kubelet starts, how the drivers
// answer, what changes, and what the kubelet does. All moments and times are in nanoseconds, and the run starts at 0.
type Managing struct {
	// Node is the name of the node.
	Node string `json:"node"`
	// Until is the end of the run.
	Until int64 `json:"until"`
	// Latency is the time that the kubelet needs to list its pods.
	Latency int64 `json:"latency"`
	// Disk are the volumes for which there are directories when the kubelet starts.
	Disk []OnDisk `json:"disk,omitempty"`
	// Calls say how the drivers answer. A call without an entry succeeds after a few milliseconds.
	Calls []CallRule `json:"calls,omitempty"`
	// Script are the changes in the order of time.
	Script []Step `json:"script"`
	// Log is what the kubelet does, in the order of time.
	Log []Entry `json:"log,omitempty"`
	// Invalid says why the world cannot exist. Then there is no log.
	Invalid string `json:"invalid,omitempty"`
}

// OnDisk is a volume of a pod for which there is a directory.
type OnDisk struct {
	// Pod is the uid of the pod.
	Pod string `json:"pod"`
	// Volume is the name of the PersistentVolume.
	Volume string `json:"volume"`
	// Driver and Handle identify a volume of CSI. If they are empty, it is a volume of NFS.
	Driver string `json:"driver,omitempty"`
	Handle string `json:"handle,omitempty"`
	Block  bool   `json:"block,omitempty"`
	// Broken says that the directory does not tell which volume it is.
	Broken bool `json:"broken,omitempty"`
}

// CallRule says how a driver answers the calls with these numbers for a volume. The calls for each pod have their own
// numbers.
type CallRule struct {
	Call   string `json:"call"`
	Volume string `json:"volume"`
	First  int    `json:"first"`
	Last   int    `json:"last"`
	// Takes is the time that the call takes.
	Takes int64 `json:"takes"`
	// Error is the error. If it is empty, the call succeeds.
	Error string `json:"error,omitempty"`
	// Kind says what is known after an error: nothing has happened (final), something may have happened (uncertain), or
	// nothing is known (transient). A driver that does not expand a volume can also say that it never will (infeasible),
	// that the volume is in use (in-use), or that it cannot expand volumes (unsupported).
	Kind string `json:"kind,omitempty"`
}

// Step is a change.
type Step struct {
	At int64 `json:"at"`
	// Put creates or replaces an object.
	Put json.RawMessage `json:"put,omitempty"`
	// Remove removes an object.
	Remove *Named `json:"remove,omitempty"`
	// Cached are the volumes that the kubelet's copy of the node lists as attached from now on.
	Cached *[]string `json:"cached,omitempty"`
	// Report says that the kubelet begins to write the status of the node, and Reported that it has been written.
	Report   bool `json:"report,omitempty"`
	Reported bool `json:"reported,omitempty"`
	// Wait is the name of a pod for whose volumes the kubelet begins to wait. Nothing happens if it waits for them
	// already, or if it stops the pod.
	Wait string `json:"wait,omitempty"`
	// Terminate is the name of a pod whose containers the kubelet begins to stop. It no longer waits for their volumes.
	Terminate string `json:"terminate,omitempty"`
	// End is the name of a pod whose containers have ended.
	End string `json:"end,omitempty"`
}

// Named names an object.
type Named struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
}

// Entry is one thing that the kubelet does.
type Entry struct {
	At int64 `json:"at"`
	// Call is the begin of a call of a driver.
	Call *Call `json:"call,omitempty"`
	// Event is an event about a pod: its name, the type, the reason and the message. The word "claim" is before the name
	// of a claim.
	Event string `json:"event,omitempty"`
	// Stored is the status of a claim that the kubelet has stored.
	Stored *StoredClaim `json:"stored,omitempty"`
	// Waited is the end of a wait for the volumes of a pod.
	Waited *Waited `json:"waited,omitempty"`
	// InUse are the volumes that the kubelet reports in status.volumesInUse.
	InUse *[]string `json:"inUse,omitempty"`
	// Logged is an entry that the kubelet logs at -v=5, as klog's text logger writes it.
	Logged string `json:"logged,omitempty"`
}

// Call is a call of a driver for a volume. Pod is the uid of the pod. It is empty if the call is for all pods.
type Call struct {
	Name   string `json:"name"`
	Volume string `json:"volume"`
	Pod    string `json:"pod,omitempty"`
}

// StoredClaim is what the status of a claim says about an expansion.
type StoredClaim struct {
	Name     string `json:"name"`
	Capacity string `json:"capacity"`
	// Progress is the entry of status.allocatedResourceStatuses for storage.
	Progress string `json:"progress,omitempty"`
	// Conditions are the conditions: the type and the message of each, sorted by type.
	Conditions []string `json:"conditions,omitempty"`
	// Conflict says that the API server has refused the change, because the claim has changed.
	Conflict bool `json:"conflict,omitempty"`
}

// Waited is how the wait for the volumes of a pod ends. Error is empty if all of them are mounted.
type Waited struct {
	Pod   string `json:"pod"`
	Error string `json:"error,omitempty"`
}
