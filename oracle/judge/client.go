package judge

import (
	"context"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	clientv1 "k8s.io/client-go/kubernetes/typed/core/v1"
)

// The clients have only the methods that the controllers call. The embedded interfaces are nil, so any other call
// panics.

type client struct {
	kubernetes.Interface
	api *api
}

func (c *client) CoreV1() clientv1.CoreV1Interface { return coreClient{api: c.api} }

type coreClient struct {
	clientv1.CoreV1Interface
	api *api
}

func (c coreClient) PersistentVolumes() clientv1.PersistentVolumeInterface {
	return volumeClient{api: c.api}
}

func (c coreClient) PersistentVolumeClaims(namespace string) clientv1.PersistentVolumeClaimInterface {
	return claimClient{api: c.api, namespace: namespace}
}

func (c coreClient) Pods(namespace string) clientv1.PodInterface {
	return podClient{api: c.api, namespace: namespace}
}

func (c coreClient) Events(string) clientv1.EventInterface { return eventClient{} }

type volumeClient struct {
	clientv1.PersistentVolumeInterface
	api *api
}

func (c volumeClient) Get(_ context.Context, name string, _ metav1.GetOptions) (*v1.PersistentVolume, error) {
	return c.api.volumes.get("", name)
}

func (c volumeClient) Create(_ context.Context, volume *v1.PersistentVolume, _ metav1.CreateOptions) (*v1.PersistentVolume, error) {
	return c.api.volumes.create("", volume)
}

func (c volumeClient) Update(_ context.Context, volume *v1.PersistentVolume, _ metav1.UpdateOptions) (*v1.PersistentVolume, error) {
	return c.api.volumes.update(volume, "")
}

func (c volumeClient) UpdateStatus(_ context.Context, volume *v1.PersistentVolume, _ metav1.UpdateOptions) (*v1.PersistentVolume, error) {
	return c.api.volumes.update(volume, "status")
}

func (c volumeClient) Delete(_ context.Context, name string, options metav1.DeleteOptions) error {
	return c.api.volumes.remove("", name, options)
}

type claimClient struct {
	clientv1.PersistentVolumeClaimInterface
	api       *api
	namespace string
}

func (c claimClient) Get(_ context.Context, name string, _ metav1.GetOptions) (*v1.PersistentVolumeClaim, error) {
	return c.api.claims.get(c.namespace, name)
}

func (c claimClient) Create(_ context.Context, claim *v1.PersistentVolumeClaim, _ metav1.CreateOptions) (*v1.PersistentVolumeClaim, error) {
	return c.api.claims.create(c.namespace, claim)
}

func (c claimClient) Update(_ context.Context, claim *v1.PersistentVolumeClaim, _ metav1.UpdateOptions) (*v1.PersistentVolumeClaim, error) {
	return c.api.claims.update(claim, "")
}

func (c claimClient) UpdateStatus(_ context.Context, claim *v1.PersistentVolumeClaim, _ metav1.UpdateOptions) (*v1.PersistentVolumeClaim, error) {
	return c.api.claims.update(claim, "status")
}

type podClient struct {
	clientv1.PodInterface
	api       *api
	namespace string
}

func (c podClient) List(context.Context, metav1.ListOptions) (*v1.PodList, error) {
	asked := request{verb: "list", resource: "pods", namespace: c.namespace, read: "listPods"}
	if c.api.gate != nil {
		if err := c.api.gate(asked); err != nil {
			return &v1.PodList{}, err
		}
	}
	if err := c.api.trace.read(asked); err != nil {
		return &v1.PodList{}, err
	}
	list := &v1.PodList{}
	for _, pod := range c.api.pods {
		if pod.Namespace == c.namespace {
			list.Items = append(list.Items, *pod.DeepCopy())
		}
	}
	return list, nil
}

// recycling is the value of a panic. The panic ends an operation at the point where a recycler starts to watch its pod.
// No pod runs here. The operation continues only if the case says how the pod ends.
type recycling struct{}

func (c podClient) Watch(context.Context, metav1.ListOptions) (watch.Interface, error) {
	t := c.api.trace
	t.note("recycle")
	if t == nil || t.recycler == nil {
		panic(recycling{})
	}
	t.watch = watch.NewFakeWithChanSize(1, false)
	return t.watch, nil
}

// Create creates the pod of a recycler. It also sends the end of the pod to the watch at once.
func (c podClient) Create(_ context.Context, pod *v1.Pod, _ metav1.CreateOptions) (*v1.Pod, error) {
	t := c.api.trace
	asked := request{verb: "create", resource: "pods", namespace: c.namespace, name: pod.Name}
	ended := pod.DeepCopy()
	switch t.recycler.Pod {
	case "refused":
		return &v1.Pod{}, failure("InternalError", t.recycler.Text, asked)
	case "inTheWay":
		return &v1.Pod{}, apierrors.NewAlreadyExists(schema.GroupResource{Resource: asked.resource}, pod.Name)
	case "deleted":
		t.watch.Delete(ended)
	case "failed":
		ended.Status.Phase, ended.Status.Message = v1.PodFailed, t.recycler.Text
		t.watch.Modify(ended)
	default:
		ended.Status.Phase = v1.PodSucceeded
		t.watch.Modify(ended)
	}
	return pod, nil
}

func (c podClient) Delete(_ context.Context, name string, _ metav1.DeleteOptions) error {
	if t := c.api.trace; t.recycler.Pod == "kept" {
		return failure("InternalError", t.recycler.Text, request{verb: "delete", resource: "pods", namespace: c.namespace, name: name})
	}
	return nil
}

// eventClient returns no events about the pod of a recycler. The controller would repeat such events as events of the
// volume.
type eventClient struct{ clientv1.EventInterface }

func (eventClient) Watch(context.Context, metav1.ListOptions) (watch.Interface, error) {
	return watch.NewFake(), nil
}
