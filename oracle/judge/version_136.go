//go:build !(k8s_1_34 || k8s_1_32 || k8s_1_30)

package judge

import (
	"context"
	_ "unsafe" // for go:linkname

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/util/workqueue"
	storagehelpers "k8s.io/component-helpers/storage/volume"
	"k8s.io/kubernetes/pkg/controller/volume/persistentvolume"
	"k8s.io/kubernetes/pkg/controller/volume/pvcprotection"
	"k8s.io/kubernetes/pkg/controller/volume/pvprotection"
	"k8s.io/kubernetes/pkg/volume"
)

// Everything in this file depends on the minor version of Kubernetes. Another minor gets a file of its own, chosen by a build tag.

// Version is the release of Kubernetes whose controllers answer.
const Version = "1.36.3"

// retriesErrors says that a key whose sync ended with an error is put on the queue again.
const retriesErrors = true

// queue is the type of the controller's work queues.
type queue = workqueue.TypedRateLimitingInterface[string]

// spyQueue hands on what the binder enqueues itself; nothing else uses the queues here.
type spyQueue struct {
	queue
	judge *Judge
	kind  string
}

func (q *spyQueue) Add(key string) {
	if q.judge.enqueued != nil {
		q.judge.enqueued(q.kind, key)
	}
}

// watchQueues makes enqueued take what the binder enqueues.
func (j *Judge) watchQueues() {
	for kind, name := range map[string]string{"PersistentVolume": "volumeQueue", "PersistentVolumeClaim": "claimQueue"} {
		inner := field[queue](j.binder, name)
		*inner = &spyQueue{queue: *inner, judge: j, kind: kind}
	}
}

// sync is what the binder's worker does with one key.
func (j *Judge) sync(kind, key string) error {
	if kind == "PersistentVolume" {
		return syncVolumeByKey(j.binder, j.ctx, key)
	}
	return syncClaimByKey(j.binder, j.ctx, key)
}

//go:linkname syncClaimByKey k8s.io/kubernetes/pkg/controller/volume/persistentvolume.(*PersistentVolumeController).syncClaimByKey
func syncClaimByKey(ctrl *persistentvolume.PersistentVolumeController, ctx context.Context, key string) error

//go:linkname syncVolumeByKey k8s.io/kubernetes/pkg/controller/volume/persistentvolume.(*PersistentVolumeController).syncVolumeByKey
func syncVolumeByKey(ctrl *persistentvolume.PersistentVolumeController, ctx context.Context, key string) error

//go:linkname processVolume k8s.io/kubernetes/pkg/controller/volume/pvprotection.(*Controller).processPV
func processVolume(ctrl *pvprotection.Controller, ctx context.Context, name string) error

//go:linkname processClaim k8s.io/kubernetes/pkg/controller/volume/pvcprotection.(*Controller).processPVC
func processClaim(ctrl *pvcprotection.Controller, ctx context.Context, namespace, name string, pods *pvcprotection.LazyLivePodList) error

// olderPlugins are those that only older minors have.
func olderPlugins() []volume.VolumePlugin { return nil }

// protectClaim is processClaim. A live list of pods is shared by the claims that one batch takes; here each claim is a batch of its own.
func protectClaim(ctrl *pvcprotection.Controller, ctx context.Context, namespace, name string) error {
	return processClaim(ctrl, ctx, namespace, name, &pvcprotection.LazyLivePodList{})
}

// findMatchingVolume is the real function, with the gate VolumeAttributesClass as it is by default.
func findMatchingVolume(
	claim *v1.PersistentVolumeClaim, volumes []*v1.PersistentVolume, node *v1.Node, excluded map[string]*v1.PersistentVolume, delayed bool,
) (*v1.PersistentVolume, error) {
	return storagehelpers.FindMatchingVolume(claim, volumes, node, excluded, delayed, true)
}
