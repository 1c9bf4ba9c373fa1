package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/record"
	"k8s.io/kubernetes/pkg/kubelet/config"
	"k8s.io/kubernetes/pkg/kubelet/volumemanager"
	"k8s.io/kubernetes/pkg/volume"
	volumetesting "k8s.io/kubernetes/pkg/volume/testing"
	"k8s.io/kubernetes/pkg/volume/util"
	"k8s.io/kubernetes/pkg/volume/util/hostutil"
	"k8s.io/mount-utils"
)

const (
	// reported is the time after which the kubelet has written its status.
	reported = 500 * time.Millisecond
	// populated is the time after which the kubelet has seen each pod, and has mounted what it can.
	populated = time.Second
)

// answer fills in what the kubelet does with the pods of the node.
func answer(line *Line) error {
	if line.Mounting == nil {
		return errors.New("the line does not name a node")
	}
	var err error
	// The test is only there because synctest and the host of the plugins need one.
	synctest.Test(new(testing.T), func(t *testing.T) { err = mountAll(t, line) })
	return err
}

// pods are the pods of the node. All of them may run.
type pods []*v1.Pod

func (p pods) GetPods() []*v1.Pod { return p }

func (p pods) GetPodByUID(uid types.UID) (*v1.Pod, bool) {
	place := slices.IndexFunc(p, func(pod *v1.Pod) bool { return pod.UID == uid })
	if place < 0 {
		return nil, false
	}
	return p[place], true
}

func (p pods) ShouldPodContainersBeTerminating(types.UID) bool { return false }
func (p pods) ShouldPodRuntimeBeRemoved(types.UID) bool        { return false }

// recorder passes events on: the object that an event is about, and the type, the reason and the message.
type recorder struct {
	add func(runtime.Object, string)
	// inner gets the events, too, if it is set.
	inner record.EventRecorder
}

func (r recorder) Event(about runtime.Object, kind, reason, message string) {
	r.add(about, kind+" "+reason+" "+message)
	if r.inner != nil {
		r.inner.Event(about, kind, reason, message)
	}
}

func (r recorder) Eventf(about runtime.Object, kind, reason, format string, args ...any) {
	r.Event(about, kind, reason, fmt.Sprintf(format, args...))
}

func (r recorder) AnnotatedEventf(about runtime.Object, _ map[string]string, kind, reason, format string, args ...any) {
	r.Event(about, kind, reason, fmt.Sprintf(format, args...))
}

// podEvents are the events about each pod.
type podEvents struct {
	lock sync.Mutex
	seen map[types.UID]sets.Set[string]
}

func (e *podEvents) add(about runtime.Object, text string) {
	pod, isPod := about.(*v1.Pod)
	if !isPod {
		return
	}
	e.lock.Lock()
	defer e.lock.Unlock()
	if e.seen[pod.UID] == nil {
		e.seen[pod.UID] = sets.New[string]()
	}
	e.seen[pod.UID].Insert(text)
}

// fakedHost is what the plugins and the operations know of the kubelet.
type fakedHost interface {
	volume.VolumeHost
	volume.KubeletVolumeHost
}

// host knows the labels of the node, too.
type host struct {
	fakedHost
	labels map[string]string
}

func (h host) GetNodeLabels() (map[string]string, error) { return h.labels, nil }

// world contains the decoded objects of a line.
type world struct {
	objects []runtime.Object
	node    *v1.Node
	// own are the pods of the node.
	own     pods
	drivers *csiDrivers
}

func decode(line *Line) (*world, error) {
	w := &world{drivers: newDrivers()}
	for number, item := range line.World.Items {
		object, _, err := scheme.Codecs.UniversalDeserializer().Decode(item, nil, nil)
		if err != nil {
			return nil, fmt.Errorf("item %d: %w", number, err)
		}
		w.objects = append(w.objects, object)
		switch found := object.(type) {
		case *v1.Node:
			if found.Name == line.Mounting.Node {
				w.node = found
			}
		case *v1.Pod:
			if found.Spec.NodeName == line.Mounting.Node {
				w.own = append(w.own, found)
			}
		case *storagev1.CSIDriver:
			w.drivers.put(found)
		}
	}
	if w.node == nil {
		return nil, fmt.Errorf("there is no node %s", line.Mounting.Node)
	}
	for _, pod := range w.own {
		// The API server refuses a pod whose containers use an unknown volume, and a volume without a source.
		mounts, devices, _ := util.GetPodVolumeNames(pod, false)
		used := mounts.Union(devices)
		for _, each := range pod.Spec.Volumes {
			used.Delete(each.Name)
			if each.VolumeSource == (v1.VolumeSource{}) {
				return nil, fmt.Errorf("volume %s of pod %s has no source", each.Name, pod.Name)
			}
		}
		if len(used) > 0 {
			return nil, fmt.Errorf("pod %s has no volumes %v", pod.Name, sets.List(used))
		}
	}
	slices.SortFunc(w.own, func(a, b *v1.Pod) int {
		return strings.Compare(a.Namespace+"/"+a.Name, b.Namespace+"/"+b.Name)
	})
	return w, nil
}

func mountAll(t *testing.T, line *Line) error {
	w, err := decode(line)
	if err != nil {
		line.Mounting.Invalid = err.Error()
		return nil
	}
	folder, err := os.MkdirTemp("", "kubelet")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	client := fake.NewClientset(w.objects...)
	faked := volumetesting.NewFakeKubeletVolumeHost(t, folder, client, nil).WithNode(w.node)
	plugins := &volume.VolumePluginMgr{}
	if err := plugins.InitPlugins(probe(w.drivers, immediate{}), nil, host{faked, w.node.Labels}); err != nil {
		return err
	}
	events := &podEvents{seen: map[types.UID]sets.Set[string]{}}
	manager := volumemanager.NewVolumeManager(
		true, types.NodeName(w.node.Name), w.own, w.own, client, plugins, mount.NewFakeMounter(nil),
		hostutil.NewFakeHostUtil(nil), folder, recorder{add: events.add}, volumetesting.NewBlockVolumePathHandler(),
	)
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() {
		manager.Run(ctx, config.NewSourcesReady(func(sets.Set[string]) bool { return true }))
	})
	time.Sleep(reported)
	manager.MarkVolumesAsReportedInUse(manager.GetVolumesInUse())
	time.Sleep(populated)
	errs := make([]error, len(w.own))
	var waits sync.WaitGroup
	for number, pod := range w.own {
		waits.Go(func() { errs[number] = manager.WaitForAttachAndMount(ctx, pod) })
	}
	waits.Wait()
	line.Mounting.Pods = []PodAnswer{}
	events.lock.Lock()
	defer events.lock.Unlock()
	for number, pod := range w.own {
		made := PodAnswer{Namespace: pod.Namespace, Name: pod.Name, Events: sets.List(events.seen[pod.UID])}
		if errs[number] != nil {
			made.Error = errs[number].Error()
		}
		line.Mounting.Pods = append(line.Mounting.Pods, made)
	}
	line.Mounting.InUse = nil
	for _, name := range manager.GetVolumesInUse() {
		line.Mounting.InUse = append(line.Mounting.InUse, string(name))
	}
	slices.Sort(line.Mounting.InUse)
	cancel()
	done.Wait()
	return nil
}
