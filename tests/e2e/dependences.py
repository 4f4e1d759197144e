#!/usr/bin/env python3
"""`anaphora deps` and `anaphora why`: dependences.py --build DIR --work DIR

The reduced dependences of a recording are as many, of each kind, as the simulator traces of a file of its references with
Netzer's algorithm, and are among all dependences. What led to an event is found in them, whatever kind of access a value
comes by, with names for all that is used."""

import collections
import csv
import io
import json
import shutil
import sys

import harness

HERE = harness.pathlib.Path(__file__).resolve().parent
TIMEOUT = 240
LATEST = "0:1000000000"  # all that the thread does
PROGRAMS = ["race_int", "cond_queue"]


class Wrong(Exception):
    pass


def demand(condition, text):
    if not condition:
        raise Wrong(text)


def run(command, status=0):
    outcome = harness.run(command, TIMEOUT)
    said = outcome.stderr.decode(errors="replace")[-1500:]
    demand(not outcome.timed_out and outcome.status == status,
           f"{harness.shell_line(command)} ended with {outcome.status}, not {status}: {said}")
    return outcome.stdout.decode()


def key(dependence):
    return (dependence["kind"], dependence["from"]["thread"], dependence["from"]["reference"], dependence["to"]["thread"],
            dependence["to"]["reference"])


def check(tools, work, name):
    source = next((HERE / "programs").glob(f"{name}.c*"))
    binary, trace, references = work / name, work / f"{name}.trace", work / f"{name}.refs"
    tools.build([source], ["-O2", "-g", "--every-access"], binary)
    run(tools.record_command(trace, [binary, 2], ["-q"]))
    run([*tools.replay_command(trace), f"--trace-all={references}"])
    simulated = json.loads(run([tools.anaphora, "simulate", "--algorithm=optimal-vector", "--json", references]))
    kinds = simulated["algorithms"][0]["kinds"]
    reduced = [json.loads(line) for line in run([tools.anaphora, "deps", trace]).splitlines()]
    demand(reduced and len(reduced) == simulated["algorithms"][0]["traced"],
           f"{name}: {len(reduced)} reduced dependences, the simulator traces {simulated['algorithms'][0]['traced']}")
    counted = collections.Counter(d["kind"] for d in reduced)
    demand(all(counted[kind] == kinds[kind] for kind in ("raw", "waw", "war")), f"{name}: kinds {counted}, not {kinds}")
    file = work / f"{name}.csv"
    run([tools.anaphora, "deps", "--all", "--csv", "-o", file, trace])
    rows = list(csv.DictReader(io.StringIO(file.read_text())))
    found = {(r["kind"], int(r["from_thread"]), int(r["from_reference"]), int(r["to_thread"]), int(r["to_reference"]))
             for r in rows}
    demand(all(key(d) in found for d in reduced), f"{name}: a reduced dependence is none of all")
    check_why(tools, trace, rows)


def check_why(tools, trace, rows):
    """All dependences by which a value came from another thread are steps; the last of them is in what led to its end."""
    last = [r for r in rows if r["kind"] == "raw" and r["object"] == "false"][-1]
    source, sink = f"{last['from_thread']}:{last['from_count']}", f"{last['to_thread']}:{last['to_count']}"
    steps = json.loads(run([tools.anaphora, "why", "--json", sink, trace]))["steps"]
    demand(any((s["to"]["event"], s["from"]["event"]) == (sink, source) for s in steps),
           f"{source}, on which {sink} depends, is not in what led there")
    demand(len(json.loads(run([tools.anaphora, "why", "--json", "--steps=1", sink, trace]))["steps"]) == 1,
           "more than one step")
    text = run([tools.anaphora, "why", sink, trace])
    demand(f"at {sink}" in text, f"the text is {text!r}")
    run([tools.anaphora, "why", "nothing", trace], 2)


def find_step(steps, what, **wanted):
    found = [s for s in steps if all(s[key] == value for key, value in wanted.items())]
    demand(found, f"{what} is none of these steps: {steps}")
    return found[0]


def check_steps(tools, work, flags, how):
    """A value that an update receives, also one that fails, is a step; locks and threads have their names and places."""
    source = HERE / "why_steps.cc"
    binary, trace = work / "why_steps", work / f"why_steps{how}.trace"
    tools.build([source], ["-O2", "-g", "-std=c++20", "-pthread", *flags], binary)
    shutil.rmtree(trace, ignore_errors=True)
    run(tools.record_command(trace, [binary, how], ["-q"]))
    steps = json.loads(run([tools.anaphora, "why", "--json", "--steps=200", LATEST, trace]))["steps"]
    step = find_step(steps, f"the value received by {how}", variable="word", depth=0)
    demand(step["from"]["thread"] == 1, f"the value is not from thread 1: {step}")
    lock = find_step(steps, "the lock", variable="mutex", depth=0)
    lines = source.read_text().splitlines()

    def place(function, caller, which):
        line = [n for n, text in enumerate(lines, 1) if f"{function}(" in text][which]
        return f"{function}, called at {source.name}:{line} ({caller})"

    said = [(lock[side]["operation"], lock[side]["place"]) for side in ("to", "from")]
    demand(said == [("acquired", place("pthread_mutex_lock", "main", -1)),
                    ("released", place("pthread_mutex_unlock", "send(void*)", 0))], f"the lock is shown as {said}")
    began = next((s for s in steps if s["to"].get("operation") == "began"), None)
    demand(began and began["from"]["place"] == place("pthread_create", "main", 0), f"the beginning is shown as {began}")
    initial = [s for s in steps if s["variable"].startswith("settings")]
    demand(len(initial) == 1 and initial[0]["bytes"] == 64 * 8 and initial == steps[-1:],
           f"what was there from the beginning is not one step, the last: {steps}")
    demand("Nothing" not in run([tools.anaphora, "why", LATEST, trace]), "the text says that nothing led there")


def main():
    tools, work = harness.begin(__doc__)
    problems = []
    for name in PROGRAMS:
        try:
            check(tools, work, name)
        except Wrong as wrong:
            problems.append(str(wrong))
    for flags in ([], ["--every-access"]):
        for how in ("add", "swap", "compare", "load"):
            try:
                check_steps(tools, work, flags, how)
            except Wrong as wrong:
                problems.append(f"{how} {flags}: {wrong}")
    return harness.verdict(problems)


if __name__ == "__main__":
    sys.exit(main())
