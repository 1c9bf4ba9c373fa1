// Command shared_volume runs the real shared-volume controller of StorageOS, and records what it does with each Volume.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

const usage = `usage: shared_volume COMMAND [flags]

  worlds    --seed S --count N [--start I]   random worlds, one on each line
  sync                                       what the controller does in each turn

sync reads lines on stdin. It has the flag --gates like the commands of the oracle, but the flag must be empty. line.go
describes the lines.
`

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "shared_volume:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 {
		fmt.Fprint(os.Stderr, usage)
		return errors.New("no command given")
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	seed := flags.Uint64("seed", 1, "the seed of the random worlds")
	count := flags.Int("count", 100, "the number of worlds")
	first := flags.Int("start", 0, "the number of the first world")
	gates := flags.String("gates", "", "feature gates; must be empty")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	switch {
	case args[0] == "worlds":
		for index := *first; index < *first+*count; index++ {
			if err := encoder.Encode(generate(*seed, index)); err != nil {
				return err
			}
		}
	case args[0] == "sync" && *gates == "":
		if err := answerAll(os.Stdin, encoder); err != nil {
			return err
		}
	default:
		return fmt.Errorf("%s: no such command, or --gates is not empty", args[0])
	}
	return out.Flush()
}

func answerAll(in io.Reader, out *json.Encoder) error {
	decoder := json.NewDecoder(in)
	for {
		var line Line
		if err := decoder.Decode(&line); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if err := answer(&line); err != nil {
			return fmt.Errorf("world %s: %w", line.ID, err)
		}
		if err := out.Encode(line); err != nil {
			return err
		}
	}
}
