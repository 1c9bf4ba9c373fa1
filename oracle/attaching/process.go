package attaching

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/volume/attachdetach"
	"k8s.io/kubernetes/pkg/controller/volume/attachdetach/populator"
	"k8s.io/kubernetes/pkg/controller/volume/attachdetach/reconciler"
	"k8s.io/kubernetes/pkg/volume"
	"k8s.io/kubernetes/pkg/volume/csi"
	"k8s.io/kubernetes/pkg/volume/fc"
	"k8s.io/kubernetes/pkg/volume/iscsi"
	"k8s.io/kubernetes/pkg/volume/util/operationexecutor"
	volumetypes "k8s.io/kubernetes/pkg/volume/util/types"

	"pvctl.dev/oracle/judge"
	"pvctl.dev/oracle/line"
)

// process is one controller from its start to its end.
type process struct {
	*run
	// ended says that the controller has ended. Its operations may still run. Whatever they do has no effect.
	ended     atomic.Bool
	cancel    context.CancelFunc
	done      chan struct{}
	informers []cache.SharedIndexInformer
	// detaching is the last operation that the reconciler started to detach a volume.
	detaching *line.AttachingOperation
	// said counts the entries of the log.
	said     map[string]int
	saidLock sync.Mutex
}

// populatorDelay is the time by which the first loop of the populator follows the first loop of the reconciler. In
// upstream both begin at the same time, and it is by chance which of them is faster. The populator's period is also a
// little longer than a minute. So a loop of the populator is never at the same moment as a loop of the reconciler.
const (
	populatorDelay  = 13007 * time.Microsecond
	populatorPeriod = 60013 * time.Millisecond
)

// creating is held while a controller is created, because the CSI plugin stores itself in global variables.
var creating sync.Mutex

// add records what the controller does, as long as it has not ended.
func (p *process) add(e line.AttachingEntry) *entry {
	if p.ended.Load() {
		return &entry{}
	}
	return p.journal.add(e)
}

// start starts a controller. Its informers have the objects of the server when it begins, and they have told the
// controller about all of them.
func (r *run) start() (*process, error) {
	ctx, cancel := context.WithCancel(klog.NewContext(context.Background(), logr.Discard()))
	p := &process{run: r, cancel: cancel, done: make(chan struct{}), said: map[string]int{}}
	own := sink{process: p}
	if r.logged {
		global.set(p)
		own.text = textLogger(p).WithCallDepth(1).GetSink()
	}
	ctx = klog.NewContext(ctx, logr.New(own))
	timers := attachdetach.DefaultTimerConfig
	timers.DesiredStateOfWorldPopulatorLoopSleepPeriod = populatorPeriod
	creating.Lock()
	controller, err := p.newController(ctx, timers)
	creating.Unlock()
	if err != nil {
		cancel()
		return nil, err
	}
	p.replace(controller)
	for _, each := range p.informers {
		go each.Run(ctx.Done())
	}
	settled()
	go func() {
		controller.Run(ctx)
		close(p.done)
	}()
	return p, nil
}

// end ends the controller and waits until its loops have ended.
func (p *process) end() {
	p.ended.Store(true)
	p.cancel()
	<-p.done
}

func plugins() []volume.VolumePlugin {
	var all []volume.VolumePlugin
	for _, each := range [][]volume.VolumePlugin{
		fc.ProbeVolumePlugins(), iscsi.ProbeVolumePlugins(), csi.ProbeVolumePlugins(),
	} {
		all = append(all, each...)
	}
	return all
}

// replace replaces parts of the controller by parts that also record what they do.
func (p *process) replace(controller attachdetach.AttachDetachController) {
	loop := *judge.Field[reconciler.Reconciler](controller, "reconciler")
	inner := judge.Field[operationexecutor.OperationExecutor](loop, "attacherDetacher")
	makes := judge.Field[operationexecutor.OperationGenerator](*inner, "operationGenerator")
	manager := *judge.Field[*volume.VolumePluginMgr](*makes, "volumePluginMgr")
	for _, field := range []*record.EventRecorder{
		judge.Field[record.EventRecorder](loop, "recorder"), judge.Field[record.EventRecorder](*makes, "recorder"),
	} {
		*field = recorder{process: p, inner: *field}
	}
	*makes = generator{OperationGenerator: *makes, process: p, plugins: manager}
	*inner = executor{OperationExecutor: *inner, process: p}
	adds := judge.Field[populator.DesiredStateOfWorldPopulator](controller, "desiredStateOfWorldPopulator")
	*adds = later{*adds}
}

// later is a populator that begins a little later.
type later struct {
	populator.DesiredStateOfWorldPopulator
}

func (l later) Run(ctx context.Context) {
	select {
	case <-time.After(populatorDelay):
		l.DesiredStateOfWorldPopulator.Run(ctx)
	case <-ctx.Done():
	}
}

// executor records the operations that are started. It waits until a started operation has done everything that takes
// no time, so that the order of the entries does not depend on chance.
type executor struct {
	operationexecutor.OperationExecutor
	process *process
}

func (e executor) AttachVolume(
	logger klog.Logger, wanted operationexecutor.VolumeToAttach, state operationexecutor.ActualStateOfWorldAttacherUpdater,
) error {
	return e.start(
		&line.AttachingOperation{Name: "attach", Volume: string(wanted.VolumeName), Node: string(wanted.NodeName)},
		func() error { return e.OperationExecutor.AttachVolume(logger, wanted, state) },
	)
}

func (e executor) DetachVolume(
	logger klog.Logger, attached operationexecutor.AttachedVolume, verify bool,
	state operationexecutor.ActualStateOfWorldAttacherUpdater,
) error {
	operation := &line.AttachingOperation{
		Name: "detach", Volume: string(attached.VolumeName), Node: string(attached.NodeName),
	}
	e.process.detaching = operation
	return e.start(operation, func() error { return e.OperationExecutor.DetachVolume(logger, attached, verify, state) })
}

// start calls begin, which starts the operation. The entry comes before those of the operation itself.
func (e executor) start(operation *line.AttachingOperation, begin func() error) error {
	added := e.process.add(line.AttachingEntry{Operation: operation})
	if err := begin(); err != nil {
		added.dropped = true
		return err
	}
	settled()
	return nil
}

// generator lets operations wait that otherwise would end at the moment at which they are started. They send no request
// and do not wait for a VolumeAttachment. In upstream it is by chance whether such an operation ends before the rest of
// the loop that started it.
type generator struct {
	operationexecutor.OperationGenerator
	process *process
	plugins *volume.VolumePluginMgr
}

func (g generator) GenerateAttachVolumeFunc(
	logger klog.Logger, wanted operationexecutor.VolumeToAttach, state operationexecutor.ActualStateOfWorldAttacherUpdater,
) volumetypes.GeneratedOperations {
	made := g.OperationGenerator.GenerateAttachVolumeFunc(logger, wanted, state)
	return g.slow(made, func() bool {
		plugin, err := g.plugins.FindAttachablePluginBySpec(wanted.VolumeSpec)
		return err != nil || plugin == nil || plugin.GetPluginName() != csi.CSIPluginName
	})
}

func (g generator) GenerateDetachVolumeFunc(
	logger klog.Logger, attached operationexecutor.AttachedVolume, verify bool,
	state operationexecutor.ActualStateOfWorldAttacherUpdater,
) (volumetypes.GeneratedOperations, error) {
	made, err := g.OperationGenerator.GenerateDetachVolumeFunc(logger, attached, verify, state)
	if err != nil {
		return made, err
	}
	return g.slow(made, func() bool {
		name, isCSI := strings.CutPrefix(string(attached.VolumeName), csi.CSIPluginName+"/")
		return !verify && (!isCSI || strings.Count(name, "^") != 1)
	}), nil
}

// slow lets the operation wait if immediate says so.
func (g generator) slow(made volumetypes.GeneratedOperations, immediate func() bool) volumetypes.GeneratedOperations {
	inner := made.OperationFunc
	made.OperationFunc = func() volumetypes.OperationContext {
		if immediate() {
			if err := g.process.travel(); err != nil {
				return volumetypes.NewOperationContext(err, err, false)
			}
		}
		return inner()
	}
	return made
}

// recorder records the events of the controller. If the log is recorded, the controller's own recorder gets them, too,
// because it logs them.
type recorder struct {
	process *process
	inner   record.EventRecorder
}

func (r recorder) Event(object runtime.Object, kind, reason, message string) {
	pod, isPod := object.(*v1.Pod)
	if !isPod {
		panic(fmt.Sprintf("event about a %s", reflect.TypeOf(object)))
	}
	about := line.Object{Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name}
	r.process.add(
		line.AttachingEntry{Event: &line.AttachingEvent{Type: kind, Reason: reason, Message: message, About: about}},
	)
	if r.process.logged {
		r.inner.Event(object, kind, reason, message)
	}
}

func (r recorder) Eventf(object runtime.Object, kind, reason, format string, args ...any) {
	r.Event(object, kind, reason, fmt.Sprintf(format, args...))
}

func (r recorder) AnnotatedEventf(
	object runtime.Object, _ map[string]string, kind, reason, format string, args ...any,
) {
	r.Event(object, kind, reason, fmt.Sprintf(format, args...))
}

// sink is the log of the controller. The reconciler logs why it detaches a volume by force. text gets all entries, if
// they are recorded.
type sink struct {
	process *process
	text    logr.LogSink
}

var _ logr.CallDepthLogSink = sink{}

func (s sink) Init(logr.RuntimeInfo)  {}
func (s sink) Enabled(level int) bool { return level == 0 || s.text != nil && level <= 5 }

// with returns a sink whose text is changed.
func (s sink) with(change func(logr.LogSink) logr.LogSink) logr.LogSink {
	if s.text != nil {
		s.text = change(s.text)
	}
	return s
}

func (s sink) WithValues(pairs ...any) logr.LogSink {
	return s.with(func(text logr.LogSink) logr.LogSink { return text.WithValues(pairs...) })
}

func (s sink) WithName(name string) logr.LogSink {
	return s.with(func(text logr.LogSink) logr.LogSink { return text.WithName(name) })
}

func (s sink) WithCallDepth(depth int) logr.LogSink {
	return s.with(func(text logr.LogSink) logr.LogSink {
		return text.(logr.CallDepthLogSink).WithCallDepth(depth)
	})
}

func (s sink) Error(err error, text string, pairs ...any) {
	if s.text != nil {
		s.text.Error(err, text, pairs...)
	}
}

func (s sink) Info(level int, text string, pairs ...any) {
	if s.text != nil {
		s.text.Info(level, text, pairs...)
	}
	reason, forced := strings.CutPrefix(text, "attacherDetacher.DetachVolume started: ")
	switch {
	case !forced:
	case strings.Contains(reason, "maxWaitForUnmountDuration expired"):
		s.process.detaching.Forced = "timeout"
	case strings.Contains(reason, "out-of-service"):
		s.process.detaching.Forced = "out-of-service"
	default:
		panic("unknown reason of a detach: " + reason)
	}
}
