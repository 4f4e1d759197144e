#!/usr/bin/env python3
"""How many runs it takes to catch each bug of examples/, without --chaos and with it. The two take turns; a search that
has found nothing after the given number of runs, or seconds, is given up. Writes a page."""

import argparse
import os
import pathlib
import platform
import re
import shutil
import statistics
import subprocess
import sys
import time

EXAMPLES = pathlib.Path(__file__).resolve().parents[1] / "examples"


class Search:
    """The runs and seconds that one `record --until-failure` took, and whether it found the bug."""

    def __init__(self, runs, seconds, found):
        self.runs = runs
        self.seconds = seconds
        self.found = found


def search(anaphora, binary, trace, options, limits):
    shutil.rmtree(trace, ignore_errors=True)
    begin = time.monotonic()
    command = [anaphora, "record", "-o", trace, f"--until-failure={limits.runs}", *options, binary]
    process = subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        said = process.communicate(timeout=limits.seconds)[1].decode(errors="replace")
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return Search(None, time.monotonic() - begin, False)
    finally:
        shutil.rmtree(trace, ignore_errors=True)
    found = re.search(r"run (\d+).* ended with", said)
    return Search(int(found[1]) if found else limits.runs, time.monotonic() - begin, bool(found))


def describe(searches):
    """Mean runs of those that found it; seconds of a search."""
    found = [one for one in searches if one.found]
    seconds = statistics.mean(one.seconds for one in searches)
    if not found:
        return f"none | {seconds:.1f}"
    missed = f" ({len(searches) - len(found)} of {len(searches)} given up)" if len(found) < len(searches) else ""
    return f"{statistics.mean(one.runs for one in found):.1f}{missed} | {seconds:.1f}"


def page(rows, limits):
    lines = ["# Runs until a bug shows, without and with --chaos", "",
             f"Made by `make bench-chaos` on {platform.machine()}, {os.cpu_count()} processors. For each bug of "
             f"`examples/`, the mean of {limits.searches} searches each way, taken in turns: the runs that it took, "
             f"and the seconds of a search. A search is given up after {limits.runs} runs or {limits.seconds} s.", "",
             "| bug | runs | seconds | runs with --chaos | seconds |", "|---|---|---|---|---|"]
    lines += [f"| {name} | {describe(plain)} | {describe(chaotic)} |" for name, plain, chaotic in rows]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--output", required=True, help="directory for binaries and traces")
    parser.add_argument("--results", help="directory for the page")
    parser.add_argument("--searches", type=int, default=5)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("names", nargs="*", help="only these bugs")
    options = parser.parse_args()
    tools = pathlib.Path(options.build).resolve() / "bin"
    work = pathlib.Path(options.output).resolve()
    work.mkdir(parents=True, exist_ok=True)
    rows = []
    for source in sorted(EXAMPLES.glob("*.cc")):
        if options.names and source.stem not in options.names:
            continue
        binary = work / source.stem
        subprocess.run([tools / "anaphora-c++", "-std=c++20", "-O2", "-g", "-pthread", source, "-o", binary],
                       check=True, timeout=300)
        plain, chaotic = [], []
        for i in range(options.searches):
            plain.append(search(tools / "anaphora", binary, work / "trace", [], options))
            # Far apart: each run of a search takes the next seed.
            seed = 1 + i * 1000000
            chaotic.append(search(tools / "anaphora", binary, work / "trace", [f"--chaos={seed}"], options))
        rows.append((source.stem, plain, chaotic))
        sys.stdout.write(f"{source.stem}: {describe(plain)} | {describe(chaotic)}\n")
        sys.stdout.flush()
        if options.results:
            (pathlib.Path(options.results) / "chaos.md").write_text(page(rows, options))
    sys.stdout.write(page(rows, options))


if __name__ == "__main__":
    main()
