package upstream

import (
	"bytes"
	"encoding/json"
	"testing"

	"pvctl.dev/oracle/line"
)

// TestTables holds that every table agrees with the judge, and that the committed lines are those that the command
// writes now.
func TestTables(t *testing.T) {
	if testing.Short() {
		t.Skip("builds upstream's tests")
	}
	lines, left, err := Tables("..")
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) < 240 {
		t.Errorf("only %d lines", len(lines))
	}
	for _, one := range left {
		if one.Name == "" || one.Reason == "" {
			t.Errorf("left out without a name or a reason: %+v", one)
		}
	}
	committed, err := line.Unpack("../../tests/conformance/upstream-1.36.3.jsonl.gz")
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
}
