package main

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	"github.com/storageos/api-manager/internal/controllers/sharedvolume"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
)

const (
	// pollInterval and waitDuration are the defaults of --k8s-create-poll-interval and --k8s-create-wait-duration.
	pollInterval = time.Second
	waitDuration = 20 * time.Second
	// mountEndpoint is the label of the mount endpoint.
	mountEndpoint = "storageos.com/nfs/mount-endpoint"
)

// current is the recorder of the sync that runs, or nil. The logger and the metric of the controller belong to the
// whole process.
var current *recorder

func init() {
	ctrl.SetLogger(logr.New(sink{}))
	klog.SetLogger(logr.Discard())
	sharedvolume.ReconcileDuration = metric{}
}

// sink is a logger that records the messages of a sync.
type sink struct{}

func (sink) Init(logr.RuntimeInfo)                     {}
func (sink) Enabled(int) bool                          { return true }
func (s sink) WithValues(...any) logr.LogSink          { return s }
func (s sink) WithName(string) logr.LogSink            { return s }
func (s sink) Error(_ error, message string, _ ...any) { s.Info(0, message) }
func (sink) Info(_ int, message string, _ ...any) {
	if current != nil {
		current.made.Log = append(current.made.Log, message)
	}
}

// metric is the metric of the duration of a sync.
type metric struct{}

func (metric) Observe(took time.Duration) {
	if took != time.Since(current.begin) {
		panic("the metric has another duration than the sync")
	}
	current.made.Observed = true
}

// sync runs one sync of a Volume.
func (s *server) sync(asked Reconcile) Sync {
	r := &recorder{server: s, refuse: asked.Refuse, begin: time.Now(), sent: map[string]int{}}
	made := sharedvolume.NewReconciler(r, r.client(), pollInterval, waitDuration, r)
	current = r
	defer func() { current = nil }()
	result, err := made.Reconcile(context.Background(), ctrl.Request{NamespacedName: types.NamespacedName{Name: asked.Volume}})
	if result != (ctrl.Result{}) {
		panic("the controller asks for a later sync")
	}
	if err != nil {
		r.made.Error = err.Error()
	}
	r.made.Took = time.Since(r.begin).Milliseconds()
	return r.made
}

// script is a run of the script of a line.
type script struct {
	*server
	filters *filters
	// endpoints are the mount endpoints that the storage system got, by the id of the volume.
	endpoints map[string]string
}

func (s *script) turn(turn Turn, made *Answer) {
	event := func(before, after object) { made.Events = append(made.Events, s.filters.event(before, after)) }
	if turn.Publish {
		for _, both := range s.publish(s.endpoints) {
			event(both[0], both[1])
		}
	}
	for _, text := range turn.Set {
		each := parsed(text)
		before := s.stored[keyOf(each)]
		s.put(each)
		if each["kind"] == "Volume" {
			event(before, each)
		}
	}
	for _, key := range turn.Delete {
		before := s.stored[key]
		s.remove(key)
		if key.Kind == "Volume" && before != nil {
			event(before, nil)
		}
	}
	for _, asked := range turn.Reconcile {
		synced := s.sync(asked)
		for _, effect := range synced.Effects {
			if effect.Set != nil && effect.Set.Refused == "" {
				s.endpoints[effect.Set.ID] = effect.Set.Endpoint
			}
		}
		made.Syncs = append(made.Syncs, synced)
	}
}

func (share *Share) run(l *Line) {
	s := &script{newServer(l.World.Items, share.IPv6), startFilters(), map[string]string{}}
	defer s.filters.stop()
	for place, turn := range share.Turns {
		made := Answer{}
		if place == 0 {
			for _, name := range s.order {
				made.Events = append(made.Events, s.filters.event(nil, s.stored[Object{"Volume", "", name}]))
			}
		}
		s.turn(turn, &made)
		share.Answers = append(share.Answers, made)
	}
}

func answer(l *Line) error {
	if l.Share == nil {
		return nil
	}
	l.Share.Answers = nil
	// The test is only there because synctest needs one. Nothing of it is used.
	synctest.Test(new(testing.T), func(*testing.T) { l.Share.run(l) })
	return nil
}
