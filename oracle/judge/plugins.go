package judge

import (
	"errors"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/volume"
	"k8s.io/kubernetes/pkg/volume/hostpath"
	"k8s.io/kubernetes/pkg/volume/nfs"
)

// plugins are the two that kube-controller-manager gives this controller, with the defaults of its flags: of all its plugins only these
// can provision, delete or recycle.
func plugins() []volume.VolumePlugin {
	real := hostpath.ProbeVolumePlugins(volume.VolumeConfig{
		RecyclerMinimumTimeout: 60, RecyclerTimeoutIncrement: 30, RecyclerPodTemplate: volume.NewPersistentVolumeRecyclerPodTemplate(),
	})[0]
	return append([]volume.VolumePlugin{harmless{real.(hostPathPlugin)}}, nfs.ProbeVolumePlugins(volume.VolumeConfig{
		RecyclerMinimumTimeout: 300, RecyclerTimeoutIncrement: 30, RecyclerPodTemplate: volume.NewPersistentVolumeRecyclerPodTemplate(),
	})...)
}

// hostPathPlugin is what the hostPath plugin can do.
type hostPathPlugin interface {
	volume.PersistentVolumePlugin
	volume.RecyclableVolumePlugin
	volume.DeletableVolumePlugin
	volume.ProvisionableVolumePlugin
}

// nowhere is put before each path that the hostPath deleter would remove. No such directory exists, so nothing is ever removed. It does
// not change whether the path counts as one below /tmp, because it ends in the middle of a name.
const nowhere = "/pvctl-oracle-nowhere/x"

// harmless is the real hostPath plugin, whose deleter works on paths that do not exist.
type harmless struct{ hostPathPlugin }

func (h harmless) NewDeleter(logger klog.Logger, spec *volume.Spec) (volume.Deleter, error) {
	if spec.PersistentVolume != nil && spec.PersistentVolume.Spec.HostPath != nil {
		moved := spec.PersistentVolume.DeepCopy()
		moved.Spec.HostPath = &v1.HostPathVolumeSource{Path: nowhere + spec.PersistentVolume.Spec.HostPath.Path}
		spec = volume.NewSpecFromPersistentVolume(moved, spec.ReadOnly)
	}
	deleter, err := h.hostPathPlugin.NewDeleter(logger, spec)
	if err != nil {
		return nil, err
	}
	return harmlessDeleter{deleter}, nil
}

type harmlessDeleter struct{ volume.Deleter }

func (h harmlessDeleter) Delete() error {
	if err := h.Deleter.Delete(); err != nil {
		return errors.New(strings.ReplaceAll(err.Error(), nowhere, ""))
	}
	return nil
}
