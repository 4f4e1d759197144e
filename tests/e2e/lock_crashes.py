"""Replays do not touch locks; but a crash in a function that does must happen again.

  lock_crashes.py --build DIR --work DIR
"""

import pathlib
import shutil
import sys

import harness

TIMEOUT = 120
HERE = pathlib.Path(__file__).resolve().parent
FUNCTIONS = ("mutex_lock", "mutex_trylock", "mutex_unlock", "mutex_destroy", "cond_signal", "cond_broadcast", "cond_destroy",
             "rwlock_rdlock", "rwlock_unlock", "spin_lock", "spin_unlock", "sem_wait", "sem_post", "barrier_wait")


def main():
    tools, work = harness.begin(__doc__)
    program = tools.build([HERE / "lock_crashes.c"], ["-g", "-O2", "-pthread", "-w"], work / "lock_crashes")
    problems = []
    for function in FUNCTIONS:
        trace = work / f"{function}.trace"
        shutil.rmtree(trace, ignore_errors=True)
        recorded = harness.run(tools.record_command(trace, [program, function]), TIMEOUT)
        if recorded.status != 139 or recorded.stdout != f"{function} of nothing\n".encode():
            problems.append(f"{function}: the recording ended with {recorded.status}")
            continue
        for _ in range(2):
            replayed = harness.run(tools.replay_command(trace), TIMEOUT)
            problems += [f"{function}: {found}" for found in harness.differences(recorded, replayed)]
    sys.exit("\n".join(problems) if problems else 0)


if __name__ == "__main__":
    main()
