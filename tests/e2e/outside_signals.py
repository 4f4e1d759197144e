#!/usr/bin/env python3
"""Signals that come from another process: they enter handlers, and replays enter them at the same points, with nobody
sending anything; one that ends the program ends the replay. The recorder passes signals on."""

import os
import pathlib
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import harness  # noqa: E402

SIGNALS = 40
LIMIT = 120  # seconds


def program_of(recorder):
    """The process id of the recorded program: the recorder's only child."""
    children = pathlib.Path(f"/proc/{recorder.pid}/task/{recorder.pid}/children").read_text().split()
    return int(children[0]) if children else None


def wait_for_line(recorder):
    """The program says when its handlers are installed."""
    line = recorder.stdout.readline()
    return line if line == b"ready\n" else sys.exit(f"the program said {line!r}")


def send_signals(program, last):
    for i in range(SIGNALS):
        os.kill(program, signal.SIGUSR1 if i % 2 else signal.SIGHUP)
        time.sleep(0.002)
    os.kill(program, last)


def kill_alone(program):
    """When only its first thread is left."""
    deadline = time.monotonic() + LIMIT
    while len(os.listdir(f"/proc/{program}/task")) > 1 and time.monotonic() < deadline:
        time.sleep(0.01)
    os.kill(program, signal.SIGKILL)


def ignore_interrupts():
    """As shells do for jobs in the background."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def record(tools, trace, program, meanwhile, to_recorder):
    command = [str(part) for part in tools.record_command(trace, program)]
    recorder = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
                                preexec_fn=ignore_interrupts if to_recorder == "ignoring" else None)
    try:
        first = wait_for_line(recorder)
        meanwhile(recorder.pid if to_recorder else program_of(recorder))
        stdout, stderr = recorder.communicate(timeout=LIMIT)
    finally:
        harness.kill_group(recorder)
    status = recorder.returncode if recorder.returncode >= 0 else 128 - recorder.returncode
    return harness.Outcome(command, status, first + stdout, stderr, 0, False)


def main():
    parser = harness.arguments(__doc__)
    parser.add_argument("--replays", type=int, default=5)
    options = parser.parse_args()
    tools, work = harness.begin(options)

    def compiled(name):
        return tools.build([HERE / f"{name}.c"], ["-O2", "-g"], work / name)

    racing, leaving = [compiled("outside_signals"), "4"], [compiled("outside_kill")]
    failed = 0
    for name, status, program, meanwhile, *to_recorder in (
        ("SIGTERM", 0, racing, lambda pid: send_signals(pid, signal.SIGTERM)),
        ("SIGINT", 128 + signal.SIGINT, racing, lambda pid: send_signals(pid, signal.SIGINT)),
        ("SIGKILL after the last thread has left", 128 + signal.SIGKILL, leaving, kill_alone),
        # Users know the process id of the recorder, which passes signals on.
        ("SIGTERM to the recorder", 0, racing, lambda pid: send_signals(pid, signal.SIGTERM), "directly"),
        ("SIGINT to the recorder", 128 + signal.SIGINT, racing, lambda pid: send_signals(pid, signal.SIGINT), "directly"),
        ("an ignored SIGINT", 0, racing,
         lambda pid: (os.kill(pid, signal.SIGINT), send_signals(pid, signal.SIGTERM)), "ignoring"),
    ):
        trace = work / "trace"
        harness.run(["rm", "-rf", trace], 30)
        recorded = record(tools, trace, program, meanwhile, *to_recorder or [None])
        found = [] if recorded.status == status else [f"recorded status {recorded.status}, not {status}"]
        if b"handled 0" in recorded.stdout:
            found.append("no handler was entered")
        for _ in range(options.replays):
            found += harness.differences(recorded, harness.run(tools.replay_command(trace), LIMIT))
        print("\n".join([f"{'FAIL' if found else 'pass'}  {name}"] + found))
        failed += bool(found)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
