package judge

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	fielderrors "k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/apis/core"
	corev1 "k8s.io/kubernetes/pkg/apis/core/v1"
	"k8s.io/kubernetes/pkg/apis/core/validation"
	"k8s.io/kubernetes/pkg/apis/storage"
	storageapi "k8s.io/kubernetes/pkg/apis/storage/v1"
	storagevalidation "k8s.io/kubernetes/pkg/apis/storage/validation"

	"pvctl.dev/oracle/line"
	"pvctl.dev/oracle/worlds"
)

const (
	needyPod = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"db","uid":"u-p","resourceVersion":"21"},
		"spec":{"containers":[{"name":"c","image":"i"}],"volumes":[
		{"name":"first","ephemeral":{"volumeClaimTemplate":{"metadata":{"labels":{"app":"x"},"annotations":{"note":"y"}},"spec":
		{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}}},
		{"name":"none","emptyDir":{}},
		{"name":"second","ephemeral":{"volumeClaimTemplate":{"spec":
		{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"2Gi"}},"storageClassName":""}}}}]},"status":{"phase":"Pending"}}`
	itsClaim = `{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"p-first","namespace":"db","uid":"u-c","resourceVersion":"22",
		"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u-p","controller":true}]},
		"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}},"status":{"phase":"Pending"}}`
	podInDb   = `{"kind":"Pod","namespace":"db","name":"p"}`
	firstInDb = `{"kind":"PersistentVolumeClaim","namespace":"db","name":"p-first"}`
)

// TestEphemeral checks what the ephemeral-volume controller does with a pod. Each expectation follows from the code of
// the controller or of the API server.
func TestEphemeral(t *testing.T) {
	const fails = "error: pod db/p, ephemeral volume "
	const notOwner = "FailedBinding; " + fails + "first: PVC db/p-first was not created for pod db/p (pod is not owner)"
	terminating := `"deletionTimestamp":"2026-06-05T10:00:00Z","deletionGracePeriodSeconds":30,"uid":`
	deleted := strings.Replace(needyPod, `"uid":`, terminating, 1)
	going := strings.Replace(itsClaim, `"uid":"u-c"`, `"finalizers":["kubernetes.io/pvc-protection"],`+terminating+`"u-c"`, 1)
	stale := func(text string) string {
		return strings.Replace(text, `"resourceVersion":"2`, `"resourceVersion":"1`, 1)
	}
	cached := func(object, as, copy string) string {
		if copy != "" {
			copy = `,"copy":` + copy
		}
		return `{"object":` + podInDb + `,"cached":[{"object":` + object + `,"as":"` + as + `"` + copy + `}]}`
	}
	of := func(from, to string) string { return strings.Replace(itsClaim, from, to, 1) }
	plain := `{"object":` + podInDb + `}`
	for name, test := range map[string]struct {
		given, want string
		world       []string
	}{
		"both are made":                 {plain, "create p-first; create p-second", []string{needyPod}},
		"the first is there":            {plain, "create p-second", []string{needyPod, itsClaim}},
		"it is another pod's":           {plain, notOwner, []string{needyPod, of(`"uid":"u-p"`, `"uid":"u-q"`)}},
		"it is nobody's":                {plain, notOwner, []string{needyPod, of(`,"controller":true`, ``)}},
		"only the uid counts":           {plain, "create p-second", []string{needyPod, of(`"kind":"Pod","name":"p"`, `"kind":"Job","name":"j"`)}},
		"it is being deleted":           {plain, "create p-second", []string{needyPod, going}},
		"elsewhere is another":          {plain, "create p-first; create p-second", []string{needyPod, of(`"namespace":"db"`, `"namespace":"dc"`)}},
		"the pod is being deleted":      {plain, "", []string{deleted}},
		"the pod has ended":             {plain, "create p-first; create p-second", []string{strings.Replace(needyPod, "Pending", "Succeeded", 1)}},
		"the pod is gone":               {plain, "", nil},
		"the pod is unseen":             {cached(podInDb, "unseen", ""), "", []string{needyPod}},
		"its deletion is unseen":        {cached(podInDb, "stale", stale(needyPod)), "create p-first; create p-second", []string{deleted}},
		"the claim is unseen":           {cached(firstInDb, "unseen", ""), `create p-first refused; FailedBinding; ` + fails + `first: create PVC p-first: persistentvolumeclaims "p-first" already exists`, []string{needyPod, itsClaim}},
		"the deleted claim is unseen":   {cached(firstInDb, "unseen", ""), `create p-first refused; FailedBinding; ` + fails + `first: create PVC p-first: object is being deleted: persistentvolumeclaims "p-first" already exists`, []string{needyPod, going}},
		"another's claim is unseen yet": {cached(firstInDb, "stale", stale(itsClaim)), "create p-second", []string{needyPod, of(`"uid":"u-p"`, `"uid":"u-q"`)}},
		"the claim's end is unseen":     {cached(firstInDb, "stale", stale(itsClaim)), "create p-second", []string{needyPod}},
		"the second is refused": {`{"object":` + podInDb + `,"refuse":{"write":2,"reason":"InternalError","text":"no"}}`,
			"create p-first; create p-second refused; FailedBinding; " + fails + "second: create PVC p-second: Internal error occurred: no", []string{needyPod}},
		"the first is refused": {`{"object":` + podInDb + `,"refuse":{"write":1,"reason":"NotFound"}}`,
			`create p-first refused; FailedBinding; ` + fails + `first: create PVC p-first: persistentvolumeclaims "p-first" not found`, []string{needyPod}},
	} {
		t.Run(name, func(t *testing.T) {
			c := decideCase(t, test.given, test.world...)
			if len(c.Answers) != 1 || summary(c.Answers[0]) != test.want {
				t.Errorf("got %v, want %s", summary(c.Answers[0]), test.want)
			}
		})
	}
}

// TestMade checks the request that creates a claim, and the text of the event about it.
func TestMade(t *testing.T) {
	c := decideCase(t, `{"object":`+podInDb+`,"refuse":{"write":1,"reason":"InternalError","text":"no"}}`, needyPod)
	const object = `{"metadata":{"annotations":{"note":"y"},"labels":{"app":"x"},"name":"p-first","ownerReferences":[` +
		`{"apiVersion":"v1","blockOwnerDeletion":true,"controller":true,"kind":"Pod","name":"p","uid":"u-p"}]},` +
		`"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}},"volumeMode":"Filesystem"},"status":{}}`
	write := c.Answers[0].Writes[0]
	if string(write.Object) != object || write.Namespace != "db" {
		t.Errorf("%s in %s", write.Object, write.Namespace)
	}
	event := line.Event{
		Seq: 2, Type: "Warning", Reason: "FailedBinding", Message: "ephemeral volume first: create PVC p-first: Internal error occurred: no",
		About: line.Object{Kind: "Pod", Namespace: "db", Name: "p"},
	}
	if !slices.Equal(c.Answers[0].Events, []line.Event{event}) {
		t.Errorf("%v", c.Answers[0].Events)
	}
}

// TestMadeIsStored checks what the API server adds to a created claim: its defaults, the finalizer, and the default
// class if there is one.
func TestMadeIsStored(t *testing.T) {
	class := `{"apiVersion":"storage.k8s.io/v1","kind":"StorageClass","metadata":{"name":"d",
		"annotations":{"storageclass.kubernetes.io/is-default-class":"true"}},"provisioner":"x.y"}`
	l := &line.Line{World: line.List{Items: []json.RawMessage{json.RawMessage(needyPod), json.RawMessage(class)}}}
	object := line.Object{Kind: "Pod", Namespace: "db", Name: "p"}
	_, _, claims, err := newJudge(t).Ending(l, line.Case{Object: object})
	if err != nil || len(claims) != 2 {
		t.Fatal(err, claims)
	}
	const finalizer = "kubernetes.io/pvc-protection"
	for i, class := range []string{"d", ""} {
		claim := claims[i]
		if *claim.Spec.StorageClassName != class || claim.Status.Phase != "Pending" || !slices.Equal(claim.Finalizers, []string{finalizer}) || claim.Namespace != "db" {
			t.Errorf("%s", encode(claim))
		}
	}
}

// TestEphemerals checks that every pod has an answer if one of them has an ephemeral volume and all controllers take
// part. Otherwise no answer mentions pods.
func TestEphemerals(t *testing.T) {
	other := strings.Replace(strings.Replace(needyPod, `"name":"p"`, `"name":"q"`, 1), "ephemeral", "emptyDir", 2)
	other = strings.ReplaceAll(other, `"volumeClaimTemplate"`, `"ignored"`)
	for _, test := range []struct {
		items []string
		who   Controllers
		want  int
	}{
		{[]string{needyPod, other}, All, 2}, {[]string{needyPod, other}, Protection, 0}, {[]string{other}, All, 0},
		{[]string{needyPod}, Binder, 0},
	} {
		l := &line.Line{}
		for _, item := range test.items {
			l.World.Items = append(l.World.Items, json.RawMessage(item))
		}
		if err := newJudge(t).Decide(l, test.who); err != nil || len(l.Ephemerals) != test.want {
			t.Errorf("%d of them with %d: %v, %v", len(test.items), test.who, err, l.Ephemerals)
		}
	}
	if err := newJudge(t).Decide(&line.Line{Cases: []line.Case{{Object: line.Object{Kind: "Pod"}, Protection: true}}}, All); err == nil {
		t.Error("a protection controller syncs a pod")
	}
}

// endsOf returns the ends of all objects by name.
func endsOf(t *testing.T, who Controllers, items ...string) map[string]string {
	t.Helper()
	l := &line.Line{}
	for _, item := range items {
		l.World.Items = append(l.World.Items, json.RawMessage(item))
	}
	if err := newJudge(t).Settle(l, Settling{Who: who, Schedules: 32, Quiet: 16, Most: 64, Seed: 3}); err != nil {
		t.Fatal(err)
	}
	ends := map[string]string{}
	for _, one := range l.Settle.Objects {
		var texts []string
		for _, end := range one.Ends {
			texts = append(texts, string(end))
		}
		ends[one.Object.Name] = strings.Join(texts, " ")
	}
	return ends
}

// TestMadeEnds checks the end states of created claims and the volumes that these claims take. A deleted claim is
// created again. A claim that exists is not created again. Without the controller no claim is created.
func TestMadeEnds(t *testing.T) {
	going := strings.Replace(itsClaim, `"uid":"u-c"`,
		`"finalizers":["kubernetes.io/pvc-protection"],"deletionTimestamp":"2026-06-05T10:00:00Z","deletionGracePeriodSeconds":0,"uid":"u-c"`, 1)
	going = strings.Replace(going, `"spec":{`, `"spec":{"storageClassName":"elsewhere",`, 1)
	runs := strings.Replace(needyPod, `"spec":{`, `"spec":{"nodeName":"n1",`, 1)
	ended := strings.Replace(needyPod, "Pending", "Succeeded", 1)
	class := `{"apiVersion":"storage.k8s.io/v1","kind":"StorageClass","metadata":{"name":"d",
		"annotations":{"storageclass.kubernetes.io/is-default-class":"true"}},"provisioner":"x.y"}`
	roomy := strings.Replace(freeVolume, "1Gi", "2Gi", 1)
	const bound = `{"claimRef":{"name":"p-second","namespace":"db","uid":"<created>"},"phase":"Bound"}`
	const first, second = `{"created":true,"phase":"Bound","volumeName":"pv-1"}`, `{"created":true,"phase":"Pending"}`
	for name, test := range map[string]struct {
		who   Controllers
		items []string
		want  map[string]string
	}{
		"made": {All, []string{needyPod, class, roomy}, map[string]string{"pv-1": bound, "p-first": second, "p-second": first}},
		"made anew": {All, []string{ended, going, class, roomy}, map[string]string{
			"pv-1": bound, "p-first": second, "p-second": first}},
		"kept by the pod": {All, []string{runs, going, class, roomy}, map[string]string{
			"pv-1": bound, "p-first": `{"finalizers":["kubernetes.io/pvc-protection"],"phase":"Pending","terminating":true}`, "p-second": first}},
		"one of two takes it": {All, []string{needyPod, roomy}, map[string]string{
			"pv-1":     `{"claimRef":{"name":"p-first","namespace":"db","uid":"<created>"},"phase":"Bound"} ` + bound,
			"p-first":  `{"created":true,"phase":"Bound","volumeName":"pv-1"} ` + second,
			"p-second": `{"created":true,"phase":"Bound","volumeName":"pv-1"} ` + second}},
		"nobody makes it": {Protection, []string{ended, going, roomy}, map[string]string{
			"pv-1": `{"phase":"Available"}`, "p-first": `{"gone":true}`}},
	} {
		t.Run(name, func(t *testing.T) {
			got := endsOf(t, test.who, test.items...)
			if string(encode(got)) != string(encode(test.want)) {
				t.Errorf("got %s\nwant %s", encode(got), encode(test.want))
			}
		})
	}
}

// TestFollowEphemeral checks that a schedule can sync a pod and can name a claim that is created.
func TestFollowEphemeral(t *testing.T) {
	pod := line.Object{Kind: "Pod", Namespace: "db", Name: "p"}
	claim := func(name string) line.Object {
		return line.Object{Kind: "PersistentVolumeClaim", Namespace: "db", Name: name}
	}
	makes := line.Step{Controller: "ephemeral-volume-controller", Object: pod}
	binds := func(name string) line.Step { return line.Step{Controller: binderName, Object: claim(name)} }
	for name, want := range map[string]bool{"p-first": false, "p-second": true} {
		l := &line.Line{
			World: line.List{Items: []json.RawMessage{json.RawMessage(needyPod), json.RawMessage(strings.Replace(freeVolume, "1Gi", "2Gi", 1))}},
			Schedules: []line.Schedule{{
				Objects: []line.Object{claim(name)}, Ends: []json.RawMessage{json.RawMessage(`{"created":true,"phase":"Bound","volumeName":"pv-1"}`)},
				Steps: []line.Step{makes, binds("p-second")},
			}},
		}
		if err := newJudge(t).Follow(l, All); err != nil || l.Schedules[0].Reached != want {
			t.Errorf("%s is bound: %v, %v", name, l.Schedules[0].Reached, err)
		}
		if err := newJudge(t).Follow(l, Protection); err == nil {
			t.Errorf("%s is made by nobody", name)
		}
	}
}

// TestEphemeralWorldsAreValid checks that the API server accepts the objects of these worlds and their copies.
func TestEphemeralWorldsAreValid(t *testing.T) {
	a := newAPI()
	for index := range 1500 {
		l := worlds.Ephemeral(11, index)
		w, err := read(l.World)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range l.Cases {
			for _, cached := range c.Cached {
				if cached.Copy != nil {
					if err := w.add(cached.Copy); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		check := func(name string, errs fielderrors.ErrorList) {
			if len(errs) > 0 {
				t.Errorf("%s: %s: %v", l.ID, name, errs)
			}
		}
		for _, volume := range w.volumes {
			check(volume.Name, a.volumes.main.Validate(t.Context(), a.volumes.internal(volume)))
		}
		for _, claim := range w.claims {
			check(claim.Name, a.claims.main.Validate(t.Context(), a.claims.internal(claim)))
		}
		for _, class := range w.classes {
			internal := &storage.StorageClass{}
			must(storageapi.Convert_v1_StorageClass_To_storage_StorageClass(class, internal, nil))
			check(class.Name, storagevalidation.ValidateStorageClass(internal))
		}
		for _, pod := range w.pods {
			internal := &core.Pod{}
			must(corev1.Convert_v1_Pod_To_core_Pod(pod, internal, nil))
			check(pod.Name, validation.ValidatePodCreate(internal, validation.PodValidationOptions{}))
		}
	}
}
