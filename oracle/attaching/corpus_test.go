package attaching

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pvctl.dev/oracle/judge"
	"pvctl.dev/oracle/line"
)

// mostRuns is how often a world is run until it ends as it was recorded. The controller takes volumes and nodes from
// Go's maps, so a run of the same world can differ.
const mostRuns = 50

// results returns what the controller did in a log, sorted, without the moments and without the order: the operations,
// requests and events, each once. Of the patches of a node there is only the last list of its volumes.
func results(t *testing.T, log []line.AttachingEntry) []string {
	t.Helper()
	var list []string
	last := map[string]string{}
	for _, each := range log {
		switch {
		case each.Write != nil && each.Write.Resource == "nodes":
			var patch struct {
				Status *struct{ VolumesAttached []struct{ Name string } }
			}
			if err := json.Unmarshal(each.Write.Patch, &patch); err != nil {
				t.Fatal(err)
			}
			// A patch that changes nothing has no status.
			if patch.Status != nil {
				names := []string{each.Write.Refused}
				for _, volume := range patch.Status.VolumesAttached {
					names = append(names, volume.Name)
				}
				slices.Sort(names)
				last[each.Write.Name] = strings.Join(names, " ")
			}
		case each.Event != nil:
			words := strings.Fields(strings.ReplaceAll(each.Event.Message, ",", ""))
			slices.Sort(words) // The order of the pods in a message is not fixed.
			list = append(list, each.Event.About.Name+" "+each.Event.Reason+" "+strings.Join(words, " "))
		case each.Operation != nil:
			one := each.Operation
			list = append(list, strings.Join([]string{one.Name, one.Volume, one.Node, one.Forced}, " "))
		case each.Write != nil:
			list = append(list, each.Write.Verb+" "+each.Write.Name+" "+each.Write.Refused)
		case each.Read != nil:
			list = append(list, "get "+each.Read.Name+" "+each.Read.Refused)
		}
	}
	for node, volumes := range last {
		list = append(list, "patch "+node+" "+volumes)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// TestCorpus checks that the controller can still do what was recorded. The coverage report is made from this test.
func TestCorpus(t *testing.T) {
	number := 0
	for _, name := range []string{"attaching-", "attaching-handmade-"} {
		unpacked, err := line.Unpack("../../tests/conformance/" + name + judge.Version + ".jsonl.gz")
		if err != nil {
			t.Fatal(err)
		}
		err = line.Each(unpacked, func(l *line.Line) error {
			number++
			// A line that asks for all ends has no log.
			if l.Attaching.EveryEnd {
				return nil
			}
			was := results(t, l.Attaching.Log)
			for run := 1; ; run++ {
				now := results(t, answered(t, l))
				if slices.Equal(now, was) {
					return nil
				}
				if run == mostRuns {
					t.Errorf("world %s:\n     now %s\nrecorded %s", l.ID, strings.Join(now, "\n\t"), strings.Join(was, "\n\t"))
					return nil
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if number < 300 {
		t.Errorf("only %d worlds", number)
	}
}
