#!/usr/bin/env python3
"""Measures what recording and replaying cost, and what the alternatives do.

  run_bench.py --build DIR --results DIR            everything, in at most 40 minutes
  run_bench.py --build DIR --results DIR --quick    smaller and fewer, under ten minutes
  run_bench.py --build DIR --parts kernels fft      only this part, of these programs

Parts: kernels (all programs: native, native on one core, ThreadSanitizer, record, replay, 2 threads), peers (some of
them on small inputs, with Valgrind's DRD, the tracing algorithms and a replay that looks for races), growth (threads, sizes,
shared lines, conflicts), code (size and compile time), real (programs from Debian source packages).

The ways of running are interleaved, so that a change of the machine's load meets them all. CPU time is user plus
system of the whole process tree, the recorder included; peak memory is that of the largest process (and never less
than that of this runner, which the kernel counts in). What fails, takes too long or finds no time left is told, and the
rest goes on; --budget says how many minutes there are in all, building not counted. Writes bench.md, bench.json and
pictures into the results directory. Exit status 1 if something failed; programs that are too much for a peer, and figures beyond the
limits, which are marked in bench.md, do not count as failures."""

import argparse
import concurrent.futures
import datetime
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile
import time

import measure
import report

HERE = pathlib.Path(__file__).resolve().parent
KERNELS = ["fft", "radix", "lu", "ocean", "nbody", "quicksort"]
# Those of the papers (make tables), which share much and synchronise by plain words.
PAPERS = ["barnes", "flow", "fluid", "gauss", "gcd", "join", "locus", "mesh", "mp3d", "mtxmult", "pnet", "ptycho",
          "shpath", "sort", "water"]
PEERS = ["tsan", "drd"]
HAMMERS = ["mutex_hammer", "atomic_hammer", "racy_counter"]
PARTS = ["kernels", "code", "peers", "growth", "real"]
# Where every access is an event, a second of native time would be minutes.
SMALL = {"fft": 0.05, "radix": 0.03, "lu": 0.004, "ocean": 0.02, "nbody": 0.02, "quicksort": 0.02}
REAL = {"pbzip2": "compress", "xz": "compress", "zstd": "compress", "leveldb": "db_bench", "x264": None,
        "memcached": None}
# Minutes that everything may take, and the share of each part; a part that took less leaves the rest to those after it.
BUDGET, QUICK_BUDGET = 40, 9
SHARES = {"kernels": 0.4, "code": 0.03, "peers": 0.22, "growth": 0.17, "real": 0.18}


def say(text):
    print(text, flush=True)


def source_of(name):
    return HERE / "programs" / f"{name}.cc"


def build_ahead(bench, names, kinds):
    """On all processors, and not counted: measuring needs them quiet. Who cannot be built says so when it is measured."""
    def build(wanted):
        try:
            bench.builder.binary(*wanted)
        except measure.Failed:
            pass
    start = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(build, [(source_of(name), kind) for name in names for kind in kinds]))
    bench.deadline += time.monotonic() - start


def kernels(options, bench):
    ways = ["native", "one core", "record", "replay", "tsan"]  # the one that may take all the time comes last
    results = []
    names = options.programs or KERNELS + ([] if options.quick else PAPERS) + HAMMERS
    build_ahead(bench, names, {measure.BINARY[way] for way in ways if way in measure.BINARY})
    for name in bench.in_shares(names):
        results.append(bench.measure(source_of(name), ways, [options.threads, options.scale], options.repetitions))
        say(f"  {name}: " + report.in_short(results[-1], ways))
    return results


def peers(options, bench):
    """On inputs that small the start of a process counts; `start` is what it takes, and is taken off."""
    algorithms = ["rwtrace-1"] if options.quick else measure.ALGORITHMS
    ways = ["native", "drd", "tsan", "record", *algorithms, "replay", *([] if options.quick else ["races"])]
    empty = bench.work / "start.cc"
    empty.write_text("int main() {}\n")
    start = bench.measure(empty, ways, [], 3)
    results = []
    for name in bench.in_shares([n for n in KERNELS if not options.programs or n in options.programs]):
        scale = SMALL[name] * (0.5 if options.quick else 1)
        results.append(bench.measure(source_of(name), ways, [options.threads, scale], 1 if options.quick else 2))
        say(f"  {name}: " + report.in_short(results[-1], ways, start))
    return {"start": start, "results": results}


def growth(options, bench):
    ways = ["native", "record"] if options.quick else ["native", "record", "replay"]
    repetitions = 1 if options.quick else 3
    names = ["radix", "quicksort"] if options.quick else KERNELS
    threads = [1, 2, 4, 8] if options.quick else [1, 2, 4, 8, 16, 64]
    sharing = HERE / "growth" / "sharing.cc"
    accesses = 2_000_000 if options.quick else 8_000_000
    found = {"threads": {}, "sizes": {}, "conflicts": {}, "lines": {}}
    names = [n for n in names if not options.programs or n in options.programs]
    for name in bench.in_shares([*names, "conflicts", "lines"]):
        if name == "conflicts":
            for percent in bench.in_shares((0, 1, 5, 20, 50, 100)):
                arguments = [options.threads, accesses, 1024, percent]
                found[name][percent] = bench.measure(sharing, ways, arguments, repetitions)
            continue
        if name == "lines":
            for lines in bench.in_shares((1, 16, 256, 4096, 65536)):
                arguments = [options.threads, accesses, lines, 5]
                found[name][lines] = bench.measure(sharing, ways, arguments, repetitions)
            continue

        def with_arguments(*arguments):
            return bench.measure(source_of(name), ways, arguments, repetitions)
        found["threads"][name] = {n: with_arguments(n, 0.1 * options.scale) for n in threads}
        found["sizes"][name] = {factor: with_arguments(options.threads, 0.05 * options.scale * factor)
                                for factor in (1, 4, 16)}
        say(f"  {name}: threads, sizes")
    say("  conflicts, shared lines")
    return found


def code(options, bench):
    """{program: {kind: figures}}; of programs that do not compile, what was said instead."""
    found = {}
    for name in options.programs or KERNELS + HAMMERS:
        try:
            runs = {kind: [bench.builder.cost(source_of(name), kind) for _ in range(1 if options.quick else 3)]
                    for kind in ("native", "record")}
        except measure.Failed as problem:
            found[name] = {"problem": str(problem)}
            continue
        found[name] = {kind: {"cpu": min(r["cpu"] for r in costs), "text": costs[0]["text"]}
                       for kind, costs in runs.items()}
    return found


def with_tests():
    """What tests/real knows about programs from source packages."""
    sys.path[:0] = [str(HERE.parent / "tests" / "e2e"), str(HERE.parent / "tests" / "real")]
    import harness
    import projects
    import servers
    import sources
    return harness, projects, servers, sources


def built_twice(options, project, work, needed):
    """Commands of a program: {"native": (command, drive), "record": ...}."""
    harness, projects, servers, sources = needed

    class Native(harness.Tools):
        def __init__(self, prefix):
            super().__init__(prefix)
            self.cc, self.cxx = (shutil.which(f"{name}-19") or name for name in ("clang", "clang++"))

    if issubclass(project, servers.Server):  # builds both itself
        built = project(harness.Tools(options.build), sources.Apt(work / "apt"), work / "record")
        (work / "record").mkdir(parents=True, exist_ok=True)
        built.build()
        port = servers.free_port()
        recorded, native = built.commands(port, options.threads)
        return {"native": (native, built.drive(port)), "record": (recorded, built.drive(port))}
    commands = {}
    for kind, tools in (("native", Native(options.build)), ("record", harness.Tools(options.build))):
        (work / kind).mkdir(parents=True, exist_ok=True)
        built = project(tools, sources.Apt(work / "apt"), work / kind)
        built.build()
        for case in built.cases(options.threads):
            case = case if isinstance(case, projects.Case) else projects.Case(*case)
            if not case.drive and not case.terminal and REAL[project.name] in (None, case.name):
                commands[kind] = (case.command, None)
                break
    return commands


def measure_real(options, bench, commands):
    trace = bench.work / "trace-real"
    samples = {"native": [], "record": [], "replay": []}
    problems = []
    for repetition in range(options.repetitions):
        shutil.rmtree(trace, ignore_errors=True)
        native, drive = commands["native"]
        recorded, drive_recorded = commands["record"]
        for way, command, talk in (("native", native, drive),
                                   ("record", [bench.anaphora, "record", "-o", trace, *recorded], drive_recorded),
                                   ("replay", [bench.anaphora, "replay", "-a", trace], None)):
            if bench.time_left() <= 0:
                problems += [] if repetition else [f"{way}: left out for want of time"]
                continue
            run = bench.run(command, talk)
            if run.timed_out or run.problem or (run.status and not talk and not drive):
                problems.append(f"{way}: {run.problem or ('time-out' if run.timed_out else f'status {run.status}')}")
            else:
                samples[way].append(run)
    found = {"ways": {way: {"cpu_min": min(r.cpu for r in runs), "wall_min": min(r.wall for r in runs),
                            "rss_kib": max(r.rss_kib for r in runs)} for way, runs in samples.items() if runs},
             "recordings": {"record": measure.trace_stats(bench.anaphora, trace)}, "problems": problems}
    shutil.rmtree(trace, ignore_errors=True)
    return found


def real(options, bench):
    """Programs from source packages, built as tests/real builds them; memcached under memcaslap."""
    needed = with_tests()
    harness, projects, servers, sources = needed
    work = (options.output / "real").resolve()
    wanted = [p for p in projects.ALL + servers.ALL
              if p.name in REAL and (not options.programs or p.name in options.programs)]
    found, built = {}, {}
    for project in wanted:
        found[project.name] = {"ways": {}, "recordings": {}, "problems": []}
        try:
            commands = built_twice(options, project, work, needed)
            if len(commands) < 2:
                raise projects.BuildFailed("has no such case")
            built[project.name] = commands
        except (projects.BuildFailed, sources.Unavailable, harness.NotDriven) as problem:
            found[project.name]["problems"].append(f"not built: {str(problem)[-300:]}")
            say(f"  {project.name}: not built")
    bench.deadline = max(bench.deadline, time.monotonic() + bench.share)  # building does not count
    for name in bench.in_shares(list(built)):
        found[name] = measure_real(options, bench, built[name])
        say(f"  {name}: " + report.in_short(found[name], ["native", "record", "replay"]))
    return found


def machine(options):
    def first_line(command):
        try:
            return subprocess.run(command, capture_output=True, text=True, cwd=HERE).stdout.split("\n")[0]
        except OSError:
            return ""
    known = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    model = [line.split(":")[1].strip() for line in known if "model name" in line]
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return {"processor": model[0] if model else platform.machine(), "processors": os.cpu_count(),
            "kernel": platform.release().split("-")[0], "memory_mib": memory >> 20,
            "load": os.getloadavg()[0], "date": datetime.date.today().isoformat(),
            "commit": first_line(["git", "rev-parse", "--short", "HEAD"]),
            "compiler": first_line([options.cxx, "--version"]), "flags": measure.FLAGS}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--output", type=pathlib.Path, help="where real programs are built (default: BUILD/bench)")
    parser.add_argument("--results", type=pathlib.Path, help="where bench.md goes (default: the output directory)")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--scale", type=float)
    parser.add_argument("--repetitions", type=int)
    parser.add_argument("--timeout", type=float, default=120, help="of a single run, in seconds")
    parser.add_argument("--budget", type=float, help=f"minutes (default: {BUDGET}, with --quick {QUICK_BUDGET})")
    parser.add_argument("--cxx", default=shutil.which("clang++-19") or "clang++")
    parser.add_argument("--parts", help=f"of {', '.join(PARTS)} (default: all; with --quick all but real)")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("programs", nargs="*")
    options = parser.parse_args()
    options.output = (options.output or options.build / "bench").resolve()
    options.results = (options.results or options.output).resolve()
    options.repetitions = options.repetitions or (2 if options.quick else 5)
    options.scale = options.scale or (0.25 if options.quick else 1.0)
    parts = options.parts.split(",") if options.parts else [p for p in PARTS if not options.quick or p != "real"]
    unknown = [name for name in options.programs if name not in {*KERNELS, *PAPERS, *HAMMERS, *REAL}]
    unknown += [part for part in parts if part not in PARTS]
    if unknown:
        sys.exit(f"no such program or part: {', '.join(unknown)}")
    options.output.mkdir(parents=True, exist_ok=True)
    options.results.mkdir(parents=True, exist_ok=True)
    data = {"machine": machine(options), "threads": options.threads, "scale": options.scale,
            "repetitions": options.repetitions, "quick": options.quick}
    with tempfile.TemporaryDirectory(prefix="anaphora-bench-") as work:
        bench = measure.Bench(options.build, options.cxx, pathlib.Path(work), options.timeout)
        budget = 60 * (options.budget or (QUICK_BUDGET if options.quick else BUDGET))
        all_shares = sum(SHARES[part] for part in parts)
        bench.deadline = time.monotonic()
        for part in sorted(parts, key=PARTS.index):
            say(part)
            bench.share = budget * SHARES[part] / all_shares
            bench.deadline += bench.share
            run = {"kernels": kernels, "peers": peers, "growth": growth, "code": code, "real": real}[part]
            data[part] = run(options, bench)
            # After each part: who stops it has what was measured so far.
            data["machine"]["load_after"] = os.getloadavg()[0]
            (options.results / "bench.json").write_text(json.dumps(data, indent=1) + "\n")
            problems = report.write(options.results, data)
    say(f"written: {options.results / 'bench.md'}")
    for problem in problems:
        say(f"problem: {problem}")
    for what, measured, limit, holds in report.goals(data):
        if not holds:
            say(f"missed: {what}: {measured}, limit {limit}")
    return 1 if any(problem.split(": ")[1] not in PEERS for problem in problems) else 0


if __name__ == "__main__":
    sys.exit(main())
