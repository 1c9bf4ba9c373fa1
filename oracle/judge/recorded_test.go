package judge

import (
	"compress/gzip"
	"os"
	"regexp"
	"slices"
	"sort"
	"testing"

	"pvctl.dev/oracle/line"
)

// recorded calls check for every line of a recording of the first kind.
func recorded(t *testing.T, name string, check func(*line.Line)) {
	t.Helper()
	file, err := os.Open("../../tests/conformance/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := line.Each(unpacked, func(l *line.Line) error { check(l); return nil }); err != nil {
		t.Fatal(err)
	}
}

func newJudge(t *testing.T) *Judge {
	t.Helper()
	j, err := New()
	if err != nil {
		t.Fatal(err)
	}
	return j
}

var madeUp = regexp.MustCompile(`"resourceVersion":"10000\d\d+"`)

// plain is a decision in the form that the first recording has: without seq and refused, and with operations as names.
func plain(d line.Decision) string {
	d.Writes, d.Events, d.Operations = slices.Clone(d.Writes), slices.Clone(d.Events), slices.Clone(d.Operations)
	for i := range d.Writes {
		d.Writes[i].Seq, d.Writes[i].Refused = 0, ""
	}
	for i := range d.Events {
		d.Events[i].Seq = 0
		d.Events[i].Message = sortedPods(d.Events[i].Message)
	}
	for i := range d.Operations {
		d.Operations[i].Seq = 0
	}
	return madeUp.ReplaceAllString(string(encode(d)), `"resourceVersion":"<next>"`)
}

func plainSet(decisions []line.Decision) []string {
	var texts []string
	for _, d := range decisions {
		if d.Operations == nil {
			d.Operations = []line.Operation{}
		}
		texts = append(texts, plain(d))
	}
	sort.Strings(texts)
	return slices.Compact(texts)
}

// TestDecideAgreesWithTheFirstRecording holds every decision against one that was made with another program.
func TestDecideAgreesWithTheFirstRecording(t *testing.T) {
	j, objects := newJudge(t), 0
	recorded(t, "decisions-1.36.3.jsonl.gz", func(l *line.Line) {
		old := l.Decisions
		if err := j.Decide(l, false); err != nil {
			t.Fatalf("%s: %v", l.ID, err)
		}
		now := map[line.Object]line.Case{}
		for _, c := range l.Decisions {
			now[c.Object] = c
		}
		for _, c := range old {
			objects++
			want, got := plainSet(c.Answers), plainSet(now[c.Object].Answers)
			if !slices.Equal(want, got) {
				t.Errorf("%s %v:\nrecorded %v\n     now %v", l.ID, c.Object, want, got)
			}
			sort.Strings(c.Notes)
			if notes := now[c.Object].Notes; !slices.Equal(c.Notes, notes) {
				t.Errorf("%s %v: notes %v, recorded %v", l.ID, c.Object, notes, c.Notes)
			}
		}
	})
	if objects != 1578 {
		t.Errorf("%d objects were compared", objects)
	}
}
