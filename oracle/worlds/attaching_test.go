package worlds

import (
	"bytes"
	"testing"
)

// TestAttaching checks the worlds for the attach/detach controller. The same number always gives the same world, and
// the worlds contain the intended situations.
func TestAttaching(t *testing.T) {
	seen := map[string]int{}
	for index := range 300 {
		made := Attaching(testSeed, index)
		if !bytes.Equal(encode(made), encode(Attaching(testSeed, index))) {
			t.Fatalf("world %d differs", index)
		}
		names := map[string]bool{}
		for _, read := range objectsOf(t, made) {
			name := text(read, "kind") + " " + spaceOf(read) + "/" + nameOf(read)
			if names[name] {
				t.Errorf("%s: %s is twice there", made.ID, name)
			}
			names[name] = true
			seen[text(read, "kind")]++
		}
		run, last := made.Attaching, int64(0)
		if run.Until%(100*millisecond) == 0 {
			t.Errorf("%s: the run ends at the moment of a loop", made.ID)
		}
		rests := map[int64]bool{}
		for _, change := range run.Script {
			// A change never coincides with a loop of the controller, which runs every 100 ms, nor with another change.
			rest := change.At % (100 * millisecond)
			if change.At <= last || change.At >= run.Until || rest < 37*millisecond || rests[rest] {
				t.Errorf("%s: a change at %d after %d", made.ID, change.At, last)
			}
			last, rests[rest] = change.At, true
			switch {
			case change.Restart:
				seen["restart"]++
			case change.Delete != nil:
				seen["delete "+change.Delete.Kind]++
			default:
				seen["put"]++
			}
		}
		for _, tag := range made.Tags {
			seen[tag]++
		}
	}
	for what, least := range map[string]int{
		"VolumeAttachment": 200, "Pod": 400, "CSIDriver": 200, "restart": 30, "delete Pod": 80, "delete Node": 10,
		"delete VolumeAttachment": 20, "put": 300, "long": 40, "dying": 20, "refused": 40, "unknown-name": 8,
	} {
		if seen[what] < least {
			t.Errorf("%s: only %d times in 300 worlds: %v", what, seen[what], seen)
		}
	}
}
