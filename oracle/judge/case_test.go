package judge

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pvctl.dev/oracle/line"
	"pvctl.dev/oracle/worlds"
)

const (
	freeVolume = `{"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"pv-1","uid":"u-pv-1","resourceVersion":"11"},
		"spec":{"accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"},"nfs":{"server":"s","path":"/p"},
		"persistentVolumeReclaimPolicy":"Retain"},"status":{"phase":"Available"}}`
	waitingClaim = `{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"c1","namespace":"db","uid":"u-c1","resourceVersion":"12"},
		"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}},"storageClassName":""},
		"status":{"phase":"Pending"}}`
	releasedHostPath = `{"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"pv-2","uid":"u-pv-2","resourceVersion":"13"},
		"spec":{"accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"},"hostPath":{"path":"/tmp/x"},
		"claimRef":{"kind":"PersistentVolumeClaim","namespace":"db","name":"gone","uid":"u-gone"},
		"persistentVolumeReclaimPolicy":"Delete"},"status":{"phase":"Released"}}`
	claimInDb = `{"kind":"PersistentVolumeClaim","namespace":"db","name":"c1"}`
)

// decideCase answers one case in a world.
func decideCase(t *testing.T, c string, items ...string) line.Case {
	t.Helper()
	l := &line.Line{World: line.List{}}
	for _, item := range items {
		l.World.Items = append(l.World.Items, json.RawMessage(item))
	}
	var read line.Case
	if err := json.Unmarshal([]byte(c), &read); err != nil {
		t.Fatal(err)
	}
	l.Cases = []line.Case{read}
	if err := newJudge(t).Decide(l, Binder); err != nil {
		t.Fatal(err)
	}
	return l.Cases[0]
}

// summary returns a decision as one line: requests, events and operations in their order.
func summary(d line.Decision) string {
	parts := make([]string, len(d.Writes)+len(d.Events)+len(d.Operations))
	for _, w := range d.Writes {
		text := strings.TrimSpace(fmt.Sprintf("%s %s %s", w.Verb, w.Name, w.Subresource))
		if w.Refused != "" {
			text += " refused"
		}
		parts[w.Seq-1] = text
	}
	for _, e := range d.Events {
		parts[e.Seq-1] = e.Reason
	}
	for _, o := range d.Operations {
		parts[o.Seq-1] = o.State
	}
	if d.Error != "" {
		parts = append(parts, "error: "+d.Error)
	}
	return strings.Join(parts, "; ")
}

// TestCases checks the effect of each part of a case. Each expectation follows from the code of the controller or of
// the API server.
func TestCases(t *testing.T) {
	world := []string{freeVolume, waitingClaim, releasedHostPath}
	volume := `{"object":{"kind":"PersistentVolume","name":"pv-2"}`
	for name, test := range map[string]struct{ given, want string }{
		"in step": {`{"object":` + claimInDb + `}`, "update pv-1; update pv-1 status; update c1; update c1 status"},
		"unseen claim": {`{"object":` + claimInDb + `,"cached":[{"object":` + claimInDb + `,"as":"unseen"}]}`,
			""},
		"unseen volume": {`{"object":` + claimInDb + `,"cached":[{"object":{"kind":"PersistentVolume","name":"pv-1"},"as":"informerOnly"}]}`,
			"FailedBinding"},
		"stale volume": {`{"object":` + claimInDb + `,"cached":[{"object":{"kind":"PersistentVolume","name":"pv-1"},"as":"stale","copy":` +
			strings.Replace(freeVolume, `"11"`, `"10"`, 1) + `}]}`,
			`update pv-1 refused; error: Operation cannot be fulfilled on persistentvolumes "pv-1": the object has been modified; ` +
				`please apply your changes to the latest version and try again`},
		"third write refused": {`{"object":` + claimInDb + `,"refuse":{"write":3,"reason":"NotFound"}}`,
			`update pv-1; update pv-1 status; update c1 refused; error: persistentvolumeclaims "c1" not found`},
		"internal error": {`{"object":` + claimInDb + `,"refuse":{"write":1,"reason":"InternalError","text":"no"}}`,
			"update pv-1 refused; error: Internal error occurred: no"},
		"delete":   {volume + `}`, "started; delete pv-2"},
		"running":  {volume + `,"running":["delete-pv-2[u-pv-2]"]}`, "running"},
		"back-off": {volume + `,"backingOff":["delete-pv-2[u-pv-2]"]}`, "backoff"},
		"delete refused": {volume + `,"refuse":{"write":1,"reason":"NotFound"}}`,
			"started; delete pv-2 refused"},
		"protection added": {volume + `,"protection":true}`, "update pv-2"},
		"unread volume":    {volume + `,"failRead":{"read":"getVolume","reason":"InternalError","text":"no"}}`, "started"},
	} {
		t.Run(name, func(t *testing.T) {
			c := decideCase(t, test.given, world...)
			if len(c.Answers) != 1 || summary(c.Answers[0]) != test.want {
				t.Errorf("got %v, want %s", c.Answers, test.want)
			}
		})
	}
}

// TestUnknownReason checks that a case is rejected if its request fails for a reason that the format does not know.
func TestUnknownReason(t *testing.T) {
	object := line.Object{Kind: "PersistentVolumeClaim", Namespace: "db", Name: "c1"}
	for want, c := range map[string]line.Case{
		`case 0: no request of a case fails with the reason "Gone"`:          {Object: object, Refuse: &line.Refuse{Write: 1, Reason: "Gone"}},
		`case 0: no request of a case fails with the reason "ServerTimeout"`: {Object: object, FailRead: &line.FailRead{Read: "listPods", Reason: "ServerTimeout"}},
	} {
		err := newJudge(t).Decide(&line.Line{Cases: []line.Case{c}}, Binder)
		if err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestOwnStoreFirst checks that a sync gives the same answer if the informers have no copies of the objects in the
// binder's own stores. Only the object of the sync itself needs a copy in its informer: without it the sync sends
// nothing. This is why no case has an object that is only in the binder's own stores.
func TestOwnStoreFirst(t *testing.T) {
	j, compared, written := newJudge(t), 0, 0
	for index := range 600 {
		l := worlds.Generate(5, index)
		if err := j.load(&l); err != nil {
			t.Fatal(err)
		}
		for _, c := range l.Cases {
			seen, own, err := j.copies(&c)
			if err != nil {
				t.Fatal(err)
			}
			inStep, behind, gone := c, c, c
			j.answerWith(&inStep, seen, own)
			ahead := map[line.Object]bool{}
			for _, volume := range own.volumes {
				ahead[line.Object{Kind: "PersistentVolume", Name: volume.Name}] = true
			}
			for _, claim := range own.claims {
				ahead[line.Object{Kind: "PersistentVolumeClaim", Namespace: claim.Namespace, Name: claim.Name}] = true
			}
			for object := range ahead {
				if object != c.Object {
					seen.drop(object)
				}
			}
			j.answerWith(&behind, seen, own)
			if was, is := encode(inStep), encode(behind); !slices.Equal(was, is) {
				t.Errorf("%s: with the informers' copies %s\nwithout %s", l.ID, was, is)
			}
			compared++
			written += len(inStep.Answers[0].Writes)
			seen.drop(c.Object)
			j.answerWith(&gone, seen, own)
			if len(gone.Answers) != 1 || summary(gone.Answers[0]) != "" {
				t.Errorf("%s: without an informer's copy of %v: %v", l.ID, c.Object, gone.Answers)
			}
		}
	}
	if compared < 500 || written < 400 {
		t.Errorf("only %d cases with %d writes", compared, written)
	}
}

// TestNoNamespace checks a claimRef without a namespace. The client of 1.30 refuses the request for the claim. Later
// clients send it, and the server finds nothing. The volume is then released, and its storage is deleted.
func TestNoNamespace(t *testing.T) {
	lost := strings.Replace(strings.Replace(releasedHostPath, `"namespace":"db",`, "", 1), "Released", "Bound", 1)
	c := decideCase(t, `{"object":{"kind":"PersistentVolume","name":"pv-2"}}`, lost)
	want := "update pv-2 status; started; delete pv-2"
	if refusesEmptyNamespace {
		want = "error: an empty namespace may not be set when a resource name is provided"
	}
	if got := summary(c.Answers[0]); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestFirstReachesWhatChanceReaches checks that two ways find the same set: runs in which each volume is first once, and
// many runs in random order.
func TestFirstReachesWhatChanceReaches(t *testing.T) {
	j, several := newJudge(t), 0
	for index := range 400 {
		l := worlds.Generate(3, index)
		l.Cases = nil
		if err := j.Decide(&l, Binder); err != nil {
			t.Fatal(err)
		}
		random := rand.New(rand.NewPCG(1, uint64(index)))
		for _, c := range l.Decisions {
			if c.Runs == 1 {
				continue
			}
			want, got := map[string]bool{}, map[string]bool{}
			for _, d := range c.Answers {
				want[string(encode(d))] = true
			}
			if len(want) > 1 {
				several++
			}
			for range 40 * len(want) {
				j.reset()
				j.api.trace = newTrace()
				j.ownVolumes.random = random
				if err := j.sync(c.Object.Kind, key(c.Object)); err != nil {
					j.api.trace.decision.Error = err.Error()
				}
				got[string(encode(j.api.trace.decision))] = true
			}
			j.ownVolumes.random, j.api.trace = nil, nil
			if !slices.Equal(keys(want), keys(got)) {
				t.Errorf("%s %v: one in front %v, at random %v", l.ID, c.Object, keys(want), keys(got))
			}
		}
	}
	if several < 20 {
		t.Errorf("only %d syncs with several decisions", several)
	}
}

// TestProtection checks that a deleted claim and its volume are removed if the protection controllers take part, and
// that both stay otherwise.
func TestProtection(t *testing.T) {
	terminating := strings.Replace(waitingClaim, `"uid":`,
		`"deletionTimestamp":"2026-06-05T10:00:00Z","deletionGracePeriodSeconds":0,"finalizers":["kubernetes.io/pvc-protection"],"uid":`, 1)
	for _, test := range []struct {
		who  Controllers
		want string
	}{
		{Binder, `{"finalizers":["kubernetes.io/pvc-protection"],"phase":"Pending","terminating":true}`},
		{Protection, `{"gone":true}`},
	} {
		l := &line.Line{World: line.List{Items: []json.RawMessage{json.RawMessage(terminating)}}}
		if err := newJudge(t).Settle(l, Settling{Who: test.who, Schedules: 32, Quiet: 16, Most: 64}); err != nil {
			t.Fatal(err)
		}
		if got := l.Settle.Objects[0].Ends; len(got) != 1 || string(got[0]) != test.want {
			t.Errorf("%d: %s", test.who, got)
		}
	}
}

// TestUnreadPods checks that a claim stays protected if the list of pods cannot be read.
func TestUnreadPods(t *testing.T) {
	terminating := strings.Replace(waitingClaim, `"uid":`,
		`"deletionTimestamp":"2026-06-05T10:00:00Z","deletionGracePeriodSeconds":0,"finalizers":["kubernetes.io/pvc-protection"],"uid":`, 1)
	for given, want := range map[string]string{
		`{"object":` + claimInDb + `,"protection":true}`: "update c1",
		`{"object":` + claimInDb + `,"protection":true,"failRead":{"read":"listPods","reason":"InternalError","text":"no"}}`: "error: live list " +
			"of pods failed: Internal error occurred: no",
	} {
		if c := decideCase(t, given, terminating); summary(c.Answers[0]) != want {
			t.Errorf("%s: %s", given, summary(c.Answers[0]))
		}
	}
}

// TestUnseenPod checks that a pod which is only in the API server keeps the claim protected. If the informer has the
// pod, as in the third case, the controller does not list the pods.
func TestUnseenPod(t *testing.T) {
	terminating := strings.Replace(waitingClaim, `"uid":`,
		`"deletionTimestamp":"2026-06-05T10:00:00Z","deletionGracePeriodSeconds":0,"finalizers":["kubernetes.io/pvc-protection"],"uid":`, 1)
	user := `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p1","namespace":"db"},"spec":{"nodeName":"n1",
		"containers":[{"name":"c","image":"i"}],"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"c1"}}]}}`
	claim, pod := line.Object{Kind: "PersistentVolumeClaim", Namespace: "db", Name: "c1"}, line.Object{Kind: "Pod", Namespace: "db", Name: "p1"}
	unseen, unread := []line.Cached{{Object: pod, As: "unseen"}}, &line.FailRead{Read: "listPods", Reason: "InternalError", Text: "no"}
	l := &line.Line{
		World: line.List{Items: []json.RawMessage{json.RawMessage(terminating), json.RawMessage(user)}},
		Cases: []line.Case{
			{Object: claim, Protection: true, Cached: unseen},
			{Object: claim, Protection: true, Cached: unseen, FailRead: unread},
			{Object: claim, Protection: true, FailRead: unread},
		},
	}
	if err := newJudge(t).Decide(l, All); err != nil {
		t.Fatal(err)
	}
	for number, want := range []string{"", "error: live list of pods failed: Internal error occurred: no", ""} {
		if got := summary(l.Cases[number].Answers[0]); got != want {
			t.Errorf("case %d: %q, want %q", number, got, want)
		}
	}
	l.Cases = []line.Case{{Object: claim, Cached: []line.Cached{{Object: pod, As: "informerOnly"}}}}
	if err := newJudge(t).Decide(l, Binder); err == nil || err.Error() != `case 0: a pod cannot be cached as "informerOnly"` {
		t.Error(err)
	}
}

// TestRecycler checks what the controller does when the pod of a recycler ends. If the case does not mention the pod,
// the operation stops before it creates the pod. If no recycler is started, the case must not mention a pod.
func TestRecycler(t *testing.T) {
	recycled := strings.Replace(releasedHostPath, `"Delete"`, `"Recycle"`, 1)
	object := line.Object{Kind: "PersistentVolume", Name: "pv-2"}
	l := &line.Line{World: line.List{Items: []json.RawMessage{json.RawMessage(recycled)}}}
	for _, end := range []string{"succeeded", "failed", "deleted", "refused", "inTheWay", "kept"} {
		l.Cases = append(l.Cases, line.Case{Object: object, Recycler: &line.Recycler{Pod: end, Text: "no"}})
	}
	l.Cases = append(l.Cases, line.Case{Object: object})
	if err := newJudge(t).Decide(l, Binder); err != nil {
		t.Fatal(err)
	}
	for number, want := range []string{
		"Volume recycled",
		"Recycle failed: failed to recycle volume: no",
		"Recycle failed: failed to recycle volume: recycler pod was deleted",
		"Recycle failed: unexpected error creating recycler pod:  Internal error occurred: no",
		"Recycle failed: old recycler pod found, will retry later",
		"Recycle failed: failed to delete recycler pod: Internal error occurred: no",
		"",
	} {
		got := ""
		for _, event := range l.Cases[number].Answers[0].Events {
			got += event.Message
		}
		if got != want || !slices.Equal(l.Cases[number].Notes, []string{"recycle"}) {
			t.Errorf("case %d: %q with notes %q, want %q", number, got, l.Cases[number].Notes, want)
		}
	}
	for _, test := range []struct {
		volume string
		pod    string
		want   string
	}{
		{recycled, "ended", `case 0: the pod of a recycler cannot be "ended"`},
		{releasedHostPath, "failed", "case 0: it says how a recycler's pod ends, but no recycler starts a pod"},
	} {
		l := &line.Line{
			World: line.List{Items: []json.RawMessage{json.RawMessage(test.volume)}},
			Cases: []line.Case{{Object: object, Recycler: &line.Recycler{Pod: test.pod}}},
		}
		if err := newJudge(t).Decide(l, Binder); err == nil || err.Error() != test.want {
			t.Errorf("%v, want %s", err, test.want)
		}
	}
}

// TestMatch checks the difference between the two callers of FindMatchingVolume. The scheduler passes a node, the
// binder does not. With delayed binding only the scheduler gets a free volume.
func TestMatch(t *testing.T) {
	node := `{"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"}}`
	l := &line.Line{World: line.List{Items: []json.RawMessage{
		json.RawMessage(freeVolume), json.RawMessage(waitingClaim), json.RawMessage(node),
	}}}
	if err := newJudge(t).Match(l); err != nil {
		t.Fatal(err)
	}
	got := []string{}
	for _, m := range l.Matches {
		got = append(got, fmt.Sprintf("%v %q %v %q", m.Delayed, m.Node, m.Excluded, m.Chosen))
	}
	want := []string{
		`false "" [] ["pv-1"]`, `false "" [pv-1] [""]`, `false "n1" [] ["pv-1"]`, `false "n1" [pv-1] [""]`,
		`true "" [] [""]`, `true "n1" [] ["pv-1"]`, `true "n1" [pv-1] [""]`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}

// TestFlags checks what the two flags of kube-controller-manager change for a claim that hostPath could provision.
func TestFlags(t *testing.T) {
	class := `{"apiVersion":"storage.k8s.io/v1","kind":"StorageClass","metadata":{"name":"hp"},"provisioner":"kubernetes.io/host-path"}`
	claim := strings.Replace(waitingClaim, `"storageClassName":""`, `"storageClassName":"hp"`, 1)
	for _, test := range []struct {
		flags  map[string]string
		refuse *line.Refuse
		want   string
	}{
		{nil, nil, "started; update c1; ProvisioningFailed"},
		{map[string]string{"enable-dynamic-provisioning": "false"}, nil, ""},
		{map[string]string{"enable-hostpath-provisioner": "true"}, nil, "started; update c1; create pvc-u-c1; ProvisioningSucceeded"},
		{map[string]string{"enable-hostpath-provisioner": "true"}, &line.Refuse{Write: 2, From: true, Reason: "InternalError", Text: "no"},
			"started; update c1" + strings.Repeat("; create pvc-u-c1 refused", 5) + "; ProvisioningFailed; ProvisioningCleanupFailed"},
	} {
		object := line.Object{Kind: "PersistentVolumeClaim", Namespace: "db", Name: "c1"}
		l := &line.Line{
			World: line.List{Items: []json.RawMessage{json.RawMessage(class), json.RawMessage(claim)}},
			Flags: test.flags, Cases: []line.Case{{Object: object, Refuse: test.refuse}},
		}
		if err := newJudge(t).Decide(l, Binder); err != nil {
			t.Fatal(err)
		}
		if got := summary(l.Cases[0].Answers[0]); got != test.want {
			t.Errorf("%v: %s, want %s", test.flags, got, test.want)
		}
	}
}
