//go:build k8s_1_34 || k8s_1_32

package scheduler

import (
	_ "unsafe" // for go:linkname

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding"
	"k8s.io/kubernetes/pkg/scheduler/util/assumecache"

	"pvctl.dev/oracle/judge"
)

//go:linkname addToCache k8s.io/kubernetes/pkg/scheduler/util/assumecache.(*AssumeCache).add
func addToCache(cache *assumecache.AssumeCache, object any)

func cachesOf(binder volumebinding.SchedulerVolumeBinder) assumeCaches {
	volumes := (*judge.Field[*volumebinding.PVAssumeCache](binder, "pvCache")).AssumeCache
	claims := (*judge.Field[*volumebinding.PVCAssumeCache](binder, "pvcCache")).AssumeCache
	return assumeCaches{
		judge.Field[cache.Indexer](volumes, "store"), judge.Field[cache.Indexer](claims, "store"),
		func(object any) { addToCache(volumes, object) }, func(object any) { addToCache(claims, object) },
	}
}

// postFilter runs the PostFilter plugins and returns their message.
func (s *Scheduler) postFilter(state cycleState, pod *v1.Pod, unfit *framework.FitError) string {
	_, ended := s.profile.RunPostFilterPlugins(s.ctx, state, pod, unfit.Diagnosis.NodeToStatus)
	return ended.Message()
}
