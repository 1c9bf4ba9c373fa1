//go:build k8s_1_30

package scheduler

import (
	"reflect"
	"unsafe" // also for go:linkname

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding"

	"pvctl.dev/oracle/judge"
)

// assumeCache is the address of a cache, whose type is not exported.
type assumeCache unsafe.Pointer

//go:linkname addToCache k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding.(*assumeCache).add
func addToCache(cache assumeCache, object any)

func cachesOf(binder volumebinding.SchedulerVolumeBinder) assumeCaches {
	volumes := *judge.Field[volumebinding.AssumeCache](*judge.Field[volumebinding.PVAssumeCache](binder, "pvCache"), "AssumeCache")
	claims := *judge.Field[volumebinding.AssumeCache](*judge.Field[volumebinding.PVCAssumeCache](binder, "pvcCache"), "AssumeCache")
	add := func(to volumebinding.AssumeCache) func(any) {
		return func(object any) { addToCache(assumeCache(reflect.ValueOf(to).UnsafePointer()), object) }
	}
	return assumeCaches{judge.Field[cache.Indexer](volumes, "store"), judge.Field[cache.Indexer](claims, "store"), add(volumes), add(claims)}
}

// preFilter runs the PreFilter plugins. It returns a function that says which nodes are tested, the status of
// PreFilter, and the status of a node that is not tested. In this minor version such a node has no reason, and the
// message does not count it.
func (s *Scheduler) preFilter(state cycleState, pod *v1.Pod) (allows func(string) bool, ended, leftOut *frameworkStatus) {
	result, ended := s.profile.RunPreFilterPlugins(s.ctx, state, pod)
	allows = func(node string) bool { return result.AllNodes() || result.NodeNames.Has(node) }
	return allows, ended, newStatus(codeUnresolvable)
}

// statusOf returns the status of a node in a cycle that found no node.
func statusOf(unfit *framework.FitError, node string) *frameworkStatus {
	if found := unfit.Diagnosis.NodeToStatusMap[node]; found != nil {
		return found
	}
	return newStatus(codeUnresolvable)
}

// postFilter runs the PostFilter plugins and returns their message.
func (s *Scheduler) postFilter(state cycleState, pod *v1.Pod, unfit *framework.FitError) string {
	_, ended := s.profile.RunPostFilterPlugins(s.ctx, state, pod, unfit.Diagnosis.NodeToStatusMap)
	return ended.Message()
}
