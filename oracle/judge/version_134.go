//go:build k8s_1_34

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
)

// Version is the release of Kubernetes whose controllers answer.
const Version = "1.34.4"

// queues are the binder's work queues, for volumes and for claims.
func (j *Judge) queues() (volumes, claims *workqueue.Typed[string]) {
	return *field[*workqueue.Typed[string]](j.binder, "volumeQueue"), *field[*workqueue.Typed[string]](j.binder, "claimQueue")
}

// olderPlugins are those that later minors no longer have. Portworx stays in the tree although its migration to CSI is on.
func olderPlugins() []volume.VolumePlugin { return remotePlugins(portworx.ProbeVolumePlugins()) }

//go:linkname processClaim k8s.io/kubernetes/pkg/controller/volume/pvcprotection.(*Controller).processPVC
func processClaim(ctrl *pvcprotection.Controller, ctx context.Context, namespace, name string, pods *pvcprotection.LazyLivePodList) error

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
