package attaching

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pvctl.dev/oracle/line"
	"pvctl.dev/oracle/worlds"
)

const (
	volumeName = "kubernetes.io/csi/d1.csi^h1"
	// attachmentName is the name that upstream gives to the VolumeAttachment of the volume on the node n1.
	attachmentName = "csi-5f653277afd8e1792978b533f97c24a0b45dd430e3136b32ebd556ffbaf07708"
	seconds        = int64(time.Second)
)

// world returns a line with a node, a volume, a claim and a pod that uses the claim. ready is the status of the node's
// condition Ready, and status is the rest of the node's status.
func world(ready, status, spec string) *line.Line {
	made := &line.Line{ID: "test", Attaching: &line.Attaching{
		SyncPeriod: 60 * seconds, Latency: 1003000, Until: 30 * seconds,
		Attachers: []line.Attacher{{Driver: "d1.csi", Attach: 1500037000, Detach: 700041000}},
	}}
	for _, item := range []string{
		`{"apiVersion":"v1","kind":"Node","metadata":{"name":"n1","uid":"u1","annotations":{
			"volumes.kubernetes.io/controller-managed-attach-detach":"true"}},"spec":` + spec + `,
			"status":{"conditions":[{"type":"Ready","status":"` + ready + `"}]` + status + `}}`,
		`{"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"pv-1","uid":"u2"},"spec":{
			"accessModes":["ReadWriteOnce"],"csi":{"driver":"d1.csi","volumeHandle":"h1"},
			"claimRef":{"namespace":"default","name":"c1","uid":"u3"}}}`,
		`{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"c1","namespace":"default","uid":"u3"},
			"spec":{"volumeName":"pv-1"},"status":{"phase":"Bound"}}`,
		`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p1","namespace":"default","uid":"u4"},"spec":{"nodeName":"n1",
			"containers":[],"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"c1"}}]}}`,
	} {
		made.World.Items = append(made.World.Items, json.RawMessage(item))
	}
	return made
}

// attached is the status of a node to which the volume is attached and whose kubelet uses it.
const attached = `,"volumesAttached":[{"name":"` + volumeName + `","devicePath":""}],` +
	`"volumesInUse":["` + volumeName + `"]`

// answered runs the controller and returns the log.
func answered(t *testing.T, l *line.Line) []line.AttachingEntry {
	t.Helper()
	runner, err := New()
	if err == nil {
		err = runner.Attach(l)
	}
	if err != nil {
		t.Fatalf("%s: %v", l.ID, err)
	}
	return l.Attaching.Log
}

// outputs returns a short form of the outputs in a log, without their moments.
func outputs(log []line.AttachingEntry) []string {
	var list []string
	for _, each := range log {
		switch {
		case each.Write != nil:
			write := each.Write
			text := fmt.Sprintf("%s %s %s %s", write.Verb, write.Resource, write.Name, write.Patch)
			list = append(list, strings.TrimSpace(text))
		case each.Read != nil:
			list = append(list, "read "+each.Read.Resource+" "+each.Read.Name)
		case each.Event != nil:
			list = append(
				list, fmt.Sprintf("%s %s %s: %s", each.Event.About.Name, each.Event.Type, each.Event.Reason, each.Event.Message),
			)
		case each.Operation != nil:
			list = append(list, strings.TrimSpace(each.Operation.Name+" "+each.Operation.Node+" "+each.Operation.Forced))
		}
	}
	return list
}

func compare(t *testing.T, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

const (
	patchAttached = `patch nodes n1 {"status":{"volumesAttached":[{"devicePath":"","name":"` + volumeName + `"}]}}`
	patchNone     = `patch nodes n1 {"status":{"volumesAttached":null}}`
	patchNothing  = "patch nodes n1 {}"
	deletion      = "delete volumeattachments " + attachmentName
)

// TestPod runs the controller for a pod that is deleted later.
func TestPod(t *testing.T) {
	l := world("True", "", "{}")
	l.Attaching.Script = []line.AttachingChange{
		{At: 10*seconds + 37000000, Delete: &line.Object{Kind: "Pod", Namespace: "default", Name: "p1"}},
	}
	log := answered(t, l)
	compare(t, outputs(log), []string{
		"attach n1", "create volumeattachments " + attachmentName,
		`p1 Normal SuccessfulAttachVolume: AttachVolume.Attach succeeded for volume "pv-1" `,
		patchAttached, patchNone, "detach n1", "read nodes n1", deletion,
	})
	create := slices.IndexFunc(
		log, func(each line.AttachingEntry) bool { return each.Write != nil && each.Write.Verb == "create" },
	)
	const object = `{"metadata":{"name":"` + attachmentName +
		`"},"spec":{"attacher":"d1.csi","source":{"persistentVolumeName":"pv-1"},"nodeName":"n1"},` +
		`"status":{"attached":false}}`
	if log[create].At != 1003000 || string(log[create].Write.Object) != object {
		t.Errorf("at %d: %s", log[create].At, log[create].Write.Object)
	}
	last := log[len(log)-2]
	if last.Delete == nil || last.Delete.Name != attachmentName || last.At != 10*seconds+100*1000000+2*1003000+700041000 {
		t.Errorf("the attacher removes the VolumeAttachment: %+v", last)
	}
}

// TestDeadNode checks when a volume is detached from a node whose kubelet says that it uses the volume. When the
// controller begins, it always patches the status of a node to which volumes are attached, even if nothing changes.
func TestDeadNode(t *testing.T) {
	forced := []string{patchNothing, patchNone, "detach n1 timeout", deletion}
	for _, test := range []struct {
		ready, spec string
		disabled    bool
		want        []string
		after       int64
	}{
		{ready: "Unknown", spec: "{}", want: forced, after: 360 * seconds},
		{ready: "False", spec: "{}", want: forced, after: 360 * seconds},
		{ready: "Unknown", spec: "{}", disabled: true, want: []string{patchNothing}},
		{ready: "True", spec: "{}", want: []string{patchNothing}},
		{
			ready: "True", spec: `{"taints":[{"key":"node.kubernetes.io/out-of-service","effect":"NoExecute"}]}`,
			want: []string{patchNone, "detach n1 out-of-service", deletion},
		},
	} {
		l := world(test.ready, attached, test.spec)
		l.World.Items = l.World.Items[:3]
		l.Attaching.Until, l.Attaching.DisableForceDetach = 400*seconds, test.disabled
		log := answered(t, l)
		compare(t, outputs(log), test.want)
		place := slices.IndexFunc(log, func(each line.AttachingEntry) bool { return each.Operation != nil })
		if len(test.want) == 1 {
			continue
		}
		if at := log[place].At; at < test.after || at > test.after+200*1000000 {
			t.Errorf("%s, %s: the detach starts at %d", test.ready, test.spec, at)
		}
	}
}

// TestRestart ends the controller while it waits for the attacher. The new controller finds the VolumeAttachment. What
// the old one still does is not recorded.
func TestRestart(t *testing.T) {
	l := world("True", "", "{}")
	l.Attaching.Script = []line.AttachingChange{{At: seconds + 37000000, Restart: true}}
	log := answered(t, l)
	compare(t, outputs(log), []string{
		"attach n1", "create volumeattachments " + attachmentName, "attach n1",
		`p1 Normal SuccessfulAttachVolume: AttachVolume.Attach succeeded for volume "pv-1" `, patchAttached,
	})
	var starts []int64
	for _, each := range log {
		if each.Start {
			starts = append(starts, each.At)
		}
	}
	if !slices.Equal(starts, []int64{0, seconds + 37000000}) {
		t.Errorf("starts at %d", starts)
	}
}

// TestRefused makes a request fail.
func TestRefused(t *testing.T) {
	l := world("True", "", "{}")
	l.Attaching.Refuse = []line.AttachingRefuse{
		{Verb: "create", Resource: "volumeattachments", First: 1, Last: 1, Reason: "InternalError", Text: "no quorum"},
	}
	compare(t, outputs(answered(t, l)), []string{
		"attach n1", "create volumeattachments " + attachmentName,
		`p1 Warning FailedAttachVolume: AttachVolume.Attach failed for volume "pv-1" : ` +
			`kubernetes.io/csi: attacher.Attach failed: Internal error occurred: no quorum`,
		"attach n1", "create volumeattachments " + attachmentName,
		`p1 Normal SuccessfulAttachVolume: AttachVolume.Attach succeeded for volume "pv-1" `, patchAttached,
	})
}

// TestRandomWorlds checks the form of the logs of random worlds: the moments never decrease, each controller begins
// once, and the changes of the script have their moments.
func TestRandomWorlds(t *testing.T) {
	for index := range 60 {
		made := worlds.Attaching(11, index)
		log := answered(t, &made)
		starts, restarts, last := 0, 0, int64(0)
		for _, each := range log {
			if each.At < last || each.At > made.Attaching.Until {
				t.Fatalf("%s: moment %d after %d", made.ID, each.At, last)
			}
			last = each.At
			if each.Start {
				starts++
			}
			if each.Restart {
				restarts++
			}
		}
		if starts != restarts+1 {
			t.Errorf("%s: %d starts, %d restarts", made.ID, starts, restarts)
		}
		for _, change := range made.Attaching.Script {
			if change.Put != nil && !strings.Contains(string(change.Put), "VolumeAttachment") &&
				!slices.ContainsFunc(log, func(each line.AttachingEntry) bool {
					return each.At == change.At && (each.Put != nil || each.Delete != nil)
				}) {
				t.Errorf("%s: the change at %d is not in the log", made.ID, change.At)
			}
		}
	}
}
