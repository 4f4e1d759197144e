#!/usr/bin/env python3
"""`anaphora races` beside ThreadSanitizer: the time that both take for programs of bench/programs, and what both report
of the bugs of examples/. Programs are built as users build them, and with -fsanitize=thread. Each tool sees an
execution of its own; the time to record is not counted. The two take turns. Writes a page."""

import argparse
import json
import os
import pathlib
import platform
import re
import resource
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
PROGRAMS = ["lu", "nbody", "radix", "quicksort", "fft", "ocean", "atomic_hammer", "mutex_hammer", "racy_counter",
            "barnes", "fluid", "gcd", "join", "mp3d", "pnet", "ptycho", "shpath", "sort", "water"]  # of the papers
FLAGS = ["-std=c++20", "-O2", "-g", "-pthread"]
RACES_FOUND = 66
LIMIT = 600     # seconds, of anything that should end
HANGS_FOR = 10  # seconds after which a bug is taken to hang


class Tools:
    def __init__(self, options):
        self.build = pathlib.Path(options.build).resolve()
        self.work = pathlib.Path(options.output).resolve()
        self.sanitizer = options.sanitizer
        self.work.mkdir(parents=True, exist_ok=True)

    def compile(self, source):
        """Both binaries."""
        ours, theirs = self.work / source.stem, self.work / f"{source.stem}.tsan"
        subprocess.run([self.build / "bin" / "anaphora-c++", *FLAGS, source, "-o", ours], check=True, timeout=LIMIT)
        subprocess.run([self.sanitizer, *FLAGS, "-fsanitize=thread", source, "-o", theirs], check=True, timeout=LIMIT)
        return ours, theirs

    def record(self, binary, arguments=(), timeout=LIMIT, options=()):
        """The trace, also of an execution that fails or is ended because it hangs."""
        trace = self.work / f"{binary.name}.trace"
        shutil.rmtree(trace, ignore_errors=True)
        command = [self.build / "bin" / "anaphora", "record", "-q", *options, "-o", trace, "--", binary, *arguments]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            process.wait(timeout)
        except subprocess.TimeoutExpired:
            process.terminate()
            process.wait(LIMIT)
        return trace

    def find_races(self, trace):
        command = [self.build / "bin" / "anaphora", "races", "--json", trace]
        found = subprocess.run(command, capture_output=True, timeout=LIMIT)
        if found.returncode not in (0, RACES_FOUND):
            raise RuntimeError(found.stderr.decode(errors="replace"))
        return json.loads(found.stdout)


def seconds(command):
    """From start to end, and of processors."""
    begin, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    ended = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=LIMIT)
    if ended.returncode not in (0, RACES_FOUND):
        said = ended.stderr.decode(errors="replace")[-500:]
        raise RuntimeError(f"{command[0]} ended with {ended.returncode}: {said}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.monotonic() - begin, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(tools, name, scale, runs):
    ours, theirs = tools.compile(ROOT / "bench" / "programs" / f"{name}.cc")
    arguments = ["2", str(scale)]
    trace = tools.record(ours, arguments)
    tsan, races = [], []
    for _ in range(runs):
        tsan.append(seconds([theirs, *arguments]))
        races.append(seconds([tools.build / "bin" / "anaphora", "races", "--json", trace]))
    shutil.rmtree(trace)
    cells = []
    for which in (0, 1):
        least = [min(run[which] for run in runs) for runs in (tsan, races)]
        cells += [f"{least[0]:.2f}", f"{least[1]:.2f}", f"{least[1] / least[0]:.1f}"]
    return f"| {name} | {scale:g} | {' | '.join(cells)} |"


def sanitizer_says(binary):
    """The kinds of its reports, with the innermost lines of the program in them."""
    try:
        said = subprocess.run([binary], capture_output=True, timeout=HANGS_FOR).stderr
        hung = ""
    except subprocess.TimeoutExpired as hanging:
        said, hung = hanging.stderr or b"", "hangs; "
    reports = {}
    for report in said.decode(errors="replace").split("WARNING: ThreadSanitizer: ")[1:]:
        kind = re.match(r"[^(\n]*", report)[0].strip()
        lines = []
        for stack in re.split(r"\n\s*\n", report.split("SUMMARY")[0])[:2]:
            at = re.search(rf"{binary.stem}\.cc:(\d+)", stack)
            lines += [at[1]] if at else []
        reports.setdefault(f"{kind}, {' and '.join(lines)}" if lines else kind)
    return hung + ("; ".join(reports) or "nothing")


def line_of(side, source):
    file = pathlib.Path(side["file"]).name
    return f"{side['line']}" if file in (source.name, "") else f"{file}:{side['line']}"


def races_say(races, source):
    texts = {}
    for race in races:
        lines = " and ".join(line_of(race[side], source) for side in ("first", "second"))
        texts.setdefault(f"`{race['variable']}`, {lines}" if race["variable"] else lines)
    shown = list(texts)[:4]
    return "; ".join(shown + ([f"{len(texts) - len(shown)} more"] if len(texts) > len(shown) else [])) or "nothing"


def compare_bug(tools, source):
    ours, theirs = tools.compile(source)
    for options in ([], ["--until-failure=50"]):
        trace = tools.record(ours, timeout=HANGS_FOR, options=options)
        races = tools.find_races(trace)["races"] if trace.exists() else []  # without a failure there is no trace
        if races:
            break
    return f"| {source.stem} | {sanitizer_says(theirs)} | {races_say(races, source)} |"


def page(times, bugs, options):
    sanitized = f"{pathlib.Path(options.sanitizer).name} -O2 -g -fsanitize=thread"
    lines = ["# Data races, beside ThreadSanitizer", "",
             f"Made by `make bench-races` on {platform.machine()}, {os.cpu_count()} processors: seconds from start to "
             "end, and of processors, of `anaphora races --json` on a recording of the ordinary build (`-O2 -g`), with "
             f"two threads, and of the program built with `{sanitized}`. The least of {options.runs} runs that took "
             "turns. Each tool saw an execution of its own; the time to record is not in it.", "",
             "| program | scale | ThreadSanitizer, s | anaphora races, s | ratio | ThreadSanitizer, processor s | "
             "anaphora races, processor s | ratio |", "|---|---|---|---|---|---|---|---|", *times, "",
             "A program that comes back to the same variables is replayed once, by bytes. One that walks through memory is "
             "replayed by lines, after a beginning by bytes, and once more if lines may race, be it that threads use "
             "different bytes of one. If bytes race, the beginning is replayed up to the last race reported, for the "
             "stacks. A replay takes longer the more edges the recording has: that of `atomic_hammer` depends on how "
             "often its counter went from thread to thread.", ""]
    if bugs:
        lines += ["The bugs of `examples/`: kinds of reports and lines of the bug's file, or `variable`, lines. "
                  "ThreadSanitizer sees one run. What is recorded is one run, too; if nothing races there, the first of "
                  f"up to 50 that fails, or that hangs for {HANGS_FOR} s.", "",
                  "| bug | ThreadSanitizer | anaphora races |", "|---|---|---|", *bugs, ""]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--output", required=True, help="directory for binaries and traces")
    parser.add_argument("--results", help="directory for the page")
    parser.add_argument("--sanitizer", default="clang++-19", help="the compiler that has ThreadSanitizer")
    parser.add_argument("--scales", type=float, nargs="*", default=[0.1, 0.5])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--programs", nargs="*", default=PROGRAMS)
    parser.add_argument("--bugs", nargs="*", default=sorted(path.stem for path in (ROOT / "examples").glob("*.cc")))
    options = parser.parse_args()
    tools = Tools(options)
    times, bugs = [], []

    def done(rows, row):
        rows.append(row)
        sys.stdout.write(row + "\n")
        sys.stdout.flush()
        if options.results:
            (pathlib.Path(options.results) / "races.md").write_text(page(times, bugs, options))

    for name in options.programs:
        for scale in options.scales:
            done(times, measure(tools, name, scale, options.runs))
    for name in options.bugs:
        done(bugs, compare_bug(tools, ROOT / "examples" / f"{name}.cc"))


if __name__ == "__main__":
    main()
