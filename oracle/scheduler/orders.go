//go:build !k8s_1_30 && !k8s_1_32 && !k8s_1_34

package scheduler

import (
	"cmp"
	"math/rand/v2"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

const (
	// mostOrders is the largest number of orders of which all are tried.
	mostOrders = 1440
	// sampledOrders is the number of orders that are tried if there are more.
	sampledOrders = 240
)

// orderedVolumes is the store in which VolumeBinding looks for the volumes of a class. The real store answers in the
// order of Go's maps, which is random. This one makes the order a choice: by rank, and then by name.
type orderedVolumes struct {
	cache.Indexer
	rank map[string]int
	// listed are the names of volumes that were asked for together and whose order matters.
	listed map[group][]string
}

// group is what volumes have in common whose order matters. The search takes the first volume that is reserved for the
// claim, or otherwise the first of the smallest volumes that fit (FindMatchingVolume). So the order matters only among
// volumes of a class that are reserved for the same claim, or that are free and have the same capacity.
type group struct {
	class, namespace, claim string
	capacity                int64
}

func (s *orderedVolumes) ByIndex(index, class string) ([]any, error) {
	found, err := s.Indexer.ByIndex(index, class)
	name := func(each any) string { return each.(*v1.PersistentVolume).Name }
	slices.SortFunc(found, func(a, b any) int {
		return cmp.Or(cmp.Compare(s.rank[name(a)], s.rank[name(b)]), cmp.Compare(name(a), name(b)))
	})
	if s.listed != nil {
		groups := map[group][]string{}
		for _, each := range found {
			volume := each.(*v1.PersistentVolume)
			alike := group{class: class}
			if reference := volume.Spec.ClaimRef; reference != nil {
				alike.namespace, alike.claim = reference.Namespace, reference.Name
			} else {
				alike.capacity = volume.Spec.Capacity.Storage().Value()
			}
			groups[alike] = append(groups[alike], volume.Name)
		}
		for alike, names := range groups {
			s.listed[alike] = names
		}
	}
	return found, err
}

// eachOrder calls try for the order by name first, and then for every other order that matters of the volumes that the
// first call asked for. If there are too many, it calls it for a sample that is always the same. It returns the number
// of orders, and whether they are a sample.
func (s *orderedVolumes) eachOrder(try func()) (int, bool) {
	s.rank, s.listed = map[string]int{}, map[group][]string{}
	try()
	var groups [][]string
	total := 1
	for _, names := range s.listed {
		if len(names) > 1 {
			groups = append(groups, names)
		}
		for factor := 2; factor <= len(names) && total <= mostOrders; factor++ {
			total *= factor
		}
	}
	s.listed = nil
	slices.SortFunc(groups, slices.Compare)
	random, count, sampled := rand.New(rand.NewPCG(1, 2)), total, total > mostOrders
	if sampled {
		count = sampledOrders
	}
	for number := 1; number < count; number++ {
		rest := number
		for _, names := range groups {
			places := []int{}
			if places, rest = permutation(len(names), rest); sampled {
				places = random.Perm(len(names))
			}
			for place, from := range places {
				s.rank[names[from]] = place
			}
		}
		try()
	}
	return count, sampled
}

// permutation returns the permutation of count places with this number, and what is left of the number for others.
func permutation(count, number int) ([]int, int) {
	left := make([]int, count)
	for place := range left {
		left[place] = place
	}
	made := make([]int, 0, count)
	for size := count; size > 0; size-- {
		chosen := number % size
		number /= size
		made = append(made, left[chosen])
		left = slices.Delete(left, chosen, chosen+1)
	}
	return made, number
}
