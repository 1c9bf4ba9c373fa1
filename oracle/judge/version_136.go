//go:build !(k8s_1_34 || k8s_1_32 || k8s_1_30)

package judge

import (
	"context"
	_ "unsafe" // for go:linkname

	"k8s.io/kubernetes/pkg/controller/volume/persistentvolume"
	"k8s.io/kubernetes/pkg/volume"
)

// Everything in the files version_*.go depends on the minor version of Kubernetes. Build tags select the files.

// Version is the release of Kubernetes whose controllers answer.
const Version = "1.36.3"

// retriesErrors says whether a key is enqueued again if its sync ended with an error.
const retriesErrors = true

// watchQueues replaces the binder's work queues. The new queues call hear with the keys that the binder enqueues.
func (j *Judge) watchQueues() {
	for kind, name := range map[string]string{"PersistentVolume": "volumeQueue", "PersistentVolumeClaim": "claimQueue"} {
		inner := Field[queue](j.binder, name)
		*inner = &spyQueue{queue: *inner, judge: j, kind: kind}
	}
}

// sync runs the binder's worker for one key.
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

// olderPlugins returns the plugins that only older minor versions have. There are none in this version.
func olderPlugins() []volume.VolumePlugin { return nil }
