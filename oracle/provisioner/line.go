package main

import "encoding/json"

// Line is one world. After the command provision, it also contains what the real provisioner does. It does not have the
// fields that other commands of the oracle fill in, which are in ../line/line.go.
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

// Provisioning describes a provisioner and contains its answers. Each answer is one sync in the unchanged world by a
// provisioner that has just been started.
type Provisioning struct {
	Sidecar Sidecar `json:"sidecar"`
	// Secrets are the names of the existing Secrets, as NAMESPACE/NAME. The data of each Secret is its own name.
	Secrets []string `json:"secrets,omitempty"`
	Driver  Driver   `json:"driver"`

	// Claims has an answer for each claim of the world, sorted by namespace and name.
	Claims []ClaimAnswer `json:"claims,omitempty"`
	// Volumes has an answer for each volume of the world, sorted by name.
	Volumes []VolumeAnswer `json:"volumes,omitempty"`
	// Clones has an answer for each claim that has the finalizer of cloning protection. The answers are those of the
	// controller for cloning protection.
	Clones []CloneAnswer `json:"clones,omitempty"`
	// Released are the VolumeSnapshots from which the sweep of the provisioner removes the finalizer.
	Released []Object `json:"released,omitempty"`
}

// Sidecar says how the provisioner was started, and which capabilities the driver has.
type Sidecar struct {
	// Driver is the name of the driver, which is also the name of the provisioner.
	Driver string `json:"driver"`
	// MigratedFrom is the in-tree plugin that the driver replaces.
	MigratedFrom string `json:"migratedFrom,omitempty"`
	// Capabilities are the capabilities of the driver's plugin and of its controller service.
	Capabilities []string `json:"capabilities,omitempty"`
	// The remaining fields are flags of the provisioner.
	StrictTopology              bool   `json:"strictTopology,omitempty"`
	ImmediateTopology           bool   `json:"immediateTopology,omitempty"`
	ExtraCreateMetadata         bool   `json:"extraCreateMetadata,omitempty"`
	ControllerPublishReadOnly   bool   `json:"controllerPublishReadOnly,omitempty"`
	PreventVolumeModeConversion bool   `json:"preventVolumeModeConversion,omitempty"`
	DefaultFSType               string `json:"defaultFSType,omitempty"`
}

// Driver says what the driver answers.
type Driver struct {
	// Create and Delete are the codes of the answers to CreateVolume and DeleteVolume, such as OK and
	// ResourceExhausted.
	Create string `json:"create"`
	Delete string `json:"delete"`
	// Capacity is the capacity of a created volume: "asked" (as requested), "unknown" (zero), "less" or "more".
	Capacity string `json:"capacity"`
	// Content says that the answer repeats the content source of the request.
	Content bool `json:"content,omitempty"`
	// Topology are the topology segments of a created volume.
	Topology []map[string]string `json:"topology,omitempty"`
}

// ClaimAnswer is what one sync of a claim does.
type ClaimAnswer struct {
	Claim Object `json:"claim"`
	// Should says whether a volume should be provisioned for the claim.
	Should bool `json:"should,omitempty"`
	// Effects are what the sync does, in this order.
	Effects []Effect `json:"effects,omitempty"`
	// State and Error are the state and the error with which Provision ends.
	State string `json:"state,omitempty"`
	Error string `json:"error,omitempty"`
	// Retry is the error of the sync. The provisioner enqueues the claim again because of this error.
	Retry string `json:"retry,omitempty"`
}

// VolumeAnswer is what one sync of a volume does.
type VolumeAnswer struct {
	Volume string `json:"volume"`
	// Responsible says whether the volume belongs to this provisioner.
	Responsible bool     `json:"responsible,omitempty"`
	Should      bool     `json:"should,omitempty"`
	Effects     []Effect `json:"effects,omitempty"`
	Retry       string   `json:"retry,omitempty"`
}

// CloneAnswer is what the controller for cloning protection does in one sync of a claim.
type CloneAnswer struct {
	Claim   Object   `json:"claim"`
	Effects []Effect `json:"effects,omitempty"`
	// Retries are the possible errors of the sync, sorted. The sync reads other claims from a map, so the order is
	// random.
	Retries []string `json:"retries,omitempty"`
}

// Effect is a request, an event or a call of the driver. Exactly one of the fields is set.
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
	// Patch is the RFC 7386 merge patch from the stored object to the result, without the resourceVersion.
	Patch json.RawMessage `json:"patch,omitempty"`
	// Sent is the volume that the creation sends. Its capacity is in bytes, and it has no volumeAttributes.
	Sent json.RawMessage `json:"sent,omitempty"`
}

// Event is an event as the controller recorded it.
type Event struct {
	Type    string `json:"type"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
	About   Object `json:"about"`
}

// CreateRequest is the CreateVolumeRequest that the driver gets.
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
	// Secret is the name of the Secret whose data is sent, as NAMESPACE/NAME.
	Secret string `json:"secret,omitempty"`
	// Snapshot or Volume is the handle of the source of the content.
	Snapshot string    `json:"snapshot,omitempty"`
	Volume   string    `json:"volume,omitempty"`
	Topology *Topology `json:"topology,omitempty"`
}

// Topology is the TopologyRequirement of the request.
type Topology struct {
	Requisite []map[string]string `json:"requisite"`
	Preferred []map[string]string `json:"preferred"`
}

// DeleteRequest is the DeleteVolumeRequest that the driver gets.
type DeleteRequest struct {
	Volume string `json:"volume"`
	Secret string `json:"secret,omitempty"`
}
