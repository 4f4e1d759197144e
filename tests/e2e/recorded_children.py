#!/usr/bin/env python3
"""record --children: the programs that a program executes have traces of their own, which replay what the parent read from
them; the parent replays without them."""

import json
import pathlib
import signal
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import harness  # noqa: E402

LIMIT = 120  # seconds
CLOSED = f"closer: 0 bytes\ncloser: status {signal.SIGUSR1.value:x}\n".encode()


def said_by(stdout):
    """What each child printed, as its parent repeats it."""
    said = {}
    for line in stdout.decode().splitlines():
        if line.startswith("closer"):
            continue
        child, _, text = line.partition(": ")
        said.setdefault(child, []).append(text)
    return ["\n".join(lines[:-1]) for lines in said.values()]


def main():
    tools, work = harness.begin(__doc__)
    binary, trace = tools.build([HERE / "family.c"], ["-O2", "-g"], work / "family"), work / "trace"
    recorded = harness.run(tools.record_command(trace, [binary, "2"], ["--children"]), LIMIT)
    problems = [] if recorded.status == 0 else [f"recorded status {recorded.status}: {recorded.stderr.decode()}"]
    problems += harness.differences(recorded, harness.run(tools.replay_command(trace), LIMIT))
    listed = json.loads(harness.run([tools.anaphora, "ps", "--json", trace], LIMIT).stdout or "[]")
    forked = [entry["process"] for entry in listed if entry.get("forked")]
    children = [entry["process"] for entry in listed if "process" in entry and not entry["forked"]]
    if len(children) != 4 or len(forked) != 1:
        problems.append(f"{len(children)} executed and {len(forked)} forked children are listed, not 4 and 1")
    if not recorded.stdout.endswith(CLOSED):
        problems.append(f"of the child that is killed, its parent heard {recorded.stdout[-100:]!r}")
    said = said_by(recorded.stdout)
    replayed, killed = [], 0
    for child in children:
        outcome = harness.run([*tools.replay_command(trace), "-p", child], LIMIT)
        if outcome.status == 128 + signal.SIGUSR1:
            killed += 1
        else:
            replayed.append(outcome.stdout.decode().strip())
    if killed != 1:
        problems.append(f"{killed} replays of children end of SIGUSR1, not 1")
    if sorted(replayed) != sorted(said):
        problems.append(f"the children said {said}, their replays {replayed}")
    if harness.run([*tools.replay_command(trace), "-p", "1"], LIMIT).status != 125:
        problems.append("a replay of a process that was not recorded is not refused")
    removed = harness.run([tools.anaphora, "rm", trace], LIMIT)
    if removed.status or trace.exists():
        problems.append(f"the trace cannot be removed: {removed.stderr.decode()}")
    return harness.verdict(problems)


if __name__ == "__main__":
    sys.exit(main())
