package judge

import (
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strings"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/klog/v2"

	"k8s.io/client-go/tools/record"

	"pvctl.dev/oracle/line"
)

// trace records everything that one sync does, in one common order. It also makes requests fail as the case says.
type trace struct {
	decision line.Decision
	seq      int
	writes   int
	notes    map[string]bool
	refuse   *line.Refuse
	failRead *line.FailRead
	// recycler says how the recycler's pod ends. The recycler sees this end in its watch of the pod.
	recycler *line.Recycler
	watch    *watch.FakeWatcher
	// notesOnly says that only notes are recorded.
	notesOnly bool
}

func newTrace() *trace {
	return &trace{decision: line.Decision{Writes: []line.Write{}, Events: []line.Event{}, Operations: []line.Operation{}}}
}

func (t *trace) next() int {
	t.seq++
	return t.seq
}

// full returns whether requests and events are recorded.
func (t *trace) full() bool { return t != nil && !t.notesOnly }

func (t *trace) note(text string) {
	if t == nil {
		return
	}
	if t.notes == nil {
		t.notes = map[string]bool{}
	}
	t.notes[text] = true
}

// write records a request and returns the error that the case states for it, or nil.
func (t *trace) write(r request, patch, object, preconditions json.RawMessage) error {
	t.writes++
	t.decision.Writes = append(t.decision.Writes, line.Write{
		Seq: t.next(), Verb: r.verb, Resource: r.resource, Subresource: r.subresource, Namespace: r.namespace, Name: r.name,
		Patch: patch, Object: object, Preconditions: preconditions,
	})
	if t.refuse != nil && (t.writes == t.refuse.Write || t.refuse.From && t.writes > t.refuse.Write) {
		return failure(t.refuse.Reason, t.refuse.Text, r)
	}
	return nil
}

// refused adds the error of the API server to the last recorded write.
func (t *trace) refused(err error) {
	if err == nil || t == nil {
		return
	}
	if t.notesOnly {
		// An update that adds a finalizer to an object that is being deleted can be refused although the stored object
		// is valid. All other refusals mean that the API server would not store the object today.
		if apierrors.IsInvalid(err) && !strings.Contains(err.Error(), "is invalid: metadata.finalizers: ") {
			t.note("api-rejected")
		}
		return
	}
	t.decision.Writes[len(t.decision.Writes)-1].Refused = err.Error()
	if apierrors.IsInvalid(err) {
		t.note("api-rejected")
	}
}

// read returns the error that the case states for a live read, or nil.
func (t *trace) read(r request) error {
	if t == nil || t.failRead == nil || t.failRead.Read != r.read {
		return nil
	}
	return failure(t.failRead.Reason, t.failRead.Text, r)
}

// operation records an operation and its state.
func (t *trace) operation(name, state string) {
	if t.full() {
		t.decision.Operations = append(t.decision.Operations, line.Operation{Seq: t.next(), Name: name, State: state})
	}
}

// failure returns the error that the API machinery creates for a reason and the object of a request.
func failure(reason, text string, r request) error {
	resource := schema.GroupResource{Resource: r.resource}
	switch metav1.StatusReason(reason) {
	case metav1.StatusReasonConflict:
		return apierrors.NewConflict(resource, r.name, errors.New(optimisticLock))
	case metav1.StatusReasonNotFound:
		return apierrors.NewNotFound(resource, r.name)
	case metav1.StatusReasonServerTimeout:
		return apierrors.NewServerTimeout(resource, r.verb, 0)
	case metav1.StatusReasonInternalError:
		return apierrors.NewInternalError(errors.New(text))
	}
	panic(fmt.Sprintf("unknown reason %q", reason))
}

// recorder is an event recorder that writes into the current trace of a judge.
type recorder struct{ judge *Judge }

var _ record.EventRecorderLogger = recorder{}

func (r recorder) Event(object runtime.Object, kind, reason, message string) {
	t := r.judge.api.trace
	if !t.full() {
		return
	}
	about := line.Object{Kind: "PersistentVolume"}
	switch object := object.(type) {
	case *v1.PersistentVolume:
		about.Name = object.Name
	case *v1.PersistentVolumeClaim:
		about = line.Object{Kind: "PersistentVolumeClaim", Namespace: object.Namespace, Name: object.Name}
	case *v1.Pod:
		about = line.Object{Kind: podKind, Namespace: object.Namespace, Name: object.Name}
	default:
		panic(fmt.Sprintf("event about a %T", object))
	}
	t.decision.Events = append(t.decision.Events, line.Event{
		Seq: t.next(), Type: kind, Reason: reason, Message: sortedPods(message), About: about,
	})
}

func (r recorder) Eventf(object runtime.Object, kind, reason, format string, args ...any) {
	r.Event(object, kind, reason, fmt.Sprintf(format, args...))
}

func (r recorder) AnnotatedEventf(object runtime.Object, _ map[string]string, kind, reason, format string, args ...any) {
	r.Event(object, kind, reason, fmt.Sprintf(format, args...))
}

func (r recorder) WithLogger(klog.Logger) record.EventRecorderLogger { return r }

// sortedPods sorts the names in "waiting for pods b,a to be scheduled", because the controller takes them from a map.
func sortedPods(message string) string {
	const start, end = "waiting for pods ", " to be scheduled"
	if !strings.HasPrefix(message, start) || !strings.HasSuffix(message, end) {
		return message
	}
	names := strings.Split(message[len(start):len(message)-len(end)], ",")
	sort.Strings(names)
	return start + strings.Join(names, ",") + end
}
