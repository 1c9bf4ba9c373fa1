package judge

import (
	"fmt"
	"slices"
	"sort"

	v1 "k8s.io/api/core/v1"

	"pvctl.dev/oracle/line"
)

// Match fills in the answers of FindMatchingVolume for every claim of the world without a volume. It calls the function
// as the binder does, without a node, and as the scheduler does, with each node. For each chosen volume it repeats the
// call and excludes this volume. Each call is repeated with each volume first, in two orders of the other volumes.
func (j *Judge) Match(l *line.Line) error {
	w, err := read(l.World)
	if err != nil {
		return err
	}
	l.Matches = []line.Match{}
	for _, claim := range w.claims {
		if claim.Spec.VolumeName != "" {
			continue
		}
		for _, delayed := range []bool{false, true} {
			for _, node := range append([]*v1.Node{nil}, w.nodes...) {
				free := match(w, claim, delayed, node)
				l.Matches = append(l.Matches, free)
				for _, name := range free.Chosen {
					if name != "" {
						l.Matches = append(l.Matches, match(w, claim, delayed, node, name))
					}
				}
			}
		}
	}
	return nil
}

// MatchOne answers one call of FindMatchingVolume by the scheduler or the binder in a line's world.
func MatchOne(l *line.Line, asked line.Match) (line.Match, error) {
	w, err := read(l.World)
	if err != nil {
		return asked, err
	}
	var node *v1.Node
	for _, one := range w.nodes {
		if one.Name == asked.Node {
			node = one
		}
	}
	if node == nil && asked.Node != "" {
		return asked, fmt.Errorf("node %s is not in the world", asked.Node)
	}
	for _, claim := range w.claims {
		if claim.Namespace == asked.Claim.Namespace && claim.Name == asked.Claim.Name {
			return match(w, claim, asked.Delayed, node, asked.Excluded...), nil
		}
	}
	return asked, fmt.Errorf("claim %s/%s is not in the world", asked.Claim.Namespace, asked.Claim.Name)
}

func match(w *world, claim *v1.PersistentVolumeClaim, delayed bool, node *v1.Node, excluded ...string) line.Match {
	answer := line.Match{
		Claim:   line.Object{Kind: "PersistentVolumeClaim", Namespace: claim.Namespace, Name: claim.Name},
		Delayed: delayed, Chosen: []string{},
	}
	if node != nil {
		answer.Node = node.Name
	}
	without := map[string]*v1.PersistentVolume{}
	for _, name := range excluded {
		without[name] = nil
		answer.Excluded = append(answer.Excluded, name)
	}
	for first := range max(1, len(w.volumes)) {
		order := slices.Clone(w.volumes)
		if first > 0 {
			order = slices.Insert(slices.Delete(order, first, first+1), 0, w.volumes[first])
		}
		for range 2 {
			found, err := findMatchingVolume(claim, order, node, without, delayed)
			switch {
			case err != nil:
				answer.Error = err.Error()
			case found == nil:
				answer.Chosen = append(answer.Chosen, "")
			default:
				answer.Chosen = append(answer.Chosen, found.Name)
			}
			// The second call has the other volumes in the reverse order.
			slices.Reverse(order[min(1, len(order)):])
		}
	}
	sort.Strings(answer.Chosen)
	answer.Chosen = slices.Compact(answer.Chosen)
	return answer
}
