"""A wild pointer or length ends a recorded program as it ends any other, and so does its replay.

  wild_pointers.py --build DIR --work DIR
"""

import pathlib
import shutil
import sys

import harness

TIMEOUT = 120
HERE = pathlib.Path(__file__).resolve().parent
BUFFER, POISON, KERNEL, HIGHEST, NEAR_NULL = "0", "deadbeefcafebabe", "ffff888000001000", "ffffffffffffffff", "10"
ENDLESS, HALF, FEW = "ffffffffffffffff", "7fffffffffffffff", "8"
CASES = [(way, pointer, FEW) for pointer in (POISON, KERNEL, HIGHEST, NEAR_NULL)
         for way in ("load", "store", "add", "sum", "mark", "memcpy", "memmove", "memset", "memcmp", "strlen", "strcpy",
                     "wmemset", "printf", "snprintf", "fwrite", "write", "writev")]
CASES += [(way, BUFFER, bytes) for bytes in (ENDLESS, HALF)
          for way in ("sum", "memset", "fread", "write", "malloc", "calloc")]


def main():
    tools, work = harness.begin(__doc__)
    program = tools.build([HERE / "wild_pointers.c"], ["-g", "-O1", "-pthread", "-w"], work / "wild_pointers")
    problems = []
    for case in CASES:
        name, trace = " ".join(case), work / "trace"
        shutil.rmtree(trace, ignore_errors=True)
        alone = harness.run([program, *case], TIMEOUT)
        recorded = harness.run(tools.record_command(trace, [program, *case]), TIMEOUT)
        problems += [f"{name}, recorded: {found}" for found in harness.differences(alone, recorded)]
        if recorded.timed_out:
            continue
        replayed = harness.run(tools.replay_command(trace), TIMEOUT)
        problems += [f"{name}, replayed: {found}" for found in harness.differences(recorded, replayed)]
    sys.exit("\n".join(problems) if problems else 0)


if __name__ == "__main__":
    main()
