#!/usr/bin/env python3
"""What `anaphora doctor --syscalls` says is what happens: calls listed as refused end a recording with their name,
their number and a hint; those listed as answered return an error, or success if they change nothing that could be seen;
those listed as logged replay."""

import errno
import json
import pathlib
import shutil
import sys

import harness

# None of these does anything with the arguments that the program gives.
HARMLESS = ["dup", "lseek", "fsync", "getsid", "getpgid", "epoll_ctl", "recvmmsg", "mq_unlink", "semget"]
ANSWERS = {errno.ENOSYS, errno.ENOSPC}
SUCCEED = {"mlockall", "munlockall"}
REFUSED = ["ptrace", "seccomp", "shmat", "io_uring_enter", "process_vm_readv", "modify_ldt", "keyctl", "quotactl"]


def listed(tools):
    outcome = harness.run([tools.anaphora, "doctor", "--syscalls", "--json"], 60)
    if outcome.status != 0:
        sys.exit(f"doctor --syscalls --json: status {outcome.status}\n{outcome.stderr.decode()}")
    return {call["name"]: call for call in json.loads(outcome.stdout)}


def check(tools, work, program, call):
    """What is wrong with how the call is treated, or None."""
    trace = work / f"trace-{call['name']}"
    shutil.rmtree(trace, ignore_errors=True)
    recorded = harness.run(tools.record_command(trace, [program, str(call["number"])]), 60)
    said = recorded.stderr.decode(errors="replace")
    if call["how"] == "refused":
        wanted = [f"{call['name']} (number {call['number']})", call["note"]]
        missing = [text for text in wanted if text not in said]
        return f"the message lacks {missing}: {said}" if missing or recorded.status != 125 else None
    if recorded.status != 0:
        return f"status {recorded.status}: {said}"
    if call["how"] == "answered":
        result, error = map(int, recorded.stdout.split())
        right = result == 0 if call["name"] in SUCCEED else result == -1 and error in ANSWERS
        return None if right else f"answered {result}, error {error}"
    return "; ".join(harness.differences(recorded, harness.run(tools.replay_command(trace), 60))) or None


def main():
    tools, work = harness.begin(__doc__)
    program = tools.build([pathlib.Path(__file__).with_suffix(".c")], ["-O1"], work / "listed_syscalls")
    calls = listed(tools)
    hows = {how: [call for call in calls.values() if call["how"] == how] for how in ("refused", "answered", "logged")}
    failed = 0
    chosen = [calls[name] for name in [*REFUSED, *HARMLESS]] + hows["answered"]
    if len(hows["logged"]) < 200 or not hows["answered"] or any(calls[name]["how"] != "refused" for name in REFUSED):
        failed += 1
        print(f"FAIL  {len(hows['logged'])} calls listed as logged, refused: {[c['name'] for c in hows['refused']]}")
    for call in chosen:
        wrong = check(tools, work, program, call)
        print(f"{'FAIL' if wrong else 'pass'}  {call['name']}, {call['how']}")
        if wrong:
            failed += 1
            print(f"      {wrong}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
