//go:build !k8s_1_30 && !k8s_1_32 && !k8s_1_34

package scheduler

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/tools/cache"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	"k8s.io/kubernetes/pkg/features"

	"pvctl.dev/oracle/judge"
	"pvctl.dev/oracle/line"
	"pvctl.dev/oracle/worlds"
)

func newScheduler(t *testing.T) *Scheduler {
	t.Helper()
	s, err := New()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func schedule(t *testing.T, s *Scheduler, l *line.Line) []line.Scheduling {
	t.Helper()
	if err := s.Schedule(l); err != nil {
		t.Fatalf("world %s: %v", l.ID, err)
	}
	return *l.Scheduling
}

func text(t *testing.T, value any) []byte {
	t.Helper()
	written, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return written
}

// TestDeterminism checks that the answers do not depend on earlier worlds, on the random numbers of the process or on
// the order of the objects.
func TestDeterminism(t *testing.T) {
	var first [][]byte
	s := newScheduler(t)
	for index := range 300 {
		l := worlds.Scheduling(3, index)
		first = append(first, text(t, schedule(t, s, &l)))
	}
	s = newScheduler(t)
	for index := 299; index >= 0; index-- {
		l := worlds.Scheduling(3, index)
		slices.Reverse(l.World.Items)
		if again := text(t, schedule(t, s, &l)); !bytes.Equal(first[index], again) {
			t.Errorf("world %s: first %s\nthen %s", l.ID, first[index], again)
		}
	}
}

// randomVolumes is the real store of volumes, whose order is random. It always repeats its first answer for a class,
// because each cycle is run in two ways whose results are compared.
type randomVolumes struct {
	cache.Indexer
	first map[string][]any
}

func (s *randomVolumes) ByIndex(index, class string) ([]any, error) {
	found, err := s.Indexer.ByIndex(index, class)
	if s.first[class] == nil {
		s.first[class] = found
	}
	return s.first[class], err
}

// TestRandomOrders checks that no random order of the real store gives an answer that was not found.
func TestRandomOrders(t *testing.T) {
	s, free := newScheduler(t), newScheduler(t)
	binder, err := volumeBinder(free.profile)
	if err != nil {
		t.Fatal(err)
	}
	random := &randomVolumes{Indexer: free.volumes.Indexer}
	*cachesOf(binder).store = random
	compared, several := 0, 0
	for index := range 1500 {
		l := worlds.Scheduling(4, index)
		answers := schedule(t, s, &l)
		w, err := read(l.World)
		if err != nil {
			t.Fatal(err)
		}
		if err := free.load(w); err != nil {
			t.Fatal(err)
		}
		for _, answer := range answers {
			if answer.Orders == 0 {
				continue
			}
			place := slices.IndexFunc(w.pods, func(each any) bool {
				pod := each.(*v1.Pod)
				return pod.Name == answer.Pod.Name && pod.Namespace == answer.Pod.Namespace
			})
			var seen sample
			for range 20 {
				random.first = map[string][]any{}
				if err := free.cycle(w.pods[place].(*v1.Pod), &seen); err != nil {
					t.Fatal(err)
				}
			}
			var other line.Scheduling
			if err := seen.fill(&other); err != nil {
				t.Fatal(err)
			}
			for number, node := range other.Nodes {
				compared++
				if len(node.Verdicts) > 1 {
					several++
				}
				for _, one := range node.Verdicts {
					if !slices.ContainsFunc(answer.Nodes[number].Verdicts, func(known line.Verdict) bool { return bytes.Equal(text(t, known), text(t, one)) }) {
						t.Errorf("world %s, pod %s, node %s: %s was not found", l.ID, answer.Pod.Name, node.Node, text(t, one))
					}
				}
			}
			for _, message := range other.Messages {
				if !slices.Contains(answer.Messages, message) {
					t.Errorf("world %s, pod %s: %q was not found", l.ID, answer.Pod.Name, message)
				}
			}
		}
	}
	if compared < 500 || several < 20 {
		t.Errorf("only %d nodes were compared, %d of them with several verdicts", compared, several)
	}
}

// reasons are the reasons of docs/controllers/scheduler.md that occur as the text of a status. Each has its plugin and
// the pattern of its text.
var reasons = map[string][2]string{
	"S1":  {"VolumeRestrictions", `^persistentvolumeclaim "gone" not found$`},
	"S2":  {"VolumeBinding", `^waiting for ephemeral volume controller to create the persistentvolumeclaim ".*"$`},
	"S3":  {"VolumeBinding", `^persistentvolumeclaim ".*" bound to non-existent persistentvolume ".*"$`},
	"S4":  {"VolumeBinding", `^persistentvolumeclaim ".*" is being deleted$`},
	"S5":  {"VolumeBinding", `^PVC .* was not created for pod .* \(pod is not owner\)$`},
	"S6":  {"VolumeBinding", `^pod has unbound immediate PersistentVolumeClaims$`},
	"S7":  {"VolumeBinding", `^node\(s\) didn't match PersistentVolume's node affinity$`},
	"S8":  {"VolumeBinding", `^node\(s\) didn't find available persistent volumes to bind$`},
	"S9":  {"VolumeBinding", `^node\(s\) did not have enough free storage$`},
	"S10": {"VolumeBinding", `^node\(s\) unavailable due to one or more pvc\(s\) bound to non-existent pv\(s\)$`},
	"S11": {"VolumeRestrictions", `^node\(s\) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod$`},
	"S12": {"VolumeRestrictions", `^node\(s\) had no available disk$`},
	"S13": {"NodeVolumeLimits", `^node\(s\) exceed max volume count$`},
	"S14": {"NodeVolumeLimits", `^.* CSI driver is not installed on the node$`},
	"S15": {"VolumeZone", `^node\(s\) had no available volume zone$`},
	"S16": {"VolumeZone", `^persistentvolume ".*" not found$`},
}

// TestReasons checks that the random worlds reach each reason of the volume plugins, nodes with several reasons, nodes
// with several verdicts, errors, and each of the other plugins. S14 needs a feature gate.
func TestReasons(t *testing.T) {
	seen := map[string]int{}
	see := func(v line.Verdict) {
		for _, reason := range v.Reasons {
			for id, pattern := range reasons {
				if v.Plugin == pattern[0] && v.Code != "Error" && regexp.MustCompile(pattern[1]).MatchString(reason) {
					seen[id]++
				}
			}
		}
		seen[v.Code]++
		seen[v.Plugin]++
		if len(v.Reasons) > 1 {
			seen["several reasons"]++
		}
		if len(v.Bindings) > 1 {
			seen["several bindings"]++
		}
		for _, binding := range v.Bindings {
			if seen["binding"]++; !binding.Assumed {
				seen["binding of a volume that is reserved"]++
			}
			if binding.Assumed && !binding.BoundByController {
				seen["binding without bound-by-controller"]++
			}
		}
		if len(v.Provisions) > 0 {
			seen["provision"]++
		}
	}
	count := func(from, to int) {
		s := newScheduler(t)
		for index := from; index < to; index++ {
			l := worlds.Scheduling(5, index)
			for _, answer := range schedule(t, s, &l) {
				switch {
				case answer.Gate != nil:
					seen["gate"]++
				case answer.Skip != "":
					seen["skip"]++
				case answer.PreFilter != nil:
					see(*answer.PreFilter)
				}
				for _, node := range answer.Nodes {
					codes := map[string]bool{}
					for _, one := range node.Verdicts {
						see(one)
						codes[one.Code] = true
					}
					if len(node.Verdicts) > 1 {
						seen["several verdicts"]++
					}
					if len(codes) > 1 {
						seen["the order decides"]++
					}
				}
				seen[answer.Reason]++
			}
		}
	}
	count(0, 2000)
	t.Run("gate", func(t *testing.T) {
		featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.VolumeLimitScaling, true)
		count(2000, 2300)
	})
	wanted := []string{
		"several reasons", "several bindings", "binding", "binding of a volume that is reserved", "binding without bound-by-controller",
		"provision", "gate", "skip", "several verdicts", "the order decides", "Error", "Success", "Unschedulable", "UnschedulableAndUnresolvable", "SchedulerError",
		"NodeUnschedulable", "TaintToleration", "NodeAffinity", "NodePorts", "NodeResourcesFit", "PodTopologySpread", "InterPodAffinity",
	}
	for id := range reasons {
		wanted = append(wanted, id)
	}
	slices.Sort(wanted)
	for _, each := range wanted {
		if seen[each] == 0 {
			t.Errorf("%s does not occur", each)
		} else {
			t.Logf("%s: %d", each, seen[each])
		}
	}
}

// TestCorpus checks that the scheduler still gives every recorded answer.
func TestCorpus(t *testing.T) {
	s, number := newScheduler(t), 0
	for _, name := range []string{"scheduling-", "scheduling-handmade-"} {
		unpacked, err := line.Unpack("../../tests/conformance/" + name + judge.Version + ".jsonl.gz")
		if err != nil {
			t.Fatal(err)
		}
		err = line.Each(unpacked, func(l *line.Line) error {
			number++
			old := text(t, l.Scheduling)
			if now := text(t, schedule(t, s, l)); !bytes.Equal(old, now) {
				t.Errorf("world %s:\n     now %s\nrecorded %s", l.ID, now, old)
			}
			if strings.Contains(string(old), `"sampled":true`) {
				t.Errorf("world %s has too many orders to try all", l.ID)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if number < 1000 {
		t.Errorf("only %d worlds", number)
	}
}
