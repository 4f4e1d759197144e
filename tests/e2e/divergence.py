"""A replay that goes another way than the recording must say so, and where.

  divergence.py --build DIR --work DIR
"""

import pathlib
import sys

import harness

TIMEOUT = 240
HERE = pathlib.Path(__file__).resolve().parent


def main():
    tools, work = harness.begin(__doc__)
    program = tools.build([HERE / "divergent" / "hidden_input.cc"], ["-g", "-O2"], work / "hidden_input")
    trace = work / "trace"
    recorded = harness.run(tools.record_command(trace, [program]), TIMEOUT)
    if recorded.status or recorded.stdout != b"done\n":
        sys.exit(f"the recording ended with {recorded.status}: {recorded.stderr.decode(errors='replace')}")
    replayed = harness.run(tools.replay_command(trace), TIMEOUT)
    said = "\n".join(replayed.tool_lines())
    print(said)
    if replayed.timed_out:
        sys.exit("the replay did not end in time")
    if not replayed.status or "differs from the recording" not in said:
        sys.exit(f"the replay ended with {replayed.status} as if nothing had happened")
    if "hidden_input.cc:" not in said:
        sys.exit("the replay does not say where it diverged")


if __name__ == "__main__":
    main()
