package attaching

import (
	"math/rand/v2"
	"testing"

	storagev1 "k8s.io/api/storage/v1"
)

// TestEachChoice checks that all combinations are tried, also if the order of the jobs is not fixed.
func TestEachChoice(t *testing.T) {
	tried := map[[3]string]bool{}
	few, err := each(func(now *choices) error {
		seen := func(name string) string {
			attachment := &storagev1.VolumeAttachment{}
			attachment.Name, attachment.UID = name, "1"
			way := now.next(attachment, false)
			switch {
			case way.Absent:
				return "absent"
			case way.AttachError != "":
				return "fails"
			case way.Attach == late:
				return "late"
			}
			return "soon"
		}
		names := []string{"a", "b"}
		rand.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		got := map[string]string{names[0]: seen(names[0]), names[1]: seen(names[1])}
		// The third job begins only if the first one ends at once.
		if got["a"] == "soon" {
			got["c"] = seen("c")
		}
		tried[[3]string{got["a"], got["b"], got["c"]}] = true
		return nil
	})
	if err != nil || !few {
		t.Fatal(few, err)
	}
	if want := 3*4 + 4*4; len(tried) != want {
		t.Errorf("%d combinations and not %d", len(tried), want)
	}
}
