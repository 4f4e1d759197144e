#!/usr/bin/env python3
"""record --keep=on-failure, --until-failure, --timeout and --max-size: which traces stay, what is said, and that they replay."""

import os
import pathlib
import pty
import re
import shutil
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import harness  # noqa: E402

LIMIT = 120  # seconds
SIZE = 300_000


class Check:
    def __init__(self, tools, work):
        self.tools, self.work, self.problems = tools, work, []
        self.store, self.program, self.runs = work / "store", work / "sometimes_fails", work / "runs"
        self.env = {**os.environ, "ANAPHORA_TRACE_DIR": str(self.store)}

    def expect(self, what, truth, said=b""):
        if not truth:
            self.problems.append(f"{what}: {said.decode(errors='replace').strip()}")

    def record(self, *options, fails_at, status):
        """With an empty store and no runs so far."""
        shutil.rmtree(self.store, ignore_errors=True)
        self.runs.unlink(missing_ok=True)
        command = [self.tools.anaphora, "record", *options, self.program, self.runs, fails_at, status]
        return harness.run(command, LIMIT, env=self.env)

    def traces(self):
        return sorted(path.name for path in self.store.iterdir()) if self.store.exists() else []

    def replays(self, what, run, recorded):
        """The latest trace is that run, and a replay of it ends as the recording did."""
        replay = harness.run([self.tools.anaphora, "replay", "-a"], LIMIT, env=self.env)
        good = replay.status == recorded.status and replay.stdout == f"run {run}\n".encode()
        self.expect(f"{what}: the replay ended with {replay.status} after {replay.stdout!r}", good, replay.stderr)

    def keep(self):
        recorded = self.record("--keep=on-failure", fails_at=2, status=7)
        self.expect("success is not kept", recorded.status == 0 and not self.traces(), recorded.stderr)
        self.expect("success is told", b"did not fail; nothing is kept" in recorded.stderr, recorded.stderr)
        for status, shown in ((7, 7), (-6, 134), (-9, 137)):
            recorded = self.record("--keep=on-failure", fails_at=1, status=status)
            kept = recorded.status == shown and "sometimes_fails-0" in self.traces()
            self.expect(f"failure {status} is kept", kept, recorded.stderr)
            self.expect("a replay is proposed", b"anaphora replay -a " in recorded.stderr, recorded.stderr)
            self.replays(f"kept {status}", 1, recorded)
        recorded = self.record("--keep=always", fails_at=2, status=7)
        self.expect("--keep=always", "sometimes_fails-0" in self.traces(), recorded.stderr)

    def earlier_traces_stay(self):
        self.record(fails_at=1, status=0)
        before = self.traces()
        command = [self.tools.anaphora, "record", "--keep=on-failure", self.program, self.runs, 5, 1]
        recorded = harness.run(command, LIMIT, env=self.env)
        self.expect(f"a success changes {before} to {self.traces()}", self.traces() == before, recorded.stderr)

    def until_failure(self):
        for status, shown in ((3, 3), (-11, 139)):
            recorded = self.record("--until-failure=9", fails_at=3, status=status)
            self.expect(f"until {status} ends with {recorded.status}", recorded.status == shown, recorded.stderr)
            self.expect("only one is kept", self.traces() == ["latest-trace", "sometimes_fails-0"], recorded.stderr)
            self.expect("the run is told", b"run 3 ended with" in recorded.stderr, recorded.stderr)
            self.replays(f"until {status}", 3, recorded)
        recorded = self.record("--until-failure=2", fails_at=3, status=3)
        self.expect("no failure in two runs", recorded.status == 0 and not self.traces(), recorded.stderr)
        self.expect("that is told", b"2 runs, none of them failed" in recorded.stderr, recorded.stderr)
        self.expect("two runs were made", self.runs.read_bytes() == b"xx", recorded.stderr)
        recorded = self.record("--until-failure=0", fails_at=1, status=3)
        self.expect("no run at all is refused", recorded.status == 2, recorded.stderr)

    def interrupted(self, milliseconds):
        """Whenever the signal comes, in a run or between two: what stays is a whole trace, or nothing."""
        shutil.rmtree(self.store, ignore_errors=True)
        self.runs.unlink(missing_ok=True)
        command = [self.tools.anaphora, "record", "--until-failure", self.program, self.runs, "0", "1"]
        process = subprocess.Popen(command, env=self.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        deadline = time.monotonic() + LIMIT
        while not self.runs.exists() and time.monotonic() < deadline:
            time.sleep(0.001)
        time.sleep(milliseconds / 1000)
        process.send_signal(signal.SIGTERM)
        said = process.communicate(timeout=LIMIT)[1]
        self.expect(f"stopped after {milliseconds} ms: status {process.returncode}", process.returncode == 143, said)
        if self.traces():
            self.expect("an interrupted run is told", re.search(rb", interrupted after [0-9.]+ [mu]?s.*, ended with", said), said)
            self.expect(f"one trace of {self.traces()}", len(self.traces()) == 2, said)
            verified = harness.run([self.tools.anaphora, "verify"], LIMIT, env=self.env)
            self.expect("it verifies", verified.status == 0, verified.stdout + verified.stderr)
        else:
            self.expect("nothing is kept, and told", b"none of them failed; nothing is kept" in said, said)

    def stopped(self):
        for milliseconds in range(24):
            self.interrupted(milliseconds)

    def hanging(self):
        """A run that takes too long is ended, kept, and opens where it hung."""
        for how, status in (("hangs", 130), ("hangs-deaf", 137), ("hangs-politely", 124)):
            recorded = self.record("--until-failure=9", "--timeout=4", fails_at=3, status=how)
            self.expect(f"{how} ends with {recorded.status}", recorded.status == status, recorded.stderr)
            told = re.search(rb"run 3, ended by --timeout after [0-9.]+ s \(those before took .* at most\), ended with",
                             recorded.stderr)
            self.expect(f"{how} is told", told, recorded.stderr)
            self.expect("only one is kept", self.traces() == ["latest-trace", "sometimes_fails-0"], recorded.stderr)
            replay = harness.run([self.tools.anaphora, "replay", "-a"], LIMIT, env=self.env)
            good = replay.status == (0 if status == 124 else status) and replay.stdout == b"run 3\n" and b"(--timeout)" in replay.stderr
            self.expect(f"{how} replays, with {replay.status}", good, replay.stderr)
            gdb = harness.run([self.tools.anaphora, "replay", "--", "-nx", "-batch", "-ex", "backtrace"], LIMIT, env=self.env)
            opened = b"opens where the program hung" in gdb.stderr
            self.expect("it opens there", opened and (b"in hang" in gdb.stdout or how == "hangs-politely"),
                        gdb.stdout + gdb.stderr)
        recorded = self.record("--timeout=60", fails_at=9, status=1)
        self.expect("a run in time", recorded.status == 0 and b"--timeout" not in recorded.stderr, recorded.stderr)

    def progress_on_a_terminal(self):
        self.record("--until-failure=1", fails_at=9, status=1)
        ours, theirs = pty.openpty()
        command = [self.tools.anaphora, "record", "--until-failure=3", self.program, self.runs, "9", "1"]
        process = subprocess.Popen(command, env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=theirs)
        os.close(theirs)
        seen = b""
        try:
            while part := os.read(ours, 4096):
                seen += part
        except OSError:  # what a terminal says when nobody is at the other end
            pass
        process.wait(LIMIT)
        self.expect("progress", all(f"run {i} of at most 3".encode() in seen for i in (1, 2, 3)), seen)

    def max_size(self):
        trace = self.work / "trace"
        shutil.rmtree(trace, ignore_errors=True)
        command = [self.tools.anaphora, "record", "-o", trace, f"--max-size={SIZE // 1000}K", self.program, "endless"]
        recorded = harness.run(command, LIMIT)
        self.expect("the program is stopped", recorded.status == 137 and not recorded.timed_out, recorded.stderr)
        self.expect("why is told", b"(--max-size), so the program was stopped" in recorded.stderr, recorded.stderr)
        size = (trace / "streams").stat().st_size
        # What is on its way when the limit is found: the ring and the chunk of the one thread.
        self.expect(f"{size} bytes", SIZE <= size <= SIZE * 1.024 + 2 * 262144 + 8192)
        verified = harness.run([self.tools.anaphora, "verify", trace], LIMIT)
        self.expect("it verifies", verified.status == 0, verified.stdout)
        replay = harness.run(self.tools.replay_command(trace), LIMIT)
        told = b"the recording ends here: the trace had reached" in replay.stderr
        self.expect("the replay says so", told, replay.stderr)
        missing = recorded.stdout.count(b"\n") - replay.stdout.count(b"\n")
        good = replay.status == 137 and recorded.stdout.startswith(replay.stdout) and missing <= 1
        self.expect(f"the replay ended with {replay.status}, {missing} lines are missing", good, replay.stderr)
        wrong = harness.run([self.tools.anaphora, "record", "--max-size=much", self.program], LIMIT)
        self.expect("a size that is none is refused", wrong.status == 2, wrong.stderr)


def main():
    tools, work = harness.begin(__doc__)
    check = Check(tools, work)
    tools.build([HERE / "sometimes_fails.c"], ["-O2", "-g"], check.program)
    for part in (check.keep, check.earlier_traces_stay, check.until_failure, check.stopped, check.hanging,
                 check.progress_on_a_terminal, check.max_size):
        part()
    return harness.verdict(check.problems)


if __name__ == "__main__":
    sys.exit(main())
