package upstream

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
)

// pvctlProtect records one test of a protection controller: the objects, and the objects that the controller sends.
// unseen is the number of objects, counted from the first, that the informers do not have.
func pvctlProtect(
	t *testing.T, name string, gate bool, objects []runtime.Object, reactors []reaction, unseen int, actions []clienttesting.Action,
) {
	// The tables use a deletion time of zero, which JSON cannot represent.
	mark := func(object runtime.Object) map[string]any {
		object = object.DeepCopyObject()
		meta := object.(metav1.Object)
		if meta.GetDeletionTimestamp() != nil {
			when, zero := metav1.NewTime(time.Date(2026, 6, 5, 10, 0, 0, 0, time.UTC)), int64(0)
			meta.SetDeletionTimestamp(&when)
			meta.SetDeletionGracePeriodSeconds(&zero)
		}
		kinds := map[string]string{"*v1.PersistentVolume": "PersistentVolume", "*v1.PersistentVolumeClaim": "PersistentVolumeClaim", "*v1.Pod": "Pod"}
		return map[string]any{"kind": kinds[fmt.Sprintf("%T", object)], "object": object}
	}
	var world, sent []map[string]any
	for number, object := range objects {
		marked := mark(object)
		marked["unseen"] = number < unseen
		world = append(world, marked)
	}
	for _, action := range actions {
		if update, ok := action.(clienttesting.UpdateAction); ok {
			marked := mark(update.GetObject())
			marked["subresource"] = update.GetSubresource()
			sent = append(sent, marked)
		}
	}
	fails := ""
	for _, reactor := range reactors {
		fails = reactor.verb
	}
	pvctlWrite(map[string]any{
		"kind": "protection", "test": t.Name(), "name": name, "gate": gate, "objects": world, "sent": sent,
		"failing": fails,
	})
}
