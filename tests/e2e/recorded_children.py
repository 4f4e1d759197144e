#!/usr/bin/env python3
"""record --children: the programs that a program executes have traces of their own, which replay what the parent read from
them; the parent replays without them."""

import argparse
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import harness  # noqa: E402

LIMIT = 120  # seconds


def said_by(stdout):
    """What each child printed, as its parent repeats it."""
    said = {}
    for line in stdout.decode().splitlines():
        child, _, text = line.partition(": ")
        said.setdefault(child, []).append(text)
    return ["\n".join(lines[:-1]) for lines in said.values()]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--work", required=True)
    options = parser.parse_args()
    tools = harness.Tools(options.build)
    work = pathlib.Path(options.work).resolve()
    work.mkdir(parents=True, exist_ok=True)
    binary, trace = work / "family", work / "trace"
    build = harness.run(tools.build_command([HERE / "family.c"], ["-O2", "-g"], binary), 180)
    if build.status:
        sys.exit(build.stderr.decode(errors="replace"))
    harness.run(["rm", "-rf", trace], 30)
    recorded = harness.run(tools.record_command(trace, [binary, "2"], ["--children"]), LIMIT)
    problems = [] if recorded.status == 0 else [f"recorded status {recorded.status}: {recorded.stderr.decode()}"]
    problems += harness.differences(recorded, harness.run(tools.replay_command(trace), LIMIT))
    listed = json.loads(harness.run([tools.anaphora, "ps", "--json", trace], LIMIT).stdout or "[]")
    children = [entry["process"] for entry in listed if "process" in entry]
    if len(children) != 3:
        problems.append(f"{len(children)} children are listed, not 3")
    said = said_by(recorded.stdout)
    replayed = []
    for child in children:
        outcome = harness.run([*tools.replay_command(trace), "-p", child], LIMIT)
        replayed.append(outcome.stdout.decode().strip())
    if sorted(replayed) != sorted(said):
        problems.append(f"the children said {said}, their replays {replayed}")
    if harness.run([*tools.replay_command(trace), "-p", "1"], LIMIT).status != 125:
        problems.append("a replay of a process that was not recorded is not refused")
    removed = harness.run([tools.anaphora, "rm", trace], LIMIT)
    if removed.status or trace.exists():
        problems.append(f"the trace cannot be removed: {removed.stderr.decode()}")
    print("\n".join(["FAIL"] + problems if problems else ["pass"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
