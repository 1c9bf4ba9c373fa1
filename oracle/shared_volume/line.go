package main

import "encoding/json"

// Line is one world. After the command sync, it also contains what the real shared-volume controller does. It does not
// have the fields that other commands of the oracle fill in, which are in ../line/line.go.
type Line struct {
	ID   string   `json:"id"`
	Tags []string `json:"tags,omitempty"`
	// World contains the objects that the API server stores at the beginning: Volumes of api.storageos.com/v1, claims,
	// Services and Endpoints. All have the fields that an API server adds.
	World List   `json:"world"`
	Share *Share `json:"share,omitempty"`
}

// List is a v1 List whose items are kept as raw JSON.
type List struct {
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
	Items      []json.RawMessage `json:"items"`
}

// Share contains a script, and the answers of the controller to it.
type Share struct {
	// IPv6 says that the cluster assigns addresses of IPv6 to Services. The n-th address that is assigned in a world is
	// 10.96.100.n or fd00:10:96::n (n is hexadecimal here), where n begins with 1. An address that a stored Service has
	// is passed over.
	IPv6 bool `json:"ipv6,omitempty"`
	// Turns are the parts of the script, in their order. The API server keeps its objects from turn to turn.
	Turns []Turn `json:"turns"`

	// Answers has one answer for each turn.
	Answers []Answer `json:"answers,omitempty"`
}

// Turn is a part of the script: first others change objects, then Volumes are reconciled.
type Turn struct {
	// Publish says that the storage system writes the mount endpoints that it got in earlier turns into the label
	// storageos.com/nfs/mount-endpoint (in spec.configLabels) of the Volumes with these ids. It writes only Volumes whose
	// label differs, in the order of their names. This happens before Set.
	Publish bool `json:"publish,omitempty"`
	// Set are complete objects that are created or replaced, in this order. The API server gives each a new resource
	// version, and changes nothing else.
	Set []json.RawMessage `json:"set,omitempty"`
	// Delete are objects that are removed after that. An object that does not exist is ignored.
	Delete []Object `json:"delete,omitempty"`
	// Reconcile are the syncs of the turn, in this order. A Volume does not have to exist.
	Reconcile []Reconcile `json:"reconcile,omitempty"`
}

// Object is the name of an object. A Volume has no namespace.
type Object struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
}

// Reconcile is one sync of a Volume.
type Reconcile struct {
	Volume string    `json:"volume"`
	Refuse []Refused `json:"refuse,omitempty"`
}

// Refused says that requests of a sync fail.
type Refused struct {
	// Request is getVolume, getClaim, getService, createService, updateService, getEndpoints, createEndpoints,
	// updateEndpoints or setExternalEndpoint.
	Request string `json:"request"`
	// Place is the number of the first of these requests that fails, among the requests of this sync with the same name,
	// from 0. The reads of a wait count too.
	Place int `json:"place,omitempty"`
	// Count is how many requests fail one after the other. 0 stands for 1.
	Count int `json:"count,omitempty"`
	// Reason is the reason of the API server: NotFound (with get: the cache of the controller does not have the object
	// yet), Conflict, AlreadyExists or InternalError. With getService, NoAddress stands for an answer that has the
	// Service without its clusterIP and clusterIPs, if the Service exists. With setExternalEndpoint, Reason is the text
	// of the error. A refused request does nothing.
	Reason string `json:"reason"`
}

// Answer is what happens in a turn.
type Answer struct {
	// Events are the events of Volumes, in their order, and whether the controller's filters let them pass. In the first
	// turn, there is a create event for each Volume of the world first, in the order of the world, as after a start.
	// Then follow the events of Publish, Set and Delete.
	Events []Event `json:"events,omitempty"`
	// Syncs has one answer for each element of Reconcile. They are made whether or not an event passed.
	Syncs []Sync `json:"syncs,omitempty"`
}

// Event is an event of a Volume that an informer delivers.
type Event struct {
	// Type is create, update or delete.
	Type   string `json:"type"`
	Volume string `json:"volume"`
	// Passes says that the Volume is queued for a sync.
	Passes bool `json:"passes,omitempty"`
}

// Sync is what one sync of a Volume does.
type Sync struct {
	// Effects are the requests that are not reads, the events and the calls of the storage system, in their order.
	Effects []Effect `json:"effects,omitempty"`
	// Error is the error that Reconcile returns. With an error, the Volume is synced again later.
	Error string `json:"error,omitempty"`
	// Log has the messages of the log, without their values, in their order.
	Log []string `json:"log,omitempty"`
	// Took is how many milliseconds the sync takes. Only waits take time.
	Took int64 `json:"took,omitempty"`
	// Observed says that the metric of the duration gets a value. This value is always Took.
	Observed bool `json:"observed,omitempty"`
}

// Effect is something that a sync does. Exactly one of the fields other than At is set.
type Effect struct {
	// At is the number of milliseconds from the begin of the sync.
	At     int64    `json:"at,omitempty"`
	Create *Request `json:"create,omitempty"`
	Update *Request `json:"update,omitempty"`
	Event  *Note    `json:"event,omitempty"`
	Set    *Set     `json:"set,omitempty"`
}

// Request is a creation or an update of a Service or of Endpoints.
type Request struct {
	// Kind is Service or Endpoints.
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Object is the object that is created, as it is sent, without the fields metadata.creationTimestamp (which is null)
	// and status (which is empty).
	Object json.RawMessage `json:"object,omitempty"`
	// Change is the difference between the stored object and the object that is sent, as a merge patch, with an update. A
	// request that is refused has it too. It is absent if the object does not exist.
	Change json.RawMessage `json:"change,omitempty"`
	// Stored is the difference between the object that is sent and the object that is stored then, as a merge patch: what
	// the API server adds and changes. It is absent if the request is refused. For a creation, the sent object is Object.
	Stored json.RawMessage `json:"stored,omitempty"`
	// Refused is the error of the request.
	Refused string `json:"refused,omitempty"`
}

// Note is an event that is recorded about an object.
type Note struct {
	// Kind, Namespace and Name are those of the object.
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Type      string `json:"type"`
	Reason    string `json:"reason"`
	Message   string `json:"message"`
}

// Set is a call of SetExternalEndpoint of the storage system.
type Set struct {
	// ID is the id of the volume in the storage system, and Namespace the namespace of its claim.
	ID        string `json:"id"`
	Namespace string `json:"namespace"`
	Endpoint  string `json:"endpoint"`
	// Refused is the error of the call.
	Refused string `json:"refused,omitempty"`
}
