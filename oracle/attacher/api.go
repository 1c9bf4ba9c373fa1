package main

import (
	"errors"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clienttesting "k8s.io/client-go/testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// recorder records what the attacher does, in this order.
type recorder struct {
	begin   time.Time
	effects []Effect
	// failed is the error of the sync, which the attacher only logs.
	failed string
}

func (r *recorder) add(made Effect) {
	made.At = time.Since(r.begin).Milliseconds()
	r.effects = append(r.effects, made)
}

// kinds are the kinds of the resources that are patched.
var kinds = map[string]string{"persistentvolumes": "PersistentVolume", "volumeattachments": "VolumeAttachment"}

// faked is a fake client of client-go.
type faked interface {
	PrependReactor(verb, resource string, reaction clienttesting.ReactionFunc)
	Tracker() clienttesting.ObjectTracker
}

// watch makes the recorder record every patch of the client, and lets some of them fail. An object that is being deleted
// is gone as soon as it has no finalizers, as in the API server.
func (r *recorder) watch(client faked, refuse []Refused) {
	tracker := client.Tracker()
	react := clienttesting.ObjectReaction(tracker)
	left := map[string]Refused{}
	for _, each := range refuse {
		left[each.Request] = each
	}
	client.PrependReactor("patch", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
		patch := action.(clienttesting.PatchActionImpl)
		resource := patch.GetResource()
		made := &Patch{Kind: kinds[resource.Resource], Name: patch.GetName(), Subresource: patch.GetSubresource(), Body: patch.GetPatch()}
		r.add(Effect{Patch: made})
		if err := refused(left, made, resource.GroupResource()); err != nil {
			made.Refused = err.Error()
			return true, nil, err
		}
		handled, result, err := react(action)
		if err != nil {
			made.Refused = err.Error()
			return handled, result, err
		}
		if object, err := meta.Accessor(result); err != nil {
			panic(err)
		} else if object.GetDeletionTimestamp() != nil && len(object.GetFinalizers()) == 0 {
			return handled, result, tracker.Delete(resource, "", made.Name)
		}
		return handled, result, nil
	})
}

// refused returns the error of a request that fails, and counts it.
func refused(left map[string]Refused, made *Patch, resource schema.GroupResource) error {
	request := "volume"
	if made.Kind == "VolumeAttachment" {
		request = "attachment"
		if made.Subresource != "" {
			request = made.Subresource
		}
	}
	found := left[request]
	if found.Times == 0 {
		return nil
	}
	found.Times--
	left[request] = found
	if found.Reason == "NotFound" {
		return apierrors.NewNotFound(resource, made.Name)
	}
	return apierrors.NewInternalError(errors.New("the API server says no"))
}

// sink is a logger that takes the error of a sync from the log of the attacher.
type sink struct{ *recorder }

func (s sink) Init(logr.RuntimeInfo)          {}
func (s sink) Enabled(int) bool               { return true }
func (s sink) Error(error, string, ...any)    {}
func (s sink) WithValues(...any) logr.LogSink { return s }
func (s sink) WithName(string) logr.LogSink   { return s }
func (s sink) Info(_ int, message string, pair ...any) {
	if err, ok := pairValue(pair, "err").(error); ok && message == "Error processing" {
		s.failed = err.Error()
	}
}

func pairValue(pairs []any, key string) any {
	for place := 0; place+1 < len(pairs); place += 2 {
		if pairs[place] == key {
			return pairs[place+1]
		}
	}
	return nil
}
