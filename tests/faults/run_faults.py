#!/usr/bin/env python3
"""Recordings that go wrong: run_faults.py --build DIR --work DIR [--count N] [--seed N] [--only KIND]

Each fault is drawn at random: the program or the recorder is killed at some moment, the disk is full or read-only, a
limit on sizes is reached. Afterwards there must be a trace that verifies and whose replay repeats what the program had
done, in the same order, at least as far as it was acknowledged (recording.py); or, where nothing could be saved, a
clear error. Nothing may hang. What fails is kept, and printed with the seed that repeats it."""

import argparse
import contextlib
import pathlib
import random
import resource
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "e2e")]
import harness  # noqa: E402
import recording  # noqa: E402

LIMIT = 120  # seconds without which everything must be over
KILLED, TOOL_FAILED = 128 + 9, 125


class Wrong(Exception):
    pass


class Denied(Exception):
    pass


@contextlib.contextmanager
def mounted(directory, *options):
    """A small file system in memory."""
    directory.mkdir(parents=True, exist_ok=True)
    mount = harness.run(["mount", "-t", "tmpfs", "-o", ",".join(options), "anaphora-faults", directory], LIMIT)
    if mount.status:
        raise Denied(mount.stderr.decode(errors="replace").strip())
    try:
        yield directory
    finally:
        unmount(directory)


def unmount(directory):
    subprocess.run(["umount", "-l", str(directory)], check=True)


class Fault:
    """One recording of `talkers` and what is done to it; kinds below say when it ends and what may be missing."""

    def __init__(self, tools, program, work, seed):
        self.tools, self.program, self.work = tools, program, work
        self.random = random.Random(seed)
        self.threads = self.random.randint(1, 4)
        self.bytes = self.random.choice([0, 8, 64, 4096])
        self.trace = work / "trace"
        self.acknowledged = 0  # lines
        self.delay = self.random.choice([0.02, 0.1, 0.5, 2.5]) * self.random.random()

    def start(self, *options, preexec=None):
        command = [self.tools.anaphora, "record", "-o", self.trace, *options, self.program, self.threads, self.bytes]
        return recording.Recording(command, self.trace, self.threads, preexec)

    def end(self, run):
        if not run.finish(LIMIT):
            raise Wrong(f"the recording hangs: {run.stderr.decode(errors='replace')}")

    def kill_program(self):
        run = self.start()
        run.watch(run.program, LIMIT)
        run.watch(lambda: False, self.delay)
        run.kill(run.program())
        self.end(run)
        if run.status != KILLED:
            raise Wrong(f"the recorder ended with {run.status}: {run.stderr.decode(errors='replace')}")
        # It is not the host yet, or has not loaded the program yet: there may be nothing to replay.
        self.judge(run, all_lines=True, may_be_empty=not run.stdout)

    def kill_recorder(self):
        run = self.start()
        run.watch(lambda: False, self.delay)
        run.kill(run.process.pid)
        self.end(run)
        self.judge(run, all_lines=False, may_be_empty=not run.acknowledged)

    def max_size(self):
        self.bytes = 4096  # so that the limit is reached soon
        run = self.start(f"--max-size={self.random.randint(1, 2_000_000)}")
        self.end(run)
        if run.status != KILLED or b"--max-size" not in run.stderr:
            raise Wrong(f"the recorder ended with {run.status}: {run.stderr.decode(errors='replace')}")
        self.judge(run, all_lines=True, may_be_empty=not run.stdout)

    def file_size(self):
        limit = int(2 ** self.random.uniform(0, 21))
        run = self.start(preexec=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        self.end(run)
        self.out_of_room(run, b"File too large")

    def disk_full(self):
        size = 4096 * self.random.randint(1, 500)
        self.bytes = 4096
        with mounted(self.work / "disk", f"size={size}") as disk:
            self.trace = disk / "trace"
            run = self.start()
            self.end(run)
            try:
                self.out_of_room(run, b"No space left on device")
            except Wrong:
                shutil.copytree(self.trace, self.work / "trace")
                raise

    def out_of_room(self, run, why):
        if run.status != TOOL_FAILED or why not in run.stderr:
            raise Wrong(f"the recorder ended with {run.status}: {run.stderr.decode(errors='replace')}")
        if self.trace.exists():
            self.judge(run, all_lines=False, may_be_empty=not run.acknowledged)
        elif run.stdout:
            raise Wrong("the program ran, but there is no trace")

    def read_only(self):
        with mounted(self.work / "disk", "size=64k", "ro") as disk:
            self.trace = disk / "trace"
            run = self.start()
            self.end(run)
            if run.status != TOOL_FAILED or b"Read-only file system" not in run.stderr or run.stdout:
                raise Wrong(f"the recorder ended with {run.status}: {run.stderr.decode(errors='replace')}")

    def judge(self, run, all_lines, may_be_empty):
        self.acknowledged = sum(run.acknowledged.values())
        verify = harness.run([self.tools.anaphora, "verify", self.trace], LIMIT)
        replay = harness.run(self.tools.replay_command(self.trace), LIMIT)
        said = replay.stderr.decode(errors="replace")
        if replay.timed_out or verify.timed_out:
            raise Wrong(f"the replay hangs: {said}")
        if may_be_empty and not run.acknowledged and replay.status == TOOL_FAILED and said.startswith("anaphora: "):
            if "differs" in said or "stuck" in said:
                raise Wrong(said)
            return
        if verify.status:
            raise Wrong(f"it does not verify: {(verify.stdout + verify.stderr).decode(errors='replace')}")
        if replay.status != KILLED:
            raise Wrong(f"the replay ended with {replay.status}: {said}")
        self.compare(run, replay.stdout, all_lines)

    def compare(self, run, replayed, all_lines):
        recorded = run.stdout[:run.stdout.rfind(b"\n") + 1]
        counts, seen = recording.lines_of(replayed), recording.lines_of(recorded)
        for thread, lines in seen.items():
            have = counts.get(thread, 0)
            # A line that was printed last may not have come to be recorded.
            least = lines - 1 if all_lines else run.acknowledged.get(thread, 0)
            if have < least:
                raise Wrong(f"thread {thread} printed {lines} lines, {least} are acknowledged, {have} replayed")
        both = [line.group() for line in recording.LINE.finditer(recorded)
                if int(line.group(2)) < counts.get(int(line.group(1)), 0)]
        extra = [line for line in replayed.splitlines(keepends=True)
                 if int(line.split()[1]) >= seen.get(int(line.split()[0]), 0)]
        if extra:
            raise Wrong(f"{len(extra)} lines are replayed that were never printed, such as {extra[0]!r}")
        if b"".join(both) != replayed:
            raise Wrong(harness.first_difference("stdout", b"".join(both), replayed))


KINDS = {"kill_program": 10, "kill_recorder": 10, "max_size": 3, "file_size": 3, "disk_full": 3, "read_only": 1}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=KINDS)
    options = parser.parse_args()
    tools, work = harness.Tools(options.build), pathlib.Path(options.work).resolve()
    work.mkdir(parents=True, exist_ok=True)
    for stale in work.glob("fault-*/disk"):  # of a run that was killed
        if stale.is_mount():
            unmount(stale)
    program = work / "talkers"
    build = harness.run(tools.build_command([HERE / "talkers.c"], ["-O2", "-g"], program), 180)
    if build.status:
        sys.exit(build.stderr.decode(errors="replace"))
    # In turn, so that a short run has some of each.
    kinds = [options.only] if options.only else [kind for i in range(10) for kind, share in KINDS.items() if i < share]
    done, failed, denied, lines = {}, 0, {}, 0
    for i in range(options.count):
        kind, seed = kinds[i % len(kinds)], options.seed + i
        place = work / f"fault-{seed}"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        try:
            fault = Fault(tools, program, place, seed)
            getattr(fault, kind)()
            done[kind] = done.get(kind, 0) + 1
            lines += fault.acknowledged
        except Denied as why:
            denied[kind] = str(why)
        except Wrong as wrong:
            failed += 1
            print(f"FAIL  {kind} --only {kind} --count 1 --seed {seed}: {wrong}", flush=True)
            continue
        shutil.rmtree(place)
    for kind, why in denied.items():
        print(f"skipped  {kind}: {why}")
    print(f"{sum(done.values())} faults survived, {failed} not: {done}; {lines} lines were acknowledged")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
