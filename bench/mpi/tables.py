#!/usr/bin/env python3
"""Netzer and Miller's Table 1 for the programs of this directory, beside the published rows.

  tables.py --build BUILD --output DIR [--results DIR] [--mpi NAME] [--ranks N] [--runs N] [PROGRAM...]

Writes mpi.md and mpi.json into the output directory, and mpi.md into that of the results as well. Times are medians of
--runs runs that alternate between the ways. Without names of programs, a table of costs follows (costs.py)."""

import argparse
import json
import pathlib
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "mpi"))
import harness  # noqa: E402
import costs  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
# Messages, traced, how good the trace is, overhead of tracing all and racing messages: 32 and (tycho) 64 processors.
PUBLISHED = {
    "det": (4713, "63 (1%)", "optimal", "568%", "8%"),
    "line": (31, "0 (0%)", "optimal", "0.3%", "8%"),
    "mesh": (10210, "1392 (14%)", "optimal", "28%", "14%"),
    "mult": (1120, "0 (0%)", "optimal", "15%", "0.1%"),
    "sys": (9424, "332 (2%)", "optimal", "561%", "14%"),
    "tycho": (1791, "412 (19%)", "within 46%", "-", "-"),
}
PROGRAMS = [*PUBLISHED, "montecarlo", "search", "halo"]
WAYS = ["all", "wildcard", "racing"]


def timed(run):
    begin = time.monotonic()
    job = run()
    if job.status != 0:
        raise harness.Failure(f"status {job.status}: {job.err[-2000:]}")
    return time.monotonic() - begin, job


def totals(tool, trace):
    done = tool.call("stats", "--json", trace)
    if done.returncode != 0:
        raise harness.Failure(done.stderr)
    stats = json.loads(done.stdout)
    out = dict(stats["totals"])
    out["receive_bytes"] = sum(rank["bytes"]["receives"] for rank in stats["rank"])
    out["raw_bytes"] = sum(rank["bytes"]["raw"] for rank in stats["rank"])
    return out


def graph(options, tool, binary, trace):
    """Saved, the paper's rule and the least possible, of one run: they differ from run to run."""
    timed(lambda: tool.record(options.mpi, options.ranks, trace, [binary], ["--race-graph"]))
    done = tool.call("stats", "--optimal", "--json", trace)
    if done.returncode != 0:
        raise harness.Failure(done.stderr)
    return json.loads(done.stdout)["totals"]


def measure(options, tool, name):
    binary = harness.compile_program(options.mpi, HERE / f"{name}.c", options.output / options.mpi / name, ["-O2"])
    trace = options.output / f"{name}.trace"
    times = {way: [] for way in ["native", *WAYS]}
    counts = {}
    for i in range(options.runs):
        times["native"].append(timed(lambda: harness.run(options.mpi, options.ranks, [binary]))[0])
        for way in WAYS:
            words = [f"--messages={way}"]
            seconds, job = timed(lambda: tool.record(options.mpi, options.ranks, trace, [binary], words))
            times[way].append(seconds)
            if i > 0:
                continue
            counts[way] = totals(tool, trace)
            replayed = tool.replay(options.mpi, options.ranks, trace)
            if replayed.status != 0 or replayed.lines != job.lines:
                raise harness.Failure(f"{name}, {way}: the replay differs\n{replayed.err[-2000:]}")
    native = statistics.median(times["native"])
    overhead = {way: statistics.median(times[way]) / native - 1 for way in WAYS}
    return {"counts": counts, "graph": graph(options, tool, binary, trace), "native_seconds": native,
            "overhead": overhead}


def share(n, of):
    return f"{n} ({100 * n / of:.0f}%)" if of else str(n)


def of_optimal(n, best):
    """As the paper puts it."""
    if n == best["minimum_at_most"]:
        return "optimal"
    return f"within {100 * (n / best['minimum'] - 1):.0f}%" if best["minimum"] else "-"


def row_of(name, row):
    best, overhead = row["graph"], row["overhead"]
    sent = row["counts"]["racing"]["messages_sent"]
    least = f"{best['minimum']}" if best["exact"] else f"{best['minimum']} to {best['minimum_at_most']}"
    cells = [name, "here", sent, best["any_source"] + best["probed"], share(best["paper"], sent),
             of_optimal(best["paper"], best), share(best["saved"], sent), of_optimal(best["saved"], best), least,
             best["probed"]]
    return cells + [f"{100 * overhead[way]:.0f}%" for way in WAYS]


def write_table(options, rows, more):
    lines = ["# Netzer and Miller: optimal tracing of messages", "",
             f"Ours: {options.ranks} ranks of {options.mpi}, medians of {options.runs} runs that alternate between the "
             "ways, with the start of the job. Published: Table 1 (iPSC/2, 32 nodes; tycho: CM-5, 64 nodes). *The "
             "rule*: messages that the paper's rule traces; *saved*: those in our trace; both of one run in mode "
             "`racing`, whose least possible trace is *minimum* (`anaphora stats --optimal`). Probes of any source "
             "are not in the graph of races; all of them are saved, besides. [docs/mpi.md](../mpi.md) says how. "
             "`make tables-mpi` makes this page.", "",
             "| program | | messages | of any source | the rule | of optimal | saved | of optimal | minimum | probes | "
             "all: time | wildcard: time | racing: time |",
             "|" + "---|" * 13]
    for name, row in rows.items():
        if name in PUBLISHED:
            p = PUBLISHED[name]
            lines.append(f"| {name} | published | {p[0]} | | {p[1]} | {p[2]} | | | | | {p[3]} | | {p[4]} |")
        lines.append("| " + " | ".join(map(str, row_of(name, row))) + " |")
    text = "\n".join(lines + more) + "\n"
    (options.output / "mpi.md").write_text(text)
    (options.output / "mpi.json").write_text(json.dumps(rows, indent=1) + "\n")
    if options.results:
        (options.results / "mpi.md").write_text(text)
    print(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--output", required=True, type=pathlib.Path)
    parser.add_argument("--results", type=pathlib.Path)
    parser.add_argument("--mpi", choices=["openmpi", "mpich"], default=(harness.mpis() or [None])[0])
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("programs", nargs="*")
    options = parser.parse_args()
    if not options.mpi:
        print("there is no MPI here")
        return 1
    options.output.mkdir(parents=True, exist_ok=True)
    tool = harness.Tool(options.build)
    rows = {}
    for name in options.programs or PROGRAMS:
        try:
            rows[name] = measure(options, tool, name)
        except harness.Failure as failure:
            print(f"{name}: {failure}")
            return 1
    write_table(options, rows, [] if options.programs else costs.table(options, tool, totals))
    return 0


if __name__ == "__main__":
    sys.exit(main())
