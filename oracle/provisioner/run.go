package main

import (
	"context"
	"fmt"
	"hash/fnv"
	"os"
	"slices"
	"time"

	"github.com/container-storage-interface/spec/lib/go/csi"
	snapfake "github.com/kubernetes-csi/external-snapshotter/client/v8/clientset/versioned/fake"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/sig-storage-lib-external-provisioner/v13/controller"
)

// migratedFrom are the in-tree plugins that CSI drivers replace.
var migratedFrom = map[string]string{
	"ebs.csi.aws.com":          "kubernetes.io/aws-ebs",
	"pd.csi.storage.gke.io":    "kubernetes.io/gce-pd",
	"disk.csi.azure.com":       "kubernetes.io/azure-disk",
	"cinder.csi.openstack.org": "kubernetes.io/cinder",
}

// allCapabilities are the capabilities of a driver that can do everything.
var allCapabilities = []string{
	"CONTROLLER_SERVICE", "VOLUME_ACCESSIBILITY_CONSTRAINTS", "CREATE_DELETE_VOLUME", "CREATE_DELETE_SNAPSHOT", "CLONE_VOLUME",
	"MODIFY_VOLUME", "PUBLISH_UNPUBLISH_VOLUME",
}

// The bounds of the waits between two tries. They are shorter than the defaults, so that a test sees the end soon.
const firstRetry, lastRetry = 200 * time.Millisecond, time.Second

// runDrivers runs the real provisioner of each driver in the cluster of this kubeconfig. It never ends. The seed decides
// what the drivers answer.
func runDrivers(kubeconfig string, drivers []string, seed uint64) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	config.QPS, config.Burst = 500, 1000
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	ctx := context.Background()
	nodes, err := client.StorageV1().CSINodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	hasTopology := map[string]bool{}
	for _, node := range nodes.Items {
		for _, driver := range node.Spec.Drivers {
			hasTopology[driver.Name] = hasTopology[driver.Name] || len(driver.TopologyKeys) > 0
		}
	}
	var controllers []*controller.ProvisionController
	for _, driver := range drivers {
		// Each controller adds an index of its own to its informers, so the controllers share none.
		factory := informers.NewSharedInformerFactory(client, 0)
		sidecar := Sidecar{
			Driver: driver, MigratedFrom: migratedFrom[driver], ImmediateTopology: true, PreventVolumeModeConversion: true,
			ExtraCreateMetadata: true,
		}
		for _, capability := range allCapabilities {
			if capability != "VOLUME_ACCESSIBILITY_CONSTRAINTS" || hasTopology[driver] {
				sidecar.Capabilities = append(sidecar.Capabilities, capability)
			}
		}
		made := provisionerOf(client, snapfake.NewSimpleClientset(), factory, sidecar, &randomDriver{seed: seed})
		retries := workqueue.NewTypedItemExponentialFailureRateLimiter[string](firstRetry, lastRetry)
		controllers = append(controllers, controllerOf(ctx, client, factory, sidecar, made, controller.RateLimiter(retries)))
		factory.Start(ctx.Done())
		for kind, synced := range factory.WaitForCacheSync(ctx.Done()) {
			if !synced {
				return fmt.Errorf("the cache of %v is not filled", kind)
			}
		}
	}
	fmt.Fprintln(os.Stderr, "the drivers are running")
	for _, each := range controllers {
		go each.Run(ctx)
	}
	select {}
}

// randomDriver is the controller service of a driver. Its answers are random, but the same request always gets the same
// answer.
type randomDriver struct {
	csi.ControllerClient
	seed uint64
}

// percent returns a number below 100 that depends on the seed and the texts.
func (d *randomDriver) percent(texts ...string) uint64 {
	hash := fnv.New64a()
	fmt.Fprint(hash, d.seed)
	for _, text := range texts {
		fmt.Fprintf(hash, "|%s", text)
	}
	return (hash.Sum64() >> 7) % 100
}

// failing is the percentage of claims and volumes for which a driver fails. full is the percentage of topologies that
// have too little storage for a volume.
const failing, full = 20, 45

func (d *randomDriver) CreateVolume(_ context.Context, request *csi.CreateVolumeRequest, _ ...grpc.CallOption) (*csi.CreateVolumeResponse, error) {
	// The names of a claim are the same in each run, but its uid is not.
	claim := request.Parameters["csi.storage.k8s.io/pvc/namespace"] + "/" + request.Parameters["csi.storage.k8s.io/pvc/name"]
	if d.percent("create", claim) < failing {
		return nil, status.Error(codes.Internal, "the driver fails")
	}
	volume := &csi.Volume{
		VolumeId: "handle-of-" + claim, CapacityBytes: request.CapacityRange.RequiredBytes, ContentSource: request.VolumeContentSource,
	}
	if asked := request.AccessibilityRequirements; asked != nil && len(asked.Preferred) > 0 {
		place := asked.Preferred[0].Segments
		if d.percent("place", claim, textOfSegments(place)) < full {
			fmt.Fprintln(os.Stderr, "the driver has too little storage")
			return nil, status.Error(codes.ResourceExhausted, "the driver has too little storage")
		}
		volume.AccessibleTopology = []*csi.Topology{{Segments: place}}
	}
	return &csi.CreateVolumeResponse{Volume: volume}, nil
}

func (d *randomDriver) DeleteVolume(_ context.Context, request *csi.DeleteVolumeRequest, _ ...grpc.CallOption) (*csi.DeleteVolumeResponse, error) {
	if d.percent("delete", request.VolumeId) < failing {
		return nil, status.Error(codes.Internal, "the driver fails")
	}
	return &csi.DeleteVolumeResponse{}, nil
}

// textOfSegments returns the segments in the order of their keys.
func textOfSegments(place map[string]string) string {
	var pairs []string
	for key, value := range place {
		pairs = append(pairs, key+"="+value)
	}
	slices.Sort(pairs)
	return fmt.Sprint(pairs)
}
