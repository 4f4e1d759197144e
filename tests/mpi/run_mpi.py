#!/usr/bin/env python3
"""Records MPI programs with delays put in at random, and replays each recording: both must print the same lines.

  run_mpi.py --build BUILD --work DIR [--mpi NAME] [--ranks 2,4] [--cycles N] [--replays N] [--modes M,...] PROGRAM...

A program is a file of programs/, without its suffix. The cycles go round through the modes and numbers of ranks."""

import argparse
import itertools
import pathlib
import shutil
import sys

import harness

PROGRAMS = harness.HERE / "programs"


def source_of(name):
    found = [p for p in PROGRAMS.glob(f"{name}.*") if p.suffix in harness.COMPILERS]
    if not found:
        raise harness.Failure(f"there is no program {name}")
    return found[0]


def explain(what, recorded, replayed):
    missing = [line for line in recorded.lines if line not in replayed.lines]
    return (f"{what}: status {replayed.status}, recorded {recorded.status}; recorded and not replayed: {missing[:4]}\n"
            f"{replayed.err[-1500:]}")


def cycle(tool, mpi, binary, ranks, mode, trace, replays):
    options = [*harness.mode_options(mode), "--chaos=300"]
    recorded = tool.record(mpi, ranks, trace, [binary], options)
    if recorded.status != 0:
        raise harness.Failure(f"recording ended with {recorded.status}\n{recorded.err[-1500:]}")
    verified = tool.call("verify", trace)
    if verified.returncode != 0:
        raise harness.Failure(f"verify: {verified.stdout}{verified.stderr}")
    for _ in range(replays):
        replayed = tool.replay(mpi, ranks, trace, timeout=60)
        if replayed.status != 0 or replayed.lines != recorded.lines:
            raise harness.Failure(explain("replay differs", recorded, replayed))
    return tuple(recorded.lines)


def run(options, mpi, name):
    tool = harness.Tool(options.build)
    binary = harness.compile_program(mpi, source_of(name), options.work / mpi / name)
    ways = list(itertools.product(options.ranks, options.modes))
    seen = set()
    for ranks, mode in itertools.islice(itertools.cycle(ways), options.cycles or len(ways)):
        trace = options.work / mpi / f"{name}-{ranks}-{mode}.trace"
        seen.add(cycle(tool, mpi, binary, ranks, mode, trace, options.replays))
        shutil.rmtree(trace)
    print(f"{mpi}: {name}: {options.cycles or len(ways)} recordings with {options.ranks} ranks and modes {options.modes}: "
          f"{len(seen)} results")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--mpi", choices=["openmpi", "mpich"])
    parser.add_argument("--ranks", default="3", type=lambda text: [int(n) for n in text.split(",")])
    parser.add_argument("--modes", default="wildcard", type=lambda text: text.split(","))
    parser.add_argument("--cycles", type=int, help="default: each mode once with each number of ranks")
    parser.add_argument("--replays", default=1, type=int)
    parser.add_argument("programs", nargs="+")
    options = parser.parse_args()
    failures = 0
    for mpi in [options.mpi] if options.mpi else harness.mpis():
        for name in options.programs:
            try:
                run(options, mpi, name)
            except harness.Failure as failure:
                failures += 1
                print(f"{mpi}: {name}: {failure}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
