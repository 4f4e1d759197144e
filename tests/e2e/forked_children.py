#!/usr/bin/env python3
"""record --children: forked children that go on with the program's code have traces of their own. The replay of the
first process prints what all of them did; those of all processes together, without what others printed, do so, too, and
each ends as it did; the debugger opens them."""

import collections
import json
import os
import pathlib
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import harness  # noqa: E402

LIMIT = 120  # seconds
REPLAYS = 2
BIG = 2_500_000  # bytes: a file that is kept

# source, arguments, options of record, how the children end, as `anaphora ps` says
CASES = [
    ("workers", ["BIG"], [], ["exit status 1", "exit status 2", "exit status 3", "exit status 4", "exit status 5",
                              "exit status 6", "exit status 7", "exit status 40", "signal 9"]),
    ("threads", ["3"], [], ["exit status 20", "exit status 22", "exit status 30", "exit status 30"]),
    ("threads", ["8"], ["--chaos"], ["exit status 20", "exit status 22", "exit status 30", "exit status 30"]),
    ("threads", ["2"], ["--yield-at-checks=3"], ["exit status 20", "exit status 22", "exit status 30", "exit status 30"]),
    ("server", [], [], None),
    ("server", [], ["--no-patch"], None),
    ("generations", [], [], ["exit status 3", "exit status 3", "exit status 40", "exit status 41"]),
    ("generations", ["daemon"], [], ["exit status 33"]),
]


class Family:
    """A recording and what it has."""

    def __init__(self, tools, trace):
        self.tools, self.trace = tools, trace

    def children(self):
        listed = json.loads(harness.run([self.tools.anaphora, "ps", "--json", self.trace], LIMIT).stdout or "[]")
        return {entry["process"]: entry["end"] for entry in listed if "process" in entry}

    def settled(self):
        """Those that outlive their parent are recorded further."""
        until = time.monotonic() + LIMIT
        while any("without" in end for end in self.children().values()) and time.monotonic() < until:
            time.sleep(0.1)
        while not self.all_is_printed() and time.monotonic() < until:
            time.sleep(0.01)
        return self.children()

    def all_is_printed(self):
        """Nobody is left who could print."""
        printed = self.trace / "printed"
        return not printed.exists() or printed.read_bytes()[-32:].startswith(b"prntend\n")

    def replay(self, child=None):
        return harness.run([*self.tools.replay_command(self.trace), *(["-p", child] if child else [])], LIMIT)


def status_of(end):
    """As a shell gives it."""
    words = end.split()
    return int(words[2]) if words[0] == "exit" else 128 + int(words[1])


def check(tools, binary, case, trace):
    name, arguments, options, ends = case
    with open(trace.with_suffix(".out"), "w+b") as out:  # a file: orphans write to it when their parent has ended
        command = tools.record_command(trace, [binary, *arguments], ["--children", *options])
        recorded = harness.run(["sh", "-c", 'exec "$@" >> "$0"', out.name, *command], LIMIT)
        family = Family(tools, trace)
        children = family.settled()
        text = pathlib.Path(out.name).read_bytes()
        said = collections.Counter(text.splitlines())
    problems = [] if recorded.status == 0 else [f"recorded status {recorded.status}: {recorded.stderr.decode()}"]
    short = sorted(end.split(" (")[0] for end in children.values())
    if ends is not None and short != sorted(ends):
        problems.append(f"the children ended with {short}, not {ends}")
    if ends is None and len(children) != 4:
        problems.append(f"{len(children)} children are listed, not 4")
    all_replayed = family.replay().stdout
    if all_replayed != text:
        problems.append(harness.first_difference("what the whole family printed", text, all_replayed))
    # From here on each replay shows only what the process itself wrote.
    for printed in trace.rglob("printed"):
        printed.unlink()
    for _ in range(REPLAYS):
        parent = family.replay()
        replayed = collections.Counter(parent.stdout.splitlines())
        problems += [f"the parent's replay: {parent.stderr.decode()}"] if parent.status != 0 else []
        for child, end in children.items():
            outcome = family.replay(child)
            replayed.update(outcome.stdout.splitlines())
            if outcome.status != status_of(end):
                problems.append(f"{child} ended with {end}, its replay with {outcome.status}: {outcome.stderr.decode()}")
        if replayed != said:
            problems.append(f"recorded but not replayed {list(said - replayed)[:5]}, the other way {list(replayed - said)[:5]}")
    return [f"{name} {' '.join(options)}: {problem}" for problem in problems[:5]]


def debug(tools, trace):
    """The second child of `threads`, at a function that its own threads run, and on to its end."""
    script = trace.with_suffix(".gdb")
    script.write_text("set pagination off\nbreak work\ncontinue\nbt 1\ndelete\ncontinue\nquit\n")
    child = sorted(Family(tools, trace).children(), key=int)[1]
    outcome = harness.run([tools.anaphora, "replay", "-p", child, "-x", str(script), str(trace)], LIMIT)
    text = outcome.stdout.decode() + outcome.stderr.decode()
    wanted = ["work (argument=", f"child {child}: ", "the recording ends here, with exit status 30"]
    return [f"the debugger does not show '{want}':\n{text}" for want in wanted if want not in text]


def is_refused(tools, trace):
    """A child without its parent's streams."""
    streams = trace / "streams"
    streams.write_bytes(streams.read_bytes()[:100])
    family = Family(tools, trace)
    child = sorted(path.name for path in (trace / "children").iterdir())[0]
    outcome = family.replay(child)
    return [] if outcome.status == 125 else [f"a child whose parent is damaged: {outcome.status} {outcome.stderr.decode()}"]


def main():
    tools, work = harness.begin(__doc__)
    big = work / "big"
    big.write_bytes(os.urandom(BIG))
    binaries = {}
    problems = []
    for number, case in enumerate(CASES):
        source = case[0]
        if source not in binaries:
            binaries[source] = tools.build([HERE / "forks" / f"{source}.c"], ["-O2", "-g", "-pthread"], work / source)
        arguments = [str(big) if word == "BIG" else word for word in case[1]]
        problems += check(tools, binaries[source], (source, arguments, *case[2:]), work / f"trace{number}")
    if not problems:
        problems += debug(tools, work / "trace1")
        problems += is_refused(tools, work / "trace0")
    return harness.verdict(problems)


if __name__ == "__main__":
    sys.exit(main())
