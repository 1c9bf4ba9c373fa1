package judge

import (
	"fmt"
	"slices"
	"sort"
	"strings"
)

// endings collects the end states of each object, and the joint end states of all objects.
type endings struct {
	each  []map[string]bool
	joint map[string][]string
}

func newEndings(objects int) *endings {
	e := &endings{each: make([]map[string]bool, objects), joint: map[string][]string{}}
	for i := range e.each {
		e.each[i] = map[string]bool{}
	}
	return e
}

// add adds a joint state and returns true if it is new.
func (e *endings) add(state []string) bool {
	name := fmt.Sprint(state)
	if _, known := e.joint[name]; known {
		return false
	}
	e.joint[name] = state
	for i, text := range state {
		e.each[i][text] = true
	}
	return true
}

func (e *endings) sorted() [][]string {
	result := make([][]string, len(e.each))
	for i, texts := range e.each {
		result[i] = keys(texts)
	}
	return result
}

// beyond returns the end states of one object that the other collection does not contain.
func (e *endings) beyond(i int, other *endings) []string {
	rest := map[string]bool{}
	for text := range e.each[i] {
		if !other.each[i][text] {
			rest[text] = true
		}
	}
	return keys(rest)
}

// exceeds returns whether some object has an end state in e that the other collection does not contain.
func (e *endings) exceeds(other *endings) bool {
	for i := range e.each {
		for text := range e.each[i] {
			if !other.each[i][text] {
				return true
			}
		}
	}
	return false
}

// made returns whether an object that the world does not contain exists in some end state.
func (e *endings) made(i int) bool {
	for text := range e.each[i] {
		if strings.Contains(text, `"created":true`) {
			return true
		}
	}
	return false
}

// indexes returns the joint states of the objects at places. A joint state is a list of indexes into ends, which has
// the sorted states of each object.
func (e *endings) indexes(ends [][]string, places []int) [][]int {
	if len(e.joint) > 64 {
		return nil
	}
	result := make([][]int, 0, len(e.joint))
	for _, state := range e.joint {
		row := make([]int, len(places))
		for n, i := range places {
			row[n] = slices.Index(ends[i], state[i])
		}
		result = append(result, row)
	}
	sort.Slice(result, func(a, b int) bool { return slices.Compare(result[a], result[b]) < 0 })
	return result
}

func keys(set map[string]bool) []string {
	result := make([]string, 0, len(set))
	for key := range set {
		result = append(result, key)
	}
	sort.Strings(result)
	return result
}

// state returns the state of every object as JSON text.
func (s *schedule) state(unsettled bool) []string {
	return texts(s.ends(), unsettled)
}

// texts returns the ends as JSON texts.
func texts(ends []end, unsettled bool) []string {
	result := make([]string, 0, len(ends))
	for _, one := range ends {
		one.Unsettled = unsettled
		result = append(result, string(encode(one)))
	}
	return result
}

// ends returns the state of every object. The states of pods are empty.
func (s *schedule) ends() []end {
	a := s.judge.api
	result := make([]end, 0, len(s.objects))
	for _, object := range s.objects {
		end := end{}
		if object.Kind == podKind {
			result = append(result, end)
			continue
		}
		if object.Kind == "PersistentVolume" {
			if volume, ok := a.volumes.stored[key(object)]; ok {
				end.Phase = string(volume.Status.Phase)
				end.Terminating = volume.DeletionTimestamp != nil
				end.Finalizers = volume.Finalizers
				if ref := volume.Spec.ClaimRef; ref != nil {
					end.ClaimRef = &claimRef{Namespace: ref.Namespace, Name: ref.Name, UID: unnumbered(string(ref.UID))}
				}
			} else {
				end.Gone = true
			}
		} else if claim, ok := a.claims.stored[key(object)]; ok {
			end.Phase, end.VolumeName = string(claim.Status.Phase), unnumbered(claim.Spec.VolumeName)
			end.Created = strings.HasPrefix(string(claim.UID), createdUID)
			end.Terminating = claim.DeletionTimestamp != nil
			end.Finalizers = claim.Finalizers
		} else {
			end.Gone = true
		}
		if !end.Terminating {
			end.Finalizers = nil
		}
		result = append(result, end)
	}
	return result
}

// end is an end state of one object.
type end struct {
	ClaimRef    *claimRef `json:"claimRef,omitempty"`
	Created     bool      `json:"created,omitempty"`
	Finalizers  []string  `json:"finalizers,omitempty"`
	Gone        bool      `json:"gone,omitempty"`
	Phase       string    `json:"phase,omitempty"`
	Terminating bool      `json:"terminating,omitempty"`
	Unsettled   bool      `json:"unsettled,omitempty"`
	VolumeName  string    `json:"volumeName,omitempty"`
	// Place is the end state of a pod.
	Place
}

// unnumbered replaces the uid of a created claim, because the uid depends on the number of earlier writes.
func unnumbered(text string) string {
	before, number, created := strings.Cut(text, createdUID)
	if !created {
		return text
	}
	return before + "<created>" + strings.TrimLeft(number, "0123456789")
}

type claimRef struct {
	Name      string `json:"name,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	UID       string `json:"uid,omitempty"`
}
