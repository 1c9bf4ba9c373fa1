package attaching

import (
	"context"
	"errors"
	"time"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	clientv1 "k8s.io/client-go/kubernetes/typed/core/v1"
	storageclient "k8s.io/client-go/kubernetes/typed/storage/v1"

	"pvctl.dev/oracle/line"
)

// The clients have only the methods that the controller calls. The embedded interfaces are nil, so any other call
// panics.

// errEnded is the result of everything that an operation does after its controller has ended.
var errEnded = errors.New("the controller has ended")

type client struct {
	kubernetes.Interface
	process *process
}

func (c *client) CoreV1() clientv1.CoreV1Interface { return coreClient{process: c.process} }

func (c *client) StorageV1() storageclient.StorageV1Interface {
	return storageClient{process: c.process}
}

type coreClient struct {
	clientv1.CoreV1Interface
	process *process
}

func (c coreClient) Nodes() clientv1.NodeInterface { return nodeClient{process: c.process} }

// Events returns a client that accepts events. The recorder of the controller is replaced, so events are only sent if
// they are also to be logged.
func (c coreClient) Events(string) clientv1.EventInterface { return eventClient{} }

type eventClient struct{ clientv1.EventInterface }

func (eventClient) CreateWithEventNamespace(event *v1.Event) (*v1.Event, error) { return event, nil }

func (eventClient) PatchWithEventNamespace(event *v1.Event, _ []byte) (*v1.Event, error) {
	return event, nil
}

type storageClient struct {
	storageclient.StorageV1Interface
	process *process
}

func (c storageClient) VolumeAttachments() storageclient.VolumeAttachmentInterface {
	return attachmentClient{process: c.process}
}

// travel waits until a request of an operation takes effect. It returns an error if the controller has ended meanwhile.
func (p *process) travel() error {
	if p.ended.Load() {
		return errEnded
	}
	time.Sleep(p.latency)
	if p.ended.Load() {
		return errEnded
	}
	return nil
}

// refused returns the error of a request that the line makes fail, or nil.
func (p *process) refused(verb, kindName, name string) error {
	t := p.server.tables[kindName]
	p.server.lock.Lock()
	defer p.server.lock.Unlock()
	var err error
	for place, rule := range p.refuse {
		if rule.Verb != verb || rule.Resource != t.resource || rule.Name != "" && rule.Name != name {
			continue
		}
		p.requests[place]++
		if count := p.requests[place]; err == nil && count >= rule.First && count <= rule.Last {
			err = failure(rule, t.groupResource(), name)
		}
	}
	return err
}

// asked returns a function that records a request with its result.
func (p *process) asked(request line.AttachingRequest) func(error) {
	return func(err error) {
		if err != nil {
			request.Refused = err.Error()
		}
		if request.Verb == "" {
			p.add(line.AttachingEntry{Read: &request})
		} else {
			p.add(line.AttachingEntry{Write: &request})
		}
	}
}

// read carries out a live read.
func (p *process) read(kindName, name string) (stored, error) {
	if err := p.travel(); err != nil {
		return nil, err
	}
	err := p.refused("get", kindName, name)
	var found stored
	if err == nil {
		found, err = p.server.get(kindName, name)
	}
	p.asked(line.AttachingRequest{Resource: p.server.tables[kindName].resource, Name: name})(err)
	return found, err
}

type nodeClient struct {
	clientv1.NodeInterface
	process *process
}

func (c nodeClient) Get(_ context.Context, name string, _ metav1.GetOptions) (*v1.Node, error) {
	found, err := c.process.read(nodeKind, name)
	if err != nil {
		return &v1.Node{}, err
	}
	return found.(*v1.Node), nil
}

// Patch patches the status of a node. It takes no time, but it returns only after the informer has got the change.
func (c nodeClient) Patch(
	_ context.Context, name string, _ types.PatchType, patch []byte, _ metav1.PatchOptions, subresources ...string,
) (*v1.Node, error) {
	p := c.process
	if p.ended.Load() {
		return &v1.Node{}, errEnded
	}
	if len(subresources) != 1 || subresources[0] != "status" {
		panic("the controller patches a node, not its status")
	}
	done := p.asked(
		line.AttachingRequest{Verb: "patch", Resource: "nodes", Subresource: "status", Name: name, Patch: patch},
	)
	if err := p.refused("patch", nodeKind, name); err != nil {
		done(err)
		return &v1.Node{}, err
	}
	node, err := p.server.patchNode(name, patch, done)
	if err != nil {
		return &v1.Node{}, err
	}
	settled()
	return node, nil
}

type attachmentClient struct {
	storageclient.VolumeAttachmentInterface
	process *process
}

func (c attachmentClient) Get(
	_ context.Context, name string, _ metav1.GetOptions,
) (*storagev1.VolumeAttachment, error) {
	found, err := c.process.read(attachmentKind, name)
	if err != nil {
		return &storagev1.VolumeAttachment{}, err
	}
	return found.(*storagev1.VolumeAttachment), nil
}

func (c attachmentClient) Create(
	_ context.Context, attachment *storagev1.VolumeAttachment, _ metav1.CreateOptions,
) (*storagev1.VolumeAttachment, error) {
	p := c.process
	if err := p.travel(); err != nil {
		return &storagev1.VolumeAttachment{}, err
	}
	done := p.asked(line.AttachingRequest{
		Verb: "create", Resource: "volumeattachments", Name: attachment.Name, Object: encoded(attachment),
	})
	if err := p.refused("create", attachmentKind, attachment.Name); err != nil {
		done(err)
		return &storagev1.VolumeAttachment{}, err
	}
	created, err := p.server.create(attachmentKind, attachment, done)
	if err != nil {
		return &storagev1.VolumeAttachment{}, err
	}
	return created.(*storagev1.VolumeAttachment), nil
}

func (c attachmentClient) Delete(_ context.Context, name string, _ metav1.DeleteOptions) error {
	p := c.process
	if err := p.travel(); err != nil {
		return err
	}
	done := p.asked(line.AttachingRequest{Verb: "delete", Resource: "volumeattachments", Name: name})
	if err := p.refused("delete", attachmentKind, name); err != nil {
		done(err)
		return err
	}
	return p.server.delete(attachmentKind, name, done)
}
