#!/usr/bin/env python3
"""Large files that a program reads: the trace refers to them and keeps a copy. It replays when the file has changed or
is gone, when somebody wrote to it during the recording, when the recorder was killed before it could copy; and says what
is wrong when neither copy nor file is there. The streams stay small."""

import os
import pathlib
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import harness  # noqa: E402

LIMIT = 120  # seconds
BYTES = 8 << 20


class Check:
    def __init__(self, tools, work):
        self.tools, self.work, self.problems = tools, work, []
        self.program = tools.build([HERE / "kept" / "reader.c"], ["-O2"], work / "reader")

    def expect(self, what, truth, outcome=None):
        if not truth:
            said = f": {outcome.status} {(outcome.stdout + outcome.stderr).decode(errors='replace')}" if outcome else ""
            self.problems.append(what + said)

    def file(self, name):
        path = self.work / name
        path.write_bytes(os.urandom(BYTES))
        return path

    def start(self, trace, path, *options):
        """A recording that has read the file once."""
        command = [self.tools.anaphora, "record", "-q", "-o", trace, *options, self.program, path]
        process = subprocess.Popen([str(part) for part in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        return process, process.stdout.readline()

    def record(self, trace, path, meanwhile=lambda: None, options=()):
        process, first = self.start(trace, path, *options)
        meanwhile()
        out, err = process.communicate(b"go on\n", timeout=LIMIT)
        return harness.Outcome([], process.returncode, first + out, err, 0, False)

    def replays(self, what, trace, recorded):
        outcome = harness.run(self.tools.replay_command(trace), LIMIT)
        self.expect(f"{what}: {harness.differences(recorded, outcome)}", not harness.differences(recorded, outcome))

    def lost_file(self):
        path, trace = self.file("lost"), self.work / "lost-trace"
        recorded = self.record(trace, path)
        self.expect("recorded", recorded.status == 0, recorded)
        streams = (trace / "streams").stat().st_size
        self.expect(f"the streams have {streams} bytes", streams < BYTES / 20)
        self.expect("the copy is what was read", (trace / "kept-0").read_bytes() == path.read_bytes())
        archive = harness.run([self.tools.anaphora, "pack", "-q", trace], LIMIT)
        self.expect("packed", archive.status == 0, archive)
        path.unlink()
        self.replays("the file is gone", trace, recorded)
        damaged = bytearray((trace / "kept-0").read_bytes())
        damaged[BYTES // 2] ^= 1
        (trace / "kept-0").write_bytes(damaged)
        outcome = harness.run(self.tools.replay_command(trace), LIMIT)
        noticed = outcome.status != 0 and b"kept-0 is damaged" in outcome.stderr
        self.expect("a damaged copy is noticed", noticed, outcome)
        removed = harness.run([self.tools.anaphora, "rm", trace], LIMIT)
        self.expect("nothing is left of it", removed.status == 0 and not trace.exists(), removed)

    def rewritten_file(self):
        """Somebody writes while the recording goes on: he waits until the copy is made."""
        path, trace = self.file("rewritten"), self.work / "rewritten-trace"

        def rewrite():
            with open(path, "r+b") as file:
                file.seek(BYTES // 3)
                file.write(b"another text")

        recorded = self.record(trace, path, rewrite)
        lines = recorded.stdout.split()
        self.expect("the program has seen both", recorded.status == 0 and lines[0] != lines[1], recorded)
        self.replays("the file was rewritten", trace, recorded)

    def killed_recorder(self):
        path, trace = self.file("killed"), self.work / "killed-trace"
        process, first = self.start(trace, path)
        sizes, until = set(), time.monotonic() + LIMIT
        while len(sizes) < 5 and time.monotonic() < until:  # positions are written now and then: what was read is saved
            sizes.add((trace / "streams").stat().st_size)
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=LIMIT)
        self.expect("there is no copy", not (trace / "kept-0").exists())
        outcome = harness.run(self.tools.replay_command(trace), LIMIT)
        self.expect("replays with the file itself", outcome.stdout == first, outcome)
        path.write_bytes(os.urandom(BYTES))
        outcome = harness.run(self.tools.replay_command(trace), LIMIT)
        self.expect("says which file is missing", outcome.status != 0 and str(path).encode() in outcome.stderr, outcome)
        self.expect("shows nothing wrong", outcome.stdout == b"", outcome)

    def bounded(self):
        path, trace = self.file("bounded"), self.work / "bounded-trace"
        recorded = harness.run([self.tools.anaphora, "record", "-o", trace, "--max-size=1M", self.program, path], LIMIT)
        self.expect("--max-size counts the copies", recorded.status != 0 and b"--max-size" in recorded.stderr, recorded)


def main():
    tools, work = harness.begin(__doc__)
    check = Check(tools, work)
    check.lost_file()
    check.rewritten_file()
    check.killed_recorder()
    check.bounded()
    return harness.verdict(check.problems)


if __name__ == "__main__":
    sys.exit(main())
