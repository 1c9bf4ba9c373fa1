package main

import "encoding/json"

// Line is one world. After the command provision, it also has what the real provisioner does. The fields that the other
// commands of the oracle fill in do not occur here; ../line/line.go has them.
type Line struct {
	ID           string        `json:"id"`
	Tags         []string      `json:"tags,omitempty"`
	World        List          `json:"world"`
	Provisioning *Provisioning `json:"provisioning,omitempty"`
}

// List is a v1 List whose items are kept as raw JSON.
type List struct {
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
	Items      []json.RawMessage `json:"items"`
}

// Object names an object of the world.
type Object struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
}

// Provisioning has the circumstances of a provisioner, and its answers. Each answer is one sync with the world as it
// is, by a provisioner that has just been started.
type Provisioning struct {
	Sidecar Sidecar `json:"sidecar"`
	// Secrets are the names NAMESPACE/NAME of the Secrets that exist. The data of each has its own name.
	Secrets []string `json:"secrets,omitempty"`
	Driver  Driver   `json:"driver"`

	// Claims has an answer for each claim of the world, sorted by namespace and name.
	Claims []ClaimAnswer `json:"claims,omitempty"`
	// Volumes has an answer for each volume of the world, sorted by name.
	Volumes []VolumeAnswer `json:"volumes,omitempty"`
	// Clones has the answer of the controller for cloning protection for each claim with its finalizer.
	Clones []CloneAnswer `json:"clones,omitempty"`
	// Released are the VolumeSnapshots whose finalizer the sweep of the provisioner removes.
	Released []Object `json:"released,omitempty"`
}

// Sidecar is how the provisioner was started, and what the driver says that it can do.
type Sidecar struct {
	// Driver is the name of the driver, and so of the provisioner.
	Driver string `json:"driver"`
	// MigratedFrom is the in-tree plugin that the driver replaces.
	MigratedFrom string `json:"migratedFrom,omitempty"`
	// Capabilities are those of the plugin and of its controller service.
	Capabilities []string `json:"capabilities,omitempty"`
	// These are flags of the provisioner.
	StrictTopology              bool   `json:"strictTopology,omitempty"`
	ImmediateTopology           bool   `json:"immediateTopology,omitempty"`
	ExtraCreateMetadata         bool   `json:"extraCreateMetadata,omitempty"`
	ControllerPublishReadOnly   bool   `json:"controllerPublishReadOnly,omitempty"`
	PreventVolumeModeConversion bool   `json:"preventVolumeModeConversion,omitempty"`
	DefaultFSType               string `json:"defaultFSType,omitempty"`
}

// Driver is what the driver answers.
type Driver struct {
	// Create and Delete are the codes of the answers, such as OK and ResourceExhausted.
	Create string `json:"create"`
	Delete string `json:"delete"`
	// Capacity of a created volume is "asked" (as requested), "unknown" (zero), "less" or "more".
	Capacity string `json:"capacity"`
	// Content says that the answer repeats the source of the volume.
	Content bool `json:"content,omitempty"`
	// Topology are the places of a created volume.
	Topology []map[string]string `json:"topology,omitempty"`
}

// ClaimAnswer is what one sync of a claim does.
type ClaimAnswer struct {
	Claim Object `json:"claim"`
	// Should says whether a volume should be provisioned.
	Should bool `json:"should,omitempty"`
	// Effects are what the sync does, in its order.
	Effects []Effect `json:"effects,omitempty"`
	// State and Error are those with which Provision ends.
	State string `json:"state,omitempty"`
	Error string `json:"error,omitempty"`
	// Retry is the error of the sync. Because of it the claim is queued again.
	Retry string `json:"retry,omitempty"`
}

// VolumeAnswer is what one sync of a volume does.
type VolumeAnswer struct {
	Volume string `json:"volume"`
	// Responsible says whether the volume is one of this provisioner.
	Responsible bool     `json:"responsible,omitempty"`
	Should      bool     `json:"should,omitempty"`
	Effects     []Effect `json:"effects,omitempty"`
	Retry       string   `json:"retry,omitempty"`
}

// CloneAnswer is what one sync of a claim by the controller for cloning protection does.
type CloneAnswer struct {
	Claim   Object   `json:"claim"`
	Effects []Effect `json:"effects,omitempty"`
	// Retries are the possible errors of the sync, sorted. The order in which it looks at claims is that of a map.
	Retries []string `json:"retries,omitempty"`
}

// Effect is a request, an event or a call of the driver. One of the fields is set.
type Effect struct {
	Write  *Write         `json:"write,omitempty"`
	Event  *Event         `json:"event,omitempty"`
	Create *CreateRequest `json:"createVolume,omitempty"`
	Delete *DeleteRequest `json:"deleteVolume,omitempty"`
}

// Write is a request that changes an object.
type Write struct {
	Verb   string `json:"verb"`
	Object Object `json:"object"`
	// Patch is the RFC 7386 merge patch from the stored object to the result, without the version.
	Patch json.RawMessage `json:"patch,omitempty"`
	// Sent is the volume that a create sends. Its capacity is in bytes, and it has no volumeAttributes.
	Sent json.RawMessage `json:"sent,omitempty"`
}

// Event is an event as the controller recorded it.
type Event struct {
	Type    string `json:"type"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
	About   Object `json:"about"`
}

// CreateRequest is the CreateVolumeRequest.
type CreateRequest struct {
	Name       string   `json:"name"`
	Bytes      int64    `json:"bytes"`
	Modes      []string `json:"modes"`
	Block      bool     `json:"block,omitempty"`
	FSType     string   `json:"fsType,omitempty"`
	MountFlags []string `json:"mountFlags,omitempty"`
	// Parameters and Mutable are the names of the parameters, sorted.
	Parameters []string `json:"parameters,omitempty"`
	Mutable    []string `json:"mutable,omitempty"`
	// Secret is the name NAMESPACE/NAME of the Secret whose data is sent.
	Secret string `json:"secret,omitempty"`
	// Snapshot or Volume is the handle of the source.
	Snapshot string    `json:"snapshot,omitempty"`
	Volume   string    `json:"volume,omitempty"`
	Topology *Topology `json:"topology,omitempty"`
}

// Topology is the TopologyRequirement.
type Topology struct {
	Requisite []map[string]string `json:"requisite"`
	Preferred []map[string]string `json:"preferred"`
}

// DeleteRequest is the DeleteVolumeRequest.
type DeleteRequest struct {
	Volume string `json:"volume"`
	Secret string `json:"secret,omitempty"`
}
