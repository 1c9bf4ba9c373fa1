//go:build !k8s_1_30

package judge

import (
	"context"
	_ "unsafe" // for go:linkname

	v1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/util/workqueue"
	storagehelpers "k8s.io/component-helpers/storage/volume"
	"k8s.io/kubernetes/pkg/controller/volume/pvcprotection"
	"k8s.io/kubernetes/pkg/features"
)

// Everything in this file holds for all minors since 1.32 that the oracle is built against.

// refusesEmptyNamespace says that the client does not ask for a claim without a namespace, as that of 1.30.
const refusesEmptyNamespace = false

// queue is the type of the work queues of controllers that retry.
type queue = workqueue.TypedRateLimitingInterface[string]

// spyQueue hands on what a controller enqueues itself; nothing else uses the queue here.
type spyQueue struct {
	queue
	judge *Judge
	kind  string
}

func (q *spyQueue) Add(key string) { q.judge.hear(q.kind, key) }

//go:linkname processClaim k8s.io/kubernetes/pkg/controller/volume/pvcprotection.(*Controller).processPVC
func processClaim(ctrl *pvcprotection.Controller, ctx context.Context, namespace, name string, pods *pvcprotection.LazyLivePodList) error

// protectClaim is processClaim. A live list of pods is shared by the claims that one batch takes; here each claim is a
// batch of its own.
func protectClaim(ctrl *pvcprotection.Controller, ctx context.Context, namespace, name string) error {
	return processClaim(ctrl, ctx, namespace, name, &pvcprotection.LazyLivePodList{})
}

// findMatchingVolume is the real function, with the gate VolumeAttributesClass as the controller asks for it.
func findMatchingVolume(
	claim *v1.PersistentVolumeClaim, volumes []*v1.PersistentVolume, node *v1.Node, excluded map[string]*v1.PersistentVolume, delayed bool,
) (*v1.PersistentVolume, error) {
	vac := utilfeature.DefaultFeatureGate.Enabled(features.VolumeAttributesClass)
	return storagehelpers.FindMatchingVolume(claim, volumes, node, excluded, delayed, vac)
}
