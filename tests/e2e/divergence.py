"""A replay that goes another way than the recording must say so, and where.

  divergence.py --build DIR --work DIR
"""

import pathlib
import sys

import harness

TIMEOUT = 240
HERE = pathlib.Path(__file__).resolve().parent


def expect_told(tools, trace):
    replayed = harness.run(tools.replay_command(trace), TIMEOUT)
    said = "\n".join(replayed.tool_lines())
    print(said)
    if replayed.timed_out:
        sys.exit("the replay did not end in time")
    if not replayed.status or "differs from the recording" not in said:
        sys.exit(f"the replay ended with {replayed.status} as if nothing had happened")
    return said


def build_and_record(tools, work, name, status, output):
    program = tools.build([HERE / "divergent" / f"{name}.cc"], ["-g", "-O2"], work / name)
    trace = work / f"{name}.trace"
    recorded = harness.run(tools.record_command(trace, [program]), TIMEOUT)
    if recorded.status != status or recorded.stdout != output:
        sys.exit(f"the recording ended with {recorded.status}: {recorded.stderr.decode(errors='replace')}")
    return trace


def main():
    tools, work = harness.begin(__doc__)
    trace = build_and_record(tools, work, "hidden_input", 0, b"done\n")
    if "hidden_input.cc:" not in expect_told(tools, trace):
        sys.exit("the replay does not say where it diverged")
    # Earlier in about half of the replays, later in the others.
    trace = build_and_record(tools, work, "other_crash", 139, b"")
    for _ in range(8):
        expect_told(tools, trace)


if __name__ == "__main__":
    main()
