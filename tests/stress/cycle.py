#!/usr/bin/env python3
"""Records and replays random_program in random configurations; every replay has to print what the recording printed.

  cycle.py --build DIR --cycles 1000          or  --seconds 600
  cycle.py --build DIR --quick                what `make test` runs

Every cycle prints its configuration if it fails, and keeps its trace; --seed repeats a run of cycles."""

import argparse
import pathlib
import random
import shutil
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
import harness  # noqa: E402

FLAGS = [["-O2"], ["-O0"], ["-O3"], ["-O1", "-g"]]


class Cycle:
    """One configuration, chosen at random."""

    def __init__(self, rng, binaries, hidden_options):
        self.binary = rng.choice(binaries)
        self.threads = rng.choice([2, 2, 3, 4, 4, 8, 16])
        self.events = rng.choice([100, 500, 2000, 5000]) // (1 if self.threads <= 4 else 2)
        self.words = rng.choice([16, 16, 16, 64, 1024, 65536])
        self.features = rng.choice([127, 127, rng.randrange(128)])
        self.yields = rng.choice([2, 8, 16, 256])
        self.seed = rng.randrange(1 << 30)
        self.options = []
        if hidden_options and rng.random() < 0.25:
            self.options.append(f"--yield-at-checks={rng.choice([1, 3, 20])}")
        if hidden_options and rng.random() < 0.1:
            self.options.append("--tenure=0")
        if hidden_options and rng.random() < 0.1:
            self.options.append(f"--first-epoch={(1 << 32) - rng.choice([3, 50, 1000])}")

    def program(self):
        return [self.binary, *map(str, (self.threads, self.events, self.words, self.seed, self.features, self.yields))]


def build_all(tools, work, limit):
    binaries = []
    for number, flags in enumerate(FLAGS):
        binary = work / f"random_program{number}"
        command = tools.build_command([HERE / "random_program.cc"], ["-std=c++20", *flags], binary)
        outcome = harness.run(command, 180)
        if outcome.status != 0:
            sys.exit(f"{harness.shell_line(command)}\n{outcome.stderr.decode(errors='replace')}")
        binaries.append(binary)
        if limit:
            break
    return binaries


def one_cycle(tools, cycle, trace, replays, timeout):
    """Returns what went wrong, as lines; none if nothing did."""
    shutil.rmtree(trace, ignore_errors=True)
    record = tools.record_command(trace, cycle.program(), cycle.options)
    recorded = harness.run(record, timeout)
    if recorded.timed_out:
        return ["the recording did not end in time", harness.shell_line(record)]
    if recorded.status != 0:
        return [f"the recording ended with status {recorded.status}", *recorded.tool_lines(),
                harness.shell_line(record)]
    for number in range(replays):
        replay = tools.replay_command(trace)
        found = harness.differences(recorded, harness.run(replay, timeout))
        if found:
            return [f"replay {number + 1}:", *found, harness.shell_line(record), harness.shell_line(replay)]
    return []


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--cycles", type=int, default=1000)
    parser.add_argument("--seconds", type=float, help="stop after this time")
    parser.add_argument("--replays", type=int, default=3)
    parser.add_argument("--timeout", type=float, default=240)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--plain", action="store_true", help="only the default options of record")
    parser.add_argument("--work")
    options = parser.parse_args()
    if options.quick:
        options.cycles, options.seconds, options.replays = 60, options.seconds or 60, 2
    tools = harness.Tools(options.build)
    if tools.missing():
        sys.exit(f"not built: {', '.join(tools.missing())}")
    work = pathlib.Path(options.work or tempfile.mkdtemp(prefix="anaphora-stress-"))
    work.mkdir(parents=True, exist_ok=True)
    seed = options.seed if options.seed is not None else random.randrange(1 << 30)
    rng = random.Random(seed)
    print(f"seed {seed}", flush=True)
    binaries = build_all(tools, work, options.quick)
    start, passed, failed = time.monotonic(), 0, 0
    for number in range(options.cycles):
        if options.seconds and time.monotonic() - start > options.seconds:
            break
        cycle = Cycle(rng, binaries, not options.plain)
        trace = work / f"trace-{number}"
        problems = one_cycle(tools, cycle, trace, options.replays, options.timeout)
        if problems:
            failed += 1
            print(f"FAIL  cycle {number}\n      " + "\n      ".join(problems), flush=True)
        else:
            passed += 1
            shutil.rmtree(trace, ignore_errors=True)
    print(f"{passed} passed, {failed} failed")
    if failed == 0 and not options.work:
        shutil.rmtree(work, ignore_errors=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
