package main

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
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
	volumetypes "k8s.io/kubernetes/pkg/volume/util/types"
)

// plugin asks drivers that are given. It has the name of a real plugin, supports the same volumes, and names them
// alike.
type plugin struct {
	volume.VolumePlugin
	drivers *csiDrivers
	answers answers
}

// csiDrivers are what the objects of the CSI drivers say.
type csiDrivers struct {
	lock sync.Mutex
	// unattached are the drivers whose volumes need no attachment.
	unattached sets.Set[string]
	// republishing are the drivers whose volumes are mounted again and again.
	republishing sets.Set[string]
}

func newDrivers() *csiDrivers {
	return &csiDrivers{unattached: sets.New[string](), republishing: sets.New[string]()}
}

// put takes over what the object of a driver says.
func (d *csiDrivers) put(driver *storagev1.CSIDriver) {
	d.lock.Lock()
	defer d.lock.Unlock()
	d.unattached.Delete(driver.Name)
	d.republishing.Delete(driver.Name)
	if required := driver.Spec.AttachRequired; required != nil && !*required {
		d.unattached.Insert(driver.Name)
	}
	if required := driver.Spec.RequiresRepublish; required != nil && *required {
		d.republishing.Insert(driver.Name)
	}
}

func (d *csiDrivers) has(set sets.Set[string], driver string) bool {
	d.lock.Lock()
	defer d.lock.Unlock()
	return set.Has(driver)
}

// answers are those of the drivers of all volumes, and what is on the disk of the node.
type answers interface {
	// call carries out a call for a volume. The uid of the pod is empty if the call is for all pods.
	call(name, volume, pod string) error
	// onDisk returns the volume of a directory.
	onDisk(pod, name string) (*volume.Spec, error)
}

// immediate are drivers that succeed at once. Nothing is on the disk.
type immediate struct{}

func (immediate) call(string, string, string) error { return nil }
func (immediate) onDisk(string, string) (*volume.Spec, error) {
	return nil, errors.New("no volume is on the disk")
}

var (
	_ volume.AttachableVolumePlugin = &plugin{}
	_ volume.BlockVolumePlugin      = &plugin{}
)

// filesOnly is a plugin without block devices.
type filesOnly struct{ volume.AttachableVolumePlugin }

// expandable is a plugin that can expand volumes on the node.
type expandable struct {
	*plugin
	real volume.NodeExpandableVolumePlugin
}

func (e expandable) RequiresFSResize() bool { return e.real.RequiresFSResize() }

// NodeExpand asks the driver. The errors of a CSI driver are wrapped as the real plugin wraps them.
func (e expandable) NodeExpand(options volume.NodeResizeOptions) (bool, error) {
	const failed = "Expander.NodeExpand failed to expand the volume "
	err := e.answers.call("NodeExpand", options.VolumeSpec.Name(), "")
	isAsked := !volumetypes.IsOperationNotSupportedError(err) && !errors.As(err, new(*volumetypes.TransientOperationFailure))
	switch {
	case err == nil:
		return true, nil
	case e.GetPluginName() != csi.CSIPluginName || !isAsked:
		return false, err
	case volumetypes.IsInfeasibleError(err):
		return false, volumetypes.NewInfeasibleError(failed + err.Error())
	}
	return false, fmt.Errorf(failed+": %w", err)
}

// probe returns the plugins of a kubelet, in place of the real ones.
func probe(drivers *csiDrivers, answers answers) []volume.VolumePlugin {
	var all []volume.VolumePlugin
	config := volume.VolumeConfig{}
	for _, each := range [][]volume.VolumePlugin{
		configmap.ProbeVolumePlugins(), csi.ProbeVolumePlugins(), emptydir.ProbeVolumePlugins(), fc.ProbeVolumePlugins(),
		hostpath.ProbeVolumePlugins(config), iscsi.ProbeVolumePlugins(), local.ProbeVolumePlugins(),
		nfs.ProbeVolumePlugins(config), secret.ProbeVolumePlugins(),
	} {
		for _, real := range each {
			made := &plugin{VolumePlugin: real, drivers: drivers, answers: answers}
			_, mapsDevices := real.(volume.BlockVolumePlugin)
			expands, isExpandable := real.(volume.NodeExpandableVolumePlugin)
			switch {
			case !mapsDevices:
				all = append(all, filesOnly{made})
			case isExpandable:
				all = append(all, expandable{made, expands})
			default:
				all = append(all, made)
			}
		}
	}
	return all
}

func (p *plugin) Init(volume.VolumeHost) error                           { return nil }
func (p *plugin) SupportsSELinuxContextMount(*volume.Spec) (bool, error) { return false, nil }
func (p *plugin) VerifyExhaustedResource(*volume.Spec) bool              { return false }

// RequiresRemount says whether a volume is mounted again and again. The real plugin of CSI asks an informer for the
// driver.
func (p *plugin) RequiresRemount(spec *volume.Spec) bool {
	if spec.PersistentVolume == nil || spec.PersistentVolume.Spec.CSI == nil {
		return false
	}
	return p.drivers.has(p.drivers.republishing, spec.PersistentVolume.Spec.CSI.Driver)
}

// CanAttach says whether a volume has to be attached. The real plugin of CSI asks an informer for the driver.
func (p *plugin) CanAttach(spec *volume.Spec) (bool, error) {
	if spec.PersistentVolume != nil && spec.PersistentVolume.Spec.CSI != nil {
		return !p.drivers.has(p.drivers.unattached, spec.PersistentVolume.Spec.CSI.Driver), nil
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

// of returns a volume of a pod.
func (p *plugin) of(name string, pod types.UID) *mounted {
	return &mounted{answers: p.answers, name: name, pod: string(pod)}
}

func (p *plugin) NewMounter(spec *volume.Spec, pod *v1.Pod) (volume.Mounter, error) {
	return p.of(spec.Name(), pod.UID), nil
}

func (p *plugin) NewUnmounter(name string, pod types.UID) (volume.Unmounter, error) {
	return p.of(name, pod), nil
}

func (p *plugin) NewAttacher() (volume.Attacher, error)               { return p.of("", ""), nil }
func (p *plugin) NewDetacher() (volume.Detacher, error)               { return p.of("", ""), nil }
func (p *plugin) NewDeviceMounter() (volume.DeviceMounter, error)     { return p.of("", ""), nil }
func (p *plugin) NewDeviceUnmounter() (volume.DeviceUnmounter, error) { return p.of("", ""), nil }
func (p *plugin) GetDeviceMountRefs(string) ([]string, error)         { return nil, nil }

// plainMapper maps a block device without the driver.
type plainMapper struct{ volume.BlockVolumeMapper }

func (p *plugin) NewBlockVolumeMapper(spec *volume.Spec, pod *v1.Pod) (volume.BlockVolumeMapper, error) {
	made := p.of(spec.Name(), pod.UID)
	switch p.GetPluginName() {
	case "kubernetes.io/fc", "kubernetes.io/iscsi":
		return plainMapper{made}, nil
	}
	return made, nil
}

func (p *plugin) NewBlockVolumeUnmapper(name string, pod types.UID) (volume.BlockVolumeUnmapper, error) {
	return p.of(name, pod), nil
}

func (p *plugin) ConstructVolumeSpec(name, directory string) (volume.ReconstructedVolume, error) {
	// The directory is PODS/UID/volumes/PLUGIN/NAME.
	pod := path.Base(path.Dir(path.Dir(path.Dir(directory))))
	spec, err := p.answers.onDisk(pod, name)
	return volume.ReconstructedVolume{Spec: spec}, err
}

func (p *plugin) ConstructBlockVolumeSpec(pod types.UID, name, _ string) (*volume.Spec, error) {
	return p.answers.onDisk(string(pod), name)
}

// mounted is a volume whose driver can be asked.
type mounted struct {
	volume.MetricsNil
	answers   answers
	name, pod string
}

const devices = "/devices/"

var (
	_ volume.CustomBlockVolumeMapper   = &mounted{}
	_ volume.CustomBlockVolumeUnmapper = &mounted{}
)

func (m *mounted) GetPath() string                                     { return path.Join("/mounted", m.pod, m.name) }
func (m *mounted) SetUp(volume.MounterArgs) error                      { return m.answers.call("SetUp", m.name, m.pod) }
func (m *mounted) SetUpAt(string, volume.MounterArgs) error            { return nil }
func (m *mounted) GetAttributes() volume.Attributes                    { return volume.Attributes{} }
func (m *mounted) TearDown() error                                     { return m.answers.call("TearDown", m.name, m.pod) }
func (m *mounted) TearDownAt(string) error                             { return nil }
func (m *mounted) Attach(*volume.Spec, types.NodeName) (string, error) { return "/dev/sdb", nil }
func (m *mounted) Detach(string, types.NodeName) error                 { return nil }
func (m *mounted) GetGlobalMapPath(*volume.Spec) (string, error)       { return "/mapped", nil }
func (m *mounted) GetPodDeviceMapPath() (string, string) {
	return path.Join("/mapped", m.pod, m.name), "device"
}
func (m *mounted) GetStagingPath() string { return "/staged" }

func (m *mounted) SetUpDevice() (string, error) {
	return "/staged", m.answers.call("SetUpDevice", m.name, m.pod)
}

func (m *mounted) MapPodDevice() (string, error) {
	return "/dev/sdb", m.answers.call("MapPodDevice", m.name, m.pod)
}

func (m *mounted) UnmapPodDevice() error {
	return m.answers.call("UnmapPodDevice", m.name, m.pod)
}

func (m *mounted) TearDownDevice(string, string) error {
	return m.answers.call("TearDownDevice", m.name, m.pod)
}

func (m *mounted) GetDeviceMountPath(spec *volume.Spec) (string, error) {
	return devices + spec.Name(), nil
}

func (m *mounted) MountDevice(spec *volume.Spec, _ string, _ string, _ volume.DeviceMounterArgs) error {
	return m.answers.call("MountDevice", spec.Name(), "")
}

func (m *mounted) UnmountDevice(directory string) error {
	return m.answers.call("UnmountDevice", strings.TrimPrefix(directory, devices), "")
}

func (m *mounted) VolumesAreAttached([]*volume.Spec, types.NodeName) (map[*volume.Spec]bool, error) {
	return nil, nil
}

func (m *mounted) WaitForAttach(spec *volume.Spec, _ string, pod *v1.Pod, _ time.Duration) (string, error) {
	return "/dev/sdb", m.answers.call("WaitForAttach", spec.Name(), string(pod.UID))
}
