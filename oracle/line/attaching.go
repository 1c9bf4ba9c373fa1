package line

import "encoding/json"

// Attaching is a run of the attach/detach controller. The command worlds proposes everything except Log, and the
// command attach answers with Log. All moments and durations are in nanoseconds. A moment is counted from the beginning
// of the run, at which the API server has the objects of the world.
type Attaching struct {
	// DisableForceDetach is --disable-force-detach-on-timeout of kube-controller-manager, DisableSync is
	// --disable-attach-detach-reconcile-sync, and SyncPeriod is --attach-detach-reconcile-sync-period.
	DisableForceDetach bool  `json:"disableForceDetach"`
	DisableSync        bool  `json:"disableSync"`
	SyncPeriod         int64 `json:"syncPeriod"`
	// Latency is the time that a request of an operation takes. The request takes effect at its end. An operation that
	// sends no request and does not wait takes this time as well, before it does anything else. A patch of the status of
	// a node takes no time.
	Latency int64 `json:"latency"`
	// Until is the end of the run.
	Until int64 `json:"until"`
	// Settles says that nobody but the controller and the attachers changes anything that matters, and that the run is so
	// long that nothing new happens at its end.
	Settles bool `json:"settles,omitempty"`
	// EveryEnd asks for the ends under all choices of the attachers instead of a log. Then Attachers is empty.
	EveryEnd bool `json:"everyEnd,omitempty"`
	// Attachers act on the VolumeAttachments, each on those of its driver.
	Attachers []Attacher `json:"attachers,omitempty"`
	// Script are the changes that other actors make, in the order of their moments.
	Script []AttachingChange `json:"script,omitempty"`
	// Refuse makes requests of the controller fail.
	Refuse []AttachingRefuse `json:"refuse,omitempty"`
	// Log is the answer: everything that happened, in order.
	Log []AttachingEntry `json:"log,omitempty"`
	// Ends is the answer if EveryEnd is set: the VolumeAttachments and the nodes at each end, without uids, versions,
	// times and messages.
	Ends [][]json.RawMessage `json:"ends,omitempty"`
	// WithoutEnds says why Ends is empty: there are too many choices, or some run does not settle.
	WithoutEnds string `json:"withoutEnds,omitempty"`
}

// Attacher is a simple external-attacher. When a VolumeAttachment of its driver is neither attached nor being deleted,
// it adds its finalizer at once and sets status.attached later. When the VolumeAttachment is being deleted, it removes
// its finalizer later.
type Attacher struct {
	Driver string `json:"driver"`
	// Attach and Detach are the times that attaching and detaching take.
	Attach int64 `json:"attach"`
	Detach int64 `json:"detach"`
	// AttachError is the message that the attacher writes instead of attaching. Then it does nothing more about this
	// VolumeAttachment until it is deleted. DetachError has the same meaning for the deletion.
	AttachError string `json:"attachError,omitempty"`
	DetachError string `json:"detachError,omitempty"`
	// Absent says that the attacher does nothing.
	Absent bool `json:"absent,omitempty"`
}

// AttachingChange is a change by another actor. It has one of Put, Delete and Restart.
type AttachingChange struct {
	At int64 `json:"at"`
	// Put creates the object or replaces it. A node without status.volumesAttached keeps this field as it is.
	Put json.RawMessage `json:"put,omitempty"`
	// Delete deletes the object. If the object has finalizers, it only gets a deletionTimestamp.
	Delete *Object `json:"delete,omitempty"`
	// Restart ends the controller and starts a new one at the same moment.
	Restart bool `json:"restart,omitempty"`
}

// AttachingRefuse makes the First-th to the Last-th of the matching requests fail, counted from 1. They are counted
// over all restarts.
type AttachingRefuse struct {
	// Verb is "create", "delete", "patch" or "get", and Resource is "volumeattachments" or "nodes". An empty Name
	// matches every name.
	Verb     string `json:"verb"`
	Resource string `json:"resource"`
	Name     string `json:"name,omitempty"`
	First    int    `json:"first"`
	Last     int    `json:"last"`
	// Reason is "Conflict", "NotFound", "AlreadyExists", "Forbidden" or "InternalError". Text is a part of the error,
	// except for NotFound and AlreadyExists.
	Reason string `json:"reason"`
	Text   string `json:"text,omitempty"`
}

// AttachingEntry is something that happened at a moment. It has exactly one of the other fields.
type AttachingEntry struct {
	At int64 `json:"at"`

	// The inputs of the controller follow. Start says that the controller has its caches and begins. Put and Delete are
	// the changes of the API's objects by the script and the attachers. Put has the object as it is stored after the
	// change. Restart says that the controller ends. Poll is the name of a VolumeAttachment that an operation looked for
	// in the cache. The moments at which an operation looks again are random.
	Start   bool            `json:"start,omitempty"`
	Put     json.RawMessage `json:"put,omitempty"`
	Delete  *Object         `json:"delete,omitempty"`
	Restart bool            `json:"restart,omitempty"`
	Poll    string          `json:"poll,omitempty"`

	// The outputs of the controller follow. Read is a read from the API server, not from a cache.
	Write     *AttachingRequest   `json:"write,omitempty"`
	Read      *AttachingRequest   `json:"read,omitempty"`
	Event     *AttachingEvent     `json:"event,omitempty"`
	Operation *AttachingOperation `json:"operation,omitempty"`
	// Logged is an entry that the controller logs at -v=5, as klog's text logger writes it.
	Logged string `json:"logged,omitempty"`
}

// AttachingRequest is a request at the moment at which it took effect.
type AttachingRequest struct {
	// Verb is absent for a read.
	Verb        string `json:"verb,omitempty"`
	Resource    string `json:"resource"`
	Subresource string `json:"subresource,omitempty"`
	Name        string `json:"name"`
	// Patch is the strategic merge patch as the controller sent it. Object is the object that a create sent.
	Patch  json.RawMessage `json:"patch,omitempty"`
	Object json.RawMessage `json:"object,omitempty"`
	// Refused is the text of the API's error.
	Refused string `json:"refused,omitempty"`
}

// AttachingEvent is an event as the controller recorded it.
type AttachingEvent struct {
	Type    string `json:"type"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
	About   Object `json:"about"`
}

// AttachingOperation is an operation that was started.
type AttachingOperation struct {
	// Name is "attach" or "detach".
	Name   string `json:"name"`
	Volume string `json:"volume"`
	Node   string `json:"node"`
	// Forced is "timeout" or "out-of-service" if the volume is detached without a check whether it is in use.
	Forced string `json:"forced,omitempty"`
}
