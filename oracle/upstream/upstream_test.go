package upstream

import (
	"bytes"
	"encoding/json"
	"testing"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
	featuregatetesting "k8s.io/component-base/featuregate/testing"

	"pvctl.dev/oracle/judge"
	"pvctl.dev/oracle/line"
)

// TestTables checks that every table agrees with the judge, and that the command writes the committed lines again.
func TestTables(t *testing.T) {
	if testing.Short() {
		t.Skip("builds upstream's tests")
	}
	tables, err := Read("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name  string
		gates map[string]bool
		least int
	}{
		{"upstream-" + judge.Version, nil, 260},
		{"gates-upstream-" + judge.Version, map[string]bool{gate: true}, 15},
	} {
		t.Run(test.name, func(t *testing.T) {
			for name, state := range test.gates {
				featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, featuregate.Feature(name), state)
			}
			lines, left, err := tables.Answer(test.gates)
			if err != nil {
				t.Fatal(err)
			}
			if len(lines) < test.least {
				t.Errorf("only %d lines", len(lines))
			}
			for _, one := range left {
				if one.Name == "" || one.Reason == "" {
					t.Errorf("left out without a name or a reason: %+v", one)
				}
			}
			same(t, lines, "../../tests/conformance/"+test.name+".jsonl.gz")
		})
	}
	if _, _, err := tables.Answer(map[string]bool{"NoSuchGate": true}); err == nil {
		t.Error("no error for a gate that no table depends on")
	}
}

// same checks that the lines equal those of the file.
func same(t *testing.T, lines []line.Line, path string) {
	committed, err := line.Unpack(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lines {
		var text bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(l); err != nil {
			t.Fatal(err)
		}
		want, err := committed.ReadBytes('\n')
		if err != nil {
			t.Fatalf("%s: %v", l.ID, err)
		}
		if !bytes.Equal(text.Bytes(), want) {
			t.Errorf("%s:\n     now %s\nrecorded %s", l.ID, text.Bytes(), want)
		}
	}
	if rest, err := committed.ReadBytes('\n'); err == nil {
		t.Errorf("%s has more lines: %.100s", path, rest)
	}
}
