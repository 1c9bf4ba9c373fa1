//go:build !k8s_1_30

package scheduler

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// preFilter runs the PreFilter plugins. It returns a function that says which nodes are tested, the status of
// PreFilter, and the status of a node that is not tested.
func (s *Scheduler) preFilter(state cycleState, pod *v1.Pod) (allows func(string) bool, ended, leftOut *frameworkStatus) {
	result, ended, plugins := s.profile.RunPreFilterPlugins(s.ctx, state, pod)
	allows = func(node string) bool { return result.AllNodes() || result.NodeNames.Has(node) }
	return allows, ended, newStatus(codeUnresolvable, fmt.Sprintf("node(s) didn't satisfy plugin(s) %v", sets.List(plugins)))
}

// statusOf returns the status of a node in a cycle that found no node.
func statusOf(unfit *framework.FitError, node string) *frameworkStatus {
	return unfit.Diagnosis.NodeToStatus.Get(node)
}
