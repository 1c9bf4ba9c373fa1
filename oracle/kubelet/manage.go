package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/record"
	"k8s.io/kubernetes/pkg/kubelet/config"
	"k8s.io/kubernetes/pkg/kubelet/volumemanager"
	"k8s.io/kubernetes/pkg/volume"
	volumetesting "k8s.io/kubernetes/pkg/volume/testing"
	"k8s.io/kubernetes/pkg/volume/util/hostutil"
	volumetypes "k8s.io/kubernetes/pkg/volume/util/types"
	"k8s.io/mount-utils"
	utilstrings "k8s.io/utils/strings"
)

// usually is the time that a call of a driver takes.
const usually = 3011 * time.Microsecond

// manage fills in what the kubelet does in a run.
func manage(line *Line) error {
	if line.Managing == nil {
		return errors.New("the line has no run")
	}
	var err error
	// The test is only there because synctest and the host of the plugins need one.
	synctest.Test(new(testing.T), func(t *testing.T) { err = manageAll(t, line) })
	return err
}

// repeats is how often a run is repeated to find out whether it is repeatable.
const repeats = 8

// manageRepeatable fills in what the kubelet does, and returns whether a further run repeats it.
func manageRepeatable(line *Line) (bool, error) {
	if err := manage(line); err != nil {
		return false, err
	}
	was := line.Managing.Log
	for range repeats {
		if err := manage(line); err != nil {
			return false, err
		}
		if sortedLog(line.Managing.Log) == sortedLog(was) {
			return true, nil
		}
	}
	return false, nil
}

// sortedLog returns the entries of a log as a text. Entries of the same moment have no fixed order.
func sortedLog(log []Entry) string {
	var all []string
	for _, entry := range log {
		text, err := json.Marshal(entry)
		if err != nil {
			panic(err)
		}
		all = append(all, fmt.Sprintf("%020d %s", entry.At, text))
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

// node is the node as the kubelet and the drivers see it. It is also what records the run.
type node struct {
	asked   *Managing
	began   time.Time
	drivers *csiDrivers

	lock sync.Mutex
	// pods are the pods that the kubelet knows, sorted by namespace and name.
	pods []*v1.Pod
	// uids are the uids of all pods that the kubelet has had, by their names.
	uids map[string]types.UID
	// terminating are the pods whose containers are being stopped, and ended those whose containers have ended.
	terminating, ended sets.Set[types.UID]
	// waits end the waits for the volumes of pods.
	waits map[types.UID]context.CancelFunc
	// inUse are the volumes that the kubelet is writing to the status of the node.
	inUse []v1.UniqueVolumeName
	// cached are the volumes that the kubelet's copy of the node lists as attached.
	cached  []string
	counts  map[string]int
	log     []Entry
	stopped bool
}

func (n *node) GetPods() []*v1.Pod {
	time.Sleep(time.Duration(n.asked.Latency))
	n.lock.Lock()
	defer n.lock.Unlock()
	return slices.Clone(n.pods)
}

func (n *node) GetPodByUID(uid types.UID) (*v1.Pod, bool) {
	n.lock.Lock()
	defer n.lock.Unlock()
	return pods(n.pods).GetPodByUID(uid)
}

func (n *node) ShouldPodContainersBeTerminating(uid types.UID) bool {
	n.lock.Lock()
	defer n.lock.Unlock()
	return n.terminating.Has(uid) || n.ended.Has(uid)
}

// ShouldPodRuntimeBeRemoved says whether no container of a pod runs. It is also true for a pod that the kubelet has
// never had.
func (n *node) ShouldPodRuntimeBeRemoved(uid types.UID) bool {
	n.lock.Lock()
	defer n.lock.Unlock()
	for _, known := range n.uids {
		if known == uid {
			return n.ended.Has(uid)
		}
	}
	return true
}

func (n *node) add(entry Entry) {
	entry.At = time.Since(n.began).Nanoseconds()
	n.lock.Lock()
	defer n.lock.Unlock()
	if !n.stopped {
		n.log = append(n.log, entry)
	}
}

// record keeps an event about a pod or a claim.
func (n *node) record(about runtime.Object, text string) {
	switch about := about.(type) {
	case *v1.Pod:
		n.add(Entry{Event: about.Name + " " + text})
	case *v1.PersistentVolumeClaim:
		n.add(Entry{Event: "claim " + about.Name + " " + text})
	}
}

// store carries out the patch of the status of a claim, as the API server does it, and keeps the result.
func (n *node) store(tracker clienttesting.ObjectTracker, action clienttesting.PatchAction) (runtime.Object, error) {
	claims := v1.SchemeGroupVersion.WithResource("persistentvolumeclaims")
	current, err := tracker.Get(claims, action.GetNamespace(), action.GetName())
	if err != nil {
		return nil, err
	}
	var stated metav1.PartialObjectMetadata
	if err := json.Unmarshal(action.GetPatch(), &stated); err != nil {
		return nil, err
	}
	if version := stated.ResourceVersion; version != "" && version != current.(*v1.PersistentVolumeClaim).ResourceVersion {
		n.add(Entry{Stored: &StoredClaim{Name: action.GetName(), Conflict: true}})
		return nil, apierrors.NewConflict(claims.GroupResource(), action.GetName(), errors.New("the object has been modified"))
	}
	_, patched, err := clienttesting.ObjectReaction(tracker)(action)
	if err != nil {
		return nil, err
	}
	status := patched.(*v1.PersistentVolumeClaim).Status
	stored := &StoredClaim{
		Name: action.GetName(), Capacity: status.Capacity.Storage().String(),
		Progress: string(status.AllocatedResourceStatuses[v1.ResourceStorage]),
	}
	for _, condition := range status.Conditions {
		stored.Conditions = append(stored.Conditions, strings.TrimSpace(string(condition.Type)+" "+condition.Message))
	}
	slices.Sort(stored.Conditions)
	n.add(Entry{Stored: stored})
	return patched, nil
}

func (n *node) call(name, volume, pod string) error {
	n.add(Entry{Call: &Call{Name: name, Volume: volume, Pod: pod}})
	n.lock.Lock()
	key := name + " " + volume + " " + pod
	n.counts[key]++
	number := n.counts[key]
	n.lock.Unlock()
	place := slices.IndexFunc(n.asked.Calls, func(rule CallRule) bool {
		return rule.Call == name && rule.Volume == volume && rule.First <= number && number <= rule.Last
	})
	if place < 0 {
		time.Sleep(usually)
		return nil
	}
	rule := n.asked.Calls[place]
	time.Sleep(time.Duration(rule.Takes))
	switch {
	case rule.Error == "":
		return nil
	case rule.Kind == "uncertain":
		return volumetypes.NewUncertainProgressError(rule.Error)
	case rule.Kind == "transient":
		return volumetypes.NewTransientOperationFailure(rule.Error)
	case rule.Kind == "infeasible":
		return volumetypes.NewInfeasibleError(rule.Error)
	case rule.Kind == "in-use":
		return volumetypes.NewFailedPreconditionError(rule.Error)
	case rule.Kind == "unsupported":
		return volumetypes.NewOperationNotSupportedError(rule.Error)
	}
	return errors.New(rule.Error)
}

func (n *node) onDisk(pod, name string) (*volume.Spec, error) {
	place := slices.IndexFunc(n.asked.Disk, func(each OnDisk) bool { return each.Pod == pod && each.Volume == name })
	if place < 0 || n.asked.Disk[place].Broken {
		return nil, errors.New("the directory cannot be read")
	}
	found := n.asked.Disk[place]
	if found.Driver == "" {
		source := v1.VolumeSource{NFS: &v1.NFSVolumeSource{Path: name}}
		return volume.NewSpecFromVolume(&v1.Volume{Name: name, VolumeSource: source}), nil
	}
	mode := v1.PersistentVolumeFilesystem
	if found.Block {
		mode = v1.PersistentVolumeBlock
	}
	made := &v1.PersistentVolume{Spec: v1.PersistentVolumeSpec{VolumeMode: &mode}}
	made.Name = name
	made.Spec.CSI = &v1.CSIPersistentVolumeSource{Driver: found.Driver, VolumeHandle: found.Handle}
	return volume.NewSpecFromPersistentVolume(made, false), nil
}

// make creates the directories that the kubelet finds when it starts.
func (n *node) make(folder string) error {
	for _, each := range n.asked.Disk {
		plugin, kind := "kubernetes.io/csi", "volumes"
		if each.Driver == "" {
			plugin = "kubernetes.io/nfs"
		}
		if each.Block {
			kind = "volumeDevices"
		}
		made := filepath.Join(folder, each.Pod, kind, utilstrings.EscapeQualifiedName(plugin), each.Volume)
		if err := os.MkdirAll(made, 0o700); err != nil {
			return err
		}
	}
	return nil
}

// managingHost also knows the kubelet's copy of the node.
type managingHost struct {
	host
	node *node
}

func (h managingHost) GetAttachedVolumesFromNodeStatus() (map[v1.UniqueVolumeName]string, error) {
	h.node.lock.Lock()
	defer h.node.lock.Unlock()
	all := map[v1.UniqueVolumeName]string{}
	for _, name := range h.node.cached {
		all[v1.UniqueVolumeName(name)] = ""
	}
	return all, nil
}

func manageAll(t *testing.T, line *Line) error {
	asked := line.Managing
	asked.Log, asked.Invalid = nil, ""
	w, err := decode(&Line{World: line.World, Mounting: &Mounting{Node: asked.Node}})
	if err != nil {
		asked.Invalid = err.Error()
		return nil
	}
	folder, err := os.MkdirTemp("", "kubelet")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	n := &node{
		asked: asked, began: time.Now(), drivers: w.drivers, pods: w.own, terminating: sets.New[types.UID](), ended: sets.New[types.UID](),
		counts: map[string]int{}, uids: map[string]types.UID{}, waits: map[types.UID]context.CancelFunc{},
	}
	for _, pod := range w.own {
		n.uids[pod.Name] = pod.UID
	}
	for _, each := range w.node.Status.VolumesAttached {
		n.cached = append(n.cached, string(each.Name))
	}
	if err := n.make(folder); err != nil {
		return err
	}
	client := fake.NewSimpleClientset(w.objects...)
	client.PrependReactor("patch", "persistentvolumeclaims", func(action clienttesting.Action) (bool, runtime.Object, error) {
		stored, err := n.store(client.Tracker(), action.(clienttesting.PatchAction))
		return true, stored, err
	})
	faked := volumetesting.NewFakeKubeletVolumeHost(t, folder, client, nil).WithNode(w.node)
	plugins := &volume.VolumePluginMgr{}
	entries.begin(n)
	defer entries.begin(nil)
	if err := plugins.InitPlugins(probe(w.drivers, n), nil, managingHost{host{faked, w.node.Labels}, n}); err != nil {
		return err
	}
	recorded := recorder{add: n.record}
	if entries != nil {
		broadcaster := record.NewBroadcaster()
		defer broadcaster.Shutdown()
		broadcaster.StartStructuredLogging(3)
		recorded.inner = broadcaster.NewRecorder(scheme.Scheme, v1.EventSource{Component: "kubelet"})
	}
	manager := volumemanager.NewVolumeManager(
		true, types.NodeName(w.node.Name), n, n, client, plugins, mount.NewFakeMounter(nil),
		hostutil.NewFakeHostUtil(nil), folder, recorded, volumetesting.NewBlockVolumePathHandler(),
	)
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() {
		manager.Run(ctx, config.NewSourcesReady(func(sets.Set[string]) bool { return true }))
	})
	for _, step := range asked.Script {
		time.Sleep(time.Duration(step.At) - time.Since(n.began))
		if err = n.apply(ctx, client, manager, &step, &done); err != nil {
			break
		}
	}
	time.Sleep(time.Duration(asked.Until) - time.Since(n.began))
	n.lock.Lock()
	n.stopped = true
	asked.Log = n.log
	n.lock.Unlock()
	slices.SortStableFunc(asked.Log, func(a, b Entry) int { return cmp.Compare(a.At, b.At) })
	cancel()
	done.Wait()
	time.Sleep(time.Hour) // Everything that still runs ends.
	return err
}

// apply carries out a step of the script.
func (n *node) apply(
	ctx context.Context, client *fake.Clientset, manager volumemanager.VolumeManager, step *Step, done *sync.WaitGroup,
) error {
	switch {
	case step.Put != nil:
		object, _, err := scheme.Codecs.UniversalDeserializer().Decode(step.Put, nil, nil)
		if err != nil {
			return err
		}
		return n.put(client, object)
	case step.Remove != nil:
		return n.remove(client, *step.Remove)
	case step.Cached != nil:
		n.lock.Lock()
		n.cached = *step.Cached
		n.lock.Unlock()
	case step.Report:
		names := manager.GetVolumesInUse()
		texts := []string{}
		for _, name := range names {
			texts = append(texts, string(name))
		}
		slices.Sort(texts)
		n.add(Entry{InUse: &texts})
		n.inUse = names
	case step.Reported:
		manager.MarkVolumesAsReportedInUse(n.inUse)
	case step.Wait != "":
		if pod := n.named(step.Wait); pod != nil && !n.ShouldPodContainersBeTerminating(pod.UID) {
			n.wait(ctx, manager, pod, done)
		}
	case step.Terminate != "":
		n.mark(n.terminating, step.Terminate)
		n.lock.Lock()
		if cancel := n.waits[n.uids[step.Terminate]]; cancel != nil {
			cancel()
		}
		n.lock.Unlock()
	case step.End != "":
		n.mark(n.ended, step.End)
	}
	return nil
}

// wait begins to wait for the volumes of a pod, unless a wait is going on.
func (n *node) wait(ctx context.Context, manager volumemanager.VolumeManager, pod *v1.Pod, done *sync.WaitGroup) {
	n.lock.Lock()
	defer n.lock.Unlock()
	if n.waits[pod.UID] != nil {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	n.waits[pod.UID] = cancel
	done.Go(func() {
		defer cancel()
		waited := &Waited{Pod: pod.Name}
		if err := manager.WaitForAttachAndMount(ctx, pod); err != nil {
			waited.Error = err.Error()
		}
		n.add(Entry{Waited: waited})
		n.lock.Lock()
		delete(n.waits, pod.UID)
		n.lock.Unlock()
	})
}

// mark adds the pod with this name to a set. The kubelet may have dropped the pod.
func (n *node) mark(set sets.Set[types.UID], name string) {
	n.lock.Lock()
	defer n.lock.Unlock()
	if uid, known := n.uids[name]; known {
		set.Insert(uid)
	}
}

// named returns the pod with this name that the kubelet knows, or nil.
func (n *node) named(name string) *v1.Pod {
	n.lock.Lock()
	defer n.lock.Unlock()
	place := slices.IndexFunc(n.pods, func(pod *v1.Pod) bool { return pod.Name == name })
	if place < 0 {
		return nil
	}
	return n.pods[place]
}

func (n *node) put(client *fake.Clientset, object runtime.Object) error {
	if driver, isDriver := object.(*storagev1.CSIDriver); isDriver {
		n.drivers.put(driver)
	}
	if pod, isPod := object.(*v1.Pod); isPod && pod.Spec.NodeName == n.asked.Node {
		n.lock.Lock()
		n.uids[pod.Name] = pod.UID
		n.pods = slices.DeleteFunc(slices.Clone(n.pods), func(each *v1.Pod) bool { return each.UID == pod.UID })
		n.pods = append(n.pods, pod)
		slices.SortFunc(n.pods, func(a, b *v1.Pod) int {
			return strings.Compare(a.Namespace+"/"+a.Name, b.Namespace+"/"+b.Name)
		})
		n.lock.Unlock()
	}
	named, err := meta.Accessor(object)
	if err != nil {
		return err
	}
	resource, _ := meta.UnsafeGuessKindToResource(object.GetObjectKind().GroupVersionKind())
	if err := client.Tracker().Update(resource, object, named.GetNamespace()); err != nil {
		return client.Tracker().Create(resource, object, named.GetNamespace())
	}
	return nil
}

func (n *node) remove(client *fake.Clientset, what Named) error {
	if what.Kind == "Pod" {
		n.lock.Lock()
		n.pods = slices.DeleteFunc(slices.Clone(n.pods), func(each *v1.Pod) bool { return each.Name == what.Name })
		n.lock.Unlock()
	}
	resource, _ := meta.UnsafeGuessKindToResource(v1.SchemeGroupVersion.WithKind(what.Kind))
	if err := client.Tracker().Delete(resource, what.Namespace, what.Name); !apierrors.IsNotFound(err) {
		return err
	}
	return nil
}
