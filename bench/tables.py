#!/usr/bin/env python3
"""Makes the papers' tables anew from one run on this machine: tables.py --build DIR [--output DIR] [--quick]

Compiles the papers' programs with --every-access, records them, traces all references of the recordings, simulates
every algorithm over them, and measures what recording with each algorithm costs. Writes netzer.md, stradal.md, jiang.md
and scalability.svg. Intermediate results are kept in the build directory: a run that was stopped goes on where it was.

--quick measures every time once, with small inputs: its trace sizes mean what the others do, its times do not."""

import argparse
import os
import pathlib
import platform
import shutil
import sys
import time

import executions
import pages
import papers

HERE = pathlib.Path(__file__).resolve().parent
TIMED, QUICKLY_TIMED = "0.01", "0.002"  # scale of the inputs for times: some milliseconds of native code
TINY = "n=2"                            # an input with no work in it
SCALING = (1, 2, 4, 8)
SCIENTIFIC = ("ocean", "water", "fft", "radix", "fluid", "qsort")
STRADAL_WAYS = ("trace-all", "optimal-vector", "optimal-lamport", "compressed-vector", "compressed-lamport")
CHUNKS = f"--granularity={1 << executions.CHUNK_SHIFT}"
JIANG_WAYS = ("rwtrace-1", "rwtrace-2", "mutex-lock", "crew-lock")


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


class Data:
    """What the pages ask for."""

    def __init__(self, lab, quick):
        self.lab, self.timed = lab, QUICKLY_TIMED if quick else TIMED
        self.limits = executions.Limits(1, 0, 60) if quick else executions.Limits(5, 10, 60)
        self.machine = f"{processor()}, {len(os.sched_getaffinity(0))} processors, Linux {platform.release().split('-')[0]}"
        times = "times are of single runs, which says little" if quick else \
            f"times are the least of {self.limits.rounds} interleaved runs, or of as many as fit into " \
            f"{self.limits.seconds:.0f} s"
        self.conditions = f"references of code compiled with -O2, recorded with the default recorder; {times}"

    def traces(self, name, threads):
        return self.lab.traces(name, threads)

    def overheads(self, name, threads):
        """Times slower, of CPU time without that of starting; and native seconds. None: took too long."""
        ways = [executions.NATIVE, *map(executions.online, STRADAL_WAYS), executions.DEFAULT]
        source = papers.PROGRAMS[name].source
        idle = self.lab.times("overhead", "sort", threads, TINY, ways, self.limits)
        busy = self.lab.times("overhead", source, threads, self.timed, ways, self.limits)
        native = max(busy["native"]["cpu"] - idle["native"]["cpu"], 1e-3)
        out = {"seconds": native}
        for way in ways[1:]:
            key = str(way)
            found = busy[key] and idle[key]
            out["default" if way is executions.DEFAULT else key] = \
                (busy[key]["cpu"] - idle[key]["cpu"]) / native if found else None
        return out

    def jiang_times(self, name, threads):
        ways = [executions.NATIVE, *(executions.online(name, CHUNKS) for name in JIANG_WAYS)]
        return self.lab.times("jiang", papers.PROGRAMS[name].source, threads, self.timed, ways, self.limits)

    def scaling(self):
        ways = [executions.NATIVE, *(executions.online(name, CHUNKS) for name in ("rwtrace-1", "rwtrace-2"))]
        out = {}
        for name in SCIENTIFIC:
            out[name] = {str(way): {} for way in ways}
            for threads in SCALING:
                found = self.lab.times("scaling", papers.PROGRAMS[name].source, threads, self.timed, ways,
                                       self.limits)
                for way, best in found.items():
                    if best:
                        out[name][way][threads] = best["wall"]
        return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--output", type=pathlib.Path, help="where the pages go (default: docs/results; with --quick, "
                        "tables/pages in the build directory)")
    parser.add_argument("--cxx", default=shutil.which("clang++-19") or "clang++")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--fresh", action="store_true", help="forget intermediate results")
    options = parser.parse_args()
    work = options.build / "tables"
    if options.fresh:
        shutil.rmtree(work, ignore_errors=True)
    output = options.output or (work / "pages" if options.quick else HERE.parent / "docs" / "results")
    output.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()

    def say(text):
        print(f"[{(time.monotonic() - start) / 60:5.1f} min] {text}", flush=True)

    lab = executions.Lab(options.build, work, options.cxx, say)
    data = Data(lab, options.quick)
    try:
        import scalability
    except ImportError:
        sys.exit("this python3 has no matplotlib; `make tables` installs it, for /usr/bin/python3")
    try:
        pages.netzer_page(data).write(output / "netzer.md")
        pages.stradal_page(data).write(output / "stradal.md")
        scalability.draw(output / "scalability.svg", data.scaling(), "Elapsed time of traced programs")
        pages.jiang_page(data, "scalability.svg").write(output / "jiang.md")
    except executions.Failed as failed:
        sys.exit(f"tables: {failed}")
    say(f"written: netzer.md, stradal.md, jiang.md and scalability.svg in {output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
