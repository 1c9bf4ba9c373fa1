package attaching

import (
	"time"

	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/labels"
	corelisters "k8s.io/client-go/listers/core/v1"
	storagelisters "k8s.io/client-go/listers/storage/v1"
	"k8s.io/client-go/tools/cache"

	"pvctl.dev/oracle/line"
)

// The following types are the informers of the kinds. The embedded informer is the real one of client-go.

type podInformer struct{ cache.SharedIndexInformer }

func (i podInformer) Informer() cache.SharedIndexInformer { return i.SharedIndexInformer }

func (i podInformer) Lister() corelisters.PodLister { return corelisters.NewPodLister(i.GetIndexer()) }

type nodeInformer struct{ cache.SharedIndexInformer }

func (i nodeInformer) Informer() cache.SharedIndexInformer { return i.SharedIndexInformer }

func (i nodeInformer) Lister() corelisters.NodeLister {
	return corelisters.NewNodeLister(i.GetIndexer())
}

type claimInformer struct{ cache.SharedIndexInformer }

func (i claimInformer) Informer() cache.SharedIndexInformer { return i.SharedIndexInformer }

func (i claimInformer) Lister() corelisters.PersistentVolumeClaimLister {
	return corelisters.NewPersistentVolumeClaimLister(i.GetIndexer())
}

type volumeInformer struct{ cache.SharedIndexInformer }

func (i volumeInformer) Informer() cache.SharedIndexInformer { return i.SharedIndexInformer }

func (i volumeInformer) Lister() corelisters.PersistentVolumeLister {
	return corelisters.NewPersistentVolumeLister(i.GetIndexer())
}

type csiNodeInformer struct{ cache.SharedIndexInformer }

func (i csiNodeInformer) Informer() cache.SharedIndexInformer { return i.SharedIndexInformer }

func (i csiNodeInformer) Lister() storagelisters.CSINodeLister {
	return storagelisters.NewCSINodeLister(i.GetIndexer())
}

type driverInformer struct{ cache.SharedIndexInformer }

func (i driverInformer) Informer() cache.SharedIndexInformer { return i.SharedIndexInformer }

func (i driverInformer) Lister() storagelisters.CSIDriverLister {
	return storagelisters.NewCSIDriverLister(i.GetIndexer())
}

type attachmentInformer struct {
	cache.SharedIndexInformer
	process *process
}

func (i attachmentInformer) Informer() cache.SharedIndexInformer { return i.SharedIndexInformer }

func (i attachmentInformer) Lister() storagelisters.VolumeAttachmentLister {
	return attachmentLister{
		VolumeAttachmentLister: storagelisters.NewVolumeAttachmentLister(i.GetIndexer()), process: i.process,
	}
}

// attachmentLister records the reads of the cache of VolumeAttachments.
type attachmentLister struct {
	storagelisters.VolumeAttachmentLister
	process *process
}

// List is called once, when the controller begins.
func (l attachmentLister) List(selector labels.Selector) ([]*storagev1.VolumeAttachment, error) {
	l.process.add(line.AttachingEntry{Start: true})
	return l.VolumeAttachmentLister.List(selector)
}

// Get is called by operations. After the controller has ended, it returns an error, so that the operation ends as well.
func (l attachmentLister) Get(name string) (*storagev1.VolumeAttachment, error) {
	if l.process.ended.Load() {
		return nil, errEnded
	}
	l.process.add(line.AttachingEntry{Poll: name})
	return l.VolumeAttachmentLister.Get(name)
}

// resyncPeriod is the default of --min-resync-period. A run is shorter. It is not zero, because then older versions of
// client-go wait for a global channel, and the time would not continue.
const resyncPeriod = 12 * time.Hour

// informer returns an informer of a kind. It runs as soon as run is called.
func (p *process) informer(kindName string) cache.SharedIndexInformer {
	t := p.server.tables[kindName]
	informer := cache.NewSharedIndexInformer(
		lister{server: p.server, table: t}, t.object(), resyncPeriod,
		cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc},
	)
	p.informers = append(p.informers, informer)
	return informer
}
