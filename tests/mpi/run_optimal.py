#!/usr/bin/env python3
"""How near traces come to the least that they can have, by `anaphora stats --optimal`.

  run_optimal.py --build BUILD --work DIR --mpi NAME"""

import json
import sys

import harness

RANKS, ROUNDS = 4, 40
BENCH = harness.HERE.parents[1] / "bench" / "mpi"


def check(truth, what):
    if not truth:
        raise harness.Failure(what)


def record(tool, options, source, words=("--race-graph",), **how):
    binary = harness.compile_program(options.mpi, source, options.work / source.stem)
    trace = options.work / f"{source.stem}.trace"
    job = tool.record(options.mpi, RANKS, trace, [binary], words, **how)
    check(job.status == 0, f"{source.stem}: status {job.status}\n{job.err[-1500:]}")
    return trace, job


def optimal(tool, trace):
    done = tool.call("stats", "--optimal", "--json", trace)
    check(done.returncode == 0, done.stderr)
    out = json.loads(done.stdout)
    check(len(out["rank"]) == RANKS, f"ranks: {out}")
    for rank in out["rank"]:
        # The trace is a cover of the race graph, and so is what the paper's rule traces.
        check(rank["matching"] <= rank["minimum"] <= min(rank["saved"], rank["paper"]), f"{trace.stem}: {rank}")
        check(rank["minimum"] <= 2 * rank["matching"] and rank["exact"], f"{trace.stem}: {rank}")
    return out["totals"]


def figure_5b(tool, options):
    """A timestamp that comes late makes a race more."""
    trace, job = record(tool, options, harness.HERE / "programs" / "figure_5b.c", environment={"FORCED": "1"})
    totals = optimal(tool, trace)
    check(ROUNDS <= totals["minimum"] <= ROUNDS + 10, f"figure 5b: {totals}")
    check(totals["saved"] <= totals["minimum"] + 10, f"figure 5b: {totals}")
    check(2 * ROUNDS <= totals["paper"] <= 2 * ROUNDS + 10, f"figure 5b: {totals}")
    # It is enough, although now all messages are sent at once.
    for _ in range(3):
        replayed = tool.replay(options.mpi, RANKS, trace)
        check(replayed.status == 0 and replayed.lines == job.lines, f"figure 5b, replay: {replayed.err[-1500:]}")
    return totals


def run(options):
    tool = harness.Tool(options.build)
    print("figure_5b", figure_5b(tool, options))
    for name in ("det", "mesh", "tycho", "montecarlo"):
        trace, _ = record(tool, options, BENCH / f"{name}.c")
        totals = optimal(tool, trace)
        check(totals["saved"] <= min(totals["paper"], 1.5 * totals["minimum"] + 5), f"{name}: {totals}")
        print(name, totals)
    trace, _ = record(tool, options, BENCH / "det.c", words=["--messages=racing"])
    done = tool.call("stats", "--optimal", trace)
    check(done.returncode != 0 and "--race-graph" in done.stderr, f"without the graph: {done.stdout}{done.stderr}")


if __name__ == "__main__":
    sys.exit(harness.main(__doc__, run))
