package upstream

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	corev1 "k8s.io/kubernetes/pkg/apis/core/v1"
	storageapi "k8s.io/kubernetes/pkg/apis/storage/v1"

	"pvctl.dev/oracle/line"
)

// test is a case as a copied test recorded it.
type test struct {
	Kind, Test, Name string
	Volumes          []*v1.PersistentVolume
	Claims           []*v1.PersistentVolumeClaim
	Classes          []*storagev1.StorageClass
	Pods             []*v1.Pod
	Nodes            []*v1.Node
	// AttributesClasses is the state of the feature gate VolumeAttributesClass.
	AttributesClasses bool
	// Object is the kind of the object that the test syncs: the first object of this kind. Fails says that the test
	// expects an error.
	Object          string
	Fails           bool
	Errors          []failure
	Plugin          *plugin
	Migrated        bool
	Injected        *injected
	Waits           bool
	ExpectedVolumes []*v1.PersistentVolume
	ExpectedClaims  []*v1.PersistentVolumeClaim
	ExpectedEvents  []string
	// These fields belong to tests of matching.
	Delayed, Pair, Suits, Scheduler bool
	Excluded                        []string
	Chosen, Error                   string
	// These fields belong to tests of annotations and finalizers.
	VolumeAnnotations, ClaimAnnotations                 map[string]string
	ExpectedVolumeAnnotations, ExpectedClaimAnnotations map[string]string
	ExpectedFinalizers                                  []string
	// These fields belong to tests of the protection controllers.
	Gate    bool
	Failing string
	Objects []protected
	Sent    []protected
	// unseen are the pods that the informers do not have.
	unseen []line.Cached

	changes []string
}

type failure struct{ Verb, Resource, Text string }

// plugin contains the answers of the framework's own volume plugin to its calls. An empty text means success.
type plugin struct{ Recycle, Delete, Provision []string }

// injected is the state after another writer changed objects between a sync and its operation. It also has the copies
// in the controller's caches from before these changes.
type injected struct {
	Volumes, CachedVolumes []*v1.PersistentVolume
	Claims, CachedClaims   []*v1.PersistentVolumeClaim
	Changed                bool
}

type protected struct {
	Kind   string
	Object json.RawMessage
	// Unseen says that the informers do not have the object.
	Unseen bool
	// Subresource is the subresource of the update that sends the object.
	Subresource string
}

// mock is the name of the framework's own plugin. hostPath is the name of the real plugin that replaces it.
const mock, hostPath = "kubernetes.io/mock-volume", "kubernetes.io/host-path"

var underscored = regexp.MustCompile(`((?:volume|claim|uid)\d[\d-]*)_(\d)`)

// read reads a record and completes its objects, so that an API server would store them. The field changes names
// everything that read changed.
func read(text []byte) (*test, error) {
	t := &test{}
	dashed := underscored.ReplaceAll(text, []byte("$1-$2"))
	if string(dashed) != string(text) {
		t.change("names-with-dashes")
	}
	plain := string(dashed)
	if strings.Contains(plain, `"plugin":`) && strings.Contains(plain, mock) {
		plain = strings.ReplaceAll(plain, mock, hostPath)
		t.change("host-path-plugin")
	}
	if err := json.Unmarshal([]byte(plain), t); err != nil {
		return nil, err
	}
	t.Name = strings.TrimPrefix(t.Name, "features.VolumeAttributesClass=true ")
	if t.Kind == "protection" {
		for _, p := range t.Objects {
			if err := t.add(p); err != nil {
				return nil, err
			}
		}
	}
	sets := [][]*v1.PersistentVolume{t.Volumes, t.ExpectedVolumes}
	claimSets := [][]*v1.PersistentVolumeClaim{t.Claims, t.ExpectedClaims}
	if t.Injected != nil {
		sets = append(sets, t.Injected.Volumes, t.Injected.CachedVolumes)
		claimSets = append(claimSets, t.Injected.Claims, t.Injected.CachedClaims)
	}
	for _, set := range claimSets {
		for _, claim := range set {
			t.completeClaim(claim)
		}
	}
	for _, set := range sets {
		for _, volume := range set {
			t.completeVolume(volume)
		}
	}
	for _, class := range t.Classes {
		if class.Provisioner == "" {
			class.Provisioner = "kubernetes.io/no-provisioner"
			t.change("provisioner")
		}
		t.identify(&class.ObjectMeta)
		storageapi.SetObjectDefaults_StorageClass(class)
	}
	for _, pod := range t.Pods {
		t.identify(&pod.ObjectMeta)
		corev1.SetObjectDefaults_Pod(pod)
	}
	for _, node := range t.Nodes {
		if node.Name == "" {
			node.Name = "node"
			t.change("name")
		}
		t.identify(&node.ObjectMeta)
	}
	return t, nil
}

func (t *test) change(what string) {
	if !slices.Contains(t.changes, what) {
		t.changes = append(t.changes, what)
	}
}

// identify gives an object the fields that every stored object has.
func (t *test) identify(meta *metav1.ObjectMeta) {
	if meta.UID == "" {
		meta.UID = types.UID("u-" + meta.Name)
		t.change("uids")
	}
	if meta.ResourceVersion == "" {
		meta.ResourceVersion = "1"
		t.change("versions")
	}
	if meta.DeletionTimestamp != nil {
		when := metav1.Date(2020, time.February, 18, 10, 30, 30, 0, time.UTC)
		meta.DeletionTimestamp = &when
		if meta.DeletionGracePeriodSeconds == nil {
			zero := int64(0)
			meta.DeletionGracePeriodSeconds = &zero
			t.change("grace-period")
		}
		if len(meta.Finalizers) == 0 && t.Kind == "match" {
			meta.Finalizers = []string{"kubernetes.io/pv-protection"}
			t.change("finalizer")
		}
	}
	if _, ok := meta.Annotations[""]; ok {
		delete(meta.Annotations, "")
		t.change("annotation")
	}
}

func (t *test) completeVolume(volume *v1.PersistentVolume) {
	if volume.Name == "" {
		volume.Name = "pv"
		t.change("name")
	}
	t.identify(&volume.ObjectMeta)
	source := &volume.Spec.PersistentVolumeSource
	before := source.DeepCopy()
	none := *source == v1.PersistentVolumeSource{}
	switch {
	case volume.Spec.VolumeAttributesClassName != nil && source.CSI == nil:
		// Validation requires a CSI source.
		*source = v1.PersistentVolumeSource{CSI: &v1.CSIPersistentVolumeSource{Driver: "d", VolumeHandle: "h"}}
	case t.Plugin != nil && source.GCEPersistentDisk != nil:
		directory := "/tmp/"
		if len(t.Plugin.Delete) > 0 && t.Plugin.Delete[0] != "" {
			directory = "/data/" // The real plugin deletes nothing outside /tmp/.
		}
		*source = v1.PersistentVolumeSource{HostPath: &v1.HostPathVolumeSource{Path: directory + volume.Name}}
		t.change("host-path-plugin")
	case source.GCEPersistentDisk != nil && source.GCEPersistentDisk.PDName == "":
		source.GCEPersistentDisk.PDName = "disk"
	case source.HostPath != nil && source.HostPath.Path == "":
		source.HostPath.Path = "/tmp/x"
	case source.Local != nil && source.Local.Path == "":
		source.Local.Path = "/mnt/x"
	case source.AWSElasticBlockStore != nil && source.AWSElasticBlockStore.VolumeID == "":
		source.AWSElasticBlockStore.VolumeID = "disk"
	case none:
		source.HostPath = &v1.HostPathVolumeSource{Path: "/tmp/x"}
	}
	if !equality.Semantic.DeepEqual(before, source) {
		t.change("sources")
	}
	if len(volume.Spec.Capacity) == 0 {
		size := resource.MustParse("1Gi")
		if len(t.Claims) > 0 {
			size = t.Claims[0].Spec.Resources.Requests[v1.ResourceStorage]
		}
		volume.Spec.Capacity = v1.ResourceList{v1.ResourceStorage: size}
		t.change("capacity")
	}
	if len(volume.Spec.AccessModes) == 0 {
		volume.Spec.AccessModes = []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce}
		t.change("modes")
	}
	if t.Pair && volume.Status.Phase == "" {
		volume.Status.Phase = v1.VolumeAvailable
		t.change("phase")
	}
	corev1.SetObjectDefaults_PersistentVolume(volume)
}

func (t *test) completeClaim(claim *v1.PersistentVolumeClaim) {
	if claim.Name == "" {
		claim.Name, claim.Namespace = "claim", "default"
		t.change("name")
	}
	t.identify(&claim.ObjectMeta)
	if len(claim.Spec.AccessModes) == 0 {
		claim.Spec.AccessModes = []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce}
		t.change("modes")
	}
	if len(claim.Spec.Resources.Requests) == 0 {
		claim.Spec.Resources.Requests = v1.ResourceList{v1.ResourceStorage: resource.MustParse("1Gi")}
		t.change("request")
	}
	corev1.SetObjectDefaults_PersistentVolumeClaim(claim)
}

// add adds an object of a test of the protection controllers.
func (t *test) add(p protected) error {
	if p.Unseen && p.Kind != "Pod" {
		return fmt.Errorf("the informers of a test have no %s; only pods can be unseen", p.Kind)
	}
	switch p.Kind {
	case "PersistentVolume":
		t.Volumes = append(t.Volumes, &v1.PersistentVolume{})
		return json.Unmarshal(p.Object, t.Volumes[len(t.Volumes)-1])
	case "PersistentVolumeClaim":
		t.Claims = append(t.Claims, &v1.PersistentVolumeClaim{})
		return json.Unmarshal(p.Object, t.Claims[len(t.Claims)-1])
	case "Pod":
		pod := &v1.Pod{}
		t.Pods = append(t.Pods, pod)
		if err := json.Unmarshal(p.Object, pod); err != nil {
			return err
		}
		if p.Unseen {
			object := line.Object{Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name}
			t.unseen = append(t.unseen, line.Cached{Object: object, As: "unseen"})
		}
		return nil
	}
	return fmt.Errorf("object of kind %q", p.Kind)
}

// world returns the list of the test's objects.
func (t *test) world(volumes []*v1.PersistentVolume, claims []*v1.PersistentVolumeClaim) line.List {
	list := line.List{APIVersion: "v1", Kind: "List", Items: []json.RawMessage{}}
	for _, volume := range volumes {
		list.Items = append(list.Items, item("v1", "PersistentVolume", volume))
	}
	for _, claim := range claims {
		list.Items = append(list.Items, item("v1", "PersistentVolumeClaim", claim))
	}
	for _, class := range t.Classes {
		list.Items = append(list.Items, item("storage.k8s.io/v1", "StorageClass", class))
	}
	for _, pod := range t.Pods {
		list.Items = append(list.Items, item("v1", "Pod", pod))
	}
	for _, node := range t.Nodes {
		if node.Name == "" {
			node.Name = "node"
			t.change("name")
		}
		list.Items = append(list.Items, item("v1", "Node", node))
	}
	return list
}

// item returns an object as an item of a list. It removes fields that are there only because a Go struct is empty.
func item(version, kind string, object runtime.Object) json.RawMessage {
	text, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	var tree map[string]any
	if err := json.Unmarshal(text, &tree); err != nil {
		panic(err)
	}
	tree["apiVersion"], tree["kind"] = version, kind
	if status, ok := tree["status"].(map[string]any); ok && len(status) == 0 {
		delete(tree, "status")
	}
	if meta, ok := tree["metadata"].(map[string]any); ok && meta["creationTimestamp"] == nil {
		delete(meta, "creationTimestamp")
	}
	text, err = json.Marshal(tree)
	if err != nil {
		panic(err)
	}
	return text
}
