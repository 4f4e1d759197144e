#!/usr/bin/env python3
"""A recorded thread that only lets others run leaves its processor to them, one that also writes goes on; and replays are the
same."""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import harness  # noqa: E402

LIMIT = 60  # seconds


def main():
    tools, work = harness.begin(__doc__)
    program = tools.build([HERE / "idle_waits.c"], ["-O2", "-g"], work / "idle_waits")
    trace = work / "trace"
    recorded = harness.run(tools.record_command(trace, [program]), LIMIT)
    problems = []
    if recorded.status or recorded.stdout != b"waiting: little\nwriting: not made to sleep\n":
        problems.append(f"status {recorded.status}: {recorded.stdout.decode()}{recorded.stderr.decode()}")
    replayed = harness.run(tools.replay_command(trace), LIMIT)
    return harness.verdict(problems + harness.differences(recorded, replayed))


if __name__ == "__main__":
    sys.exit(main())
