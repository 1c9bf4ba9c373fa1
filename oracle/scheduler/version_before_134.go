//go:build k8s_1_32 || k8s_1_30

package scheduler

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding"
)

type (
	frameworkStatus = framework.Status
	cycleState      = *framework.CycleState
)

const (
	codeError        = framework.Error
	codeUnresolvable = framework.UnschedulableAndUnresolvable
)

var newStatus = framework.NewStatus

// provisioned returns the claims that must be provisioned.
func provisioned(volumes *volumebinding.PodVolumes) []*v1.PersistentVolumeClaim {
	return volumes.DynamicProvisions
}
