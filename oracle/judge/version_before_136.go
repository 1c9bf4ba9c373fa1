//go:build k8s_1_34 || k8s_1_32 || k8s_1_30

package judge

import (
	"context"
	"fmt"
	"strings"
	_ "unsafe" // for go:linkname

	"github.com/go-logr/logr"
	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/volume/persistentvolume"
	"k8s.io/kubernetes/pkg/volume"
)

// This file is for all minor versions before 1.36 with which the oracle is built.

// retriesErrors says whether a key is enqueued again if its sync ended with an error. Before 1.36 such an error is only
// logged.
const retriesErrors = false

//go:linkname updateClaim k8s.io/kubernetes/pkg/controller/volume/persistentvolume.(*PersistentVolumeController).updateClaim
func updateClaim(ctrl *persistentvolume.PersistentVolumeController, ctx context.Context, claim *v1.PersistentVolumeClaim)

//go:linkname updateVolume k8s.io/kubernetes/pkg/controller/volume/persistentvolume.(*PersistentVolumeController).updateVolume
func updateVolume(ctrl *persistentvolume.PersistentVolumeController, ctx context.Context, volume *v1.PersistentVolume)

//go:linkname deleteClaim k8s.io/kubernetes/pkg/controller/volume/persistentvolume.(*PersistentVolumeController).deleteClaim
func deleteClaim(ctrl *persistentvolume.PersistentVolumeController, ctx context.Context, claim *v1.PersistentVolumeClaim)

//go:linkname deleteVolume k8s.io/kubernetes/pkg/controller/volume/persistentvolume.(*PersistentVolumeController).deleteVolume
func deleteVolume(ctrl *persistentvolume.PersistentVolumeController, ctx context.Context, volume *v1.PersistentVolume)

// watchQueues does nothing, because the binder's work queues are structs that cannot be replaced. sync empties them
// instead.
func (j *Judge) watchQueues() {}

// sync runs the binder's worker for one key. In upstream, one function contains the worker and its loop, so it cannot
// be called. Therefore sync itself chooses between an update and a deletion: it depends on whether the informer has a
// copy. The returned error is the error that the controller logs.
func (j *Judge) sync(kind, key string) error {
	var logged syncError
	ctx := klog.NewContext(j.ctx, logr.New(&logged))
	if kind == "PersistentVolume" {
		volume, err := corelisters.NewPersistentVolumeLister(j.volumes).Get(key)
		switch {
		case err == nil:
			updateVolume(j.binder, ctx, volume)
		case !apierrors.IsNotFound(err):
			return err
		default:
			if gone, found, _ := j.ownVolumes.GetByKey(key); found {
				deleteVolume(j.binder, ctx, gone.(*v1.PersistentVolume))
			}
		}
	} else {
		namespace, name, err := cache.SplitMetaNamespaceKey(key)
		if err != nil {
			return nil
		}
		claim, err := corelisters.NewPersistentVolumeClaimLister(j.claims).PersistentVolumeClaims(namespace).Get(name)
		switch {
		case err == nil:
			updateClaim(j.binder, ctx, claim)
		case !apierrors.IsNotFound(err):
			return err
		default:
			if gone, found, _ := j.ownClaims.GetByKey(key); found {
				deleteClaim(j.binder, ctx, gone.(*v1.PersistentVolumeClaim))
			}
		}
	}
	volumes, claims := j.queues()
	drain(volumes, func(key string) { j.hear("PersistentVolume", key) })
	drain(claims, func(key string) { j.hear("PersistentVolumeClaim", key) })
	return logged.err
}

// workQueue is the common interface of the work queues of all these versions.
type workQueue[T any] interface {
	Len() int
	Get() (T, bool)
	Done(T)
}

// drain removes all keys from a queue and calls each with them.
func drain[T any](queue workQueue[T], each func(string)) {
	for queue.Len() > 0 {
		item, _ := queue.Get()
		queue.Done(item)
		each(fmt.Sprint(item))
	}
}

// syncError is a log that keeps the error with which a sync ended. The controller logs it as an error, or as a conflict
// at level 3.
type syncError struct{ err error }

var _ logr.LogSink = &syncError{}

const syncFailed = "Could not sync "

func (s *syncError) Init(logr.RuntimeInfo)          {}
func (s *syncError) Enabled(level int) bool         { return level <= 3 }
func (s *syncError) WithValues(...any) logr.LogSink { return s }
func (s *syncError) WithName(string) logr.LogSink   { return s }
func (s *syncError) Error(err error, text string, _ ...any) {
	if strings.HasPrefix(text, syncFailed) {
		s.err = err
	}
}

func (s *syncError) Info(_ int, text string, values ...any) {
	if !strings.HasPrefix(text, syncFailed) {
		return
	}
	for _, value := range values {
		if err, ok := value.(error); ok {
			s.err = err
		}
	}
}

// remotePlugin is a real plugin that stops before it would act on storage or read its parameters.
type remotePlugin struct{ deletingPlugin }

// deletingPlugin lists the interfaces that these plugins implement.
type deletingPlugin interface {
	volume.PersistentVolumePlugin
	volume.DeletableVolumePlugin
	volume.ProvisionableVolumePlugin
}

func remotePlugins(probed ...[]volume.VolumePlugin) []volume.VolumePlugin {
	var all []volume.VolumePlugin
	for _, plugins := range probed {
		for _, plugin := range plugins {
			all = append(all, remotePlugin{plugin.(deletingPlugin)})
		}
	}
	return all
}

// NewDeleter refuses a volume of another kind, as the real plugin does.
func (p remotePlugin) NewDeleter(logger klog.Logger, spec *volume.Spec) (volume.Deleter, error) {
	if !p.CanSupport(spec) {
		return p.deletingPlugin.NewDeleter(logger, spec)
	}
	panic(remoteStorage{})
}

func (p remotePlugin) NewProvisioner(klog.Logger, volume.VolumeOptions) (volume.Provisioner, error) {
	return remoteProvisioner{}, nil
}

type remoteProvisioner struct{}

func (remoteProvisioner) Provision(*v1.Node, []v1.TopologySelectorTerm) (*v1.PersistentVolume, error) {
	panic(remoteStorage{})
}
