#!/usr/bin/env python3
"""Measures what recording and replaying cost: native, ThreadSanitizer, anaphora record, anaphora replay.

  run_bench.py --build DIR [--output DIR]                 six kernels and three hammers of bench/programs, 2 threads
  run_bench.py --build DIR [--output DIR] --quick         smaller and fewer
  run_bench.py --build DIR [--output DIR] fft radix       only these

The ways of running are interleaved, so that a change of the machine's load meets them all. CPU time is user plus system
of the whole process tree, the recorder included; peak memory is that of the largest process (and never less than that
of this runner, which the kernel counts in). Writes results.md and results.json into the output directory."""

import argparse
import json
import math
import os
import pathlib
import platform
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
KERNELS = ("fft", "radix", "lu", "ocean", "nbody", "quicksort")
HAMMERS = ("atomic_hammer", "mutex_hammer", "racy_counter")
WAYS = ["native", "tsan", "record", "replay"]


class Run:
    """One measured run of a command."""

    def __init__(self, command, timeout, output):
        with open(output, "wb") as sink:
            start = time.monotonic()
            process = subprocess.Popen([str(part) for part in command], stdout=sink, stderr=subprocess.PIPE,
                                       stdin=subprocess.DEVNULL, start_new_session=True)
            self.timed_out = not self.wait(process, start + timeout)
            self.wall = time.monotonic() - start
        self.stderr = process.stderr.read().decode(errors="replace")
        process.stderr.close()
        self.stdout = pathlib.Path(output).read_text(errors="replace")

    def wait(self, process, deadline):
        killed = False
        while True:
            pid, status, usage = os.wait4(process.pid, 0 if killed else os.WNOHANG)
            if pid:
                break
            if time.monotonic() > deadline:
                os.killpg(process.pid, signal.SIGKILL)
                killed = True
            time.sleep(0.002)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.status = process.returncode
        self.cpu = usage.ru_utime + usage.ru_stime
        self.rss_kib = usage.ru_maxrss
        return not killed


def build(options, source, work):
    binaries = {}
    compilers = {"native": [options.cxx], "tsan": [options.cxx, "-fsanitize=thread"],
                 "record": [options.build / "bin" / "anaphora-c++"]}
    for way, compiler in compilers.items():
        if way not in options.ways and not (way == "record" and "replay" in options.ways):
            continue
        binaries[way] = work / f"{source.stem}-{way}"
        command = [*compiler, "-std=c++20", "-O2", "-pthread", source, "-o", binaries[way]]
        subprocess.run(command, check=True, timeout=300)
    return binaries


def commands(options, binaries, trace):
    arguments = [str(options.threads), str(options.scale)]
    anaphora = options.build / "bin" / "anaphora"
    all_commands = {
        "native": [binaries.get("native"), *arguments],
        "tsan": [binaries.get("tsan"), *arguments],
        "record": [anaphora, "record", "-o", trace, binaries.get("record"), *arguments],
        "replay": [anaphora, "replay", "-a", trace],
    }
    return {way: all_commands[way] for way in WAYS if way in options.ways}


def stats(options, trace):
    """Counters of a recording, by name."""
    command = [options.build / "bin" / "anaphora", "stats", "--json", trace]
    output = subprocess.run(command, capture_output=True, timeout=120)
    if output.returncode != 0:
        return {}
    report = json.loads(output.stdout)
    totals = report.get("totals", {})
    size = sum(path.stat().st_size for path in trace.rglob("*") if path.is_file())
    return {"dependences": totals.get("dependences"), "edges": totals.get("edges"), "events": totals.get("events"),
            "slow_checks": totals.get("slow_checks"), "trace_bytes": size}


def measure(options, source, work):
    binaries = build(options, source, work)
    trace = work / f"trace-{source.stem}"
    result = {"program": source.stem, "ways": {}, "problems": []}
    samples = {way: [] for way in options.ways}
    recorded = None
    for _ in range(options.repetitions):
        for way, command in commands(options, binaries, trace).items():
            if way == "record":
                shutil.rmtree(trace, ignore_errors=True)
            run = Run(command, options.timeout, work / "output")
            if run.timed_out or run.status not in (0, 66 if way == "tsan" else 0):
                result["problems"].append(f"{way}: {'time-out' if run.timed_out else f'status {run.status}'}")
                continue
            if way == "record":
                recorded = run.stdout
                result["recording"] = stats(options, trace)
            if way == "replay" and recorded is not None and run.stdout != recorded:
                result["problems"].append("replay printed something else than the recording")
            samples[way].append(run)
    for way, runs in samples.items():
        if runs:
            result["ways"][way] = {
                "cpu_min": min(r.cpu for r in runs), "cpu_median": statistics.median(r.cpu for r in runs),
                "wall_min": min(r.wall for r in runs), "wall_median": statistics.median(r.wall for r in runs),
                "rss_kib": max(r.rss_kib for r in runs), "runs": len(runs)}
    shutil.rmtree(trace, ignore_errors=True)
    return result


def ratio(result, way, field):
    ways = result["ways"]
    if way not in ways or "native" not in ways or ways["native"][field] <= 0:
        return None
    return ways[way][field] / ways["native"][field]


def geometric_mean(values):
    values = [v for v in values if v]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def show(value, form="{:.2f}"):
    return "-" if value is None else form.format(value)


def table(options, results):
    others = [way for way in options.ways if way != "native"]
    lines = [f"# Cost of recording and replaying, {options.threads} threads", "",
             f"{platform.processor() or platform.machine()}, {os.cpu_count()} processors, Linux {platform.release().split('-')[0]}; "
             f"{options.repetitions} interleaved repetitions, scale {options.scale}. Ratios to native, of the minima.",
             ""]
    head = ["program", "native CPU s", "native wall s"]
    head += [f"{way} CPU" for way in others] + [f"{way} wall" for way in others]
    head += ["record CPU median", "events", "dependences", "edges", "trace bytes", "RSS native MiB", "RSS record MiB"]
    lines += ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for result in results:
        ways, recording = result["ways"], result.get("recording", {})
        native = ways.get("native", {})
        row = [result["program"], show(native.get("cpu_min")), show(native.get("wall_min"))]
        row += [show(ratio(result, way, "cpu_min")) for way in others]
        row += [show(ratio(result, way, "wall_min")) for way in others]
        row += [show(ratio(result, "record", "cpu_median"))]
        row += [show(recording.get(name), "{:,}") for name in ("events", "dependences", "edges", "trace_bytes")]
        row += [show(ways[way]["rss_kib"] / 1024 if way in ways else None, "{:.0f}") for way in ("native", "record")]
        lines.append("| " + " | ".join(row) + " |")
    for title, without in (("geometric mean", ()), ("geometric mean without the hammers", HAMMERS)):
        chosen = [r for r in results if r["program"] not in without]
        row = [f"**{title}**", "", ""]
        row += [show(geometric_mean(ratio(r, way, field) for r in chosen))
                for field in ("cpu_min", "wall_min") for way in others]
        row += [show(geometric_mean(ratio(r, "record", "cpu_median") for r in chosen))] + [""] * 6
        lines.append("| " + " | ".join(row) + " |")
    problems = [f"- {r['program']}: {p}" for r in results for p in sorted(set(r["problems"]))]
    return "\n".join(lines + (["", "Problems:", ""] + problems if problems else [])) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--output", type=pathlib.Path, help="where the results go (default: bench in the build directory)")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--repetitions", type=int)
    parser.add_argument("--timeout", type=float, default=180)
    parser.add_argument("--ways", default=",".join(WAYS), help="of native, tsan, record, replay")
    parser.add_argument("--cxx", default=shutil.which("clang++-19") or "clang++")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("programs", nargs="*")
    options = parser.parse_args()
    options.output = options.output or options.build / "bench"
    options.ways = [way for way in WAYS if way in options.ways.split(",")]
    options.repetitions = options.repetitions or (2 if options.quick else 7)
    if options.quick and options.scale == 1.0:
        options.scale = 0.25
    sources = sorted((HERE / "programs").glob("*.cc"))
    sources = [source for source in sources if source.stem in (options.programs or KERNELS + HAMMERS)]
    if not sources:
        sys.exit("no such program")
    options.output.mkdir(parents=True, exist_ok=True)
    results = []
    with tempfile.TemporaryDirectory(prefix="anaphora-bench-") as work:
        for source in sources:
            result = measure(options, source, pathlib.Path(work))
            results.append(result)
            print(f"{source.stem}: " + ", ".join(f"{way} {show(ratio(result, way, 'cpu_min'))}" for way in options.ways)
                  + "".join(f"; {p}" for p in sorted(set(result["problems"]))), flush=True)
    (options.output / "results.md").write_text(table(options, results))
    report = {"threads": options.threads, "scale": options.scale, "repetitions": options.repetitions, "results": results}
    (options.output / "results.json").write_text(json.dumps(report, indent=1))
    print(f"written: {options.output / 'results.md'}")
    return 1 if any(result["problems"] for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
