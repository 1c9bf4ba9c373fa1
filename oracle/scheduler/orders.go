package scheduler

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"k8s.io/client-go/tools/cache"
	volumehelpers "k8s.io/component-helpers/storage/volume"
)

const (
	// mostOrders is the largest number of orders for which all orders are tried.
	mostOrders = 1440
	// sampledOrders is the number of orders that are tried if there are more than mostOrders.
	sampledOrders = 240
)

// orderedVolumes is the store in which VolumeBinding searches for the volumes of a class. The real store returns them
// in the order of Go's maps, which is random. This store returns them in a chosen order: by rank, and then by name.
type orderedVolumes struct {
	cache.Indexer
	rank map[string]int
	// listed are the names of the volumes that were returned together and whose order matters, by group.
	listed map[group][]string
}

// group is what several volumes have in common if their order matters. FindMatchingVolume takes the first volume that is
// reserved for the claim. If there is none, it takes the first of the smallest free volumes that fit. So the order
// matters only among volumes of a class that are reserved for the same claim, or that are free and have the same
// capacity.
type group struct {
	class, namespace, claim string
	capacity                int64
}

func (s *orderedVolumes) ByIndex(index, class string) ([]any, error) {
	found, err := s.Indexer.ByIndex(index, class)
	return s.ordered(found), err
}

// Index replaces the method that the scheduler calls before 1.36.
func (s *orderedVolumes) Index(index string, object any) ([]any, error) {
	found, err := s.Indexer.Index(index, object)
	return s.ordered(found), err
}

// ordered sorts the volumes of one class into the chosen order.
func (s *orderedVolumes) ordered(found []any) []any {
	slices.SortFunc(found, func(a, b any) int {
		first, second := volumeIn(a).Name, volumeIn(b).Name
		return cmp.Or(cmp.Compare(s.rank[first], s.rank[second]), cmp.Compare(first, second))
	})
	if s.listed == nil {
		return found
	}
	groups := map[group][]string{}
	for _, each := range found {
		volume := volumeIn(each)
		alike := group{class: volumehelpers.GetPersistentVolumeClass(volume)}
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
	return found
}

// eachOrder calls try first with the volumes in the order of their names. Then it calls try for every other order that
// matters. Only the order of the volumes that the first call has listed matters. If there are too many orders, it calls
// try for a sample of them, which is always the same. It returns the number of orders, and whether they are a sample.
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

// permutation returns the permutation of count places with this number. It also returns the rest of the number, which
// selects the permutations of other groups.
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
