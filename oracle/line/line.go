// Package line defines the format that every command of the oracle reads and writes: JSON lines, one world each.
package line

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
)

// Line is one world. After a command has answered, it also contains the answers of the controllers.
type Line struct {
	ID   string   `json:"id"`
	Tags []string `json:"tags,omitempty"`
	// World is a v1 List of the objects as the API server stores them. Their order has no meaning.
	World List `json:"world"`
	// Flags are the flags of kube-controller-manager that differ from their defaults: "enable-dynamic-provisioning" and
	// "enable-hostpath-provisioner", each "true" or "false".
	Flags map[string]string `json:"flags,omitempty"`
	// Gates are the feature gates that differ from their defaults.
	Gates map[string]bool `json:"gates,omitempty"`
	// Features are the answers of the command gates for a line with the tag "features": which gates exist and how they
	// can be set.
	Features []Feature `json:"features,omitempty"`
	// Periods are the parsed values of --pvclaimbinder-sync-period. The command gates fills in these as well.
	Periods []Period `json:"periods,omitempty"`
	// Cases are syncs in special situations: stale caches, operations that are running, or requests that fail. The
	// command worlds proposes cases, and decide answers them.
	Cases []Case `json:"cases,omitempty"`
	// Decisions are the answers of decide for every claim and volume of the world.
	Decisions []Case `json:"decisions,omitempty"`
	// Protections are the answers of the protection controllers for every claim and volume. decide fills them in with
	// --controllers protection or all.
	Protections []Case `json:"protections,omitempty"`
	// Ephemerals are the answers of the ephemeral-volume controller for every pod of the world. decide fills them in
	// with --controllers all if some pod has an ephemeral volume.
	Ephemerals []Case `json:"ephemerals,omitempty"`
	// Settle is the answer of settle.
	Settle *Settle `json:"settle,omitempty"`
	// Schedules are lists of syncs, each with the ends to which it should lead. follow fills in whether the ends are
	// reached.
	Schedules []Schedule `json:"schedules,omitempty"`
	// Matches are the answers of match.
	Matches []Match `json:"matches,omitempty"`
	// Scheduling are the answers of schedule: one for each pod that kube-scheduler has to schedule, sorted by namespace
	// and name. It is empty, not absent, if the world has no such pod.
	Scheduling *[]Scheduling `json:"scheduling,omitempty"`
	// Attaching is a run of the attach/detach controller. attach fills in its log.
	Attaching *Attaching `json:"attaching,omitempty"`
}

// Feature is a feature gate of the version.
type Feature struct {
	Name string `json:"name"`
	// Default is the state of the gate if nobody sets it. It is absent if the version has no such gate.
	Default *bool `json:"default,omitempty"`
	// Off and On are the errors of setting the gate to false and to true.
	Off string `json:"off,omitempty"`
	On  string `json:"on,omitempty"`
}

// Period is the value of a flag that takes a duration.
type Period struct {
	Text    string `json:"text"`
	Seconds int64  `json:"seconds,omitempty"`
	Error   string `json:"error,omitempty"`
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

// Case is one sync of one object in the situation that the fields describe, and the answers. If the object is a pod, the
// ephemeral-volume controller syncs it.
type Case struct {
	Object Object `json:"object"`
	// Protection says that the protection controller of the object's kind syncs the object, not the binder.
	Protection bool `json:"protection,omitempty"`
	// Cached are the copies in the controller's caches that differ from the API's objects.
	Cached []Cached `json:"cached,omitempty"`
	// Running are the names of operations that are running. BackingOff are the names of operations that failed a short
	// time ago.
	Running    []string `json:"running,omitempty"`
	BackingOff []string `json:"backingOff,omitempty"`
	// Refuse makes writes fail.
	Refuse *Refuse `json:"refuse,omitempty"`
	// FailRead makes live reads fail. A live read is sent to the API server, it is not a read of a cache.
	FailRead *FailRead `json:"failRead,omitempty"`
	// Recycler says how the pod of a recycler ends. A case can only have it if the operation of the sync starts such a
	// pod. Without Recycler the operation stops before it starts the pod.
	Recycler *Recycler `json:"recycler,omitempty"`

	// Answers is the set of possible decisions, without repetition, sorted by their JSON text.
	Answers []Decision `json:"decisions,omitempty"`
	// Runs is the number of syncs that were run to find the set.
	Runs  int      `json:"runs,omitempty"`
	Notes []string `json:"notes,omitempty"`
}

// Cached is a copy in the controller's caches that differs from the API's object.
type Cached struct {
	Object Object `json:"object"`
	// As says how the copy differs. "unseen": neither the informer nor the controller's own cache has the object.
	// "informerOnly": the informer has the object and the controller's own cache does not. "stale": both have the older
	// version in Copy. "deleted": the API and the informer no longer have the object, and the controller's own cache has
	// the version in Copy. Only the informers have copies of pods, so As of a pod is "unseen" or "stale".
	As   string          `json:"as"`
	Copy json.RawMessage `json:"copy,omitempty"`
}

// Refuse makes the Write-th write of the sync fail, counted from 1. If From is set, all later writes fail as well.
type Refuse struct {
	Write int  `json:"write"`
	From  bool `json:"from,omitempty"`
	// Reason is the API's reason: "Conflict", "NotFound" or "InternalError". The controllers do not distinguish other
	// reasons.
	Reason string `json:"reason"`
	// Text is the text of the error for the reason "InternalError", which does not determine the text. It is in the
	// case, so that the oracle and the prediction use the same text.
	Text string `json:"text,omitempty"`
}

// FailRead makes one kind of live read fail.
type FailRead struct {
	// Read is "getClaim", "getVolume" or "listPods".
	Read string `json:"read"`
	// Reason and Text have the same meaning as in Refuse.
	Reason string `json:"reason"`
	Text   string `json:"text,omitempty"`
}

// Recycler says how the pod of a recycler ends.
type Recycler struct {
	// Pod is "succeeded", "failed" (with Text as its message, if there is one), "deleted" (by somebody, before the pod
	// ended), "refused" (the pod cannot be created), "inTheWay" (an older pod has its name) or "kept" (the pod
	// succeeded and cannot be deleted). Requests that fail have an InternalError with Text.
	Pod  string `json:"pod"`
	Text string `json:"text,omitempty"`
}

// Decision is what one sync does.
type Decision struct {
	Writes     []Write     `json:"writes"`
	Events     []Event     `json:"events"`
	Operations []Operation `json:"operations"`
	// Enqueues are the objects that the sync put on a work queue. They are recorded only for a case with a deleted
	// object.
	Enqueues []Object `json:"enqueues,omitempty"`
	// Error is the text of the error that the sync returned.
	Error string `json:"error,omitempty"`
	// Logs are the entries that the sync logged at -v=5, in klog's text format. decide fills them in with --logs.
	Logs []string `json:"logs,omitempty"`
}

// Write is a request that changes something. Seq numbers writes, events and operations of a decision together, from 1.
type Write struct {
	Seq         int    `json:"seq"`
	Verb        string `json:"verb"`
	Resource    string `json:"resource"`
	Subresource string `json:"subresource,omitempty"`
	Namespace   string `json:"namespace,omitempty"`
	Name        string `json:"name"`
	// Patch is set for an update. It is the RFC 7386 merge patch from the API's object right before the write to the
	// object that is sent, without metadata.resourceVersion and managedFields. It contains the status only if the
	// status is updated. A version that the oracle's own server assigned is "<next>".
	Patch json.RawMessage `json:"patch,omitempty"`
	// Object is the object that a create sends.
	Object json.RawMessage `json:"object,omitempty"`
	// Preconditions are the preconditions of a deletion.
	Preconditions json.RawMessage `json:"preconditions,omitempty"`
	// Refused is the text of the API's error.
	Refused string `json:"refused,omitempty"`
}

// Event is an event as the controller recorded it, about a volume, a claim or a pod.
type Event struct {
	Seq     int    `json:"seq"`
	Type    string `json:"type"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
	About   Object `json:"about"`
}

// Operation is an operation that the sync asked to run. State is "started", "running" or "backoff".
type Operation struct {
	Seq   int    `json:"seq"`
	Name  string `json:"name"`
	State string `json:"state"`
}

// Settle contains the ends: the states in which no sync changes anything any more.
type Settle struct {
	// Controllers are the names of the controllers that took part, as in kube-controller-manager's --controllers, and
	// "scheduler" for kube-scheduler.
	Controllers []string `json:"controllers"`
	Schedules   int      `json:"schedules"`
	Objects     []Ends   `json:"objects"`
	// Joint are the joint end states of the schedules that led to Ends. A joint state has one index into Ends for every
	// object, in the order of Objects. Joint is absent if there are more than 64.
	Joint [][]int `json:"joint,omitempty"`
	// Notes are "api-rejected" (the API server refused a write because it would not store the object today), "recycle"
	// (a recycler would have started its pod; its operation ended there), and "unsettled" (some schedule never settled;
	// the states that the schedule repeats have unsettled: true).
	Notes []string `json:"notes,omitempty"`
}

// Ends are the end states of one object: claims {phase, volumeName}, volumes {phase, claimRef {namespace, name, uid}},
// {gone: true} for a deleted object. A terminating object also has terminating: true and its remaining finalizers. If
// kube-scheduler takes part, pods have ends, too: {node}, {waitsForVolumesOn} for a node on which the volumes are being
// bound, or {unschedulable: true, message}. The message is that of the condition PodScheduled, if the pod has one.
//
// A claim that the ephemeral-volume controller created has created: true, even if a deleted claim of the world had the
// same name. Its uid in claimRef is "<created>", and the volume that was provisioned for it is named "pvc-<created>".
// If a schedule created a claim that is not in the world, this claim follows the world's objects, sorted by namespace
// and name. It is gone in the ends of the schedules that did not create it.
type Ends struct {
	Object Object            `json:"object"`
	Ends   []json.RawMessage `json:"ends"`
	// FaultEnds are the ends that occurred only when requests failed, the process died inside a sync or caches were
	// stale. RaceEnds are the ends that occurred only when workers ran at the same time.
	FaultEnds []json.RawMessage `json:"faultEnds,omitempty"`
	RaceEnds  []json.RawMessage `json:"raceEnds,omitempty"`
}

// Schedule is a list of syncs that should lead some objects to their ends, all in the same joint state.
type Schedule struct {
	Objects []Object `json:"objects"`
	// Ends has one end for each object, in the form of Ends.
	Ends []json.RawMessage `json:"ends"`
	// Steps are run one after another, with current caches.
	Steps []Step `json:"steps"`
	// Reached is the answer of follow: whether the objects are in these ends when the world settles after the steps. If
	// the world never settles, the ends must be among the states that the world repeats.
	Reached bool `json:"reached"`
}

// Step is one sync of a schedule.
type Step struct {
	// Controller is one of the names in Settle.
	Controller string `json:"controller"`
	Object     Object `json:"object"`
	// Volume is the name of the volume that the search of the sync takes if several are equally good.
	Volume string `json:"volume,omitempty"`
	// Remembered are the names of the node, the volumes and the claims in the reservation of the pod after this sync of
	// the scheduler.
	Remembered []string `json:"remembered,omitempty"`
	// GivesUp says that this is no sync: the scheduler stops waiting for the volumes of the pod. Before this step,
	// everything is synced until no sync changes anything.
	GivesUp bool `json:"givesUp,omitempty"`
}

// Match is the answer of FindMatchingVolume for one claim of the world, over all tried orders of the volumes.
type Match struct {
	Claim   Object `json:"claim"`
	Delayed bool   `json:"delayed,omitempty"`
	// Node is the name of the node for which the scheduler asks. It is empty for the binder.
	Node string `json:"node,omitempty"`
	// Excluded are the names of volumes that the scheduler has given to other claims.
	Excluded []string `json:"excluded,omitempty"`
	// Chosen are the names of the volumes that can be chosen. "" means no volume.
	Chosen []string `json:"chosen"`
	Error  string   `json:"error,omitempty"`
}

// Each calls answer for every line of in, in order.
func Each(in io.Reader, answer func(*Line) error) error {
	reader := bufio.NewReaderSize(in, 1<<20)
	for number := 1; ; number++ {
		text, err := reader.ReadBytes('\n')
		if len(text) > 0 {
			var read Line
			if bad := json.Unmarshal(text, &read); bad != nil {
				return fmt.Errorf("line %d: %w", number, bad)
			}
			if bad := answer(&read); bad != nil {
				return fmt.Errorf("line %d, world %s: %w", number, read.ID, bad)
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
