//go:build !k8s_1_30 && !k8s_1_32 && !k8s_1_34

package scheduler

import (
	"bytes"
	"strings"
	"testing"

	"pvctl.dev/oracle/judge"
	"pvctl.dev/oracle/line"
	"pvctl.dev/oracle/worlds"
)

// recording says how corpora.sh records the ends of pods.
var recording = judge.Settling{Who: judge.All, Schedules: 200, Quiet: 200, Most: 4000, Seed: 1}

func newJudge(t *testing.T) *judge.Judge {
	t.Helper()
	j, err := judge.New()
	if err != nil {
		t.Fatal(err)
	}
	if j.Pods, err = NewActor(); err != nil {
		t.Fatal(err)
	}
	return j
}

func settle(t *testing.T, j *judge.Judge, l line.Line, how judge.Settling) *line.Settle {
	t.Helper()
	if err := j.Settle(&l, how); err != nil {
		t.Fatalf("world %s: %v", l.ID, err)
	}
	return l.Settle
}

// TestEndsAreRepeatable checks that the ends do not depend on the worlds before.
func TestEndsAreRepeatable(t *testing.T) {
	how := judge.Settling{Who: judge.All, Schedules: 4, Quiet: 0, Most: 4, Seed: 1}
	var first [][]byte
	j := newJudge(t)
	for index := range 60 {
		first = append(first, text(t, settle(t, j, worlds.Pods(3, index), how)))
	}
	j = newJudge(t)
	for index := 59; index >= 0; index-- {
		if again := text(t, settle(t, j, worlds.Pods(3, index), how)); !bytes.Equal(first[index], again) {
			t.Errorf("world %d: first %s\nthen %s", index, first[index], again)
		}
	}
}

// TestPlaces checks that the random worlds reach each place of a pod, and cycles that are never left.
func TestPlaces(t *testing.T) {
	how := judge.Settling{Who: judge.All, Schedules: 8, Quiet: 0, Most: 8, Seed: 1}
	seen := map[string]int{}
	j := newJudge(t)
	for index := range 200 {
		answer := settle(t, j, worlds.Pods(5, index), how)
		for _, object := range answer.Objects {
			for _, end := range object.Ends {
				for _, field := range []string{"node", "waitsForVolumesOn", "unschedulable"} {
					if object.Object.Kind == "Pod" && strings.Contains(string(end), `"`+field+`"`) {
						seen[field]++
					}
				}
			}
			if object.Object.Kind == "Pod" && len(object.Ends) > 1 {
				seen["several"]++
			}
		}
	}
	for _, wanted := range []string{"node", "waitsForVolumesOn", "unschedulable", "several"} {
		if seen[wanted] < 10 {
			t.Errorf("%s occurs %d times", wanted, seen[wanted])
		}
	}
}

// TestEndsOfCorpus checks that one in fifty of the committed answers is still given.
func TestEndsOfCorpus(t *testing.T) {
	unpacked, err := line.Unpack("../../tests/conformance/pods-" + judge.Version + ".jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	j, number := newJudge(t), 0
	err = line.Each(unpacked, func(l *line.Line) error {
		number++
		if number%50 != 2 {
			return nil
		}
		old := text(t, l.Settle)
		if now := text(t, settle(t, j, *l, recording)); !bytes.Equal(old, now) {
			t.Errorf("world %s:\n     now %s\nrecorded %s", l.ID, now, old)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if number < 200 {
		t.Errorf("only %d worlds", number)
	}
}
