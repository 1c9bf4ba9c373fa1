//go:build !k8s_1_30

package attaching

import (
	"context"
	"time"

	"k8s.io/kubernetes/pkg/controller/volume/attachdetach"
)

// newController creates the controller with the flags of the line.
func (p *process) newController(ctx context.Context, timers attachdetach.TimerConfig) (
	attachdetach.AttachDetachController, error,
) {
	return attachdetach.NewAttachDetachController(
		ctx, &client{process: p}, podInformer{p.informer("Pod")}, nodeInformer{p.informer(nodeKind)},
		claimInformer{p.informer("PersistentVolumeClaim")}, volumeInformer{p.informer("PersistentVolume")},
		csiNodeInformer{p.informer("CSINode")}, driverInformer{p.informer("CSIDriver")},
		attachmentInformer{SharedIndexInformer: p.informer(attachmentKind), process: p}, plugins(), nil,
		p.flags.DisableSync, time.Duration(p.flags.SyncPeriod), p.flags.DisableForceDetach, timers,
	)
}
