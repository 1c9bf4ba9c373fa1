package judge

import (
	"errors"
	"os"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/volume"
	"k8s.io/kubernetes/pkg/volume/hostpath"
	"k8s.io/kubernetes/pkg/volume/nfs"
)

// plugins returns the plugins that kube-controller-manager gives to the binder with default flags. Since 1.36 only
// hostPath and nfs can provision, delete or recycle. Older minor versions have more plugins. provisions says whether
// hostPath provisions.
func plugins(provisions *bool) []volume.VolumePlugin {
	hostPath := func(provisions bool) hostPathPlugin {
		return hostpath.ProbeVolumePlugins(volume.VolumeConfig{
			RecyclerMinimumTimeout: 60, RecyclerTimeoutIncrement: 30,
			RecyclerPodTemplate: volume.NewPersistentVolumeRecyclerPodTemplate(), ProvisioningEnabled: provisions,
		})[0].(hostPathPlugin)
	}
	all := append([]volume.VolumePlugin{harmless{hostPath(false), hostPath(true), provisions}}, nfs.ProbeVolumePlugins(volume.VolumeConfig{
		RecyclerMinimumTimeout: 300, RecyclerTimeoutIncrement: 30, RecyclerPodTemplate: volume.NewPersistentVolumeRecyclerPodTemplate(),
	})...)
	return append(all, olderPlugins()...)
}

// hostPathPlugin lists the interfaces that the hostPath plugin implements.
type hostPathPlugin interface {
	volume.PersistentVolumePlugin
	volume.RecyclableVolumePlugin
	volume.DeletableVolumePlugin
	volume.ProvisionableVolumePlugin
}

// nowhere is put before each path that the hostPath deleter would remove. No such directory exists, so nothing is ever
// removed. The deleter only accepts a path with /tmp/ in it. The prefix does not end with a slash, so it does not
// change whether a path is accepted.
const nowhere = "/pvctl-oracle-nowhere/x"

// harmless is the real hostPath plugin, changed so that it removes nothing, leaves nothing behind, and gives the same
// answers in every run. Its deleter gets only paths that do not exist, and its errors name the original paths. The
// directory that its provisioner creates is removed, and the random name of the directory is replaced by <uid>.
type harmless struct {
	hostPathPlugin
	// provisioning is the same plugin with provisioning enabled. It is used if provisions is true.
	provisioning hostPathPlugin
	provisions   *bool
}

func (h harmless) Init(host volume.VolumeHost) error {
	if err := h.provisioning.Init(host); err != nil {
		return err
	}
	return h.hostPathPlugin.Init(host)
}

func (h harmless) NewProvisioner(logger klog.Logger, options volume.VolumeOptions) (volume.Provisioner, error) {
	if !*h.provisions {
		return h.hostPathPlugin.NewProvisioner(logger, options)
	}
	provisioner, err := h.provisioning.NewProvisioner(logger, options)
	if err != nil {
		return nil, err
	}
	return harmlessProvisioner{provisioner}, nil
}

type harmlessProvisioner struct{ volume.Provisioner }

// provisioned is the folder in which the real provisioner creates a directory with a random name.
const provisioned = "/tmp/hostpath_pv/"

// Provision calls the real provisioner and removes the empty directory that it created. In the path of the volume,
// <uid> replaces the random name.
func (h harmlessProvisioner) Provision(node *v1.Node, topologies []v1.TopologySelectorTerm) (*v1.PersistentVolume, error) {
	result, err := h.Provisioner.Provision(node, topologies)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(result.Spec.HostPath.Path, provisioned) {
		if err := os.Remove(result.Spec.HostPath.Path); err != nil {
			return nil, err
		}
	}
	result.Spec.HostPath.Path = provisioned + "<uid>"
	return result, nil
}

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
