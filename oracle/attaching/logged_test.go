package attaching

import (
	"slices"
	"strings"
	"testing"

	"pvctl.dev/oracle/line"
)

// logged runs the controller of a world with a pod, and returns the entries of its log.
func logged(t *testing.T, runner *Runner) []string {
	t.Helper()
	l := world("True", "", "{}")
	if err := runner.Attach(l); err != nil {
		t.Fatal(err)
	}
	var entries []string
	for _, each := range l.Attaching.Log {
		if each.Logged != "" {
			entries = append(entries, each.Logged)
		}
	}
	return entries
}

// TestLogged checks that the entries of the controller, of its operations, of the CSI plugin and of its recorder are
// recorded, if this is asked for.
func TestLogged(t *testing.T) {
	if entries := logged(t, &Runner{}); len(entries) > 0 {
		t.Errorf("without being asked: %s", strings.Join(entries, "\n"))
	}
	runner := &Runner{}
	runner.Logged()
	entries := logged(t, runner)
	for _, wanted := range []string{
		`] "attacherDetacher.AttachVolume started" volumeName="` + volumeName + `" nodeName="n1" scheduledPods=["default/p1"]`,
		`] AttachVolume.Attach succeeded for volume "pv-1" (UniqueName: "` + volumeName + `") from node "n1"`,
		`] kubernetes.io/csi: attachment [` + attachmentName + `] for volume [h1] created successfully`,
		`] "Event occurred" object="default/p1" fieldPath="" kind="Pod" apiVersion="v1" type="Normal" ` +
			`reason="SuccessfulAttachVolume" message="AttachVolume.Attach succeeded for volume \"pv-1\" "`,
	} {
		if !slices.ContainsFunc(entries, func(entry string) bool { return strings.HasSuffix(entry, wanted) }) {
			t.Errorf("no entry %s in\n%s", wanted, strings.Join(entries, "\n"))
		}
	}
	for _, entry := range entries {
		if !strings.Contains(entry, `0101 00:00:00.000000       1 `) {
			t.Errorf("an entry with a time: %s", entry)
		}
	}
	global.set(&process{run: &run{journal: &journal{}}, said: map[string]int{}})
	defer global.set(nil)
	to := global.to
	for range mostTimes + 1 {
		_, _ = global.Write([]byte("I1128 03:09:15.123456       7 reconciler.go:1] \"x\"\n"))
	}
	_, _ = global.Write([]byte("I1128 03:09:15.123456       7 reflector.go:1] \"y\"\n"))
	_, _ = global.Write([]byte("E1128 03:09:15.123456       7 x.go:1] " + errEnded.Error() + "\n"))
	want := line.AttachingEntry{Logged: `I0101 00:00:00.000000       1 reconciler.go:1] "x"`}
	log := to.journal.log()
	if len(log) != mostTimes || log[0].Logged != want.Logged {
		t.Errorf("%+v", log)
	}
}
