// Package line holds the one format that every command of the oracle reads and writes: JSON lines, one world each.
package line

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
)

// Line is one world, and, after a command has answered, what the controller does with it.
type Line struct {
	ID   string   `json:"id"`
	Tags []string `json:"tags,omitempty"`
	// World is a v1 List of the objects as the API server stores them. Their order has no meaning.
	World List `json:"world"`
	// Flags are those of kube-controller-manager that differ from their defaults: "enable-dynamic-provisioning" and
	// "enable-hostpath-provisioner", "true" or "false".
	Flags map[string]string `json:"flags,omitempty"`
	// Gates are the feature gates that differ from their defaults.
	Gates map[string]bool `json:"gates,omitempty"`
	// Features are the answers of gates for lines with the tag "features": what the gates are, and how they can be set.
	Features []Feature `json:"features,omitempty"`
	// Periods are how the value of --pvclaimbinder-sync-period is read; gates answers them, too.
	Periods []Period `json:"periods,omitempty"`
	// Cases are syncs under other circumstances than caches in step and requests that succeed. The generator proposes
	// them, decide answers them.
	Cases []Case `json:"cases,omitempty"`
	// Decisions are the answers of decide, for every claim and volume of the world.
	Decisions []Case `json:"decisions,omitempty"`
	// Protections are the same for the protection controller of each claim and volume; decide fills them with
	// --controllers protection or all.
	Protections []Case `json:"protections,omitempty"`
	// Ephemerals are the same for the ephemeral-volume controller and every pod of the world; decide fills them with
	// --controllers all, unless no pod has an ephemeral volume.
	Ephemerals []Case `json:"ephemerals,omitempty"`
	// Settle is the answer of settle.
	Settle *Settle `json:"settle,omitempty"`
	// Schedules are ways to ends that somebody gives; follow fills in whether they lead there.
	Schedules []Schedule `json:"schedules,omitempty"`
	// Matches are the answers of match.
	Matches []Match `json:"matches,omitempty"`
}

// Feature is a feature gate of the version.
type Feature struct {
	Name string `json:"name"`
	// Default is its state where nobody sets it; absent where the version has no such gate.
	Default *bool `json:"default,omitempty"`
	// Off and On are the errors of setting it so.
	Off string `json:"off,omitempty"`
	On  string `json:"on,omitempty"`
}

// Period is the value of a flag that takes a duration.
type Period struct {
	Text    string `json:"text"`
	Seconds int64  `json:"seconds,omitempty"`
	Error   string `json:"error,omitempty"`
}

// List is a v1 List whose items stay as they were read.
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

// Case is one sync of one object, under the circumstances that it names, and its answers. The ephemeral-volume controller
// syncs a pod.
type Case struct {
	Object Object `json:"object"`
	// Protection says that the protection controller of the object's kind syncs it, not the binder.
	Protection bool `json:"protection,omitempty"`
	// Cached are the copies of the controller that differ from the API's.
	Cached []Cached `json:"cached,omitempty"`
	// Running are the names of operations that run already, BackingOff of those that failed a short while ago.
	Running    []string `json:"running,omitempty"`
	BackingOff []string `json:"backingOff,omitempty"`
	// Refuse makes writes fail.
	Refuse *Refuse `json:"refuse,omitempty"`
	// FailRead makes reads fail that a controller sends to the API server itself.
	FailRead *FailRead `json:"failRead,omitempty"`
	// Recycler says what becomes of the pod of a recycler, which the sync's operation has to start then. Without it nobody
	// runs the pod, and the operation stops before it.
	Recycler *Recycler `json:"recycler,omitempty"`

	// Answers is the set of what the controller can do, without repetition, sorted by its JSON text.
	Answers []Decision `json:"decisions,omitempty"`
	// Runs is how often the sync was repeated to find the set.
	Runs  int      `json:"runs,omitempty"`
	Notes []string `json:"notes,omitempty"`
}

// Cached is a copy of the controller that differs from the API's object.
type Cached struct {
	Object Object `json:"object"`
	// As says how: "unseen" (neither the informer nor the controller's own cache has it), "informerOnly" (the
	// informer has it, the controller's own cache does not), "stale" (both hold the older version in Copy).
	// A pod, of which only the informers have copies, can be "unseen" or "stale".
	As   string          `json:"as"`
	Copy json.RawMessage `json:"copy,omitempty"`
}

// Refuse makes the Write-th write of the sync fail, counted from 1; with From all later ones too.
type Refuse struct {
	Write int  `json:"write"`
	From  bool `json:"from,omitempty"`
	// Reason is the API's reason: "Conflict", "NotFound" or "InternalError". The controllers tell no other apart.
	Reason string `json:"reason"`
	// Text is the error's text for reasons whose text does not follow from the object ("InternalError"). It is part of
	// the case, so that both sides use the same one.
	Text string `json:"text,omitempty"`
}

// FailRead makes one kind of live read fail.
type FailRead struct {
	// Read is "getClaim", "getVolume" or "listPods".
	Read string `json:"read"`
	// Reason and Text are those of Refuse.
	Reason string `json:"reason"`
	Text   string `json:"text,omitempty"`
}

// Recycler is what becomes of a recycler's pod.
type Recycler struct {
	// Pod is "succeeded", "failed" (with Text as its message, if it has one), "deleted" (by somebody, before it ended),
	// "refused" (it cannot be created), "inTheWay" (an older one has its name) or "kept" (it succeeded and cannot be
	// deleted). Requests that fail do so as an InternalError with Text.
	Pod  string `json:"pod"`
	Text string `json:"text,omitempty"`
}

// Decision is what one sync did.
type Decision struct {
	Writes     []Write     `json:"writes"`
	Events     []Event     `json:"events"`
	Operations []Operation `json:"operations"`
	// Error is the text of the error that the sync returned.
	Error string `json:"error,omitempty"`
}

// Write is a request that changes something. Seq numbers writes, events and operations of a decision together, from 1.
type Write struct {
	Seq         int    `json:"seq"`
	Verb        string `json:"verb"`
	Resource    string `json:"resource"`
	Subresource string `json:"subresource,omitempty"`
	Namespace   string `json:"namespace,omitempty"`
	Name        string `json:"name"`
	// Patch is, for an update, the RFC 7386 merge patch from the API's object right before the write to the object that
	// is sent, without metadata.resourceVersion and managedFields, and without the status unless that is updated. A
	// number that the oracle's own server gave out is "<next>".
	Patch json.RawMessage `json:"patch,omitempty"`
	// Object is what a create sends.
	Object json.RawMessage `json:"object,omitempty"`
	// Preconditions are those of a delete.
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

// Settle is what can be when nothing moves any more.
type Settle struct {
	// Controllers are the names of those that took part, as kube-controller-manager's --controllers names them.
	Controllers []string `json:"controllers"`
	Schedules   int      `json:"schedules"`
	Objects     []Ends   `json:"objects"`
	// Joint are the joint end states of the schedules behind Ends, each in the order of Objects as indexes into Ends;
	// absent when more than 64.
	Joint [][]int `json:"joint,omitempty"`
	// Notes: "api-rejected" (the API server refused a write because it would not store the object today), "recycle" (a
	// recycler would have started its pod; its operation is over there), "unsettled" (some schedule never came to rest; the
	// states that it went on visiting carry unsettled: true).
	Notes []string `json:"notes,omitempty"`
}

// Ends are the end states of one object: claims {phase, volumeName}, volumes {phase, claimRef {namespace, name, uid}},
// {gone: true} for a deleted object, with terminating: true and the finalizers left where deletion is under way.
//
// A claim that the ephemeral-volume controller made has created: true, also where it took the name of one of the world;
// its uid in claimRef is "<created>", and the volume that was provisioned for it is named "pvc-<created>". One that some
// schedule made and that is not in the world follows the world's objects, in the order of namespaces and names; where it
// was never made, it is gone.
type Ends struct {
	Object Object            `json:"object"`
	Ends   []json.RawMessage `json:"ends"`
	// FaultEnds were seen, beside Ends, only when requests failed, the process died inside a sync or caches lagged,
	// RaceEnds only when workers overlapped.
	FaultEnds []json.RawMessage `json:"faultEnds,omitempty"`
	RaceEnds  []json.RawMessage `json:"raceEnds,omitempty"`
}

// Schedule is a list of syncs that is said to lead some objects to their ends, all at once.
type Schedule struct {
	Objects []Object `json:"objects"`
	// Ends are one for each object, in the form of Ends.
	Ends []json.RawMessage `json:"ends"`
	// Steps are made one after the other, with caches in step between them.
	Steps []Step `json:"steps"`
	// Reached is the answer of follow: whether that is where the objects come to rest after the steps, or a state that they go
	// on visiting, if the world never rests.
	Reached bool `json:"reached"`
}

// Step is one sync of a schedule.
type Step struct {
	// Controller is one of the names in Settle.
	Controller string `json:"controller"`
	Object     Object `json:"object"`
	// Volume is the name of the one that the sync's search takes, where several are equally good.
	Volume string `json:"volume,omitempty"`
}

// Match is FindMatchingVolume's answer for one claim of the world, over all orders of the volumes that were tried.
type Match struct {
	Claim   Object `json:"claim"`
	Delayed bool   `json:"delayed,omitempty"`
	// Node is the name of the node that the scheduler asks for, if it asks.
	Node string `json:"node,omitempty"`
	// Excluded are the names of volumes that the scheduler has given to other claims.
	Excluded []string `json:"excluded,omitempty"`
	// Chosen are the names that can be answered; "" is no volume.
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
