#!/usr/bin/env python3
"""Records oracle_program in random configurations and lets oracle_checker judge each recording.

  run_oracle.py --build DIR --checker PROGRAM --cycles 5000
  run_oracle.py --build DIR --checker PROGRAM --quick

The control comes along: with all edges ignored the checker has to fail whenever threads met at all, and with a
hundredth of them ignored it has to fail in most cases."""

import argparse
import pathlib
import random
import shutil
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
SOURCE_ROOT = HERE.parents[2]
sys.path.insert(0, str(SOURCE_ROOT / "tests" / "e2e"))
import harness  # noqa: E402

FLAGS = [["-O2"], ["-O0"], ["-O1"], ["-O3"]]


class Failure(Exception):
    pass


def must(command, timeout=60, stdout=None):
    outcome = harness.run(command, timeout)
    if outcome.timed_out or outcome.status != 0:
        state = "did not end in time" if outcome.timed_out else f"ended with status {outcome.status}"
        said = outcome.stderr.decode(errors="replace")[-800:]
        raise Failure(f"{harness.shell_line(command)}\n      {state}\n      {said}")
    if stdout:
        stdout.write_bytes(outcome.stdout)
    return outcome


def configuration(rng, plain):
    threads = rng.choice([2, 2, 3, 4, 4, 8, 16])
    events = rng.choice([50, 200, 500, 1500]) // (1 if threads < 8 else 4)
    words = rng.choice([1, 4, 8, 16, 16, 64, 1000])
    arguments = [threads, events, words, rng.randrange(1 << 30), rng.choice([1, 4, 16, 200])]
    options = []
    if not plain and rng.random() < 0.3:
        options.append(f"--yield-at-checks={rng.choice([1, 2, 10])}")
    if not plain and rng.random() < 0.15:
        options.append("--tenure=0")
    if not plain and rng.random() < 0.15:
        options.append(f"--first-epoch={(1 << 32) - rng.choice([3, 20, 300])}")
    return arguments, options


class Runner:
    def __init__(self, options):
        self.tools = harness.Tools(options.build)
        if self.tools.missing():
            sys.exit(f"not built: {', '.join(self.tools.missing())}")
        self.checker = pathlib.Path(options.checker).resolve()
        self.work = pathlib.Path(options.work or tempfile.mkdtemp(prefix="anaphora-oracle-"))
        self.work.mkdir(parents=True, exist_ok=True)
        self.plain = options.plain
        self.binaries = [self.build(i, flags) for i, flags in enumerate(FLAGS[:1] if options.quick else FLAGS)]
        self.met = self.control_failed = self.sparse = self.sparse_failed = 0

    def build(self, number, flags):
        binary = self.work / f"oracle_program{number}"
        flags = ["-std=c++20", f"-I{SOURCE_ROOT / 'include'}", *flags]
        must(self.tools.build_command([HERE / "oracle_program.cc"], flags, binary), 180)
        return binary

    def cycle(self, rng, number):
        arguments, options = configuration(rng, self.plain)
        trace, log, dump = (self.work / f"{kind}-{number}" for kind in ("trace", "log", "dump"))
        shutil.rmtree(trace, ignore_errors=True)
        record = self.tools.record_command(trace, [rng.choice(self.binaries), *map(str, arguments), log], options)
        must(record)
        must([self.tools.anaphora, "dump", "--json", trace], stdout=dump)
        judged = harness.run([self.checker, log, dump], 120)
        if judged.status != 0:
            said = judged.stdout.decode() + judged.stderr.decode(errors="replace")
            shown = f"{harness.shell_line(record)}\n      {harness.shell_line(judged.command)}"
            raise Failure(f"{said.strip()}\n      {shown}")
        self.controls(judged.stdout.decode().split(), log, dump, number)
        shutil.rmtree(trace, ignore_errors=True)
        for path in (log, dump):
            path.unlink()

    def controls(self, words, log, dump, number):
        numbers = {name: int(value) for name, value in zip(words[1::2], words[2::2])}
        if numbers["between"] < 20:
            return
        self.met += 1
        self.control_failed += harness.run([self.checker, log, dump, "--drop", "1000", "1"], 120).status == 1
        if numbers["edges"] < 400:
            return
        self.sparse += 1
        self.sparse_failed += harness.run([self.checker, log, dump, "--drop", "10", str(number)], 120).status == 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--checker", required=True, help="the built oracle_checker")
    parser.add_argument("--cycles", type=int, default=5000)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--plain", action="store_true", help="only the default options of record")
    parser.add_argument("--work")
    options = parser.parse_args()
    if options.quick:
        options.cycles, options.seconds = 300, options.seconds or 60
    seed = options.seed if options.seed is not None else random.randrange(1 << 30)
    print(f"seed {seed}", flush=True)
    rng = random.Random(seed)
    runner = Runner(options)
    start, passed, failed = time.monotonic(), 0, 0
    for number in range(options.cycles):
        if options.seconds and time.monotonic() - start > options.seconds:
            break
        try:
            runner.cycle(rng, number)
            passed += 1
        except Failure as failure:
            failed += 1
            print(f"FAIL  cycle {number}\n      {failure}", flush=True)
    print(f"control: without edges {runner.control_failed} of {runner.met} failed, "
          f"without one in a hundred {runner.sparse_failed} of {runner.sparse}")
    if runner.control_failed < runner.met or runner.sparse_failed * 2 < runner.sparse or runner.met == 0:
        print("FAIL  the control did not fail as it must")
        failed += 1
    if failed == 0 and not options.work:
        shutil.rmtree(runner.work, ignore_errors=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
