package judge

import (
	"encoding/json"
	"strings"
	"testing"

	"pvctl.dev/oracle/line"
)

const (
	binderName      = "persistentvolume-binder-controller"
	claimProtection = "persistentvolumeclaim-protection-controller"
)

// followOne follows one schedule of the claim c1.
func followOne(t *testing.T, end string, steps []line.Step, items ...string) bool {
	t.Helper()
	l := &line.Line{Schedules: []line.Schedule{{
		Objects: []line.Object{{Kind: "PersistentVolumeClaim", Namespace: "db", Name: "c1"}}, Ends: []json.RawMessage{json.RawMessage(end)}, Steps: steps,
	}}}
	for _, item := range items {
		l.World.Items = append(l.World.Items, json.RawMessage(item))
	}
	if err := newJudge(t).Follow(l, Binder); err != nil {
		t.Fatal(err)
	}
	return l.Schedules[0].Reached
}

// TestFollow checks that a schedule decides which claim is synced first, and which of two equal volumes is taken.
func TestFollow(t *testing.T) {
	world := []string{
		freeVolume, strings.ReplaceAll(freeVolume, "pv-1", "pv-2"), waitingClaim, strings.ReplaceAll(waitingClaim, "c1", "c2"),
		strings.ReplaceAll(waitingClaim, "c1", "c3"),
	}
	sync := func(name, volume string) line.Step {
		object := line.Object{Kind: "PersistentVolumeClaim", Namespace: "db", Name: name}
		return line.Step{Controller: binderName, Object: object, Volume: volume}
	}
	first, second := `{"phase":"Bound","volumeName":"pv-1"}`, `{"volumeName":"pv-2","phase":"Bound"}`
	for name, test := range map[string]struct {
		steps []line.Step
		end   string
		want  bool
	}{
		"the first volume":                {[]line.Step{sync("c1", "pv-1")}, first, true},
		"the second volume":               {[]line.Step{sync("c1", "pv-2")}, second, true},
		"not the other":                   {[]line.Step{sync("c1", "pv-2")}, first, false},
		"what is left":                    {[]line.Step{sync("c3", "pv-2"), sync("c1", "")}, first, true},
		"nothing is left":                 {[]line.Step{sync("c2", "pv-2"), sync("c3", "")}, `{"phase":"Pending"}`, true},
		"nobody is left without a sync":   {[]line.Step{sync("c2", "pv-2"), sync("c1", ""), sync("c3", "")}, `{"phase":"Pending"}`, false},
		"no end of a claim without cause": {nil, `{"gone":true}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := followOne(t, test.end, test.steps, world...); got != test.want {
				t.Errorf("reached: %v", got)
			}
		})
	}
}

// TestFollowProtection checks that syncs of the protection controllers are followed if they take part, and refused
// otherwise.
func TestFollowProtection(t *testing.T) {
	terminating := strings.Replace(waitingClaim, `"uid":`,
		`"deletionTimestamp":"2026-06-05T10:00:00Z","deletionGracePeriodSeconds":0,"finalizers":["kubernetes.io/pvc-protection"],"uid":`, 1)
	object := line.Object{Kind: "PersistentVolumeClaim", Namespace: "db", Name: "c1"}
	binds := line.Step{Controller: binderName, Object: object}
	protects := line.Step{Controller: claimProtection, Object: object}
	volume := line.Object{Kind: "PersistentVolume", Name: "pv-1"}
	for _, test := range []struct {
		steps []line.Step
		want  string
	}{
		{[]line.Step{binds, protects}, `{"claimRef":{"name":"c1","namespace":"db","uid":"u-c1"},"phase":"Released"}`},
		{[]line.Step{protects, binds}, `{"phase":"Available"}`},
	} {
		for _, end := range []string{`{"claimRef":{"name":"c1","namespace":"db","uid":"u-c1"},"phase":"Released"}`, `{"phase":"Available"}`} {
			l := &line.Line{
				World:     line.List{Items: []json.RawMessage{json.RawMessage(freeVolume), json.RawMessage(terminating)}},
				Schedules: []line.Schedule{{Objects: []line.Object{volume}, Ends: []json.RawMessage{json.RawMessage(end)}, Steps: test.steps}},
			}
			if err := newJudge(t).Follow(l, All); err != nil {
				t.Fatal(err)
			}
			if l.Schedules[0].Reached != (end == test.want) {
				t.Errorf("%v: %s is reached: %v", test.steps, end, l.Schedules[0].Reached)
			}
			if err := newJudge(t).Follow(l, Binder); err == nil || !strings.Contains(err.Error(), claimProtection+" does not sync") {
				t.Errorf("without the protection controllers: %v", err)
			}
		}
	}
}

// TestFollowTogether checks that all ends of a schedule must be reached in the same state.
func TestFollowTogether(t *testing.T) {
	claim := func(name string) line.Object {
		return line.Object{Kind: "PersistentVolumeClaim", Namespace: "db", Name: name}
	}
	first, second, none := `{"phase":"Bound","volumeName":"pv-1"}`, `{"phase":"Bound","volumeName":"pv-2"}`, `{"phase":"Pending"}`
	for _, test := range []struct {
		ends [2]string
		want bool
	}{{[2]string{first, none}, true}, {[2]string{second, none}, false}, {[2]string{first, second}, false}} {
		l := &line.Line{Schedules: []line.Schedule{{
			Objects: []line.Object{claim("c1"), claim("c2")},
			Ends:    []json.RawMessage{json.RawMessage(test.ends[0]), json.RawMessage(test.ends[1])},
			Steps:   []line.Step{{Controller: binderName, Object: claim("c1"), Volume: "pv-1"}},
		}}}
		for _, item := range []string{freeVolume, waitingClaim, strings.ReplaceAll(waitingClaim, "c1", "c2")} {
			l.World.Items = append(l.World.Items, json.RawMessage(item))
		}
		if err := newJudge(t).Follow(l, Binder); err != nil {
			t.Fatal(err)
		}
		if l.Schedules[0].Reached != test.want {
			t.Errorf("%v: reached: %v", test.ends, l.Schedules[0].Reached)
		}
	}
}
