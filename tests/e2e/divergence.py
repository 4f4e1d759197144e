"""A replay that goes another way than the recording must say so, and where.

  divergence.py --build DIR --work DIR
"""

import pathlib
import shutil
import sys

import harness

TIMEOUT = 240
HERE = pathlib.Path(__file__).resolve().parent


def replay(tools, trace):
    replayed = harness.run(tools.replay_command(trace), TIMEOUT)
    said = "\n".join(replayed.tool_lines())
    print(said)
    if replayed.timed_out:
        sys.exit("the replay did not end in time")
    return replayed, said


def expect_told(tools, trace):
    replayed, said = replay(tools, trace)
    if not replayed.status or "differs from the recording" not in said:
        sys.exit(f"the replay ended with {replayed.status} as if nothing had happened")
    return said


def build_and_record(tools, work, name, status, output, tries=1):
    program = tools.build([HERE / "divergent" / f"{name}.cc"], ["-g", "-O2"], work / name)
    trace = work / f"{name}.trace"
    for _ in range(tries):
        shutil.rmtree(trace, ignore_errors=True)
        recorded = harness.run(tools.record_command(trace, [program]), TIMEOUT)
        if recorded.status == status and recorded.stdout == output:
            return trace
    sys.exit(f"the recording ended with {recorded.status}: {recorded.stderr.decode(errors='replace')}")


def expect_told_or_done(tools, trace, output):
    """Whether the replay was told to differ; else it must have done what the recording did."""
    replayed, said = replay(tools, trace)
    if "differs from the recording" in said and replayed.status:
        return True
    if replayed.status or replayed.stdout != output:
        sys.exit(f"the replay ended with {replayed.status}, having printed {replayed.stdout}, as if nothing had happened")
    return False


def main():
    tools, work = harness.begin(__doc__)
    trace = build_and_record(tools, work, "hidden_input", 0, b"done\n")
    if "hidden_input.cc:" not in expect_told(tools, trace):
        sys.exit("the replay does not say where it diverged")
    # Earlier in about half of the replays, later in the others.
    trace = build_and_record(tools, work, "other_crash", 139, b"")
    for _ in range(8):
        expect_told(tools, trace)
    trace = build_and_record(tools, work, "new_crash", 0, b"done\n", tries=30)
    if not any([expect_told_or_done(tools, trace, b"done\n") for _ in range(16)]):
        sys.exit("no replay of new_crash crashed")
    trace = build_and_record(tools, work, "other_length", 0, b"done\n")
    for _ in range(8):
        expect_told(tools, trace)


if __name__ == "__main__":
    main()
