//go:build !(k8s_1_34 || k8s_1_32 || k8s_1_30)

package scheduler

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"unsafe" // also for go:linkname

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding"

	"pvctl.dev/oracle/judge"
	"pvctl.dev/oracle/line"
)

// Actor is a scheduler that takes part in schedules. Each node that fits a pod can be chosen, whatever its score is.
type Actor struct {
	*Scheduler
	// binder makes the decisions of the plugin VolumeBinding. address is the address of the binder.
	binder  volumebinding.SchedulerVolumeBinder
	address unsafe.Pointer
	pods    map[line.Object]*v1.Pod
	// placed are the pods that have got a node since Load, and reserved are the pods with a reservation.
	placed   []*v1.Pod
	reserved map[line.Object]*reservation
	// changed says that volumes or claims have changed since Load.
	changed bool
}

var _ judge.PodScheduler = &Actor{}

// reservation is what the scheduler keeps about a pod while its volumes are being bound.
type reservation struct {
	state    cycleState
	assumed  *v1.Pod
	bindings []*volumebinding.BindingInfo
	claims   []*v1.PersistentVolumeClaim
	text     string
}

//go:linkname bindAPIUpdate k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding.(*volumeBinder).bindAPIUpdate
func bindAPIUpdate(
	binder unsafe.Pointer, ctx context.Context, pod *v1.Pod, bindings []*volumebinding.BindingInfo, claims []*v1.PersistentVolumeClaim,
) error

//go:linkname checkBindings k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding.(*volumeBinder).checkBindings
func checkBindings(
	binder unsafe.Pointer, logger klog.Logger, pod *v1.Pod, bindings []*volumebinding.BindingInfo, claims []*v1.PersistentVolumeClaim,
) (bool, error)

// NewActor creates a scheduler that takes part in schedules.
func NewActor() (judge.PodScheduler, error) {
	s, err := New()
	if err != nil {
		return nil, err
	}
	binder, err := volumeBinder(s.profile)
	if err != nil {
		return nil, err
	}
	// The data of an interface is its second word, and here it is the address of the binder.
	address := (*[2]unsafe.Pointer)(unsafe.Pointer(&binder))[1]
	return &Actor{Scheduler: s, binder: binder, address: address}, nil
}

// Load makes the objects of a world the content of all caches.
func (a *Actor) Load(list line.List, client kubernetes.Interface) error {
	if err := a.Restore(); err != nil {
		return err
	}
	w, err := read(list)
	if err != nil {
		return err
	}
	*judge.Field[kubernetes.Interface](a.binder, "kubeClient") = client
	a.changed = false
	return a.load(w)
}

// Restore forgets everything since Load.
func (a *Actor) Restore() error {
	logger := klog.FromContext(a.ctx)
	for _, kept := range a.reserved {
		if err := a.scheduler.Cache.ForgetPod(logger, kept.assumed); err != nil {
			return err
		}
	}
	for _, pod := range a.placed {
		if err := a.scheduler.Cache.RemovePod(logger, pod); err != nil {
			return err
		}
	}
	a.placed, a.reserved, a.pods = nil, map[line.Object]*reservation{}, map[line.Object]*v1.Pod{}
	for _, each := range a.loaded.pods {
		pod := each.(*v1.Pod)
		a.pods[line.Object{Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name}] = pod
	}
	if a.changed {
		core := a.factory.Core().V1()
		for _, one := range []struct {
			informer cache.SharedIndexInformer
			objects  []any
		}{
			{core.Pods().Informer(), a.loaded.pods}, {core.PersistentVolumes().Informer(), a.loaded.volumes},
			{core.PersistentVolumeClaims().Informer(), a.loaded.claims},
		} {
			if err := one.informer.GetIndexer().Replace(one.objects, ""); err != nil {
				return err
			}
		}
	}
	a.changed = false
	a.caches.fill(a.loaded)
	return nil
}

// Inform passes a change of a volume or a claim to the caches.
func (a *Actor) Inform(before, after runtime.Object) {
	a.changed = true
	of := func(object runtime.Object) cache.Indexer {
		if _, claim := object.(*v1.PersistentVolumeClaim); claim {
			return a.factory.Core().V1().PersistentVolumeClaims().Informer().GetIndexer()
		}
		return a.factory.Core().V1().PersistentVolumes().Informer().GetIndexer()
	}
	if after == nil {
		must(of(before).Delete(before))
	} else {
		must(of(after).Update(after))
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// Pods returns the pods that need a node, and those that have a node and use claims.
func (a *Actor) Pods() []line.Object {
	var objects []line.Object
	for _, each := range a.loaded.pods {
		pod := each.(*v1.Pod)
		uses := func(volume v1.Volume) bool { return volume.PersistentVolumeClaim != nil || volume.Ephemeral != nil }
		if pod.Spec.NodeName == "" && a.scheduler.Profiles.HandlesSchedulerName(pod.Spec.SchedulerName) ||
			pod.Spec.NodeName != "" && slices.ContainsFunc(pod.Spec.Volumes, uses) {
			objects = append(objects, line.Object{Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name})
		}
	}
	return objects
}

// Reserved returns the pods with a reservation.
func (a *Actor) Reserved() map[line.Object]string {
	texts := map[line.Object]string{}
	for name, kept := range a.reserved {
		texts[name] = kept.text
	}
	return texts
}

// Sync syncs one pod.
func (a *Actor) Sync(name line.Object, random *rand.Rand) (node string, remembered bool, err error) {
	pod := a.pods[name]
	if kept := a.reserved[name]; kept != nil {
		bound, err := checkBindings(a.address, klog.FromContext(a.ctx), kept.assumed, kept.bindings, kept.claims)
		switch {
		case err != nil:
			a.GiveUp(name)
			return "", true, nil
		case bound:
			delete(a.reserved, name)
			return kept.assumed.Spec.NodeName, true, a.bind(name, kept.assumed)
		}
		return "", false, nil
	}
	if pod.Spec.NodeName != "" {
		return "", false, nil
	}
	if gate, skip := a.heldBack(pod); gate != nil || skip {
		return "", false, nil
	}
	if err := a.refresh(); err != nil {
		return "", false, err
	}
	state, nodes := a.inRandomOrder(pod, random)
	if len(nodes) == 0 {
		return "", false, nil
	}
	return a.assume(name, pod, state, nodes[random.IntN(len(nodes))])
}

// heldBack returns whether a pod is not scheduled at all: because of a PreEnqueue plugin, whose status is returned, or
// because it is being deleted.
func (a *Actor) heldBack(pod *v1.Pod) (*frameworkStatus, bool) {
	for _, plugin := range a.profile.PreEnqueuePlugins() {
		if status := plugin.PreEnqueue(a.ctx, pod); !status.IsSuccess() {
			return status, false
		}
	}
	if skipPodSchedule(a.scheduler, a.ctx, a.profile, pod) {
		for len(a.events.Events) > 0 {
			<-a.events.Events
		}
		return nil, true
	}
	return nil, false
}

// inRandomOrder returns the nodes that fit a pod, with a random order of the volumes. If none fits, the other orders
// that matter are tried.
func (a *Actor) inRandomOrder(pod *v1.Pod, random *rand.Rand) (cycleState, []string) {
	a.volumes.rank, a.volumes.listed = map[string]int{}, nil
	places := random.Perm(len(a.loaded.volumes))
	for number, each := range a.loaded.volumes {
		a.volumes.rank[each.(*v1.PersistentVolume).Name] = places[number]
	}
	state, nodes := a.fitting(pod)
	if len(nodes) == 0 {
		a.volumes.eachOrder(func() {
			if len(nodes) == 0 {
				state, nodes = a.fitting(pod)
			}
		})
	}
	return state, nodes
}

// fitting runs PreFilter and Filter for a pod. It returns the nodes that fit. There is none if a plugin ends with an
// error.
func (a *Actor) fitting(pod *v1.Pod) (cycleState, []string) {
	nodes, err := a.profile.SnapshotSharedLister().NodeInfos().List()
	must(err)
	state := framework.NewCycleState()
	if len(nodes) == 0 {
		return state, nil
	}
	allows, status, _ := a.preFilter(state, pod)
	if !status.IsSuccess() {
		return state, nil
	}
	var fit []string
	for _, node := range nodes {
		if name := node.Node().Name; allows(name) {
			status := a.profile.RunFilterPluginsWithNominatedPods(a.ctx, state, pod, node)
			if status.Code() == codeError {
				return state, nil
			}
			if status.IsSuccess() {
				fit = append(fit, name)
			}
		}
	}
	slices.Sort(fit)
	return state, fit
}

// assume does what follows the choice of the node: Reserve, the writes of PreBind, and the binding of a pod whose
// volumes are all bound.
func (a *Actor) assume(name line.Object, pod *v1.Pod, state cycleState, node string) (string, bool, error) {
	logger := klog.FromContext(a.ctx)
	assumed := pod.DeepCopy()
	assumed.Spec.NodeName = node
	if err := a.scheduler.Cache.AssumePod(logger, assumed); err != nil {
		return "", false, err
	}
	takeBack := func() (string, bool, error) {
		a.profile.RunReservePluginsUnreserve(a.ctx, state, assumed, node)
		return "", false, a.scheduler.Cache.ForgetPod(logger, assumed)
	}
	if status := a.profile.RunReservePluginsReserve(a.ctx, state, assumed, node); !status.IsSuccess() {
		return takeBack()
	}
	data, err := state.Read(volumebinding.Name)
	if err != nil {
		return "", false, err
	}
	if *judge.Field[bool](data, "allBound") {
		return node, false, a.bind(name, assumed)
	}
	chosen := podVolumes(state, node)
	if chosen == nil {
		return takeBack()
	}
	claims := slices.Concat([]*v1.PersistentVolumeClaim{}, provisioned(chosen))
	if claims == nil {
		claims = []*v1.PersistentVolumeClaim{}
	}
	kept := &reservation{state: state, assumed: assumed, bindings: chosen.StaticBindings, claims: claims, text: node}
	for _, binding := range kept.bindings {
		claim, volume := *judge.Field[*v1.PersistentVolumeClaim](binding, "pvc"), *judge.Field[*v1.PersistentVolume](binding, "pv")
		kept.text += fmt.Sprintf(" %s=%s", claim.Name, volume.Name)
	}
	for _, claim := range claims {
		kept.text += " " + claim.Name
	}
	if err := bindAPIUpdate(a.address, a.ctx, assumed, kept.bindings, kept.claims); err != nil {
		return takeBack()
	}
	a.reserved[name] = kept
	return "", true, nil
}

// bind gives a pod its node.
func (a *Actor) bind(name line.Object, assumed *v1.Pod) error {
	bound := a.pods[name].DeepCopy()
	bound.Spec.NodeName = assumed.Spec.NodeName
	a.pods[name], a.changed = bound, true
	a.placed = append(a.placed, bound)
	if err := a.factory.Core().V1().Pods().Informer().GetIndexer().Update(bound); err != nil {
		return err
	}
	return a.scheduler.Cache.AddPod(klog.FromContext(a.ctx), bound)
}

// GiveUp drops a reservation. What PreBind has written stays.
func (a *Actor) GiveUp(name line.Object) {
	kept := a.reserved[name]
	delete(a.reserved, name)
	a.profile.RunReservePluginsUnreserve(a.ctx, kept.state, kept.assumed, kept.assumed.Spec.NodeName)
	must(a.scheduler.Cache.ForgetPod(klog.FromContext(a.ctx), kept.assumed))
}

// Places returns where a pod can be said to be.
func (a *Actor) Places(name line.Object) ([]judge.Place, error) {
	pod := a.pods[name]
	if pod.Spec.NodeName != "" {
		return []judge.Place{{Node: pod.Spec.NodeName}}, nil
	}
	if kept := a.reserved[name]; kept != nil {
		return []judge.Place{{WaitsForVolumesOn: kept.assumed.Spec.NodeName}}, nil
	}
	if gate, skip := a.heldBack(pod); gate != nil || skip {
		// A pod that is being deleted gets no condition.
		return []judge.Place{{Unschedulable: true, Message: gate.Message()}}, nil
	}
	if err := a.refresh(); err != nil {
		return nil, err
	}
	var all sample
	var failed error
	a.volumes.eachOrder(func() {
		if failed == nil {
			failed = a.cycle(pod, &all)
		}
	})
	var answer line.Scheduling
	if failed == nil {
		failed = all.fill(&answer)
	}
	if failed != nil {
		return nil, fmt.Errorf("pod %s/%s: %w", pod.Namespace, pod.Name, failed)
	}
	var places []judge.Place
	for _, node := range answer.Nodes {
		fits := func(one line.Verdict) bool { return one.Code == "Success" }
		if !all.erred && slices.ContainsFunc(node.Verdicts, fits) {
			places = append(places, judge.Place{WaitsForVolumesOn: node.Node})
		}
	}
	if places == nil {
		for _, message := range answer.Messages {
			places = append(places, judge.Place{Unschedulable: true, Message: message})
		}
	}
	return places, nil
}
