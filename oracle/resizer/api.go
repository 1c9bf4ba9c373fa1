package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	clienttesting "k8s.io/client-go/testing"

	"github.com/go-logr/logr"
)

// recorder records what the resizer does, in this order.
type recorder struct {
	begin   time.Time
	effects []Effect
	// failed is the error of the sync, which the resizer only logs.
	failed string
}

func (r *recorder) add(made Effect) {
	made.At = time.Since(r.begin).Milliseconds()
	r.effects = append(r.effects, made)
}

// Event, Eventf and AnnotatedEventf are the methods of a recorder of events. Both controllers record events only about
// the claim that they sync.
func (r *recorder) Event(_ runtime.Object, kind, reason, message string) {
	r.add(Effect{Event: &Event{Type: kind, Reason: reason, Message: message}})
}

func (r *recorder) Eventf(about runtime.Object, kind, reason, format string, parts ...any) {
	r.Event(about, kind, reason, fmt.Sprintf(format, parts...))
}

func (r *recorder) AnnotatedEventf(about runtime.Object, _ map[string]string, kind, reason, format string, parts ...any) {
	r.Eventf(about, kind, reason, format, parts...)
}

// faked is a fake client of client-go.
type faked interface {
	PrependReactor(verb, resource string, reaction clienttesting.ReactionFunc)
	Tracker() clienttesting.ObjectTracker
}

// watch makes the recorder record every patch of the client, and lets some of them fail.
func (r *recorder) watch(client faked, refuse []Refused) {
	tracker := client.Tracker()
	react := clienttesting.ObjectReaction(tracker)
	sent := map[string]int{}
	client.PrependReactor("patch", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
		patch := action.(clienttesting.PatchActionImpl)
		resource := patch.GetResource()
		stored, err := tracker.Get(resource, patch.GetNamespace(), patch.GetName())
		if err != nil {
			panic(err)
		}
		made := described(patch, stored)
		r.add(Effect{Patch: made})
		request := "claim"
		if made.Kind == "PersistentVolume" {
			request = "volume"
		}
		place := sent[request]
		sent[request]++
		for _, each := range refuse {
			if each.Request == request && each.Place == place {
				err := refusal(each.Reason, resource.GroupResource(), made.Name)
				made.Refused = err.Error()
				return true, nil, err
			}
		}
		return react(action)
	})
}

// described returns the patch as a line has it.
func described(patch clienttesting.PatchActionImpl, stored runtime.Object) *Patch {
	made := &Patch{Kind: "PersistentVolume", Name: patch.GetName(), Subresource: patch.GetSubresource()}
	after := runtime.Object(&v1.PersistentVolume{})
	if _, ok := stored.(*v1.PersistentVolumeClaim); ok {
		made.Kind, after = "PersistentVolumeClaim", &v1.PersistentVolumeClaim{}
	}
	var stated struct {
		Metadata struct {
			ResourceVersion string `json:"resourceVersion"`
		} `json:"metadata"`
	}
	must(json.Unmarshal(patch.GetPatch(), &stated))
	made.Version = stated.Metadata.ResourceVersion
	before := written(stored)
	changed, err := strategicpatch.StrategicMergePatch(before, patch.GetPatch(), after)
	must(err)
	must(json.Unmarshal(changed, after))
	made.Change, err = jsonpatch.CreateMergePatch(before, written(after))
	must(err)
	return made
}

func written(object any) []byte {
	text, err := json.Marshal(object)
	must(err)
	return text
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func refusal(reason string, resource schema.GroupResource, name string) error {
	switch reason {
	case "NotFound":
		return apierrors.NewNotFound(resource, name)
	case "Conflict":
		return apierrors.NewConflict(resource, name, errors.New("the object has been modified"))
	default:
		return apierrors.NewInternalError(errors.New("the API server says no"))
	}
}

// sink is a logger that takes the error of a sync from the log of the resizer.
type sink struct{ *recorder }

func (s sink) Init(logr.RuntimeInfo)          {}
func (s sink) Enabled(int) bool               { return true }
func (s sink) Info(int, string, ...any)       {}
func (s sink) WithValues(...any) logr.LogSink { return s }
func (s sink) WithName(string) logr.LogSink   { return s }
func (s sink) Error(err error, message string, _ ...any) {
	if message == "Error syncing PVC" {
		s.failed = err.Error()
	}
}
