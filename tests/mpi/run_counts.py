#!/usr/bin/env python3
"""How much recordings hold: what a mode must not save is not there, and events are small.

  run_counts.py --build BUILD --work DIR --mpi NAME"""

import json
import sys

import harness

RANKS = 4


def stats(tool, mpi, work, program, options, arguments=()):
    trace = work / "counts.trace"
    binary = harness.compile_program(mpi, program, work / program.stem)
    job = tool.record(mpi, RANKS, trace, [binary, *arguments], options)
    if job.status != 0:
        raise harness.Failure(f"{program.stem}: status {job.status}\n{job.err[-1500:]}")
    done = tool.call("stats", "--json", trace)
    out = json.loads(done.stdout)
    total = {key: sum(rank["bytes"][key] for rank in out["rank"]) for key in out["rank"][0]["bytes"]}
    return out["totals"], total


def check(truth, what):
    if not truth:
        raise harness.Failure(what)


def dumped(tool, trace, *words):
    done = tool.call("dump", "--json", *words, trace)
    check(done.returncode == 0, f"dump: {done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def check_dump(tool, work, totals):
    """Of the recording that was made last: each receive that is saved is there, with its number, and once."""
    trace = work / "counts.trace"
    events = dumped(tool, trace)
    saved = [(e["rank"], e["stream"], e.get("class") == "named", e["receive"]) for e in events
             if e["kind"] in ("match", "raced")]
    check(len(saved) == len(set(saved)) == totals["traced"] > 0, f"dump: {len(saved)}, {len(set(saved))}, {totals}")
    check(sum(e["kind"] == "outcome" for e in events) <= totals["outcomes"], f"dump: {totals}")
    of_one = dumped(tool, trace, "--rank", "0")
    check(of_one and of_one == [e for e in events if e["rank"] == 0], "dump --rank")
    check(tool.call("dump", "--rank", RANKS, trace).returncode != 0, f"dump --rank {RANKS}")
    text = tool.call("dump", trace).stdout.splitlines()
    check(len(text) == len(events), f"dump: {len(text)} lines, {len(events)} objects")


def check_size(size, what, once=32):
    """Two bytes for each event that varies from run to run, all included; once in a rank its end, the first reading of
    a clock, and the names of its first channels."""
    check(size["raw"] <= 2 * size["events"] + once * RANKS, f"{what}: {size}")


def check_to_itself(tool, options, program):
    """Receives that are remembered, since a message may race with them, must not be looked at for each message: for 60,000
    of them that took a hundred times as long."""
    binary = harness.compile_program(options.mpi, program, options.work / program.stem)
    taken = {}
    for mode in ("wildcard", "racing"):
        job = tool.record(options.mpi, 2, options.work / "counts.trace", [binary], [f"--messages={mode}"])
        check(job.status == 0 and len(job.lines) == 1, f"to_itself, {mode}: {job.status} {job.err[-1500:]}")
        taken[mode] = float(job.lines[0])
    check(taken["racing"] < 30 * taken["wildcard"], f"to_itself: {taken}")


def run(options):
    tool = harness.Tool(options.build)
    programs = harness.HERE / "programs"
    bench = harness.HERE.parents[1] / "bench" / "mpi"

    def of(program, *words, arguments=()):
        return stats(tool, options.mpi, options.work, program, words, arguments)

    # Without receives of any source nothing is saved of receives, in any mode but `all`.
    for mode in ("wildcard", "racing", "auto"):
        totals, size = of(bench / "mult.c", f"--messages={mode}")
        check(size["receives"] == 0 and totals["hints_sent"] == 0, f"mult, {mode}: {totals} {size}")
    totals, size = of(bench / "mult.c", "--messages=all")
    check(totals["traced"] == totals["messages_received"] > 0, f"mult, all: {totals}")

    # Every receive of any source; two bytes an event at most.
    totals, size = of(programs / "fan_in.c", "--messages=wildcard")
    check(totals["traced"] == totals["wildcard_receives"] == 50 * (RANKS - 1), f"fan_in, wildcard: {totals}")
    check_dump(tool, options.work, totals)
    for program in ("fan_in", "completions", "probes"):
        totals, size = of(programs / f"{program}.c", "--messages=wildcard")
        check_size(size, f"{program}, wildcard")

    # Receives that cannot race are not saved. A hint that comes late costs a record, so a few are allowed.
    totals, size = of(programs / "ordered.c", "--messages=racing")
    check(totals["wildcard_receives"] == 200, f"ordered: {totals}")
    check(totals["traced"] <= 20 and totals["raced"] <= 20, f"ordered, racing: {totals}")
    # Those that do race are, and never more than by the paper's rule.
    totals, size = of(bench / "mesh.c", "--messages=racing")
    check(0 < totals["traced"] <= totals["raced"] < totals["wildcard_receives"], f"mesh, racing: {totals}")
    check_dump(tool, options.work, totals)
    # Where few messages race, most of them are the first of their channels, of which each rank has a dozen.
    check_size(size, "mesh, racing", once=64)
    # A new tag each time; two kinds of receives; receives that complete out of order; a communicator for a few messages.
    totals, size = of(programs / "fan_in.c", "--messages=racing", "--chaos=300", arguments=["200"])
    check_size(size, "fan_in, racing")
    check(0 < totals["traced"] <= totals["raced"] < totals["wildcard_receives"], f"fan_in, racing: {totals}")
    totals, size = of(bench / "tycho.c", "--messages=racing")
    check_size(size, "tycho, racing")
    for program in ("completions", "exchanges", "communicators"):
        totals, size = of(programs / f"{program}.c", "--messages=racing", "--chaos=300")
        check_size(size, f"{program}, racing")

    # Many that do not race: none is saved, and `auto` saves those before it looks for races. Many that do: it saves all
    # again soon.
    totals, size = of(programs / "bursts.c", "--messages=racing")
    check(totals["wildcard_receives"] == 96000 and totals["traced"] <= 1000, f"bursts, racing: {totals}")
    totals, size = of(programs / "bursts.c", "--messages=auto", "--racing-after=10000")
    check(10000 <= totals["traced"] <= 11000 and totals["opened"] == 1, f"bursts, auto: {totals}")
    totals, size = of(bench / "loop.c", "--messages=auto", "--racing-after=2000", arguments=["10000"])
    # Where messages of one sender come in long runs, fewer of them race: 80% have been seen with MPICH.
    check(totals["traced"] > 0.6 * totals["wildcard_receives"] and totals["opened"] >= 2, f"loop, auto: {totals}")
    totals, size = of(bench / "loop.c", "--messages=auto", arguments=["10000"])
    check(totals["traced"] == totals["wildcard_receives"] and totals["opened"] == 0, f"loop, auto: {totals}")
    check(totals["raced"] is None, f"loop, auto: nobody looked for races: {totals}")
    of(programs / "fan_in.c", "--messages=racing", "--chaos=300")

    races = tool.call("races", "--json", options.work / "counts.trace")
    places = json.loads(races.stdout)["places"]
    # Which of the two loops sees races is a matter of chance.
    check(len(places) == 2 and all("fan_in.c:" in p["place"] for p in places) and any(p["raced"] > 0 for p in places),
          f"races: {places}")

    check_to_itself(tool, options, programs / "to_itself.c")

    # In Fortran, too, places are those of the program, not of MPI's layer.
    of(programs / "from_fortran.f90", "--messages=wildcard")
    places = json.loads(tool.call("races", "--json", options.work / "counts.trace").stdout)["places"]
    check(len(places) == 3 and all("from_fortran.f90:" in p["place"] for p in places), f"races in Fortran: {places}")
    check(all(p["raced"] is None for p in places), f"races nobody looked for: {places}")


if __name__ == "__main__":
    sys.exit(harness.main(__doc__, run))
