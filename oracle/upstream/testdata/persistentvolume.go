package persistentvolume

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	storage "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/watch"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/kubernetes/fake"
	corelisters "k8s.io/client-go/listers/core/v1"
	storagelisters "k8s.io/client-go/listers/storage/v1"
	"k8s.io/client-go/tools/cache"
	pvtesting "k8s.io/kubernetes/pkg/controller/volume/persistentvolume/testing"
	"k8s.io/kubernetes/pkg/features"
)

// The functions in this file replace those of the test framework. They record the content of a table instead of
// comparing the controller with it.

// pvctlCurrent is the record of the running test. Tests run one after another.
var pvctlCurrent map[string]any

// pvctlInject changes objects as another writer does, between the sync and its operation.
var pvctlInject func(*PersistentVolumeController, *pvtesting.VolumeReactor)

// pvctlStopped is the value of a panic that ends a sync at the point where its operation would start.
type pvctlStopped struct{}

func runSyncTests(t *testing.T, ctx context.Context, tests []controllerTest, classes []*storage.StorageClass, pods []*v1.Pod) {
	for _, test := range tests {
		pvctlRecord(t, ctx, "sync", test, classes, pods)
	}
}

func runMultisyncTests(t *testing.T, ctx context.Context, tests []controllerTest, classes []*storage.StorageClass, _ string) {
	for _, test := range tests {
		pvctlRecord(t, ctx, "settle", test, classes, nil)
	}
}

func pvctlRecord(t *testing.T, ctx context.Context, kind string, test controllerTest, classes []*storage.StorageClass, pods []*v1.Pod) {
	client := &fake.Clientset{}
	ctrl, err := newTestController(ctx, client, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	volumeWatch, claimWatch := watch.NewFakeWithChanSize(100, false), watch.NewFakeWithChanSize(100, false)
	reactor := newVolumeReactor(ctx, client, ctrl, volumeWatch, claimWatch, nil)
	for _, claim := range test.initialClaims {
		if !metav1.HasAnnotation(claim.ObjectMeta, annSkipLocalStore) {
			ctrl.claims.Add(claim)
		}
	}
	for _, volume := range test.initialVolumes {
		if !metav1.HasAnnotation(volume.ObjectMeta, annSkipLocalStore) {
			ctrl.volumes.store.Add(volume)
		}
	}
	reactor.AddClaims(test.initialClaims)
	reactor.AddVolumes(test.initialVolumes)
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	for _, class := range classes {
		indexer.Add(class)
	}
	ctrl.classLister = storagelisters.NewStorageClassLister(indexer)
	indexer = cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	for _, pod := range pods {
		indexer.Add(pod)
		ctrl.podIndexer.Add(pod)
	}
	ctrl.podLister = corelisters.NewPodLister(indexer)
	indexer = cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	ctrl.NodeLister = corelisters.NewNodeLister(indexer)

	var failures []map[string]string
	for _, failure := range test.errors {
		failures = append(failures, map[string]string{"verb": failure.Verb, "resource": failure.Resource, "text": failure.Error.Error()})
	}
	record := map[string]any{
		"kind": kind, "test": t.Name(), "name": test.name, "classes": classes, "pods": pods, "errors": failures,
		"attributesClasses": utilfeature.DefaultFeatureGate.Enabled(features.VolumeAttributesClass),
		"claims":            test.initialClaims, "volumes": test.initialVolumes,
	}
	pvctlCurrent, pvctlInject = record, nil
	names := map[string]bool{}
	for _, volume := range append(append([]*v1.PersistentVolume{}, test.initialVolumes...), test.expectedVolumes...) {
		names[volume.Name] = true
	}
	claims := map[string]bool{}
	for _, claim := range append(append([]*v1.PersistentVolumeClaim{}, test.initialClaims...), test.expectedClaims...) {
		claims[claim.Name] = true
	}
	// stored returns the objects of the framework's API server.
	stored := func() (volumes []*v1.PersistentVolume, found []*v1.PersistentVolumeClaim) {
		for name := range names {
			if volume, err := client.CoreV1().PersistentVolumes().Get(ctx, name, metav1.GetOptions{}); err == nil {
				volumes = append(volumes, volume)
			}
		}
		for name := range claims {
			if claim, err := client.CoreV1().PersistentVolumeClaims(testNamespace).Get(ctx, name, metav1.GetOptions{}); err == nil {
				found = append(found, claim)
			}
		}
		return volumes, found
	}
	ctrl.preOperationHook = func(string) {
		if pvctlInject == nil {
			panic(pvctlStopped{})
		}
		volumes, claims := stored()
		before := fmt.Sprint(volumes, claims)
		injected := map[string]any{"cachedVolumes": ctrl.volumes.store.List(), "cachedClaims": ctrl.claims.List()}
		pvctlInject(ctrl, reactor.VolumeReactor)
		volumes, claims = stored()
		injected["volumes"], injected["claims"], injected["changed"] = volumes, claims, before != fmt.Sprint(volumes, claims)
		record["nodes"], _ = ctrl.NodeLister.List(labels.Everything())
		record["injected"] = injected
		panic(pvctlStopped{})
	}
	switch {
	case kind != "controller":
		test.test(ctrl, reactor.VolumeReactor, test)
	default:
		// The test function changes objects as another writer does. It may then wait for a controller. No controller
		// runs here, so the wait would never end.
		ctrl.preOperationHook = nil
		done := make(chan bool, 1)
		go func() {
			test.test(ctrl, reactor.VolumeReactor, test)
			done <- true
		}()
		select {
		case <-done:
			record["waits"] = false
		case <-time.After(time.Second):
			record["waits"] = true
		}
		record["volumes"], record["claims"] = stored()
	}
	// Some tests change their own expectations.
	record["expectedVolumes"], record["expectedClaims"] = test.expectedVolumes, test.expectedClaims
	record["expectedEvents"] = test.expectedEvents
	pvctlWrite(record)
}

// pvctlSync records which object a test syncs. If another writer changes objects before the operation, pvctlSync runs
// the sync up to the operation.
func pvctlSync(kind string, fails bool, sync func() error) {
	pvctlCurrent["object"], pvctlCurrent["fails"] = kind, fails
	if pvctlInject == nil {
		return
	}
	defer func() {
		if ended := recover(); ended != nil {
			if _, ok := ended.(pvctlStopped); !ok {
				panic(ended)
			}
		}
	}()
	sync()
}

func testSyncClaim(ctrl *PersistentVolumeController, _ *pvtesting.VolumeReactor, test controllerTest) error {
	pvctlSync("claim", false, func() error { return ctrl.syncClaim(context.TODO(), test.initialClaims[0].DeepCopy()) })
	return nil
}

func testSyncClaimError(ctrl *PersistentVolumeController, _ *pvtesting.VolumeReactor, test controllerTest) error {
	pvctlSync("claim", true, func() error { return ctrl.syncClaim(context.TODO(), test.initialClaims[0].DeepCopy()) })
	return nil
}

func testSyncVolume(ctrl *PersistentVolumeController, _ *pvtesting.VolumeReactor, test controllerTest) error {
	pvctlSync("volume", false, func() error { return ctrl.syncVolume(context.TODO(), test.initialVolumes[0].DeepCopy()) })
	return nil
}

func pvctlErrors(errors []error) []string {
	texts := []string{}
	for _, err := range errors {
		if err == nil {
			texts = append(texts, "")
		} else {
			texts = append(texts, err.Error())
		}
	}
	return texts
}

func wrapTestWithPluginCalls(recycle, remove []error, provision []provisionCall, toWrap testCall) testCall {
	return func(ctrl *PersistentVolumeController, reactor *pvtesting.VolumeReactor, test controllerTest) error {
		var provisioned []error
		for _, call := range provision {
			provisioned = append(provisioned, call.ret)
		}
		pvctlCurrent["plugin"] = map[string]any{
			"recycle": pvctlErrors(recycle), "delete": pvctlErrors(remove), "provision": pvctlErrors(provisioned),
		}
		return upstreamWrapTestWithPluginCalls(recycle, remove, provision, toWrap)(ctrl, reactor, test)
	}
}

func wrapTestWithCSIMigrationProvisionCalls(toWrap testCall) testCall {
	return func(ctrl *PersistentVolumeController, reactor *pvtesting.VolumeReactor, test controllerTest) error {
		pvctlCurrent["migrated"] = true
		return toWrap(ctrl, reactor, test)
	}
}

func wrapTestWithInjectedOperation(
	_ context.Context, toWrap testCall, inject func(*PersistentVolumeController, *pvtesting.VolumeReactor),
) testCall {
	return func(ctrl *PersistentVolumeController, reactor *pvtesting.VolumeReactor, test controllerTest) error {
		pvctlInject = inject
		return toWrap(ctrl, reactor, test)
	}
}

// pvctlScenario is the scenario of the running test, if it has one.
var pvctlScenario [2]string

// pvctlCalls counts the calls of each test, so that each call gets a name.
var pvctlCalls = map[string]int{}

func pvctlName(t *testing.T) string {
	test, _, _ := strings.Cut(t.Name(), "/")
	if pvctlScenario[0] == test {
		test += "/" + pvctlScenario[1]
	}
	pvctlCalls[test]++
	if pvctlCalls[test] > 1 {
		test = fmt.Sprintf("%s #%d", test, pvctlCalls[test])
	}
	return test
}

// pvctlFindBest calls findBestMatchForClaim and records the result. The test compares the result with its expectation.
func pvctlFindBest(
	t *testing.T, index persistentVolumeOrderedIndex, claim *v1.PersistentVolumeClaim, delayed bool,
) (*v1.PersistentVolume, error) {
	volume, err := index.findBestMatchForClaim(claim, delayed)
	record := map[string]any{
		"kind": "match", "test": t.Name(), "name": pvctlName(t), "claims": []*v1.PersistentVolumeClaim{claim}, "delayed": delayed,
		"volumes": index.store.List(), "chosen": "",
	}
	if volume != nil {
		record["chosen"] = volume.Name
	}
	if err != nil {
		record["error"] = err.Error()
	}
	pvctlWrite(record)
	return volume, err
}

// pvctlPair records a test that checks whether one volume fits one claim.
func pvctlPair(t *testing.T, volume *v1.PersistentVolume, claim *v1.PersistentVolumeClaim, suits bool) {
	pvctlWrite(map[string]any{
		"kind": "match", "test": t.Name(), "name": pvctlName(t), "claims": []*v1.PersistentVolumeClaim{claim},
		"volumes": []*v1.PersistentVolume{volume}, "pair": true, "suits": suits,
	})
}
