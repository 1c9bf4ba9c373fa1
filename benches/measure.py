#!/usr/bin/env python3
"""Runs two commands alternately, and prints their time and memory. benches/run calls this program. Unix only."""
import argparse
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections import namedtuple

Run = namedtuple("Run", "wall cpu peak")
# ru_maxrss counts KiB on Linux and bytes on macOS.
RSS_UNIT = 1 if sys.platform == "darwin" else 1024
MIB = 1024 * 1024


def run(command, expected=frozenset({0})):
    """Runs one process and discards its output. The process has to end with one of the expected exit codes. Returns seconds of wall clock, seconds of all cores, and bytes at the peak."""
    with tempfile.TemporaryFile() as errors:
        null = os.open(os.devnull, os.O_WRONLY)
        start = time.perf_counter()
        child = os.posix_spawn(
            command[0], command, os.environ,
            file_actions=[(os.POSIX_SPAWN_DUP2, null, 1), (os.POSIX_SPAWN_DUP2, errors.fileno(), 2)],
        )
        _, status, usage = os.wait4(child, 0)
        wall = time.perf_counter() - start
        os.close(null)
        if os.waitstatus_to_exitcode(status) not in expected:
            errors.seek(0)
            sys.stderr.write(errors.read().decode(errors="replace"))
            sys.exit(f"benches: `{' '.join(command)}` ended with exit code {os.waitstatus_to_exitcode(status)}")
    return Run(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * RSS_UNIT)


def in_turns(first, second, pairs, expected=frozenset({0})):
    """Runs A B A B … after one warm-up of each command. A short slowdown of the machine then affects both commands.
    `expected` has the exit codes that the first command can have."""
    run(first, expected), run(second)
    both = [(run(first, expected), run(second)) for _ in range(pairs)]
    return [a for a, _ in both], [b for _, b in both]


def seconds(values):
    return "min {:8.4f}  median {:8.4f}  max {:8.4f} s".format(min(values), statistics.median(values), max(values))


def show(name, runs):
    print(f"  {name:<10} wall   {seconds([r.wall for r in runs])}")
    print(f"  {'':<10} cpu    {seconds([r.cpu for r in runs])}")
    peaks = [r.peak / MIB for r in runs]
    print("  {:<10} memory min {:8.1f}  median {:8.1f}  max {:8.1f} MiB".format(
        "", min(peaks), statistics.median(peaks), max(peaks)))


def median(runs, field):
    return statistics.median(getattr(r, field) for r in runs)


class Targets:
    """Compares each measured figure with its aim and its limit."""

    def __init__(self):
        self.missed = []

    def judge(self, what, value, aim=None, must=None, unit="×"):
        if must is not None and value > must:
            self.missed.append(what)
            word = f"EXCEEDS THE LIMIT ({must} {unit})"
        elif aim is not None and value > aim:
            word = f"within the limit (aim {aim}, limit {must} {unit})"
        elif must is not None:
            word = f"good ({'aim' if aim is not None else 'limit'} {aim if aim is not None else must} {unit})"
        else:
            word = "no target"
        print(f"  → {what}: {value:.2f} {unit}, {word}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pvctl", required=True)
    parser.add_argument("--slimparse", required=True)
    parser.add_argument("--inputs", required=True)
    parser.add_argument("--small", type=int, required=True)
    parser.add_argument("--large", type=int, required=True)
    parser.add_argument("--pairs", type=int, required=True)
    parser.add_argument("--skip", default="")
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    skip = set(filter(None, args.skip.split(",")))
    targets = Targets()
    medians = {}

    def compare(name, file, aim=None, must=None):
        path = os.path.join(args.inputs, file)
        size = os.path.getsize(path)
        print(f"\n{name}: {file}, {size / MIB:.0f} MiB, {args.pairs} pairs")
        ours, parse = in_turns(
            [args.pvctl, "predict", "-o", "json", "-f", path], [args.slimparse, path], args.pairs)
        show("predict", ours)
        show("slimparse", parse)
        medians[name] = median(ours, "wall"), median(parse, "wall")
        targets.judge(f"{name}, wall clock compared with the baseline", median(ours, "wall") / median(parse, "wall"), aim, must)
        targets.judge(f"{name}, processor time compared with the baseline", median(ours, "cpu") / median(parse, "cpu"))
        return median(ours, "peak") / size

    memory = None
    if "mixed-small" not in skip:
        compare("mixed-small", f"mixed-{args.small}.json")
    if "mixed-large" not in skip:
        memory = compare("mixed-large", f"mixed-{args.large}.json", aim=1.0, must=1.5)
        targets.judge("mixed-large, peak memory compared with the size of the file", memory, aim=1.0, must=2.0)
    if "contended" not in skip:
        compare("contended", f"contended-{args.small}.json", aim=2.0, must=3.0)
    if "audit" not in skip:
        for size in sorted({args.small, args.large}):
            path = os.path.join(args.inputs, f"mixed-{size}.json")
            print(f"\naudit: mixed-{size}.json, {args.pairs} pairs, compared with predict of the same file")
            audit, predict = in_turns(
                [args.pvctl, "audit", "--exit-zero", "-o", "json", "-f", path],
                [args.pvctl, "predict", "-o", "json", "-f", path], args.pairs)
            show("audit", audit)
            show("predict", predict)
            ratio = median(audit, "wall") / median(predict, "wall")
            targets.judge(f"audit of mixed-{size}, wall clock compared with predict", ratio, aim=1.0, must=1.3)
    if "scheduling" not in skip:
        pods = 2 * args.small
        path = os.path.join(args.inputs, f"scheduling-{pods}.json")
        size = os.path.getsize(path)
        # The input has none of these objects.
        complete = "--assume-complete=pods,volumeattachments,csidrivers,csistoragecapacities"
        print(f"\nscheduling: {os.path.basename(path)}, {size / MIB:.0f} MiB, {args.pairs} pairs")
        for name, verb, must in [
            ("predict", ["predict", "--pods"], 3.0),
            ("explain pod", ["explain", "-n", "ns-001", "pod/app-000001-0"], 1.2),
        ]:
            # 3: the ends of some pods are unknown, because too many pods wait for the same nodes.
            ours, parse = in_turns(
                [args.pvctl, *verb, complete, "-o", "json", "-f", path], [args.slimparse, path], args.pairs, {0, 3})
            show(name, ours)
            show("slimparse", parse)
            ratio = median(ours, "wall") / median(parse, "wall")
            targets.judge(f"{name} with pods and nodes, wall clock compared with the baseline", ratio, must=must)
            targets.judge(f"{name} with pods and nodes, peak memory compared with the size of the file", median(ours, "peak") / size, must=1.0)
    if "attaching" not in skip:
        volumes = 2 * args.small
        path = os.path.join(args.inputs, f"attaching-{volumes}.json")
        size = os.path.getsize(path)
        complete = "--assume-complete=pods,nodes,pv,pvc,sc,volumeattachments,csidrivers,csinodes"
        print(f"\nattaching: {os.path.basename(path)}, {size / MIB:.0f} MiB, {args.pairs} pairs")
        for name, verb in [
            ("explain pod", ["explain", "-n", "ns-001", "pod/new-000001"]),
            ("explain node", ["explain", "node/node-2"]),
            ("predict --attachments", ["predict", "-A", "--attachments"]),
        ]:
            ours, parse = in_turns(
                [args.pvctl, *verb, complete, "-o", "json", "-f", path], [args.slimparse, path], args.pairs, {0, 3})
            show(name, ours)
            show("slimparse", parse)
            ratio = median(ours, "wall") / median(parse, "wall")
            targets.judge(f"{name} with attachments, wall clock compared with the baseline", ratio, must=1.3)
    if {"mixed-small", "mixed-large"} <= medians.keys():
        print(f"\ngrowth: {args.large / args.small:g} times as many objects")
        growth = [large / small for large, small in zip(medians["mixed-large"], medians["mixed-small"])]
        targets.judge("growth of predict", growth[0], must=1.2 * args.large / args.small)
        targets.judge("growth of slimparse", growth[1])
    if "help" not in skip:
        true = shutil.which("true") or sys.exit("benches: `true` is not in PATH")
        pairs = args.pairs * 5
        print(f"\nhelp: {pairs} pairs, compared with a process that does nothing")
        ours, nothing = in_turns([args.pvctl, "--help"], [true], pairs)
        show("--help", ours)
        show("true", nothing)
        more = (median(ours, "wall") - median(nothing, "wall")) * 1000
        targets.judge("--help, in addition to the time of `true`", more, must=5.0, unit="ms")
    if "yaml" not in skip:
        json_path = os.path.join(args.inputs, f"mixed-{args.small}.json")
        yaml_path = os.path.join(args.inputs, f"mixed-{args.small}.yaml")
        print(f"\nyaml: {os.path.basename(yaml_path)}, {os.path.getsize(yaml_path) / MIB:.0f} MiB, {args.pairs} pairs")
        predict = [args.pvctl, "predict", "-o", "json", "-f"]
        yaml, plain = in_turns([*predict, yaml_path], [*predict, json_path], args.pairs)
        show("YAML", yaml)
        show("JSON", plain)
        targets.judge("YAML compared with JSON of the same cluster", median(yaml, "wall") / median(plain, "wall"))

    print()
    if targets.missed:
        print("limits exceeded: " + "; ".join(targets.missed))
        return 1 if args.check else 0
    print("no limit exceeded")
    return 0


if __name__ == "__main__":
    sys.exit(main())
