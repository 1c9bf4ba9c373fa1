// Command kubelet runs the real volume manager of the kubelet, and records what it does with the pods of a node.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
)

const usage = `usage: kubelet COMMAND [flags]

  worlds    --seed S --count N [--start I] [--runs]   random worlds, one on each line
  mount                                               what becomes of the volumes of each pod of a node
  manage [--repeatable] [--logs]                      what the kubelet does in a run; --logs: and what it logs at -v=5

With --repeatable, runs are left out that depend much on the order of Go's maps. mount and manage read lines on stdin.
They have the flag --gates like the commands of the oracle, but the flag must be empty. line.go describes the lines.
`

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "kubelet:", err)
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
	runs := flags.Bool("runs", false, "worlds for manage")
	repeatable := flags.Bool("repeatable", false, "only runs that one of eight further runs repeats")
	logs := flags.Bool("logs", false, "also record what the kubelet logs at -v=5")
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
			made := generate
			if *runs {
				made = generateRun
			}
			if err := encoder.Encode(made(*seed, index)); err != nil {
				return err
			}
		}
	case (args[0] == "mount" || args[0] == "manage") && *gates == "":
		// The logs of the libraries are not part of an answer.
		klog.SetLogger(logr.Discard())
		if *logs {
			if err := recordLog(); err != nil {
				return err
			}
		}
		answer := map[string]func(*Line) (bool, error){"mount": answerAlways, "manage": manageAlways}[args[0]]
		if *repeatable {
			answer = manageRepeatable
		}
		if err := answerAll(os.Stdin, encoder, answer); err != nil {
			return err
		}
	default:
		return fmt.Errorf("%s: no such command, or --gates is not empty", args[0])
	}
	return out.Flush()
}

func answerAlways(line *Line) (bool, error) { return true, answer(line) }
func manageAlways(line *Line) (bool, error) { return true, manage(line) }

// answerAll answers the lines. answer returns false if it leaves out the line.
func answerAll(in io.Reader, out *json.Encoder, answer func(*Line) (bool, error)) error {
	decoder := json.NewDecoder(in)
	for {
		var line Line
		if err := decoder.Decode(&line); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		isAnswered, err := answer(&line)
		if err != nil {
			return fmt.Errorf("world %s: %w", line.ID, err)
		}
		if !isAnswered {
			continue
		}
		if err := out.Encode(line); err != nil {
			return err
		}
	}
}
