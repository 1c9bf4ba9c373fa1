package main

import (
	"context"
	"time"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"github.com/kubernetes-csi/csi-lib-utils/rpc"
	external "github.com/kubernetes-csi/external-provisioner/v6/pkg/controller"
	snapclient "github.com/kubernetes-csi/external-snapshotter/client/v8/clientset/versioned"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	storagelisters "k8s.io/client-go/listers/storage/v1"
	"k8s.io/client-go/util/workqueue"
	translation "k8s.io/csi-translation-lib"
	"sigs.k8s.io/sig-storage-lib-external-provisioner/v13/controller"
)

// capabilitiesOf returns the capabilities of the plugin and those of its controller service.
func capabilitiesOf(sidecar Sidecar) (rpc.PluginCapabilitySet, rpc.ControllerCapabilitySet) {
	plugin, service := rpc.PluginCapabilitySet{}, rpc.ControllerCapabilitySet{}
	for _, name := range sidecar.Capabilities {
		if number, ok := csi.PluginCapability_Service_Type_value[name]; ok {
			plugin[csi.PluginCapability_Service_Type(number)] = true
		} else if number, ok := csi.ControllerServiceCapability_RPC_Type_value[name]; ok {
			service[csi.ControllerServiceCapability_RPC_Type(number)] = true
		} else {
			panic("no capability " + name)
		}
	}
	return plugin, service
}

// provisionerOf returns the real provisioner. It calls this driver.
func provisionerOf(
	client kubernetes.Interface, snapshots snapclient.Interface, factory informers.SharedInformerFactory, sidecar Sidecar,
	driver csi.ControllerClient,
) provisioner {
	plugin, service := capabilitiesOf(sidecar)
	core, storage := factory.Core().V1(), factory.Storage().V1()
	var attachments storagelisters.VolumeAttachmentLister
	if service[csi.ControllerServiceCapability_RPC_PUBLISH_UNPUBLISH_VOLUME] {
		attachments = storage.VolumeAttachments().Lister()
	}
	var csiNodes storagelisters.CSINodeLister
	var store *external.InMemoryStore
	if external.SupportsTopology(plugin) {
		csiNodes, store = storage.CSINodes().Lister(), external.NewInMemoryStore()
	}
	made := external.NewCSIProvisioner(
		client, time.Minute, "identity", "pvc", -1, nil, snapshots, sidecar.Driver, plugin, service, sidecar.MigratedFrom,
		sidecar.StrictTopology, sidecar.ImmediateTopology, translation.New(), storage.StorageClasses().Lister(), csiNodes,
		core.Nodes().Lister(), core.PersistentVolumeClaims().Lister(), attachments, nil, sidecar.ExtraCreateMetadata,
		sidecar.DefaultFSType, nil, sidecar.ControllerPublishReadOnly, sidecar.PreventVolumeModeConversion, store,
	)
	*field[csi.ControllerClient](made, "csiClient") = driver
	return made.(provisioner)
}

// controllerOf returns the real controller of a provisioner. It has the options that cmd/csi-provisioner sets, except
// those for the number of threads and for the times of retries. In addition, it gets the informers of volumes and
// classes.
func controllerOf(
	ctx context.Context, client kubernetes.Interface, factory informers.SharedInformerFactory, sidecar Sidecar,
	made controller.Provisioner, more ...func(*controller.ProvisionController) error,
) *controller.ProvisionController {
	options := []func(*controller.ProvisionController) error{
		controller.LeaderElection(false),
		controller.FailedProvisionThreshold(0),
		controller.FailedDeleteThreshold(0),
		controller.CreateProvisionedPVLimiter(workqueue.DefaultTypedControllerRateLimiter[string]()),
		controller.ClaimsInformer(factory.Core().V1().PersistentVolumeClaims().Informer()),
		controller.VolumesInformer(factory.Core().V1().PersistentVolumes().Informer()),
		controller.ClassesInformer(factory.Storage().V1().StorageClasses().Informer()),
		controller.AddFinalizer(true),
	}
	if sidecar.MigratedFrom != "" {
		options = append(options, controller.AdditionalProvisionerNames([]string{sidecar.MigratedFrom}))
	}
	return controller.NewProvisionController(ctx, client, sidecar.Driver, made, append(options, more...)...)
}
