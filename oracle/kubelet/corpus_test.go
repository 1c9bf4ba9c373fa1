package main

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"testing"
)

// mostRuns is how often a world is run until the answer is the recorded one. Pods that compete for a ReadWriteOncePod
// volume come from Go's maps, and some answers about them are rare: about one run in 100.
const mostRuns = 400

// TestCorpus checks that the kubelet can still give every recorded answer. The coverage report is made from this test.
func TestCorpus(t *testing.T) {
	for _, each := range []struct {
		name   string
		answer func(*Line) error
		// of returns what is recorded, as a text, and the number of answers about pods or of entries of the log.
		of func(*testing.T, *Line) (string, int)
	}{
		{"mounting", answer, func(t *testing.T, line *Line) (string, int) {
			return text(t, line.Mounting), len(line.Mounting.Pods)
		}},
		{"managing", manage, func(t *testing.T, line *Line) (string, int) {
			return sortedLog(line.Managing.Log), len(line.Managing.Log)
		}},
	} {
		t.Run(each.name, func(t *testing.T) {
			number := corpus(t, "../../tests/conformance/"+each.name+"-1.36.3.jsonl.gz", each.answer, each.of)
			if number <= 100 {
				t.Errorf("only %d answers", number)
			}
		})
	}
}

// corpus checks the worlds of a file, and returns the number of recorded answers.
func corpus(
	t *testing.T, path string, answer func(*Line) error, of func(*testing.T, *Line) (string, int),
) int {
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
	number := 0
	for {
		var line Line
		if err := decoder.Decode(&line); errors.Is(err, io.EOF) {
			return number
		} else if err != nil {
			t.Fatal(err)
		}
		was, answers := of(t, &line)
		number += answers
		for run := 1; ; run++ {
			if err := answer(&line); err != nil {
				t.Fatalf("world %s: %v", line.ID, err)
			}
			is, _ := of(t, &line)
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
