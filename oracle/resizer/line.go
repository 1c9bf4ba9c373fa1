package main

import "encoding/json"

// Line is one world. After the command sync, it also contains what the real resizer does. It does not have the fields
// that other commands of the oracle fill in, which are in ../line/line.go.
type Line struct {
	ID      string   `json:"id"`
	Tags    []string `json:"tags,omitempty"`
	World   List     `json:"world"`
	Resizer *Resizer `json:"resizer,omitempty"`
}

// List is a v1 List whose items are kept as raw JSON.
type List struct {
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
	Items      []json.RawMessage `json:"items"`
}

// Resizer describes a resizer and contains its answers. Each answer is one sync of one claim in the unchanged world.
type Resizer struct {
	Sidecar Sidecar `json:"sidecar"`
	// Secrets are the names of the existing Secrets, as NAMESPACE/NAME. The data of each Secret is its own name.
	Secrets []string `json:"secrets,omitempty"`
	Driver  Driver   `json:"driver"`
	// Refuse are requests to the API server that fail.
	Refuse []Refused `json:"refuse,omitempty"`
	// Failures is the number of times that the sync of each claim has failed before.
	Failures int `json:"failures,omitempty"`
	// Memory is what the resizer remembers about claims before the sync, by NAMESPACE/NAME.
	Memory map[string]Memory `json:"memory,omitempty"`

	// Resizes has an answer of the resize controller for each claim of the world, sorted by name. It is empty if the
	// driver expands no volumes.
	Resizes []Answer `json:"resizes,omitempty"`
	// Modifies has an answer of the modify controller for each claim of the world, sorted by name. It is empty if the
	// driver modifies no volumes.
	Modifies []Answer `json:"modifies,omitempty"`
}

// Sidecar says how the resizer was started, and which capabilities the driver has.
type Sidecar struct {
	// Driver is the name of the driver, which is also the name of the resizer.
	Driver string `json:"driver"`
	// Capabilities are the capabilities of the controller service of the driver. NODE_EXPAND_VOLUME is the capability
	// EXPAND_VOLUME of its node service.
	Capabilities []string `json:"capabilities,omitempty"`
	// WatchesPods is the flag --handle-volume-inuse-error.
	WatchesPods bool `json:"watchesPods,omitempty"`
	// ExtraMetadata is the flag --extra-modify-metadata.
	ExtraMetadata bool `json:"extraMetadata,omitempty"`
	// ResizeTimeout and ModifyTimeout are the flags --resize-timeout and --modify-timeout in milliseconds.
	ResizeTimeout int64 `json:"resizeTimeout"`
	ModifyTimeout int64 `json:"modifyTimeout"`
}

// Driver says what the driver answers.
type Driver struct {
	// Expand and Modify are the codes of the answers to ControllerExpandVolume and ControllerModifyVolume, such as OK and
	// Internal.
	Expand string `json:"expand"`
	Modify string `json:"modify"`
	// Latency is the time in milliseconds after which the driver answers.
	Latency int64 `json:"latency,omitempty"`
	// Capacity is the capacity in bytes of the answer to ControllerExpandVolume, and NodeExpansion says whether it
	// requires an expansion on the node.
	Capacity      int64 `json:"capacity"`
	NodeExpansion bool  `json:"nodeExpansion,omitempty"`
}

// Refused says that a request fails.
type Refused struct {
	// Request is "volume" (the patch of a PersistentVolume) or "claim" (the patch of the status of a claim).
	Request string `json:"request"`
	// Place is the number of the request among those of a sync, from 0.
	Place int `json:"place,omitempty"`
	// Reason is the reason of the API server: NotFound, Conflict or InternalError.
	Reason string `json:"reason"`
}

// Memory is what the two controllers of a resizer remember about a claim.
type Memory struct {
	// Slow is the time in milliseconds, from the begin of the sync, at which the claim leaves the set of claims whose
	// expansion is tried less often. ModifySlow is the same for the modification.
	Slow       int64 `json:"slow,omitempty"`
	ModifySlow int64 `json:"modifySlow,omitempty"`
	// Final says that the last expansion failed with an error after which no expansion goes on.
	Final bool `json:"final,omitempty"`
	// InUse says that the last expansion failed because the volume is in use.
	InUse bool `json:"inUse,omitempty"`
	// Uncertain says that a modification may still go on.
	Uncertain bool `json:"uncertain,omitempty"`
}

// Answer is what one sync of a claim does.
type Answer struct {
	Claim   string   `json:"claim"`
	Effects []Effect `json:"effects,omitempty"`
	// Error is the error of the sync that the controller logs.
	Error string `json:"error,omitempty"`
	// Crashed says that the sync ends the process, because it writes into a map that is not there.
	Crashed bool `json:"crashed,omitempty"`
	// Retry is the time in milliseconds after which the claim is synced again. It is 0 if it is not synced again. Failed
	// says that this time follows from the number of failures.
	Retry  int64 `json:"retry,omitempty"`
	Failed bool  `json:"failed,omitempty"`
	// Forgotten says that the failures of the claim are forgotten.
	Forgotten bool `json:"forgotten,omitempty"`
	// Memory is what the controller remembers after the sync.
	Memory Memory `json:"memory"`
}

// Effect is a call of the driver, a request that changes an object, or an event. Exactly one of the other fields is set.
type Effect struct {
	// At is the number of milliseconds from the begin of the sync. A sync begins at 2000-01-01T00:01:00Z.
	At     int64          `json:"at,omitempty"`
	Expand *ExpandRequest `json:"expand,omitempty"`
	Modify *ModifyRequest `json:"modify,omitempty"`
	Patch  *Patch         `json:"patch,omitempty"`
	Event  *Event         `json:"event,omitempty"`
}

// Patch is a request that changes an object.
type Patch struct {
	Kind        string `json:"kind"`
	Name        string `json:"name"`
	Subresource string `json:"subresource,omitempty"`
	// Version is the resource version that the object must have.
	Version string `json:"version,omitempty"`
	// Change is the difference between the object before and after the request, as a merge patch. A request that is
	// refused would make this difference.
	Change json.RawMessage `json:"change"`
	// Refused is the error of the API server.
	Refused string `json:"refused,omitempty"`
}

// Event is an event about the claim.
type Event struct {
	Type    string `json:"type"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// ExpandRequest is the ControllerExpandVolumeRequest that the driver gets.
type ExpandRequest struct {
	Volume     string   `json:"volume"`
	Bytes      int64    `json:"bytes"`
	Mode       string   `json:"mode"`
	Block      bool     `json:"block,omitempty"`
	FSType     string   `json:"fsType,omitempty"`
	MountFlags []string `json:"mountFlags,omitempty"`
	// Secret is the name of the Secret whose data is sent, as NAMESPACE/NAME.
	Secret string `json:"secret,omitempty"`
	// Migrated says that the resizer counts the call as one for a migrated volume.
	Migrated bool `json:"migrated,omitempty"`
}

// ModifyRequest is the ControllerModifyVolumeRequest that the driver gets.
type ModifyRequest struct {
	Volume     string            `json:"volume"`
	Parameters map[string]string `json:"parameters,omitempty"`
	Secret     string            `json:"secret,omitempty"`
}
