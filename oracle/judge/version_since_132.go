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

// This file is for all minor versions since 1.32 with which the oracle is built.

// refusesEmptyNamespace says whether the client refuses to request a claim without a namespace. Only the client of 1.30
// does.
const refusesEmptyNamespace = false

// queue is the type of the work queues of controllers that retry.
type queue = workqueue.TypedRateLimitingInterface[string]

// spyQueue calls hear with each key that a controller enqueues itself. Nothing else uses the queue here.
type spyQueue struct {
	queue
	judge *Judge
	kind  string
}

func (q *spyQueue) Add(key string) { q.judge.hear(q.kind, key) }

//go:linkname processClaim k8s.io/kubernetes/pkg/controller/volume/pvcprotection.(*Controller).processPVC
func processClaim(ctrl *pvcprotection.Controller, ctx context.Context, namespace, name string, pods *pvcprotection.LazyLivePodList) error

// protectClaim calls processClaim. In upstream, the claims of one batch share a live list of pods. Here each batch has
// only one claim.
func protectClaim(ctrl *pvcprotection.Controller, ctx context.Context, namespace, name string) error {
	return processClaim(ctrl, ctx, namespace, name, &pvcprotection.LazyLivePodList{})
}

// findMatchingVolume calls the real function. Like the controller, it passes the state of the gate
// VolumeAttributesClass.
func findMatchingVolume(
	claim *v1.PersistentVolumeClaim, volumes []*v1.PersistentVolume, node *v1.Node, excluded map[string]*v1.PersistentVolume, delayed bool,
) (*v1.PersistentVolume, error) {
	vac := utilfeature.DefaultFeatureGate.Enabled(features.VolumeAttributesClass)
	return storagehelpers.FindMatchingVolume(claim, volumes, node, excluded, delayed, vac)
}
