package scheduler

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/component-helpers/storage/volume"
	kubescheduler "k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding"

	"pvctl.dev/oracle/judge"
	"pvctl.dev/oracle/line"
)

// Schedule fills in the scheduler's answers about all pods of a line that need scheduling.
func (s *Scheduler) Schedule(l *line.Line) error {
	w, err := read(l.World)
	if err != nil {
		return err
	}
	if err := s.load(w); err != nil {
		return err
	}
	answers := []line.Scheduling{}
	for _, each := range w.pods {
		pod := each.(*v1.Pod)
		if pod.Spec.NodeName != "" || !s.scheduler.Profiles.HandlesSchedulerName(pod.Spec.SchedulerName) {
			continue
		}
		answer, err := s.pod(pod)
		if err != nil {
			return fmt.Errorf("pod %s/%s: %w", pod.Namespace, pod.Name, err)
		}
		answers = append(answers, *answer)
	}
	l.Scheduling = &answers
	return nil
}

// pod returns the answer about one pod.
func (s *Scheduler) pod(pod *v1.Pod) (*line.Scheduling, error) {
	answer := &line.Scheduling{Pod: line.Object{Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name}}
	for _, plugin := range s.profile.PreEnqueuePlugins() {
		if status := plugin.PreEnqueue(s.ctx, pod); !status.IsSuccess() {
			status.SetPlugin(plugin.Name())
			gate := verdict(status)
			answer.Gate = &gate
			return answer, nil
		}
	}
	if skipPodSchedule(s.scheduler, s.ctx, s.profile, pod) {
		answer.Skip = strings.TrimPrefix(<-s.events.Events, "Warning FailedScheduling ")
		return answer, nil
	}
	var all sample
	var failed error
	answer.Orders, answer.Sampled = s.volumes.eachOrder(func() {
		if failed == nil {
			failed = s.cycle(pod, &all)
		}
	})
	if failed != nil {
		return nil, failed
	}
	if answer.Orders == 1 {
		answer.Orders = 0
	}
	return answer, all.fill(answer)
}

// sample collects the answers about one pod from several cycles.
type sample struct {
	preFilter  set[line.Verdict]
	nodes      map[string]set[line.Verdict]
	messages   set[string]
	postFilter set[string]
	// rejected and erred say how the cycles without a chosen node ended.
	rejected, erred bool
}

// set contains values, by their JSON text.
type set[T any] map[string]T

func (s *set[T]) add(value T) {
	if *s == nil {
		*s = set[T]{}
	}
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // Texts and lists always have a JSON form.
	}
	(*s)[string(text)] = value
}

func (s set[T]) sorted() []T {
	var values []T
	for _, text := range sets.List(sets.KeySet(s)) {
		values = append(values, s[text])
	}
	return values
}

// fill writes the collected answers into an answer.
func (all *sample) fill(answer *line.Scheduling) error {
	if all.preFilter != nil {
		if len(all.preFilter) != 1 || all.nodes != nil {
			return fmt.Errorf("PreFilter depends on the order of volumes: %v", all.preFilter.sorted())
		}
		answer.PreFilter = &all.preFilter.sorted()[0]
	}
	for _, name := range sets.List(sets.KeySet(all.nodes)) {
		answer.Nodes = append(answer.Nodes, line.NodeVerdicts{Node: name, Verdicts: all.nodes[name].sorted()})
	}
	if all.rejected && all.erred {
		return errors.New("only some orders of volumes end with an error")
	}
	if all.rejected {
		answer.Reason = v1.PodReasonUnschedulable
	}
	if all.erred {
		answer.Reason = v1.PodReasonSchedulerError
	}
	answer.Messages, answer.PostFilter = all.messages.sorted(), all.postFilter.sorted()
	return nil
}

// cycle runs one scheduling cycle for the pod in two ways. The cycle that runs step by step gives the verdict about each
// node. The cycle that runs as in the scheduler gives the message. cycle fails if the two results do not agree.
func (s *Scheduler) cycle(pod *v1.Pod, all *sample) error {
	whole, added := s.whole(pod)
	nodes, err := s.profile.SnapshotSharedLister().NodeInfos().List()
	if err != nil {
		return err
	}
	if len(nodes) == 0 {
		all.rejected = true
		all.messages.add(whole.Error())
		return agree(errors.Is(whole, kubescheduler.ErrNoNodesAvailable), whole)
	}
	state := framework.NewCycleState()
	allows, status, leftOut := s.preFilter(state, pod)
	if !status.IsSuccess() {
		all.preFilter.add(verdict(status))
		return all.end(whole, added, nil, status)
	}
	statuses := map[string]*frameworkStatus{}
	for _, node := range nodes {
		name := node.Node().Name
		if statuses[name] = leftOut; allows(name) {
			statuses[name] = s.profile.RunFilterPluginsWithNominatedPods(s.ctx, state, pod, node)
		}
	}
	if all.nodes == nil {
		all.nodes = map[string]set[line.Verdict]{}
	}
	for name, status := range statuses {
		one := verdict(status)
		if status.IsSuccess() {
			s.reserve(state, pod, name, &one)
		}
		verdicts := all.nodes[name]
		verdicts.add(one)
		all.nodes[name] = verdicts
	}
	return all.end(whole, added, statuses, nil)
}

// end records the message of a cycle that found no node. It checks that the cycle step by step and the whole cycle
// agree. statuses are the statuses of the nodes, or nil if PreFilter gave a status. added is what PostFilter adds to
// the message.
func (all *sample) end(whole error, added string, statuses map[string]*frameworkStatus, preFilter *frameworkStatus) error {
	fits, failures := false, []string{}
	for _, status := range statuses {
		fits = fits || status.IsSuccess()
		if status.Code() == codeError {
			failures = append(failures, status.AsError().Error())
		}
	}
	var unfit *framework.FitError
	switch {
	case preFilter.Code() == codeError:
		all.erred = true
		all.messages.add(whole.Error())
		return agree(whole.Error() == preFilter.AsError().Error(), whole)
	case len(failures) > 0:
		all.erred = true
		for _, failure := range failures {
			all.messages.add(failure)
		}
		return agree(whole != nil && slices.Contains(failures, whole.Error()), whole)
	case fits:
		return agree(whole == nil, whole)
	case !errors.As(whole, &unfit):
		return agree(false, whole)
	}
	all.rejected = true
	all.postFilter.add(added)
	all.messages.add(unfit.Error())
	for name, status := range statuses {
		if other := statusOf(unfit, name); !reflect.DeepEqual(verdict(other), verdict(status)) {
			return agree(false, fmt.Errorf("node %s: %v, %v", name, verdict(other), verdict(status)))
		}
	}
	return agree(statuses != nil || unfit.Diagnosis.PreFilterMsg == preFilter.Message(), whole)
}

// agree returns an error if the cycle step by step and the whole cycle do not agree.
func agree(yes bool, whole error) error {
	if yes {
		return nil
	}
	return fmt.Errorf("the whole cycle ends differently: %v", whole)
}

// verdict converts a status into a verdict.
func verdict(status *frameworkStatus) line.Verdict {
	made := line.Verdict{Code: status.Code().String()}
	if !status.IsSuccess() {
		made.Plugin, made.Reasons = status.Plugin(), slices.Clone(status.Reasons())
	}
	if status.Code() == codeError {
		made.Reasons = []string{status.AsError().Error()}
	}
	return made
}

// reserve runs Reserve for a node that the pod fits, records what Reserve does, and runs Unreserve.
func (s *Scheduler) reserve(state cycleState, pod *v1.Pod, node string, into *line.Verdict) {
	assumed := pod.DeepCopy()
	assumed.Spec.NodeName = node
	if status := s.profile.RunReservePluginsReserve(s.ctx, state, assumed, node); !status.IsSuccess() {
		into.ReserveError = status.Message()
	}
	if chosen := podVolumes(state, node); chosen != nil {
		for _, binding := range chosen.StaticBindings {
			claim := *judge.Field[*v1.PersistentVolumeClaim](binding, "pvc")
			target := *judge.Field[*v1.PersistentVolume](binding, "pv")
			into.Bindings = append(into.Bindings, line.Binding{
				Claim: claim.Name, Volume: target.Name, Assumed: s.caches.assumed(target.Name),
				BoundByController: metav1.HasAnnotation(target.ObjectMeta, volume.AnnBoundByController) &&
					!metav1.HasAnnotation(s.stored(target.Name).ObjectMeta, volume.AnnBoundByController),
			})
		}
		for _, claim := range provisioned(chosen) {
			if claim.Annotations[volume.AnnSelectedNode] == node {
				into.Provisions = append(into.Provisions, claim.Name)
			}
		}
	}
	slices.SortFunc(into.Bindings, func(a, b line.Binding) int {
		if order := strings.Compare(a.Claim, b.Claim); order != 0 {
			return order
		}
		return strings.Compare(a.Volume, b.Volume)
	})
	slices.Sort(into.Provisions)
	s.profile.RunReservePluginsUnreserve(s.ctx, state, assumed, node)
}

// stored returns the informer's copy of a volume.
func (s *Scheduler) stored(name string) *v1.PersistentVolume {
	found, _, _ := s.factory.Core().V1().PersistentVolumes().Informer().GetIndexer().GetByKey(name)
	return found.(*v1.PersistentVolume)
}

// podVolumes returns the volumes that VolumeBinding chose for a node in a cycle, or nil if it has nothing to bind.
func podVolumes(state cycleState, node string) *volumebinding.PodVolumes {
	data, err := state.Read(volumebinding.Name)
	if err != nil {
		return nil
	}
	return (*judge.Field[map[string]*volumebinding.PodVolumes](data, "podVolumesByNode"))[node]
}
