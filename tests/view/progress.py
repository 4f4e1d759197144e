#!/usr/bin/env python3
"""What `record --progress` and `replay` show on a terminal, and that they show nothing elsewhere:
progress.py --build BUILD --work DIRECTORY. The terminal is a pseudo terminal of the test's."""

import argparse
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
LIMIT = 120  # seconds, for anything to happen
RECORDING = re.compile(rb"recording (\d) threads?, [\d,]+ events, [\d.]+ \w+ of trace, \d+ s")
REPLAYING = re.compile(rb"replaying (\d+)%, about [\d.]+ (s|min \d+ s) left")
WIPED = b"\r\033[K"


def on_terminal(command, until):
    """Runs it with standard error on a terminal; `until` sees all that was shown and says whether to send a line."""
    master, slave = pty.openpty()
    process = subprocess.Popen([str(word) for word in command], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                               stderr=slave)
    os.close(slave)
    shown, end, sent = b"", time.monotonic() + LIMIT, False
    while time.monotonic() < end:
        if not sent and until(shown):
            sent = True
            process.stdin.write(b"go\n")
            process.stdin.flush()
        if not select.select([master], [], [], 0.1)[0]:
            continue
        try:
            piece = os.read(master, 65536)
        except OSError:  # the last end of the terminal is closed
            piece = b""
        if not piece:
            break
        shown += piece
    else:
        process.kill()
    os.close(master)
    return process.wait(), shown


def expect(what, condition, shown):
    if not condition:
        sys.exit(f"{what}; shown was:\n{shown!r}")


def elsewhere(command):
    done = subprocess.run([str(word) for word in command], input=b"go\n", stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, timeout=LIMIT)
    if done.returncode != 0:
        sys.exit(f"{command}: status {done.returncode}\n{done.stderr}")
    return done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    options = parser.parse_args()
    work = options.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    tool, program, trace = options.build.resolve() / "bin/anaphora", work / "busy", work / "trace"
    compiler = options.build.resolve() / "bin/anaphora-cc"
    subprocess.run([compiler, "-g", "-O1", "-pthread", HERE / "busy.c", "-o", program], check=True, timeout=300)

    def record(*words, rounds, until):
        shutil.rmtree(trace, ignore_errors=True)
        return on_terminal([tool, "record", *words, "-o", trace, program, rounds], until)

    status, shown = record("-q", "--progress", rounds=10, until=RECORDING.search)
    expect("record --progress must end well", status == 0, shown)
    expect("record --progress tells of its one thread", any(n == b"1" for n in RECORDING.findall(shown)), shown)
    expect("the line is wiped out at the end", shown.endswith(WIPED), shown)
    status, shown = record("-q", rounds=10, until=lambda seen: True)
    expect("record shows nothing unless asked", (status, shown) == (0, b""), shown)
    shutil.rmtree(trace)
    shown = elsewhere([tool, "record", "-q", "--progress", "-o", trace, program, 10])
    expect("record --progress shows nothing without a terminal", shown == b"", shown)

    # As much work as a replay needs to take a while, however fast the machine is.
    rounds = 50_000_000
    for _ in range(8):
        record("-q", rounds=rounds, until=lambda seen: True)
        begun = time.monotonic()
        status, shown = on_terminal([tool, "replay", "-a", trace], lambda seen: False)
        if time.monotonic() - begun > 3:
            break
        rounds *= 4
    expect("the replay must end well", status == 0, shown)
    percents = [int(percent) for percent, _ in REPLAYING.findall(shown)]
    expect("replay tells how far it is, and how long it will take", percents, shown)
    expect("it only goes forwards", percents == sorted(percents) and percents[-1] <= 100, shown)
    expect("the line is wiped out at the end", shown.endswith(WIPED), shown)
    status, shown = on_terminal([tool, "replay", "-a", "-q", trace], lambda seen: False)
    expect("replay -q shows nothing", (status, shown) == (0, b""), shown)
    expect("replay shows nothing without a terminal", elsewhere([tool, "replay", "-a", trace]) == b"", b"")
    print(f"replay told {len(percents)} times how far it was")


if __name__ == "__main__":
    main()
