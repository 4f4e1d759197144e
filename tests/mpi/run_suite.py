#!/usr/bin/env python3
"""MPICH's own point-to-point tests: each that passes as it is must pass when recorded, and when that is replayed.

  run_suite.py --build BUILD --work DIR [TEST...]

The source package is unpacked and its tests are built in the work directory, with the MPICH that is installed. Exit
status 77 if the source cannot be had."""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys

import harness

sys.path.insert(0, str(harness.HERE.parent / "real"))
import sources  # noqa: E402

PASSED = "No Errors"


class Entry:
    """A line of the list: program, ranks, then words such as arg=-n, env=NAME=VALUE, timeLimit=60, mem=6.5."""

    def __init__(self, line):
        self.name, ranks, *words = line.split()
        self.ranks, self.line = int(ranks), line
        options = [word.partition("=")[::2] for word in words]
        self.arguments = [value for key, value in options if key == "arg"]
        self.environment = dict(value.split("=", 1) for key, value in options if key == "env")
        self.timeout = max([180] + [int(value) for key, value in options if key == "timeLimit"])
        self.memory = max([0.0] + [float(value) for key, value in options if key == "mem"])

    def how(self):
        return {"timeout": self.timeout, "environment": self.environment}


def build(work):
    """The directory of the tests."""
    apt = work / "apt"
    apt.mkdir(parents=True, exist_ok=True)
    source = sources.Apt(apt).source("mpich") / "test" / "mpi"
    tests = work / "tests"
    tests.mkdir(exist_ok=True)
    steps = [["make", "-C", directory, "-k", f"-j{os.cpu_count()}"] for directory in ("util", "dtpools", "pt2pt")]
    if not (tests / "Makefile").exists():
        steps.insert(0, [source / "configure", "--disable-fortran", "--disable-cxx", "--disable-romio",
                         f"MPICC={shutil.which('mpicc.mpich')}"])
    with open(work / "build.log", "w") as log:
        for step in steps:
            done = subprocess.run(step, cwd=tests, stdout=log, stderr=subprocess.STDOUT, timeout=1800)
            # Some tests use functions that the installed MPICH does not have.
            if done.returncode != 0 and step[-2] != "-k":
                raise harness.Failure(f"{step[0]} fails: see {work / 'build.log'}")
    return tests / "pt2pt"


def entries(tests):
    lines = (tests / "testlist").read_text().splitlines()
    return [Entry(line) for line in lines if line.strip() and not line.startswith("#")]


def passes(job):
    return job.status == 0 and any(PASSED in line for line in job.lines)


def check(tool, entry, tests, trace):
    """None: passes. Else what is wrong."""
    recorded = tool.record("mpich", entry.ranks, trace, [tests / entry.name, *entry.arguments], **entry.how())
    if not passes(recorded):
        return f"recording: status {recorded.status}, {recorded.lines[-3:]}\n{recorded.err[-1500:]}"
    replayed = tool.replay("mpich", entry.ranks, trace, **entry.how())
    if not passes(replayed) or replayed.lines != recorded.lines:
        return f"replay: status {replayed.status}, {replayed.lines[-3:]}\n{replayed.err[-1500:]}"
    return None


def test(tool, entry, tests, trace):
    """"passes", "fails" or "left out", and why."""
    if not (tests / entry.name).exists():
        return "left out", "does not build"
    if entry.memory > 0:
        return "left out", f"wants {entry.memory} GB of memory"
    try:
        native = harness.run("mpich", entry.ranks, [tests / entry.name, *entry.arguments], **entry.how())
    except harness.Failure:
        native = None
    if native is None or not passes(native):
        return "left out", "does not pass as it is"
    try:
        wrong = check(tool, entry, tests, trace)
    except harness.Failure as failure:
        wrong = str(failure)
    return ("passes", "") if wrong is None else ("fails", wrong)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("tests", nargs="*")
    options = parser.parse_args()
    work = options.work.resolve()
    try:
        tests = build(work)
    except sources.Unavailable as why:
        print(f"the source of MPICH cannot be had: {why}")
        return 77
    except harness.Failure as failure:
        print(failure)
        return 1
    tool = harness.Tool(options.build)
    counts = {"passes": 0, "fails": 0, "left out": 0}
    for entry in entries(tests):
        if options.tests and entry.name not in options.tests:
            continue
        verdict, why = test(tool, entry, tests, work / "trace")
        counts[verdict] += 1
        print(f"{verdict}: {entry.line}{': ' if why else ''}{why}", flush=True)
        shutil.rmtree(work / "trace", ignore_errors=True)
    print(f"{counts['passes']} pass, {counts['fails']} fail, {counts['left out']} left out")
    return 1 if counts["fails"] or not counts["passes"] else 0


if __name__ == "__main__":
    sys.exit(main())
