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
)

// Everything in this file depends on the minor version of Kubernetes. Another minor gets a file of its own, chosen by a build tag.

// Version is the release of Kubernetes whose controllers answer.
const Version = "1.36.3"

// queue is the type of the controller's work queues.
type queue = workqueue.TypedRateLimitingInterface[string]

//go:linkname syncClaimByKey k8s.io/kubernetes/pkg/controller/volume/persistentvolume.(*PersistentVolumeController).syncClaimByKey
func syncClaimByKey(ctrl *persistentvolume.PersistentVolumeController, ctx context.Context, key string) error

//go:linkname syncVolumeByKey k8s.io/kubernetes/pkg/controller/volume/persistentvolume.(*PersistentVolumeController).syncVolumeByKey
func syncVolumeByKey(ctrl *persistentvolume.PersistentVolumeController, ctx context.Context, key string) error

//go:linkname processVolume k8s.io/kubernetes/pkg/controller/volume/pvprotection.(*Controller).processPV
func processVolume(ctrl *pvprotection.Controller, ctx context.Context, name string) error

//go:linkname processClaim k8s.io/kubernetes/pkg/controller/volume/pvcprotection.(*Controller).processPVC
func processClaim(ctrl *pvcprotection.Controller, ctx context.Context, namespace, name string, pods *pvcprotection.LazyLivePodList) error

// findMatchingVolume is the real function, with the gate VolumeAttributesClass as it is by default.
func findMatchingVolume(
	claim *v1.PersistentVolumeClaim, volumes []*v1.PersistentVolume, node *v1.Node, excluded map[string]*v1.PersistentVolume, delayed bool,
) (*v1.PersistentVolume, error) {
	return storagehelpers.FindMatchingVolume(claim, volumes, node, excluded, delayed, true)
}
