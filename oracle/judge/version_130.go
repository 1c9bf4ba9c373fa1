//go:build k8s_1_30

package judge

import (
	"context"
	_ "unsafe" // for go:linkname

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/util/workqueue"
	storagehelpers "k8s.io/component-helpers/storage/volume"
	"k8s.io/kubernetes/pkg/controller/volume/pvcprotection"
	"k8s.io/kubernetes/pkg/volume"
	"k8s.io/kubernetes/pkg/volume/portworx"
	"k8s.io/kubernetes/pkg/volume/rbd"
)

// Version is the release of Kubernetes whose controllers answer.
const Version = "1.30.14"

// refusesEmptyNamespace says whether the client refuses to request a claim without a namespace. Since client-go 0.31
// the client sends such a request with a path that has no namespace. The server does not know this path.
const refusesEmptyNamespace = true

// queue is the type of the work queues of controllers that retry.
type queue = workqueue.RateLimitingInterface

// spyQueue calls hear with each key that a controller enqueues itself. Nothing else uses the queue here.
type spyQueue struct {
	queue
	judge *Judge
	kind  string
}

func (q *spyQueue) Add(key any) { q.judge.hear(q.kind, key.(string)) }

// queues returns the binder's work queues, for volumes and for claims.
func (j *Judge) queues() (volumes, claims *workqueue.Type) {
	return *Field[*workqueue.Type](j.binder, "volumeQueue"), *Field[*workqueue.Type](j.binder, "claimQueue")
}

// olderPlugins returns the plugins that later minor versions no longer have.
func olderPlugins() []volume.VolumePlugin {
	return remotePlugins(portworx.ProbeVolumePlugins(), rbd.ProbeVolumePlugins())
}

//go:linkname protectClaim k8s.io/kubernetes/pkg/controller/volume/pvcprotection.(*Controller).processPVC
func protectClaim(ctrl *pvcprotection.Controller, ctx context.Context, namespace, name string) error

// findMatchingVolume calls the real function. In this version the function has no parameter for VolumeAttributesClass.
func findMatchingVolume(
	claim *v1.PersistentVolumeClaim, volumes []*v1.PersistentVolume, node *v1.Node, excluded map[string]*v1.PersistentVolume, delayed bool,
) (*v1.PersistentVolume, error) {
	return storagehelpers.FindMatchingVolume(claim, volumes, node, excluded, delayed)
}
