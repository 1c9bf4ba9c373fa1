package main

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// mostRuns is how often a world is run until the answer is the recorded one. Pods that compete for a ReadWriteOncePod
// volume come from Go's maps, and some answers about them are rare: about one run in 100.
const mostRuns = 400

// TestCorpus checks that the kubelet can still give every recorded answer. The coverage report is made from this test.
func TestCorpus(t *testing.T) {
	paths, err := filepath.Glob("../../tests/conformance/mounting-*.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) == 0 {
		t.Error("no corpus")
	}
	pods := 0
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) { pods += corpus(t, path) })
	}
	if pods <= 100 {
		t.Errorf("only %d answers about pods", pods)
	}
}

// corpus checks the worlds of a file, and returns the number of recorded answers about pods.
func corpus(t *testing.T, path string) int {
	packed, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(unpacked)
	pods := 0
	for {
		var line Line
		if err := decoder.Decode(&line); errors.Is(err, io.EOF) {
			return pods
		} else if err != nil {
			t.Fatal(err)
		}
		was := text(t, line.Mounting)
		pods += len(line.Mounting.Pods)
		for run := 1; ; run++ {
			if err := answer(&line); err != nil {
				t.Fatalf("world %s: %v", line.ID, err)
			}
			is := text(t, line.Mounting)
			if is == was {
				break
			}
			if run == mostRuns {
				t.Errorf("world %s:\n     now %s\nrecorded %s", line.ID, is, was)
				break
			}
		}
	}
}

func text(t *testing.T, value any) string {
	t.Helper()
	written, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(written)
}
