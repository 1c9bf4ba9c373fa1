package main

import (
	"errors"
	"path"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/kubernetes/pkg/volume"
	"k8s.io/kubernetes/pkg/volume/configmap"
	"k8s.io/kubernetes/pkg/volume/csi"
	"k8s.io/kubernetes/pkg/volume/emptydir"
	"k8s.io/kubernetes/pkg/volume/fc"
	"k8s.io/kubernetes/pkg/volume/hostpath"
	"k8s.io/kubernetes/pkg/volume/iscsi"
	"k8s.io/kubernetes/pkg/volume/local"
	"k8s.io/kubernetes/pkg/volume/nfs"
	"k8s.io/kubernetes/pkg/volume/secret"
)

// plugin mounts volumes at once and always succeeds. It has the name of a real plugin, supports the same volumes, and
// names them alike.
type plugin struct {
	volume.VolumePlugin
	// unattached are the CSI drivers whose volumes need no attachment.
	unattached sets.Set[string]
}

var (
	_ volume.AttachableVolumePlugin = &plugin{}
	_ volume.BlockVolumePlugin      = &plugin{}
)

// filesOnly is a plugin without block devices.
type filesOnly struct{ volume.AttachableVolumePlugin }

// probe returns the plugins of a kubelet, in place of the real ones.
func probe(unattached sets.Set[string]) []volume.VolumePlugin {
	var all []volume.VolumePlugin
	config := volume.VolumeConfig{}
	for _, each := range [][]volume.VolumePlugin{
		configmap.ProbeVolumePlugins(), csi.ProbeVolumePlugins(), emptydir.ProbeVolumePlugins(), fc.ProbeVolumePlugins(),
		hostpath.ProbeVolumePlugins(config), iscsi.ProbeVolumePlugins(), local.ProbeVolumePlugins(),
		nfs.ProbeVolumePlugins(config), secret.ProbeVolumePlugins(),
	} {
		for _, real := range each {
			made := &plugin{VolumePlugin: real, unattached: unattached}
			if _, mapsDevices := real.(volume.BlockVolumePlugin); mapsDevices {
				all = append(all, made)
			} else {
				all = append(all, filesOnly{made})
			}
		}
	}
	return all
}

func (p *plugin) Init(volume.VolumeHost) error                           { return nil }
func (p *plugin) RequiresRemount(*volume.Spec) bool                      { return false }
func (p *plugin) SupportsMountOption() bool                              { return true }
func (p *plugin) SupportsSELinuxContextMount(*volume.Spec) (bool, error) { return false, nil }
func (p *plugin) VerifyExhaustedResource(*volume.Spec) bool              { return false }

// CanAttach says whether a volume has to be attached. The real plugin of CSI asks an informer for the driver.
func (p *plugin) CanAttach(spec *volume.Spec) (bool, error) {
	if spec.PersistentVolume != nil && spec.PersistentVolume.Spec.CSI != nil {
		return !p.unattached.Has(spec.PersistentVolume.Spec.CSI.Driver), nil
	}
	real, isAttachable := p.VolumePlugin.(volume.AttachableVolumePlugin)
	if !isAttachable || p.GetPluginName() == csi.CSIPluginName {
		return false, nil
	}
	return real.CanAttach(spec)
}

func (p *plugin) CanDeviceMount(spec *volume.Spec) (bool, error) {
	real, isMountable := p.VolumePlugin.(volume.DeviceMountableVolumePlugin)
	if !isMountable {
		return false, nil
	}
	return real.CanDeviceMount(spec)
}

func (p *plugin) NewMounter(spec *volume.Spec, pod *v1.Pod) (volume.Mounter, error) {
	return &mounted{name: path.Join(string(pod.UID), spec.Name())}, nil
}

func (p *plugin) NewUnmounter(name string, pod types.UID) (volume.Unmounter, error) {
	return &mounted{name: path.Join(string(pod), name)}, nil
}

func (p *plugin) NewAttacher() (volume.Attacher, error)               { return &mounted{}, nil }
func (p *plugin) NewDetacher() (volume.Detacher, error)               { return &mounted{}, nil }
func (p *plugin) NewDeviceMounter() (volume.DeviceMounter, error)     { return &mounted{}, nil }
func (p *plugin) NewDeviceUnmounter() (volume.DeviceUnmounter, error) { return &mounted{}, nil }
func (p *plugin) GetDeviceMountRefs(string) ([]string, error)         { return nil, nil }

func (p *plugin) NewBlockVolumeMapper(spec *volume.Spec, pod *v1.Pod) (volume.BlockVolumeMapper, error) {
	return &mounted{name: path.Join(string(pod.UID), spec.Name())}, nil
}

func (p *plugin) NewBlockVolumeUnmapper(name string, pod types.UID) (volume.BlockVolumeUnmapper, error) {
	return &mounted{name: path.Join(string(pod), name)}, nil
}

func (p *plugin) ConstructVolumeSpec(string, string) (volume.ReconstructedVolume, error) {
	return volume.ReconstructedVolume{}, errors.New("no volume is on the disk")
}

func (p *plugin) ConstructBlockVolumeSpec(types.UID, string, string) (*volume.Spec, error) {
	return nil, errors.New("no volume is on the disk")
}

// mounted is a volume whose operations succeed at once.
type mounted struct {
	volume.MetricsNil
	name string
}

func (m *mounted) GetPath() string                                     { return "/mounted/" + m.name }
func (m *mounted) SetUp(volume.MounterArgs) error                      { return nil }
func (m *mounted) SetUpAt(string, volume.MounterArgs) error            { return nil }
func (m *mounted) GetAttributes() volume.Attributes                    { return volume.Attributes{} }
func (m *mounted) TearDown() error                                     { return nil }
func (m *mounted) TearDownAt(string) error                             { return nil }
func (m *mounted) Attach(*volume.Spec, types.NodeName) (string, error) { return "/dev/sdb", nil }
func (m *mounted) Detach(string, types.NodeName) error                 { return nil }
func (m *mounted) UnmountDevice(string) error                          { return nil }
func (m *mounted) GetGlobalMapPath(*volume.Spec) (string, error)       { return "/mapped", nil }
func (m *mounted) GetPodDeviceMapPath() (string, string)               { return "/mapped/" + m.name, "device" }
func (m *mounted) SetUpDevice() (string, error)                        { return "/staged", nil }
func (m *mounted) MapPodDevice() (string, error)                       { return "/dev/sdb", nil }
func (m *mounted) GetStagingPath() string                              { return "/staged" }

func (m *mounted) GetDeviceMountPath(spec *volume.Spec) (string, error) {
	return "/devices/" + spec.Name(), nil
}

func (m *mounted) MountDevice(*volume.Spec, string, string, volume.DeviceMounterArgs) error {
	return nil
}

func (m *mounted) VolumesAreAttached([]*volume.Spec, types.NodeName) (map[*volume.Spec]bool, error) {
	return nil, nil
}

func (m *mounted) WaitForAttach(*volume.Spec, string, *v1.Pod, time.Duration) (string, error) {
	return "/dev/sdb", nil
}
