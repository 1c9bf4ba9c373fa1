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

// TestCorpus checks that the controller still gives every recorded answer. The coverage report is made from this test.
func TestCorpus(t *testing.T) {
	paths, err := filepath.Glob("../../tests/conformance/shared-volume-*.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) == 0 {
		t.Error("no corpus")
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) { corpus(t, path) })
	}
}

func corpus(t *testing.T, path string) {
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
	syncs := 0
	for {
		var line Line
		if err := decoder.Decode(&line); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		was := string(written(line.Share))
		for _, turn := range line.Share.Answers {
			syncs += len(turn.Syncs)
		}
		if err := answer(&line); err != nil {
			t.Fatalf("world %s: %v", line.ID, err)
		}
		if is := string(written(line.Share)); is != was {
			t.Errorf("world %s:\n     now %s\nrecorded %s", line.ID, is, was)
		}
	}
	if syncs == 0 {
		t.Errorf("no answers in %s", path)
	}
}
