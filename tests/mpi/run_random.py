#!/usr/bin/env python3
"""Records random programs (programs/random.c) and replays them with other delays: every receive must get what it got.

  run_random.py --build BUILD --work DIR --mpi NAME [--modes M,...] [--ranks 2,4] [--first SEED] [--seeds N]"""

import json
import shutil
import sys

import harness

DYING = 4  # in every so-many-th program rank 0 kills itself


def explain(recorded, replayed):
    here, there = set(recorded.lines), set(replayed.lines)
    lines = [f"  recorded: {line}" for line in recorded.lines if line not in there][:4]
    lines += [f"  replayed: {line}" for line in replayed.lines if line not in here][:4]
    return "\n".join(lines + [replayed.err[-1500:]])


def cycle(tool, options, binary, mode, ranks, seed, trace):
    """The number of receives of any source, and how many of them were saved."""
    mortal = options.deaths and seed % DYING == 0
    program = [binary, seed, options.rounds] + ([100] if mortal else [])
    recorded = tool.record(options.mpi, ranks, trace, program, [*harness.mode_options(mode), "--chaos=100"])
    dies = mortal and recorded.status != 0  # rank 0 does not receive that many in all programs
    if recorded.status != 0 and not dies:
        raise harness.Failure(f"recording ended with {recorded.status}\n{recorded.err[-1500:]}")
    for _ in range(options.replays):
        replayed = tool.replay(options.mpi, ranks, trace, ["--timeout=30"], timeout=100)
        for job in (recorded, replayed):
            # MPI says at times that messages were left. Of jobs that die, only rank 0 has printed all that it saw.
            job.lines = [line for line in job.lines if line.startswith("rank 0: " if dies else "rank ")]
        if dies != (replayed.status != 0) or not recorded.lines or replayed.lines != recorded.lines:
            raise harness.Failure(f"replay ended with {replayed.status}\n{explain(recorded, replayed)}")
    totals = json.loads(tool.call("stats", "--json", trace).stdout)["totals"]
    return totals["wildcard_receives"], totals["traced"]


def run(options):
    tool = harness.Tool(options.build)
    source = harness.HERE / "programs/random.c"
    binary = harness.compile_program(options.mpi, source, options.work / "random")
    failures = 0
    for mode in options.modes:
        receives = traced = 0
        for ranks in options.ranks:
            for seed in range(options.first, options.first + options.seeds):
                trace = options.work / f"random-{mode}-{ranks}-{seed}.trace"
                try:
                    counts = cycle(tool, options, binary, mode, ranks, seed, trace)
                    receives, traced = receives + counts[0], traced + counts[1]
                    shutil.rmtree(trace)
                except harness.Failure as failure:
                    failures += 1
                    print(f"{options.mpi}, {mode}, {ranks} ranks, seed {seed} (kept: {trace}): {failure}", flush=True)
        print(f"{options.mpi}, {mode}: {receives} receives of any source, {traced} saved", flush=True)
    return failures


def main():
    parser = harness.arguments(__doc__)
    parser.add_argument("--modes", default=["racing"], type=lambda text: text.split(","))
    parser.add_argument("--ranks", default="4", type=harness.numbers)
    parser.add_argument("--first", default=1, type=int)
    parser.add_argument("--seeds", default=4, type=int)
    parser.add_argument("--rounds", default=4, type=int)
    parser.add_argument("--replays", default=1, type=int)
    parser.add_argument("--deaths", action="store_true", help="rank 0 is killed in some programs")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    return 1 if run(options) else 0


if __name__ == "__main__":
    sys.exit(main())
