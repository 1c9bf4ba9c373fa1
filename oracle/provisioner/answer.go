package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"
	"unsafe"

	external "github.com/kubernetes-csi/external-provisioner/v6/pkg/controller"
	snapapi "github.com/kubernetes-csi/external-snapshotter/client/v8/apis/volumesnapshot/v1"
	snapfake "github.com/kubernetes-csi/external-snapshotter/client/v8/clientset/versioned/fake"
	snapscheme "github.com/kubernetes-csi/external-snapshotter/client/v8/clientset/versioned/scheme"
	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"sigs.k8s.io/sig-storage-lib-external-provisioner/v13/controller"
)

//go:linkname shouldProvision sigs.k8s.io/sig-storage-lib-external-provisioner/v13/controller.(*ProvisionController).shouldProvision
func shouldProvision(*controller.ProvisionController, context.Context, *v1.PersistentVolumeClaim) (bool, error)

//go:linkname syncClaim sigs.k8s.io/sig-storage-lib-external-provisioner/v13/controller.(*ProvisionController).syncClaim
func syncClaim(*controller.ProvisionController, context.Context, any) error

//go:linkname isProvisionerForVolume sigs.k8s.io/sig-storage-lib-external-provisioner/v13/controller.(*ProvisionController).isProvisionerForVolume
func isProvisionerForVolume(*controller.ProvisionController, context.Context, *v1.PersistentVolume) bool

//go:linkname shouldDelete sigs.k8s.io/sig-storage-lib-external-provisioner/v13/controller.(*ProvisionController).shouldDelete
func shouldDelete(*controller.ProvisionController, context.Context, *v1.PersistentVolume) bool

//go:linkname syncVolume sigs.k8s.io/sig-storage-lib-external-provisioner/v13/controller.(*ProvisionController).syncVolume
func syncVolume(*controller.ProvisionController, context.Context, any) error

//go:linkname syncClone github.com/kubernetes-csi/external-provisioner/v6/pkg/controller.(*CloningProtectionController).syncClaim
func syncClone(*external.CloningProtectionController, context.Context, *v1.PersistentVolumeClaim) error

//go:linkname sweep github.com/kubernetes-csi/external-provisioner/v6/pkg/controller.(*SnapshotFinalizerController).sweepOrphanedFinalizers
func sweep(*external.SnapshotFinalizerController, context.Context)

// field returns the address of the field with this name, even if the field is not exported.
func field[T any](object any, name string) *T {
	value := reflect.ValueOf(object).Elem().FieldByName(name)
	if value.Type() != reflect.TypeFor[T]() {
		panic(fmt.Sprintf("field %s of %T is a %s", name, object, value.Type()))
	}
	return (*T)(unsafe.Pointer(value.UnsafeAddr()))
}

// world contains the decoded objects of a line.
type world struct {
	core, snapshots []runtime.Object
	claims          []*v1.PersistentVolumeClaim
	volumes         []*v1.PersistentVolume
}

func decode(items []json.RawMessage, secrets []string) (*world, error) {
	w := &world{}
	for _, text := range items {
		var kind struct {
			Kind string `json:"kind"`
		}
		if err := json.Unmarshal(text, &kind); err != nil {
			return nil, err
		}
		decoder := scheme.Codecs.UniversalDeserializer()
		isSnapshot := strings.HasPrefix(kind.Kind, "VolumeSnapshot")
		if isSnapshot {
			decoder = snapscheme.Codecs.UniversalDeserializer()
		}
		object, _, err := decoder.Decode(text, nil, nil)
		if err != nil {
			return nil, err
		}
		// Objects that a client reads have no kind and no apiVersion.
		switch typed := object.(type) {
		case *v1.PersistentVolumeClaim:
			typed.Kind, typed.APIVersion = "", ""
			w.claims = append(w.claims, typed)
		case *v1.PersistentVolume:
			typed.Kind, typed.APIVersion = "", ""
			w.volumes = append(w.volumes, typed)
		}
		if isSnapshot {
			w.snapshots = append(w.snapshots, object)
		} else {
			w.core = append(w.core, object)
		}
	}
	for _, name := range secrets {
		namespace, secret, _ := strings.Cut(name, "/")
		made := &v1.Secret{Data: map[string][]byte{secretKey: []byte(name)}}
		made.Namespace, made.Name = namespace, secret
		w.core = append(w.core, made)
	}
	slices.SortFunc(w.claims, func(a, b *v1.PersistentVolumeClaim) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	slices.SortFunc(w.volumes, func(a, b *v1.PersistentVolume) int { return cmp.Compare(a.Name, b.Name) })
	return w, nil
}

// kit contains the controllers of a provisioner that has just been started in a world, and the recorder of what they
// do.
type kit struct {
	*recorder
	ctx        context.Context
	controller *controller.ProvisionController
	noted      *noted
	cloning    *external.CloningProtectionController
	snapshots  *external.SnapshotFinalizerController
}

// noted is the real provisioner. It also keeps the state and the error with which Provision ended.
type noted struct {
	provisioner
	state controller.ProvisioningState
	err   error
}

type provisioner interface {
	controller.Provisioner
	controller.BlockProvisioner
	controller.Qualifier
}

func (n *noted) Provision(ctx context.Context, options controller.ProvisionOptions) (*v1.PersistentVolume, controller.ProvisioningState, error) {
	volume, state, err := n.provisioner.Provision(ctx, options)
	n.state, n.err = state, err
	return volume, state, err
}

func start(w *world, p *Provisioning) *kit {
	copies := func(objects []runtime.Object) []runtime.Object {
		made := []runtime.Object{}
		for _, object := range objects {
			made = append(made, object.DeepCopyObject())
		}
		return made
	}
	client, snapshots := fake.NewSimpleClientset(copies(w.core)...), snapfake.NewSimpleClientset(copies(w.snapshots)...)
	k := &kit{recorder: &recorder{}, ctx: context.Background()}
	k.watch(client)
	k.watch(snapshots)
	factory := informers.NewSharedInformerFactory(client, 0)
	core, storage := factory.Core().V1(), factory.Storage().V1()
	claims := core.PersistentVolumeClaims().Informer()
	_, service := capabilitiesOf(p.Sidecar)
	made := provisionerOf(client, snapshots, factory, p.Sidecar, &stub{driver: p.Driver, recorder: k.recorder})
	*field[record.EventRecorder](made, "eventRecorder") = k.recorder
	k.noted = &noted{provisioner: made}
	k.controller = controllerOf(k.ctx, client, factory, p.Sidecar, k.noted)
	*field[record.EventRecorder](k.controller, "eventRecorder") = k.recorder
	*field[record.EventRecorder](*field[controller.VolumeStore](k.controller, "volumeStore"), "eventRecorder") = k.recorder
	k.cloning = external.NewCloningProtectionController(client, core.PersistentVolumeClaims().Lister(), claims, nil, service)
	k.snapshots = external.NewSnapshotFinalizerController(snapshots, core.PersistentVolumeClaims().Lister(), service, time.Minute)
	for _, object := range copies(w.core) {
		var into cache.SharedIndexInformer
		switch object.(type) {
		case *v1.PersistentVolumeClaim:
			into = claims
		case *v1.PersistentVolume:
			into = core.PersistentVolumes().Informer()
		case *v1.Node:
			into = core.Nodes().Informer()
		case *storagev1.StorageClass:
			into = storage.StorageClasses().Informer()
		case *storagev1.CSINode:
			into = storage.CSINodes().Informer()
		case *storagev1.VolumeAttachment:
			into = storage.VolumeAttachments().Informer()
		default:
			continue
		}
		if err := into.GetIndexer().Add(object); err != nil {
			panic(err)
		}
	}
	if k.snapshots != nil {
		into := *field[cache.SharedInformer](k.snapshots, "snapshotInformer")
		for _, object := range copies(w.snapshots) {
			if _, ok := object.(*snapapi.VolumeSnapshot); ok {
				if err := into.GetStore().Add(object); err != nil {
					panic(err)
				}
			}
		}
	}
	return k
}

// statusText matches the status of a claim, and volumeText matches a volume, as Go prints them. Both texts contain
// memory addresses.
var (
	statusText = regexp.MustCompile(`Got  ?\{(\S*) .*`)
	volumeText = regexp.MustCompile(`PV:\{.*\}\. Error`)
)

// plain returns a text in which "…" replaces the parts with memory addresses.
func plain(text string) string {
	return volumeText.ReplaceAllString(statusText.ReplaceAllString(text, "Got {$1 …}"), "PV:{…}. Error")
}

// cloneRuns is the number of syncs that are run to find the possible errors of a sync. The controller reads claims from
// a map. If the map has up to eight claims, each claim is the first one in at least an eighth of the syncs.
const cloneRuns = 400

func textOf(err error) string {
	if err == nil {
		return ""
	}
	return plain(err.Error())
}

func (k *kit) noteds() []Effect {
	for _, effect := range k.effects {
		if effect.Event != nil {
			effect.Event.Message = plain(effect.Event.Message)
		}
	}
	return k.effects
}

func answer(l *Line) error {
	p := l.Provisioning
	if p == nil {
		return nil
	}
	w, err := decode(l.World.Items, p.Secrets)
	if err != nil {
		return err
	}
	p.Claims, p.Volumes, p.Clones, p.Released = nil, nil, nil, nil
	for _, claim := range w.claims {
		k := start(w, p)
		made := ClaimAnswer{Claim: nameOf(claim)}
		made.Should, _ = shouldProvision(k.controller, k.ctx, claim.DeepCopy())
		made.Retry = textOf(syncClaim(k.controller, k.ctx, claim.DeepCopy()))
		made.State, made.Error = string(k.noted.state), textOf(k.noted.err)
		made.Effects = k.noteds()
		p.Claims = append(p.Claims, made)
		if slices.Contains(claim.Finalizers, cloneFinalizer) {
			k := start(w, p)
			clone := CloneAnswer{Claim: nameOf(claim)}
			// The controller exists only for drivers that can clone, and handles only claims that are being deleted.
			if k.cloning != nil && claim.DeletionTimestamp != nil {
				for range cloneRuns {
					err := syncClone(k.cloning, k.ctx, claim.DeepCopy())
					if err == nil {
						break
					}
					clone.Retries = append(clone.Retries, textOf(err))
				}
				slices.Sort(clone.Retries)
				clone.Retries, clone.Effects = slices.Compact(clone.Retries), k.noteds()
			}
			p.Clones = append(p.Clones, clone)
		}
	}
	for _, volume := range w.volumes {
		k := start(w, p)
		made := VolumeAnswer{Volume: volume.Name}
		made.Responsible = isProvisionerForVolume(k.controller, k.ctx, volume)
		made.Should = made.Responsible && shouldDelete(k.controller, k.ctx, volume)
		made.Retry = textOf(syncVolume(k.controller, k.ctx, volume.DeepCopy()))
		made.Effects = k.noteds()
		p.Volumes = append(p.Volumes, made)
	}
	if k := start(w, p); k.snapshots != nil {
		sweep(k.snapshots, k.ctx)
		for _, effect := range k.effects {
			p.Released = append(p.Released, effect.Write.Object)
		}
		slices.SortFunc(p.Released, func(a, b Object) int {
			return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
		})
	}
	return nil
}
