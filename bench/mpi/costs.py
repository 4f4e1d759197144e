"""What recording costs in time where the limits are: a loop of receives from any source, and a program without any.

Used by tables.py; jobs of all ways alternate, since a machine is not the same from one minute to the next."""

import pathlib
import re
import statistics
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tests" / "mpi"))
import harness  # noqa: E402
import run_real  # noqa: E402

WAYS = ["wildcard", "racing", "auto"]
STEPS = 1000


def alternate(options, tool, command, ranks, ways, trace, runs):
    """Seconds of whole jobs, and of the loop if the program tells them, by way."""
    seconds = {way: [] for way in ["native", *ways]}
    loops = {way: [] for way in seconds}
    for _ in range(runs):
        for way in seconds:
            begin = time.monotonic()
            if way == "native":
                job = harness.run(options.mpi, ranks, command)
            else:
                job = tool.record(options.mpi, ranks, trace, command, [f"--messages={way}"])
            seconds[way].append(time.monotonic() - begin)
            if job.status != 0:
                raise harness.Failure(f"{way}: status {job.status}: {job.err[-2000:]}")
            loops[way] += [float(text) for text in re.findall(r"loop: ([0-9.]+) s", job.err)]
    return seconds, loops


def row(name, seconds, loops, way):
    """Medians, and ratios within each round."""
    def ratio(of):
        return statistics.median(b / a for a, b in zip(of["native"], of[way]))
    cells = [name, way, f"{statistics.median(seconds[way]):.3f} s", f"{100 * (ratio(seconds) - 1):+.0f}%"]
    if loops[way]:
        cells += [f"{1e9 * statistics.median(loops[way]):.0f}", f"{100 * (ratio(loops) - 1):+.0f}%"]
    return cells + [""] * (6 - len(cells))


def loop_rows(options, tool, each, runs):
    binary = harness.compile_program(options.mpi, HERE / "loop.c", options.output / options.mpi / "loop", ["-O2"])
    seconds, loops = alternate(options, tool, [binary, each], options.ranks, WAYS, options.output / "loop.trace", runs)
    receives = each * (options.ranks - 1)
    loops = {way: [s / receives for s in times] for way, times in loops.items()}
    return [row(f"loop, {receives:,} receives", seconds, loops, way) for way in seconds]


def lammps_rows(options, tool, totals, runs):
    """None if it is not there, or built with another MPI."""
    if not pathlib.Path(run_real.PROGRAMS["lammps"].needs).exists() or options.mpi != "openmpi":
        return []
    command = run_real.lammps(options.output)
    script = options.output / "in.melt"
    script.write_text(script.read_text().replace("run 200", f"run {STEPS}"))
    trace = options.output / "lammps.trace"
    seconds, loops = alternate(options, tool, command, 2, ["auto", "racing"], trace, runs)
    counts = totals(tool, trace)
    name = f"LAMMPS, 2 ranks, {counts['messages_sent']:,} messages, {counts['receive_bytes']} bytes of receives"
    return [row(name, seconds, loops, way) for way in seconds]


def table(options, tool, totals):
    rows = loop_rows(options, tool, 100000, 3 * options.runs) + loop_rows(options, tool, 1000000, options.runs)
    rows += lammps_rows(options, tool, totals, options.runs)
    lines = ["", "## What recording costs", "",
             f"`bench/mpi/loop` does nothing but receive from any source; {options.ranks} ranks, {options.mpi}. *Job* is "
             "the whole of it, with its start and end; *loop* the receives alone, in nanoseconds each, from when all "
             "ranks are there. Medians; the differences are medians of ratios to the native job of the same round.", "",
             "| program | | job | | loop, ns | |", "|" + "---|" * 6]
    return lines + ["| " + " | ".join(cells) + " |" for cells in rows]
