package main

import "testing"

// TestOneKindOfWorlds checks that flags for several kinds of worlds are refused.
func TestOneKindOfWorlds(t *testing.T) {
	for _, flags := range [][]string{
		{"--contended", "--grouped"}, {"--contended", "--host-path"}, {"--grouped", "--host-path"}, {"--ephemeral", "--contended"},
		{"--ephemeral", "--host-path"}, {"--contended", "--grouped", "--host-path", "--ephemeral"}, {"--scheduling", "--ephemeral"}, {"--pods", "--scheduling"}, {"--attaching", "--pods"}, {"--attaching", "--attaching-ends"}, {"--attaching-every-end", "--attaching"},
	} {
		const want = "a world is made with one of --contended, --grouped, --host-path, --ephemeral, --scheduling, --pods, --attaching, --attaching-ends and --attaching-every-end, not with several"
		if err := run(append([]string{"worlds", "--count", "0"}, flags...)); err == nil || err.Error() != want {
			t.Errorf("%q: %v", flags, err)
		}
	}
	for _, flag := range []string{"--contended", "--grouped", "--host-path", "--ephemeral", "--scheduling", "--pods", "--attaching", "--attaching-ends", "--attaching-every-end"} {
		if err := run([]string{"worlds", "--count", "0", flag}); err != nil {
			t.Errorf("%s: %v", flag, err)
		}
	}
}
