package judge

import (
	"testing"

	"pvctl.dev/oracle/line"
)

// TestLogs checks that the controllers still log what is recorded.
func TestLogs(t *testing.T) {
	if !retriesErrors {
		t.Skip("only the controllers of the newest version log at -v=5 here")
	}
	unpacked, err := line.Unpack("../../tests/conformance/logs-" + Version + ".jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	j, entries := newJudge(t), 0
	j.Logged()
	err = line.Each(unpacked, func(l *line.Line) error {
		old := *l
		old.Cases = all(l.Cases)
		if err := j.Decide(l, deciding(l)); err != nil {
			return err
		}
		for _, pair := range [][2][]line.Case{
			{old.Decisions, l.Decisions}, {old.Protections, l.Protections}, {old.Ephemerals, l.Ephemerals}, {old.Cases, l.Cases},
		} {
			for number, was := range pair[0] {
				if first, second := encode(was), encode(pair[1][number]); string(first) != string(second) {
					t.Errorf("%s %v:\n     now %s\nrecorded %s", l.ID, was.Object, second, first)
				}
				for _, decision := range was.Answers {
					entries += len(decision.Logs)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if entries < 1000 {
		t.Errorf("only %d entries", entries)
	}
}
