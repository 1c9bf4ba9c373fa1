//go:build !(k8s_1_32 || k8s_1_30)

package scheduler

import (
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding"
)

// Since 1.34 the types of the framework are in a module of their own.
type (
	frameworkStatus = fwk.Status
	cycleState      = fwk.CycleState
)

const (
	codeError        = fwk.Error
	codeUnresolvable = fwk.UnschedulableAndUnresolvable
)

var newStatus = fwk.NewStatus

// provisioned returns the claims that must be provisioned.
func provisioned(volumes *volumebinding.PodVolumes) []*v1.PersistentVolumeClaim {
	var claims []*v1.PersistentVolumeClaim
	for _, each := range volumes.DynamicProvisions {
		claims = append(claims, each.PVC)
	}
	return claims
}
