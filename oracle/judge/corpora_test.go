package judge

import (
	"bytes"
	"encoding/json"
	"flag"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
	featuregatetesting "k8s.io/component-base/featuregate/testing"

	"pvctl.dev/oracle/line"
)

// settleToo makes TestCorpora answer settle again for all worlds that have such an answer. By default it does so only
// for the handmade worlds and for one in twenty of the others.
var settleToo = flag.Bool("settle", false, "settle all worlds of the corpora again")

func newJudge(t *testing.T) *Judge {
	t.Helper()
	j, err := New()
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// TestCorpora checks that the controllers still give every recorded answer. The coverage report is made from this test.
func TestCorpora(t *testing.T) {
	paths, err := filepath.Glob("../../tests/conformance/*-" + Version + ".jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) < 6 {
		t.Errorf("only %d corpora: %v", len(paths), paths)
	}
	for _, path := range paths {
		if strings.HasPrefix(filepath.Base(path), "given-") {
			continue // Another program wrote these recordings in its own form.
		}
		if name := filepath.Base(path); strings.HasPrefix(name, "scheduling-") || strings.HasPrefix(name, "pods-") {
			continue // These are the scheduler's answers, which the tests of the package scheduler compare.
		}
		if strings.HasPrefix(filepath.Base(path), "logs-") {
			continue // TestLogs compares these recordings.
		}
		elsewhere := []string{"provisioning-", "attacher-", "resizer-", "shared-volume-", "mounting-", "managing-"}
		if slices.ContainsFunc(elsewhere, func(prefix string) bool { return strings.HasPrefix(filepath.Base(path), prefix) }) {
			// The external provisioner, the external attacher, the external resizer, the shared-volume controller and the
			// kubelet have modules of their own.
			continue
		}
		if strings.HasPrefix(filepath.Base(path), "attaching-") {
			continue // These are runs of the attach/detach controller, whose waiting is partly random.
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			if !strings.HasPrefix(filepath.Base(path), "gates-") {
				t.Parallel() // These recordings use the default gates. Gates are the same for the whole process.
			}
			corpus(t, path)
		})
	}
}

func corpus(t *testing.T, path string) {
	unpacked, err := line.Unpack(path)
	if err != nil {
		t.Fatal(err)
	}
	j, number, answered := newJudge(t), 0, 0
	same := func(l *line.Line, what string, was, is any) {
		answered++
		if first, second := encode(was), encode(is); !bytes.Equal(first, second) {
			t.Errorf("%s %s:\n     now %s\nrecorded %s", l.ID, what, second, first)
		}
	}
	err = line.Each(unpacked, func(l *line.Line) error {
		number++
		for gate, state := range l.Gates {
			if number == 1 {
				featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, featuregate.Feature(gate), state)
			}
		}
		old := *l
		old.Cases = all(l.Cases)
		if l.Decisions != nil || l.Cases != nil {
			if err := j.Decide(l, deciding(l)); err != nil {
				return err
			}
			same(l, "decisions", all(old.Decisions), all(l.Decisions))
			same(l, "protections", all(old.Protections), all(l.Protections))
			same(l, "ephemerals", all(old.Ephemerals), all(l.Ephemerals))
			same(l, "cases", old.Cases, all(l.Cases))
		}
		if l.Features != nil {
			if err := j.Features(l); err != nil {
				return err
			}
			same(l, "features", old.Features, l.Features)
			same(l, "periods", old.Periods, l.Periods)
		}
		for _, m := range old.Matches {
			answer, err := MatchOne(l, m)
			if err != nil {
				return err
			}
			same(l, "match", m, answer)
		}
		if l.Settle != nil && (*settleToo || number%20 == 2 || slices.Contains(l.Tags, "handmade")) {
			how := Settling{Who: settling(l), Schedules: 32, Quiet: 16, Most: 256, Seed: 1}
			if strings.HasPrefix(filepath.Base(path), "outcomes-contended-") {
				how.Schedules, how.Quiet, how.Most = 400, 200, 4000 // These worlds have many ends, and most of them are rare.
			}
			if err := j.Settle(l, how); err != nil {
				return err
			}
			same(l, "ends", comparable(t, old.Settle), comparable(t, l.Settle))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if answered == 0 {
		t.Errorf("no answers in %s", path)
	}
}

// deciding returns the controllers for which decide was run.
func deciding(l *line.Line) Controllers {
	switch {
	case l.Ephemerals != nil:
		return All
	case l.Protections != nil:
		return Protection
	}
	return Binder
}

// settling returns the controllers for which settle was run.
func settling(l *line.Line) Controllers {
	for who := Binder; who < All; who++ {
		if slices.Equal(who.names(), l.Settle.Controllers) {
			return who
		}
	}
	return All
}

// all returns a copy of the cases. The copy is never nil.
func all(cases []line.Case) []line.Case { return append([]line.Case{}, cases...) }

// comparable returns an answer of settle as a tree, in which the order of JSON fields does not matter.
func comparable(t *testing.T, s *line.Settle) any {
	var tree any
	if err := json.Unmarshal(encode(s), &tree); err != nil {
		t.Fatal(err)
	}
	return tree
}
