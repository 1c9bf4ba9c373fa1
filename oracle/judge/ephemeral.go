package judge

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"unsafe" // also for go:linkname

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/record"
	volumes "k8s.io/component-helpers/storage/ephemeral"
	"k8s.io/kubernetes/pkg/controller/volume/ephemeral"

	"pvctl.dev/oracle/line"
)

// ephemeralController is the address of the real controller, whose type is not exported.
type ephemeralController unsafe.Pointer

//go:linkname syncPod k8s.io/kubernetes/pkg/controller/volume/ephemeral.(*ephemeralController).syncHandler
func syncPod(ctrl ephemeralController, ctx context.Context, key string) error

//go:linkname enqueuePod k8s.io/kubernetes/pkg/controller/volume/ephemeral.(*ephemeralController).enqueuePod
func enqueuePod(ctrl ephemeralController, pod any)

//go:linkname onClaimDelete k8s.io/kubernetes/pkg/controller/volume/ephemeral.(*ephemeralController).onPVCDelete
func onClaimDelete(ctrl ephemeralController, claim any)

// newEphemeral creates the ephemeral-volume controller. Keys that the controller enqueues are passed to the function
// enqueued.
func (j *Judge) newEphemeral(clients kubernetes.Interface, factory informers.SharedInformerFactory) error {
	core := factory.Core().V1()
	controller, err := ephemeral.NewController(j.ctx, clients, core.Pods(), core.PersistentVolumeClaims())
	if err != nil {
		return err
	}
	j.ephemeral = ephemeralController(reflect.ValueOf(controller).UnsafePointer())
	*Field[record.EventRecorder](controller, "recorder") = recorder{j}
	inner := Field[queue](controller, "queue")
	*inner = &spyQueue{queue: *inner, judge: j, kind: podKind}
	return nil
}

// podKind is the kind whose keys only the ephemeral-volume controller takes.
const podKind = "Pod"

// podObjects returns the pods of the world in the order of the line.
func (w *world) podObjects() []line.Object {
	var result []line.Object
	for _, pod := range w.pods {
		result = append(result, line.Object{Kind: podKind, Namespace: pod.Namespace, Name: pod.Name})
	}
	return result
}

func isEphemeral(volume v1.Volume) bool { return volume.Ephemeral != nil }

// hasEphemeral returns whether some pod of the world has an ephemeral volume. If none has, the ephemeral-volume
// controller has nothing to do, and no answer mentions it.
func (w *world) hasEphemeral() bool {
	return slices.ContainsFunc(w.pods, func(pod *v1.Pod) bool { return slices.ContainsFunc(pod.Spec.Volumes, isEphemeral) })
}

// creatable returns the claims that the ephemeral-volume controller can create and that the world does not contain.
func (w *world) creatable(who Controllers) []line.Object {
	if who < All {
		return nil
	}
	var result []line.Object
	for _, pod := range w.pods {
		for _, volume := range pod.Spec.Volumes {
			claim := line.Object{Kind: "PersistentVolumeClaim", Namespace: pod.Namespace, Name: volumes.VolumeClaimName(pod, &volume)}
			if isEphemeral(volume) && !slices.Contains(w.objects, claim) {
				result = append(result, claim)
			}
		}
	}
	slices.SortFunc(result, func(a, b line.Object) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return slices.Compact(result)
}
