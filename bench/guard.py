#!/usr/bin/env python3
"""Holds what was gained: fails if instrumented code, or the recorder's slow path, does more than it used to.

  guard.py --build DIR

Instructions, by callgrind, of programs built by anaphora-c++ to those of clang++, with one thread: they run without
recording, since callgrind cannot run the host, but execute the same checks and polls. And slow checks of a recording
of one thread, by `anaphora stats`: how often a check did not pass. Both hardly vary from run to run; the limits are
a twentieth above what was measured for the first, and half as much again for the second, which depends a little on the
machine's load. And the size of their code to native, which does not vary at all."""

import argparse
import json
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

import measure

# Program: arguments, instructions to native at most, slow checks at most.
LIMITS = {
    "fft": (["1", "n=128"], 1.76, 1350),
    "radix": (["1", "n=200000"], 1.93, 4800),
    "lu": (["1", "0.002"], 1.22, 1250),
    "ocean": (["1", "0.01"], 1.26, 16300),
    "nbody": (["1", "0.01"], 1.2, 300),
    "quicksort": (["1", "n=60000"], 2.85, 340),
}
# Of these programs' object files: text, as `size` counts it, to native; the geometric mean was 3.68 for them.
MOST_TEXT = 3.85


def instructions(program, arguments, work):
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={work / 'callgrind'}", program, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or not found:
        sys.exit(f"{program}: {done.stderr[-1000:]}")
    return int(found.group(1))


def slow_checks(anaphora, program, arguments, work):
    trace = work / "trace"
    shutil.rmtree(trace, ignore_errors=True)
    subprocess.run([anaphora, "record", "-q", "-o", trace, program, *arguments], check=True,
                   stdout=subprocess.DEVNULL, timeout=300)
    shown = subprocess.run([anaphora, "stats", "--json", trace], capture_output=True, check=True, timeout=60).stdout
    return json.loads(shown)["totals"]["slow_checks"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--cxx", default=shutil.which("clang++-19") or "clang++")
    options = parser.parse_args()
    if not shutil.which("valgrind"):
        print("no valgrind here")
        return 77
    failed = False
    sizes = []
    with tempfile.TemporaryDirectory(prefix="anaphora-guard-") as directory:
        work = pathlib.Path(directory)
        builder = measure.Builder(options.build, options.cxx, work)
        for name, (arguments, most, most_slow) in LIMITS.items():
            source = measure.HERE / "programs" / f"{name}.cc"
            native, ours = (builder.binary(source, kind) for kind in ("native", "record"))
            ratio = instructions(ours, arguments, work) / instructions(native, arguments, work)
            slow = slow_checks(options.build / "bin" / "anaphora", ours, arguments, work)
            is_good = ratio <= most and slow <= most_slow
            failed |= not is_good
            print(f"{'pass' if is_good else 'FAIL'}  {name}: {ratio:.2f} times the instructions (at most {most}), "
                  f"{slow:,} slow checks (at most {most_slow:,})", flush=True)
            native, ours = (builder.cost(source, kind)["text"] for kind in ("native", "record"))
            sizes.append(ours / native)
    text = statistics.geometric_mean(sizes)
    failed |= text > MOST_TEXT
    print(f"{'pass' if text <= MOST_TEXT else 'FAIL'}  text {text:.2f} times native (at most {MOST_TEXT})")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
