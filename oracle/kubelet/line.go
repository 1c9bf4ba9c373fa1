package main

import "encoding/json"

// Line is one world. After the command mount, it also contains what the real kubelet does. It does not have the fields
// that other commands of the oracle fill in, which are in ../line/line.go.
type Line struct {
	ID       string    `json:"id"`
	Tags     []string  `json:"tags,omitempty"`
	World    List      `json:"world"`
	Mounting *Mounting `json:"mounting,omitempty"`
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
