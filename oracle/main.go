// Command oracle runs the real volume controllers of Kubernetes and records what they do.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"

	"pvctl.dev/oracle/attaching"
	"pvctl.dev/oracle/judge"
	"pvctl.dev/oracle/line"
	"pvctl.dev/oracle/scheduler"
	"pvctl.dev/oracle/upstream"
	"pvctl.dev/oracle/worlds"
)

const usage = `usage: oracle COMMAND [flags]

  worlds  --seed S --count N [--start I] [--cases=false]  random worlds, one on each line. --contended: with free volumes and waiting claims;
                                                          --grouped: with groups of similar objects, and with provisioned volumes;
                                                          --host-path: in which the controller provisions;
                                                          --ephemeral: with pods that have ephemeral volumes;
                                                          --scheduling: with pods that the scheduler has to schedule;
                                                          --pods: with few pods that compete for nodes and volumes;
                                                          --attaching: with volumes that are attached to nodes;
                                                          --attaching-ends: the same, until nothing new happens;
                                                          --attaching-every-end: small worlds, and all their ends
  decide  [--controllers WHO] [--logs]                    what one sync of each object does; --logs: and what it logs at -v=5
  settle  [--controllers WHO] [--seed S]                  where everything can end, under at least --schedules N of each kind,
                                                          until --quiet N in a row bring nothing new, at most --most N;
                                                          --scheduler: where pods end, too, if kube-scheduler takes part
  follow  [--controllers WHO] [--scheduler]               whether given schedules lead to their ends
  match                                                   FindMatchingVolume for each unbound claim
  schedule                                                what kube-scheduler says about each pod without a node
  attach  [--logs]                                        what the attach/detach controller does over some minutes;
                                                          --logs: and what it logs at -v=5
  gates                                                   the feature gates, and how they can be set
  upstream [--left-out FILE] [--module DIR]               the tables of upstream's own tests; DIR has the oracle's go.mod

WHO selects the controllers that take part: binder, protection (which adds the two protection controllers) or all (which also
adds the ephemeral-volume controller). decide, settle, follow, match, schedule and upstream also have the flag
--gates NAME=BOOL,...: the feature gates that differ from their defaults. All commands except worlds and upstream read lines on
stdin. With --workers N they answer N lines at the same time (gates always answers one at a time). README.md describes the
lines.
`

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "oracle:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 {
		fmt.Fprint(os.Stderr, usage)
		return errors.New("no command given")
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	workers := flags.Int("workers", runtime.NumCPU(), "how many worlds are answered at the same time")
	gates := flags.String("gates", "", "feature gates that differ from their defaults, as NAME=BOOL,...")
	switch args[0] {
	case "decide":
		logs := flags.Bool("logs", false, "also record what the controllers log at -v=5")
		who, err := parse(flags, args[1:])
		if err != nil {
			return err
		}
		create := func() (*judge.Judge, error) {
			j, err := judge.New()
			if err == nil && *logs {
				j.Logged()
			}
			return j, err
		}
		return eachBy(os.Stdin, os.Stdout, *workers, *gates, create, func(j *judge.Judge, l *line.Line) error { return j.Decide(l, who) })
	case "follow":
		create := withScheduler(flags)
		who, err := parse(flags, args[1:])
		if err != nil {
			return err
		}
		return eachBy(os.Stdin, os.Stdout, *workers, *gates, create, func(j *judge.Judge, l *line.Line) error { return j.Follow(l, who) })
	case "match":
		if err := flags.Parse(args[1:]); err != nil {
			return err
		}
		return each(os.Stdin, os.Stdout, *workers, *gates, (*judge.Judge).Match)
	case "schedule":
		if err := flags.Parse(args[1:]); err != nil {
			return err
		}
		return eachBy(os.Stdin, os.Stdout, *workers, *gates, scheduler.New, (*scheduler.Scheduler).Schedule)
	case "attach":
		logs := flags.Bool("logs", false, "also record what the controller logs at -v=5, one line at a time")
		if err := flags.Parse(args[1:]); err != nil {
			return err
		}
		create := func() (*attaching.Runner, error) {
			r, err := attaching.New()
			if err == nil && *logs {
				r.Logged()
			}
			return r, err
		}
		return eachBy(os.Stdin, os.Stdout, *workers, *gates, create, (*attaching.Runner).Attach)
	case "gates":
		if err := flags.Parse(args[1:]); err != nil {
			return err
		}
		return each(os.Stdin, os.Stdout, 1, "", (*judge.Judge).Features)
	case "worlds":
		seed := flags.Uint64("seed", 1, "the seed")
		count := flags.Int("count", 1, "how many worlds")
		start := flags.Int("start", 0, "the index of the first world")
		cases := flags.Bool("cases", true, "also propose cases, which the command decide answers")
		contended := flags.Bool("contended", false, "free volumes and waiting claims that differ in size")
		grouped := flags.Bool("grouped", false, "groups of similar objects, and hostPath volumes that are provisioned")
		hostPath := flags.Bool("host-path", false, "worlds with --enable-hostpath-provisioner, in which the controller itself creates volumes")
		ephemeral := flags.Bool("ephemeral", false, "pods with generic ephemeral volumes, and claims that are made for them")
		scheduling := flags.Bool("scheduling", false, "nodes, pods, volumes and claims that the scheduler compares")
		pods := flags.Bool("pods", false, "few pods that compete for nodes and volumes")
		attachments := flags.Bool("attaching", false, "volumes that are attached to nodes, and changes over some minutes")
		attachmentEnds := flags.Bool("attaching-ends", false, "the same without changes by others, until nothing new happens")
		everyEnd := flags.Bool("attaching-every-end", false, "small worlds, and how they end under all choices of the attachers")
		if err := flags.Parse(args[1:]); err != nil {
			return err
		}
		generate, kinds := worlds.Generate, 0
		for _, kind := range []struct {
			wanted   bool
			generate func(uint64, int) line.Line
		}{
			{*contended, worlds.Contended}, {*grouped, worlds.Grouped}, {*hostPath, worlds.HostPath}, {*ephemeral, worlds.Ephemeral},
			{*scheduling, worlds.Scheduling}, {*pods, worlds.Pods}, {*attachments, worlds.Attaching},
			{*attachmentEnds, worlds.AttachingEnds}, {*everyEnd, worlds.AttachingEveryEnd},
		} {
			if kind.wanted {
				generate = kind.generate
				kinds++
			}
		}
		if kinds > 1 {
			return errors.New("a world is made with one of --contended, --grouped, --host-path, --ephemeral, --scheduling, --pods, --attaching, --attaching-ends and --attaching-every-end, not with several")
		}
		writer := bufio.NewWriterSize(os.Stdout, 1<<20)
		for index := *start; index < *start+*count; index++ {
			world := generate(*seed, index)
			if !*cases {
				world.Cases = nil
			}
			if err := encode(writer, &world); err != nil {
				return err
			}
		}
		return writer.Flush()
	case "upstream":
		module := flags.String("module", ".", "the directory of the oracle's module")
		left := flags.String("left-out", "", "the file that lists the cases without a line")
		if err := flags.Parse(args[1:]); err != nil {
			return err
		}
		return tables(*module, *left, *gates)
	case "settle":
		schedules := flags.Int("schedules", 32, "the smallest number of schedules of each kind")
		quiet := flags.Int("quiet", 16, "how many schedules in a row must reach no new state")
		most := flags.Int("most", 256, "the largest number of schedules of each kind")
		seed := flags.Uint64("seed", 1, "the seed of the schedules")
		create := withScheduler(flags)
		who, err := parse(flags, args[1:])
		if err != nil {
			return err
		}
		how := judge.Settling{Who: who, Schedules: *schedules, Quiet: *quiet, Most: max(*most, *schedules), Seed: *seed}
		return eachBy(os.Stdin, os.Stdout, *workers, *gates, create, func(j *judge.Judge, l *line.Line) error { return j.Settle(l, how) })
	}
	fmt.Fprint(os.Stderr, usage)
	return fmt.Errorf("unknown command %q", args[0])
}

// tables answers the cases of upstream's test tables with these feature gates and writes them as lines to stdout. It
// lists the cases without a line in the file path, if path is not empty.
func tables(module, path, gates string) error {
	set, err := judge.SetGates(gates)
	if err != nil {
		return err
	}
	tables, err := upstream.Read(module)
	if err != nil {
		return err
	}
	lines, left, wrong := tables.Answer(set)
	writer := bufio.NewWriterSize(os.Stdout, 1<<20)
	for i := range lines {
		if err := encode(writer, &lines[i]); err != nil {
			return err
		}
	}
	if err := writer.Flush(); err != nil {
		return err
	}
	if path != "" {
		var text bytes.Buffer
		fmt.Fprintf(&text, "Of the test tables of Kubernetes %s, these cases have no line, by reason.\n", judge.Version)
		var reasons []string
		names := map[string][]string{}
		for _, one := range left {
			if names[one.Reason] == nil {
				reasons = append(reasons, one.Reason)
			}
			names[one.Reason] = append(names[one.Reason], one.Name)
		}
		for _, reason := range reasons {
			fmt.Fprintf(&text, "\n%s:\n    %s\n", reason, strings.Join(names[reason], "\n    "))
		}
		if err := os.WriteFile(path, text.Bytes(), 0o644); err != nil {
			return err
		}
	}
	fmt.Fprintf(os.Stderr, "oracle: %d cases, %d left out\n", len(lines), len(left))
	return wrong
}

// parse parses the flags and returns the controllers that take part.
func parse(flags *flag.FlagSet, args []string) (judge.Controllers, error) {
	controllers := flags.String("controllers", "binder",
		"the controllers that take part: binder, protection (adds the two protection controllers) or all (also adds the ephemeral-volume controller)")
	if err := flags.Parse(args); err != nil {
		return 0, err
	}
	who, ok := map[string]judge.Controllers{"binder": judge.Binder, "protection": judge.Protection, "all": judge.All}[*controllers]
	if !ok {
		return 0, fmt.Errorf("--controllers is %q; it can be binder, protection or all", *controllers)
	}
	return who, nil
}

// withScheduler defines the flag --scheduler. It returns what makes a judge, with kube-scheduler if the flag is given.
func withScheduler(flags *flag.FlagSet) func() (*judge.Judge, error) {
	wanted := flags.Bool("scheduler", false, "kube-scheduler takes part, and the pods have ends")
	return func() (*judge.Judge, error) {
		j, err := judge.New()
		if err == nil && *wanted {
			j.Pods, err = scheduler.NewActor()
		}
		return j, err
	}
}

// each answers the lines of in with judges.
func each(in io.Reader, out io.Writer, workers int, gates string, answer func(*judge.Judge, *line.Line) error) error {
	return eachBy(in, out, workers, gates, judge.New, answer)
}

// eachBy answers every line of in with one of several answerers, one for each worker. It writes the lines to out in the
// same order. All lines are answered with the same feature gates, because a process has only one set of them.
func eachBy[A any](
	in io.Reader, out io.Writer, workers int, gates string, create func() (A, error), answer func(A, *line.Line) error,
) error {
	set, err := judge.SetGates(gates)
	if err != nil {
		return err
	}
	type task struct {
		line line.Line
		done chan error
		text bytes.Buffer
	}
	todo, order := make(chan *task), make(chan *task, 64)
	var wait sync.WaitGroup
	for range workers {
		one, err := create()
		if err != nil {
			return err
		}
		wait.Go(func() {
			for t := range todo {
				err := safely(func() error { return answer(one, &t.line) })
				if err == nil {
					err = encode(&t.text, &t.line)
				}
				t.done <- err
			}
		})
	}
	var failed error
	go func() {
		failed = line.Each(in, func(l *line.Line) error {
			t := &task{line: *l, done: make(chan error, 1)}
			t.line.Gates = set
			order <- t
			todo <- t
			return nil
		})
		close(todo)
		wait.Wait()
		close(order)
	}()
	writer := bufio.NewWriterSize(out, 1<<20)
	for t := range order {
		if err := <-t.done; err != nil {
			return fmt.Errorf("world %s: %w", t.line.ID, err)
		}
		if _, err := t.text.WriteTo(writer); err != nil {
			return err
		}
		if len(order) == 0 {
			if err := writer.Flush(); err != nil {
				return err
			}
		}
	}
	if failed != nil {
		return failed
	}
	return writer.Flush()
}

// safely calls answer. It returns a panic as an error, so that the caller can name the world that caused it.
func safely(answer func() error) (err error) {
	defer func() {
		if ended := recover(); ended != nil {
			err = fmt.Errorf("panic: %v\n%s", ended, debug.Stack())
		}
	}()
	return answer()
}

// encode writes a line without escapes for HTML.
func encode(out io.Writer, l *line.Line) error {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(l)
}
