package main

import "encoding/json"

// Line is one world. After the command sync, it also contains what the real attacher does. It does not have the fields
// that other commands of the oracle fill in, which are in ../line/line.go.
type Line struct {
	ID       string    `json:"id"`
	Tags     []string  `json:"tags,omitempty"`
	World    List      `json:"world"`
	Attacher *Attacher `json:"attacher,omitempty"`
}

// List is a v1 List whose items are kept as raw JSON.
type List struct {
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
	Items      []json.RawMessage `json:"items"`
}

// Attacher describes an attacher and contains its answers. Each answer is one sync in the unchanged world by an attacher
// that has just been started.
type Attacher struct {
	Sidecar Sidecar `json:"sidecar"`
	// Secrets are the names of the existing Secrets, as NAMESPACE/NAME. The data of each Secret is its own name.
	Secrets []string `json:"secrets,omitempty"`
	Driver  Driver   `json:"driver"`
	// Refuse are requests to the API server that fail.
	Refuse []Refused `json:"refuse,omitempty"`
	// Failures is the number of times that the sync of each object has failed before.
	Failures int `json:"failures,omitempty"`

	// Reconciled is what one comparison with the volumes of the driver does. It is only there if the driver can list the
	// nodes to which volumes are published. The syncs of the attachments follow this comparison.
	Reconciled *Reconciled `json:"reconciled,omitempty"`
	// Attachments has an answer for each VolumeAttachment of the world, sorted by name.
	Attachments []AttachmentAnswer `json:"attachments,omitempty"`
	// Volumes has an answer for each PersistentVolume of the world, sorted by name.
	Volumes []VolumeAnswer `json:"volumes,omitempty"`
}

// Sidecar says how the attacher was started, and which capabilities the driver has.
type Sidecar struct {
	// Driver is the name of the driver, which is also the name of the attacher.
	Driver string `json:"driver"`
	// Capabilities are the capabilities of the driver's plugin and of its controller service.
	Capabilities []string `json:"capabilities,omitempty"`
	// DefaultFSType is the flag --default-fstype.
	DefaultFSType string `json:"defaultFSType,omitempty"`
	// Timeout is the flag --timeout in milliseconds.
	Timeout int64 `json:"timeout"`
}

// Driver says what the driver answers.
type Driver struct {
	// Publish and Unpublish are the codes of the answers to ControllerPublishVolume and ControllerUnpublishVolume, such as
	// OK and Internal.
	Publish   string `json:"publish"`
	Unpublish string `json:"unpublish"`
	// Latency is the time in milliseconds after which the driver answers.
	Latency int64 `json:"latency,omitempty"`
	// Context is the publish context of the answer to ControllerPublishVolume.
	Context map[string]string `json:"context,omitempty"`
	// List is the code of the answer to ListVolumes, and Published are the ids of the nodes to which each volume is
	// published.
	List      string              `json:"list"`
	Published map[string][]string `json:"published,omitempty"`
}

// Refused says that requests fail.
type Refused struct {
	// Request is "volume" (the patch of a PersistentVolume), "attachment" (the patch of a VolumeAttachment) or "status" (the
	// patch of its status).
	Request string `json:"request"`
	// Times is the number of requests of a sync that fail. The later ones succeed.
	Times int `json:"times"`
	// Reason is the reason of the API server: NotFound or InternalError.
	Reason string `json:"reason"`
}

// Reconciled is what a comparison with the volumes of the driver does.
type Reconciled struct {
	// Error is the error of the comparison.
	Error string `json:"error,omitempty"`
	// Queued are the names of the VolumeAttachments that are put on the queue, sorted.
	Queued []string `json:"queued,omitempty"`
}

// AttachmentAnswer is what one sync of a VolumeAttachment does.
type AttachmentAnswer struct {
	Attachment string   `json:"attachment"`
	Effects    []Effect `json:"effects,omitempty"`
	// Error is the error of the sync.
	Error string `json:"error,omitempty"`
	Queue
}

// VolumeAnswer is what one sync of a PersistentVolume does.
type VolumeAnswer struct {
	Volume string `json:"volume"`
	// Queued says that the volume is put on the queue when it is created or changed.
	Queued  bool     `json:"queued,omitempty"`
	Effects []Effect `json:"effects,omitempty"`
	Queue
}

// Queue is what happens to an object in the queue at the end of a sync.
type Queue struct {
	// Retry is the time in milliseconds after which the object is synced again. It is 0 if it is not synced again.
	Retry int64 `json:"retry,omitempty"`
	// Forgotten says that the failures of the object are forgotten.
	Forgotten bool `json:"forgotten,omitempty"`
}

// Effect is a call of the driver or a request that changes an object. Exactly one of the other fields is set.
type Effect struct {
	// At is the number of milliseconds from the begin of the sync. A sync begins at 2000-01-01T00:01:00Z.
	At        int64             `json:"at,omitempty"`
	Publish   *PublishRequest   `json:"publish,omitempty"`
	Unpublish *UnpublishRequest `json:"unpublish,omitempty"`
	Patch     *Patch            `json:"patch,omitempty"`
}

// Patch is a request that changes an object.
type Patch struct {
	Kind        string `json:"kind"`
	Name        string `json:"name"`
	Subresource string `json:"subresource,omitempty"`
	// Body is what is sent: a list for a JSON patch, an object for a merge patch.
	Body json.RawMessage `json:"body"`
	// Refused is the error of the API server.
	Refused string `json:"refused,omitempty"`
}

// PublishRequest is the ControllerPublishVolumeRequest that the driver gets.
type PublishRequest struct {
	Volume     string            `json:"volume"`
	Node       string            `json:"node"`
	Mode       string            `json:"mode"`
	ReadOnly   bool              `json:"readOnly,omitempty"`
	Block      bool              `json:"block,omitempty"`
	FSType     string            `json:"fsType,omitempty"`
	MountFlags []string          `json:"mountFlags,omitempty"`
	Attributes map[string]string `json:"attributes,omitempty"`
	// Secret is the name of the Secret whose data is sent, as NAMESPACE/NAME.
	Secret string `json:"secret,omitempty"`
	// Migrated says that the attacher counts the call as one for a migrated volume.
	Migrated bool `json:"migrated,omitempty"`
}

// UnpublishRequest is the ControllerUnpublishVolumeRequest that the driver gets.
type UnpublishRequest struct {
	Volume   string `json:"volume"`
	Node     string `json:"node"`
	Secret   string `json:"secret,omitempty"`
	Migrated bool   `json:"migrated,omitempty"`
}
