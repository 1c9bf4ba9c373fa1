package main

import (
	"strings"
	"testing"
)

// TestLogs checks that the entries of the volume manager, of its operations and of its recorder are recorded, if this
// is asked for.
func TestLogs(t *testing.T) {
	if err := recordLog(); err != nil {
		t.Fatal(err)
	}
	defer func() { entries = nil }()
	files := map[string]int{}
	for index := range 20 {
		made := generateRun(11, index)
		line := &made
		if err := manage(line); err != nil {
			t.Fatal(err)
		}
		for _, entry := range line.Managing.Log {
			if entry.Logged == "" {
				continue
			}
			_, place, found := strings.Cut(entry.Logged, "0101 00:00:00.000000       1 ")
			if !found {
				t.Errorf("an entry with a time: %s", entry.Logged)
			}
			name, _, _ := strings.Cut(place, ":")
			files[name]++
		}
	}
	for _, name := range []string{
		"reconciler_common.go", "operation_generator.go", "desired_state_of_world_populator.go", "event.go",
	} {
		if files[name] == 0 {
			t.Errorf("no entry of %s: %v", name, files)
		}
	}
}
