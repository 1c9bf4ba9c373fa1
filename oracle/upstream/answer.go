package upstream

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sort"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"pvctl.dev/oracle/judge"
	"pvctl.dev/oracle/line"
)

// LeftOut is a test or a case that has no line, and the reason.
type LeftOut struct{ Name, Reason string }

// Tables are upstream's test tables as the copied tests recorded them.
type Tables struct{ tests []*test }

// Read reads the tables. module is the directory of the oracle's own module, which determines the version of
// Kubernetes.
func Read(module string) (*Tables, error) {
	text, err := record(module)
	if err != nil {
		return nil, err
	}
	t := &Tables{}
	for _, one := range bytes.Split(bytes.TrimSpace(text), []byte("\n")) {
		read, err := read(one)
		if err != nil {
			return nil, fmt.Errorf("%.200s: %w", one, err)
		}
		t.tests = append(t.tests, read)
	}
	order(t.tests)
	ids := map[string]int{}
	for _, read := range t.tests {
		ids[read.Name]++
		if ids[read.Name] > 1 {
			read.Name = fmt.Sprintf("%s #%d", read.Name, ids[read.Name])
		}
	}
	return t, nil
}

// gate is a feature gate. It is on in some tables and off by default.
const gate = "PersistentVolumeClaimUnusedSinceTime"

// Answer answers every case of the tables with these feature gates, and compares the answers with the expectations of
// the tables. gates are the gates that differ from their defaults. They must be set in this process already.
func (t *Tables) Answer(gates map[string]bool) ([]line.Line, []LeftOut, error) {
	for name := range gates {
		if name != gate {
			return nil, nil, fmt.Errorf("no table depends on the feature gate %s", name)
		}
	}
	j, err := judge.New()
	if err != nil {
		return nil, nil, err
	}
	var lines []line.Line
	var left []LeftOut
	if !gates[gate] {
		left = slices.Clone(leftOutTests)
	}
	var wrong []error
	for _, one := range t.tests {
		if one.Gate != gates[gate] {
			continue
		}
		if reason := one.leftOut(); reason != "" {
			left = append(left, LeftOut{one.Name, reason})
			continue
		}
		l, err := one.answer(j)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %w", one.Name, err))
			continue
		}
		l.Gates = gates
		lines = append(lines, *l)
	}
	return lines, left, errors.Join(wrong...)
}

// order sorts the cases of tables that are maps. The other cases keep their order.
func order(tests []*test) {
	root := func(t *test) string { name, _, _ := strings.Cut(t.Test, "/"); return name }
	position := map[string]int{}
	for i, t := range tests {
		if _, ok := position[root(t)]; !ok {
			position[root(t)] = i
		}
	}
	sort.SliceStable(tests, func(a, b int) bool {
		first, second := tests[a], tests[b]
		if root(first) != root(second) {
			return position[root(first)] < position[root(second)]
		}
		return (first.Kind == "match" || first.Kind == "delays") && first.Name < second.Name
	})
	for _, t := range tests {
		if t.Kind == "match" {
			for _, set := range [][]*v1.PersistentVolume{t.Volumes} {
				sort.SliceStable(set, func(a, b int) bool { return set[a].Name < set[b].Name })
			}
			sort.Strings(t.Excluded)
		}
	}
}

// answer returns the line of a test.
func (t *test) answer(j *judge.Judge) (*line.Line, error) {
	root, _, _ := strings.Cut(t.Test, "/")
	sort.Strings(t.changes)
	l := &line.Line{ID: t.Name, Tags: append([]string{"upstream", root}, t.changes...), World: t.world(t.Volumes, t.Claims)}
	if t.Plugin != nil && len(t.Plugin.Provision) > 0 {
		l.Flags = map[string]string{"enable-hostpath-provisioner": "true"}
	}
	switch t.Kind {
	case "match":
		return l, t.match(j, l)
	case "protection":
		return l, t.protection(j, l)
	case "annotations":
		return l, t.annotations(j, l)
	case "delays", "class":
		return l, t.helper(j, l)
	case "settle", "controller":
		return l, t.settle(j, l)
	case "finalizers":
		return l, t.finalizers(j, l)
	}
	return l, t.sync(j, l)
}

func claimObject(claim *v1.PersistentVolumeClaim) line.Object {
	return line.Object{Kind: "PersistentVolumeClaim", Namespace: claim.Namespace, Name: claim.Name}
}

// synced returns the object that the test syncs.
func (t *test) synced() line.Object {
	if t.Object == "claim" {
		return claimObject(t.Claims[0])
	}
	return line.Object{Kind: "PersistentVolume", Name: t.Volumes[0].Name}
}

// skipped is the annotation of objects that the framework's API server has and the controller's caches do not have.
const skipped = "pv-testing-skip-local-store"

// sync answers a test that runs one sync of one object.
func (t *test) sync(j *judge.Judge, l *line.Line) error {
	c := line.Case{Object: t.synced()}
	volumes, claims := t.Volumes, []*v1.PersistentVolumeClaim{}
	for _, claim := range t.Claims {
		if _, ok := claim.Annotations[skipped]; !ok {
			claims = append(claims, claim)
			continue
		}
		cached := line.Cached{Object: claimObject(claim), As: "unseen"}
		claims = slices.DeleteFunc(claims, func(older *v1.PersistentVolumeClaim) bool {
			if older.Name != claim.Name {
				return false
			}
			cached.As, cached.Copy = "stale", item("v1", "PersistentVolumeClaim", older)
			claim.ResourceVersion = older.ResourceVersion + "0"
			return true
		})
		claims = append(claims, claim)
		c.Cached = append(c.Cached, cached)
		l.Tags = append(l.Tags, "cache")
	}
	if t.Injected != nil && t.Injected.Changed {
		// The line is about a second sync. The operation of this sync reads the objects that were written after the
		// first sync. The caches are the caches of the first sync.
		volumes, claims = t.Injected.Volumes, t.Injected.Claims
		c.Cached = append(c.Cached, t.Injected.cached(volumes)...)
		l.Tags = append(l.Tags, "second-sync")
	}
	l.World = t.world(volumes, claims)
	if err := j.Decide(l, judge.Binder); err != nil {
		return err
	}
	answer, endVolumes, endClaims, err := j.Ending(l, c)
	if err != nil {
		return err
	}
	if len(t.Errors) > 0 {
		for number, write := range answer.Answers[0].Writes {
			if write.Verb == t.Errors[0].Verb && write.Resource == t.Errors[0].Resource {
				c.Refuse = &line.Refuse{Write: number + 1, From: len(t.Errors) > 1, Reason: "InternalError", Text: t.Errors[0].Text}
				break
			}
		}
		if c.Refuse == nil {
			return fmt.Errorf("no write like %v", t.Errors[0])
		}
		if answer, endVolumes, endClaims, err = j.Ending(l, c); err != nil {
			return err
		}
	}
	recycles := slices.Contains(answer.Notes, "recycle")
	if t.Plugin != nil && len(t.Plugin.Recycle) > 0 && !recycles {
		return errors.New("no recycling")
	}
	if recycles {
		// The framework's own plugin fails if it expects no call. The real plugin fails if it cannot create its pod.
		c.Recycler = &line.Recycler{Pod: "refused", Text: "no call is expected"}
		if len(t.Plugin.Recycle) > 0 {
			if c.Recycler = (&line.Recycler{Pod: "succeeded"}); t.Plugin.Recycle[0] != "" {
				c.Recycler = &line.Recycler{Pod: "failed", Text: t.Plugin.Recycle[0]}
			}
		}
		if answer, endVolumes, endClaims, err = j.Ending(l, c); err != nil {
			return err
		}
	}
	if len(c.Cached) > 0 || c.Refuse != nil || c.Recycler != nil {
		l.Cases = []line.Case{answer}
	}
	if len(answer.Answers) != 1 {
		return fmt.Errorf("%d answers", len(answer.Answers))
	}
	decision := answer.Answers[0]
	if (decision.Error != "") != t.Fails {
		return fmt.Errorf("error %q, expected: %v", decision.Error, t.Fails)
	}
	if err := t.events(decision); err != nil {
		return err
	}
	if err := t.compareClaims(endClaims); err != nil {
		return err
	}
	return t.compareVolumes(endVolumes)
}

// cached returns the controller's copies that differ from the API's objects. Some of them are copies of volumes that
// the API no longer has.
func (i *injected) cached(volumes []*v1.PersistentVolume) []line.Cached {
	var result []line.Cached
	known := map[string]*v1.PersistentVolume{}
	for _, volume := range i.CachedVolumes {
		known[volume.Name] = volume
	}
	found := map[string]bool{}
	for _, volume := range volumes {
		found[volume.Name] = true
		object := line.Object{Kind: "PersistentVolume", Name: volume.Name}
		switch copied := known[volume.Name]; {
		case copied == nil:
			result = append(result, line.Cached{Object: object, As: "unseen"})
		case !equality.Semantic.DeepEqual(copied, volume):
			result = append(result, line.Cached{Object: object, As: "stale", Copy: item("v1", "PersistentVolume", copied)})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(known)) {
		if !found[name] {
			object := line.Object{Kind: "PersistentVolume", Name: name}
			result = append(result, line.Cached{Object: object, As: "stale", Copy: item("v1", "PersistentVolume", known[name])})
		}
	}
	return result
}

// events compares the first events with the beginnings that the table expects. Like the framework it accepts further
// events.
func (t *test) events(decision line.Decision) error {
	for i, wanted := range t.ExpectedEvents {
		if i >= len(decision.Events) {
			return fmt.Errorf("no event %q", wanted)
		}
		event := decision.Events[i]
		if got := event.Type + " " + event.Reason + " " + event.Message; !strings.HasPrefix(got, wanted) {
			return fmt.Errorf("event %q, expected %q", got, wanted)
		}
	}
	return nil
}

func (t *test) compareClaims(ends []*v1.PersistentVolumeClaim) error {
	return compare("claims", ends, t.ExpectedClaims, func(claim *v1.PersistentVolumeClaim) *v1.PersistentVolumeClaim {
		claim = claim.DeepCopy()
		claim.ResourceVersion, claim.ManagedFields = "", nil
		if len(claim.Annotations) == 0 {
			claim.Annotations = nil
		}
		if claim.Spec.DataSource != nil {
			claim.Spec.DataSourceRef = nil // The API server sets this field.
		}
		return claim
	})
}

// compareVolumes compares everything that a table can expect of a volume. It ignores the source, which the real plugin
// sets, the changes by admission, and the error text of the framework's own plugin.
func (t *test) compareVolumes(ends []*v1.PersistentVolume) error {
	initial := t.initial()
	return compare("volumes", ends, t.ExpectedVolumes, func(volume *v1.PersistentVolume) *v1.PersistentVolume {
		volume = volume.DeepCopy()
		volume.ResourceVersion, volume.ManagedFields, volume.UID = "", nil, ""
		volume.CreationTimestamp.Reset()
		volume.Status.LastPhaseTransitionTime = nil
		volume.Spec.PersistentVolumeSource = v1.PersistentVolumeSource{}
		if volume.Spec.ClaimRef != nil {
			volume.Spec.ClaimRef.ResourceVersion = ""
		}
		volume.Finalizers = slices.DeleteFunc(volume.Finalizers, func(name string) bool { return name == "kubernetes.io/pv-protection" })
		if len(volume.Finalizers) == 0 {
			volume.Finalizers = nil
		}
		delete(volume.Annotations, "kubernetes.io/createdby") // The real plugin sets this annotation.
		if !initial[volume.Name] {
			volume.Status = v1.PersistentVolumeStatus{} // The real API server removes the status, the framework's does not.
		}
		if len(volume.Annotations) == 0 {
			volume.Annotations = nil
		}
		if t.Plugin != nil {
			volume.Status.Message = ""
		}
		return volume
	})
}

// initial returns the names of the volumes that exist at the beginning.
func (t *test) initial() map[string]bool {
	names := map[string]bool{}
	for _, volume := range t.Volumes {
		names[volume.Name] = true
	}
	return names
}

// compare compares objects with the expected objects of the same name. plain removes the fields that are not compared.
func compare[T metav1.Object](kind string, ends, expected []T, plain func(T) T) error {
	got, want := map[string]T{}, map[string]T{}
	for _, object := range ends {
		got[object.GetName()] = plain(object)
	}
	for _, object := range expected {
		want[object.GetName()] = plain(object)
	}
	if equality.Semantic.DeepEqual(got, want) {
		return nil
	}
	first, err := json.Marshal(got)
	if err != nil {
		return err
	}
	second, err := json.Marshal(want)
	if err != nil {
		return err
	}
	return fmt.Errorf("%s\n     got %s\nexpected %s", kind, first, second)
}

// settle answers a test that runs until nothing changes.
func (t *test) settle(j *judge.Judge, l *line.Line) error {
	if err := j.Decide(l, judge.Binder); err != nil {
		return err
	}
	if err := j.Settle(l, judge.Settling{Schedules: 32, Quiet: 16, Most: 256, Seed: 1}); err != nil {
		return err
	}
	type reference struct{ Namespace, Name, UID string }
	type end struct {
		Phase, VolumeName string
		ClaimRef          *reference
		Gone              bool
	}
	want := map[line.Object]end{}
	for _, claim := range t.ExpectedClaims {
		want[claimObject(claim)] = end{Phase: string(claim.Status.Phase), VolumeName: claim.Spec.VolumeName}
	}
	initial := t.initial()
	for _, volume := range t.ExpectedVolumes {
		if !initial[volume.Name] {
			continue // The ends do not list new volumes. The end of the claim has the name of its volume.
		}
		expected := end{Phase: string(volume.Status.Phase)}
		if ref := volume.Spec.ClaimRef; ref != nil {
			expected.ClaimRef = &reference{ref.Namespace, ref.Name, string(ref.UID)}
		}
		want[line.Object{Kind: "PersistentVolume", Name: volume.Name}] = expected
	}
	for _, object := range l.Settle.Objects {
		expected, ok := want[object.Object]
		if !ok {
			expected = end{Gone: true}
		}
		delete(want, object.Object)
		if len(object.Ends) != 1 {
			return fmt.Errorf("%v has %d ends: %s", object.Object, len(object.Ends), object.Ends)
		}
		var got end
		if err := json.Unmarshal(object.Ends[0], &got); err != nil {
			return err
		}
		if !reflect.DeepEqual(got, expected) {
			return fmt.Errorf("%v ends as %s, expected %+v", object.Object, object.Ends[0], expected)
		}
	}
	if len(want) > 0 {
		return fmt.Errorf("not found at the end: %v", want)
	}
	return nil
}

// bind answers a test of the binder's index, which calls FindMatchingVolume for one list of access modes after another.
// The oracle syncs the claim. The first write of this sync is to the volume that was found.
func (t *test) bind(j *judge.Judge, l *line.Line) error {
	if err := j.Decide(l, judge.Binder); err != nil {
		return err
	}
	object := claimObject(t.Claims[0])
	for _, c := range l.Decisions {
		if c.Object != object {
			continue
		}
		for _, decision := range c.Answers {
			found := ""
			for _, write := range decision.Writes {
				if write.Resource == "persistentvolumes" && found == "" {
					found = write.Name
				}
			}
			if found != t.Chosen {
				return fmt.Errorf("chosen %q, expected %q", found, t.Chosen)
			}
		}
	}
	return nil
}

// match answers a test of FindMatchingVolume.
func (t *test) match(j *judge.Judge, l *line.Line) error {
	if t.Pair && t.Suits {
		t.Chosen = t.Volumes[0].Name
	}
	if !t.Scheduler && !t.Delayed {
		return t.bind(j, l)
	}
	asked := line.Match{Claim: claimObject(t.Claims[0]), Delayed: t.Delayed, Excluded: t.Excluded}
	if len(t.Nodes) > 0 {
		asked.Node = t.Nodes[0].Name
	}
	answer, err := judge.MatchOne(l, asked)
	if err != nil {
		return err
	}
	if (answer.Error != "") != (t.Error != "") {
		return fmt.Errorf("error %q, expected %q", answer.Error, t.Error)
	}
	if answer.Error == "" && !slices.Equal(answer.Chosen, []string{t.Chosen}) {
		return fmt.Errorf("chosen %q, expected %q", answer.Chosen, t.Chosen)
	}
	l.Matches = []line.Match{answer}
	return nil
}

// annotations answers a test of the annotations of migrated plugins. The sync changes nothing else in the volume and
// the claim.
func (t *test) annotations(j *judge.Judge, l *line.Line) error {
	volume, claim := &v1.PersistentVolume{}, &v1.PersistentVolumeClaim{}
	volume.Name, volume.Annotations = "pv", t.VolumeAnnotations
	volume.Status.Phase = v1.VolumeAvailable
	none := ""
	claim.Name, claim.Namespace, claim.Annotations = "claim", "default", t.ClaimAnnotations
	claim.Spec.StorageClassName, claim.Status.Phase = &none, v1.ClaimPending
	block := v1.PersistentVolumeBlock
	claim.Spec.VolumeMode = &block // so that the volume does not fit
	t.completeVolume(volume)
	t.completeClaim(claim)
	l.World = t.world([]*v1.PersistentVolume{volume}, []*v1.PersistentVolumeClaim{claim})
	l.Tags = []string{"upstream", "TestAnnealMigrationAnnotations", "objects-added"}
	if err := j.Decide(l, judge.Binder); err != nil {
		return err
	}
	_, volumes, _, err := j.Ending(l, line.Case{Object: line.Object{Kind: "PersistentVolume", Name: "pv"}})
	if err != nil {
		return err
	}
	_, _, claims, err := j.Ending(l, line.Case{Object: claimObject(claim)})
	if err != nil {
		return err
	}
	if got, want := volumes[0].Annotations, t.ExpectedVolumeAnnotations; len(got)+len(want) > 0 && !maps.Equal(got, want) {
		return fmt.Errorf("annotations of the volume %v, expected %v", got, want)
	}
	if got, want := claims[0].Annotations, t.ExpectedClaimAnnotations; len(got)+len(want) > 0 && !maps.Equal(got, want) {
		return fmt.Errorf("annotations of the claim %v, expected %v", got, want)
	}
	return nil
}

// helper answers a test of a helper function. It checks the effect of the function on the sync of a claim: a claim that
// waits for its pod gets an event that says so, and a claim without a class gets the default class.
func (t *test) helper(j *judge.Judge, l *line.Line) error {
	if err := j.Decide(l, judge.Binder); err != nil {
		return err
	}
	for _, decision := range l.Decisions[0].Answers {
		waits := slices.ContainsFunc(decision.Events, func(e line.Event) bool { return e.Reason == "WaitForFirstConsumer" })
		if t.Kind == "delays" && waits != t.Suits {
			return fmt.Errorf("waits: %v, expected %v", waits, t.Suits)
		}
		assigned := slices.ContainsFunc(decision.Writes, func(w line.Write) bool {
			return strings.Contains(string(w.Patch), `"storageClassName":"default"`)
		})
		if t.Kind == "class" && assigned == t.Suits {
			return fmt.Errorf("gets the default class: %v, expected %v", assigned, !t.Suits)
		}
	}
	return nil
}

// finalizers answers a test of the finalizers that the controller keeps on a volume.
func (t *test) finalizers(j *judge.Judge, l *line.Line) error {
	if err := j.Decide(l, judge.Binder); err != nil {
		return err
	}
	_, volumes, _, err := j.Ending(l, line.Case{Object: line.Object{Kind: "PersistentVolume", Name: t.Volumes[0].Name}})
	if err != nil {
		return err
	}
	if !slices.Equal(volumes[0].Finalizers, t.ExpectedFinalizers) {
		return fmt.Errorf("finalizers %v, expected %v", volumes[0].Finalizers, t.ExpectedFinalizers)
	}
	return nil
}

// protection answers a test of a protection controller. It compares what the controller sends for each volume or claim,
// including the cases in which the informer does not have the pods. If a request fails, the sync must end with an
// error, so that the controller tries again.
func (t *test) protection(j *judge.Judge, l *line.Line) error {
	if err := j.Decide(l, judge.Protection); err != nil {
		return err
	}
	kind := "PersistentVolume"
	if strings.HasPrefix(t.Test, "TestPVC") {
		kind = "PersistentVolumeClaim"
	}
	sent := map[line.Object][]string{}
	for _, p := range t.Sent {
		var meta struct {
			Metadata struct{ Name, Namespace string }
		}
		if err := json.Unmarshal(p.Object, &meta); err != nil {
			return err
		}
		object := line.Object{Kind: p.Kind, Namespace: meta.Metadata.Namespace, Name: meta.Metadata.Name}
		told, err := tellSent(p.Subresource, p.Object)
		if err != nil {
			return err
		}
		sent[object] = append(sent[object], told)
	}
	for _, c := range l.Protections {
		if c.Object.Kind != kind {
			continue
		}
		if t.unseen != nil {
			lagging := line.Case{Object: c.Object, Protection: true, Cached: t.unseen}
			answer, _, _, err := j.Ending(l, lagging)
			if err != nil {
				return err
			}
			l.Cases = append(l.Cases, answer)
			c = answer
		}
		var got []string
		for _, write := range c.Answers[0].Writes {
			told, err := tellSent(write.Subresource, write.Patch)
			if err != nil {
				return err
			}
			got = append(got, told)
		}
		wanted := sent[c.Object]
		if t.Failing != "" {
			wanted = slices.Compact(wanted) // Each retry sends the same request.
		}
		if !slices.Equal(got, wanted) {
			return fmt.Errorf("%v: sent %q, expected %q", c.Object, got, wanted)
		}
		failing := line.Case{Object: c.Object, Protection: true}
		switch t.Failing {
		case "":
			continue
		case "update":
			failing.Refuse = &line.Refuse{Write: 1, Reason: "InternalError", Text: "Mock error"}
		case "list":
			failing.FailRead = &line.FailRead{Read: "listPods", Reason: "InternalError", Text: "Mock error"}
		}
		answer, _, _, err := j.Ending(l, failing)
		if err != nil {
			return err
		}
		if answer.Answers[0].Error == "" {
			return fmt.Errorf("%v: no error where %s fails", c.Object, t.Failing)
		}
		l.Cases = append(l.Cases, answer)
	}
	return nil
}

// tellSent describes the request of a protection controller. text is the whole object or the patch. The description has
// the conditions of the status, or the finalizers. The tables have only the finalizer of protection and one condition.
func tellSent(subresource string, text []byte) (string, error) {
	var object struct {
		Metadata struct{ Finalizers []string }
		Status   struct {
			Conditions []struct{ Type, Status, Reason, Message string }
		}
	}
	if err := json.Unmarshal(text, &object); err != nil {
		return "", err
	}
	if subresource == "" {
		return fmt.Sprintf("finalizers %q", object.Metadata.Finalizers), nil
	}
	told := subresource
	for _, condition := range object.Status.Conditions {
		told += fmt.Sprintf(" %s=%s %s: %s", condition.Type, condition.Status, condition.Reason, condition.Message)
	}
	return told, nil
}
