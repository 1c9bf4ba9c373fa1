//go:build k8s_1_34 || k8s_1_32

package judge

import (
	"k8s.io/client-go/util/workqueue"
	"k8s.io/kubernetes/pkg/volume"
	"k8s.io/kubernetes/pkg/volume/portworx"
)

// queues returns the binder's work queues, for volumes and for claims.
func (j *Judge) queues() (volumes, claims *workqueue.Typed[string]) {
	return *Field[*workqueue.Typed[string]](j.binder, "volumeQueue"), *Field[*workqueue.Typed[string]](j.binder, "claimQueue")
}

// olderPlugins returns the plugins that later minor versions no longer have. Here this is Portworx: its code still
// exists, although its migration to CSI is enabled.
func olderPlugins() []volume.VolumePlugin { return remotePlugins(portworx.ProbeVolumePlugins()) }
