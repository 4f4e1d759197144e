#!/usr/bin/env python3
"""What happens when an MPI job does not come to its end, takes another way in a replay, or meets a trace that does not
belong to it: messages, exit statuses, and no hanging.

  run_ends.py --build BUILD --work DIR --mpi NAME CASE..."""

import json
import re
import shutil
import subprocess
import sys

import harness

RANKS = 3


class Cases:
    def __init__(self, options):
        self.mpi, self.work = options.mpi, options.work
        self.tool = harness.Tool(options.build)
        self.ends = harness.compile_program(self.mpi, harness.HERE / "programs/ends.c", self.work / "ends")
        self.changes = harness.compile_program(self.mpi, harness.HERE / "programs/changes.c", self.work / "changes")

    def expect(self, truth, what, job):
        if not truth:
            raise harness.Failure(f"{what}; status {job.status}\n{chr(10).join(job.lines[-5:])}\n{job.err[-2000:]}")

    def receives(self, job):
        """What the program printed; launchers print as well."""
        return [line for line in job.lines if re.fullmatch(r"\d+: \d+", line)]

    def end(self, how):
        for mode in ("wildcard", "racing"):
            self.end_in(mode, how)

    def end_in(self, mode, how):
        """The replay prints what rank 0 had printed, and ends."""
        trace = self.work / f"end-{how}-{mode}"
        recorded = self.tool.record(self.mpi, RANKS, trace, [self.ends, how], [f"--messages={mode}"])
        expected = self.receives(recorded)
        self.expect(recorded.status != 0 and len(expected) > 100, "the program did not end as it should", recorded)
        verified = self.tool.call("verify", trace)
        if verified.returncode != 0 or "did not come to MPI_Finalize" not in verified.stdout:
            raise harness.Failure(f"verify: {verified.stdout}{verified.stderr}")
        for _ in range(3):
            replayed = self.tool.replay(self.mpi, RANKS, trace, timeout=60)
            self.expect(self.receives(replayed) == expected, "the replay prints something else", replayed)
            self.expect(replayed.status != 0, "the replay ends as if nothing had happened", replayed)
            if how == "abort" and self.mpi == "openmpi" and min(recorded.status, replayed.status) > 0:
                self.expect(replayed.status == recorded.status, "the replay ends with another status", replayed)

    def end_kill(self):
        self.end("kill")

    def end_abort(self):
        self.end("abort")

    def end_segv(self):
        self.end("segv")

    def end_exit(self):
        self.end("exit")

    def end_unseen(self):
        """The replay must know what the receives that nobody looked at had got."""
        binary = harness.compile_program(self.mpi, harness.HERE / "programs/unseen.c", self.work / "unseen")
        for mode in ("all", "wildcard", "racing"):
            trace = self.work / f"end-unseen-{mode}"
            recorded = self.tool.record(self.mpi, RANKS, trace, [binary], [f"--messages={mode}", "--chaos=300"])
            self.expect(len(self.receives(recorded)) == 2, "the program did not come to its end", recorded)
            for _ in range(3):
                replayed = self.tool.replay(self.mpi, RANKS, trace, ["--timeout=20"], timeout=60)
                self.expect(self.receives(replayed) == self.receives(recorded), f"{mode}: the replay differs", replayed)
        # What seems to be received and is not may be taken by another receive in a replay.
        events = [json.loads(line) for line in self.tool.call("dump", "--json", "--rank", 0, trace).stdout.splitlines()]
        counted = sum(e.get("messages", 0) for e in events if e["kind"] == "received")
        known = json.loads(self.tool.call("stats", "--json", trace).stdout)["totals"]["messages_received"]
        if not 0 < counted == known:
            raise harness.Failure(f"{counted} messages seem to be received, but {known} are")

    def end_inside(self):
        """A message has come to its receiver; the sender dies in the call that sent it."""
        binary = harness.compile_program(self.mpi, harness.HERE / "programs/died_inside.c", self.work / "died_inside")
        for how in ("sendrecv", "replace", "scatter", "send", "ssend", "start"):
            for mode in ("wildcard", "racing"):
                trace = self.work / f"end-inside-{how}-{mode}"
                recorded = self.tool.record(self.mpi, RANKS, trace, [binary, how], [f"--messages={mode}"])
                self.expect(len(self.receives(recorded)) == 1, f"{how}: the message did not come", recorded)
                replayed = self.tool.replay(self.mpi, RANKS, trace, ["--timeout=30"], timeout=60)
                self.expect(self.receives(replayed) == self.receives(recorded), f"{how}: the replay differs", replayed)
                self.expect(replayed.status != 0, f"{how}: the replay ends as if nothing had happened", replayed)

    def packed(self):
        """A packed recording brings its program along, also in an archive; what is damaged in it is noticed."""
        program, trace = self.work / "gone", self.work / "packed.trace"
        shutil.copy(self.changes, program)
        recorded = self.tool.record(self.mpi, RANKS, trace, [program])
        self.expect(recorded.status == 0, "cannot record", recorded)
        archive = self.work / "packed.tar.zst"
        archive.unlink(missing_ok=True)
        done = self.tool.call("pack", trace, "-o", archive)
        if done.returncode != 0:
            raise harness.Failure(f"pack: {done.stderr}")
        program.unlink()
        moved = self.work / "moved"
        shutil.rmtree(moved, ignore_errors=True)
        moved.mkdir()
        subprocess.run(["tar", "xf", archive, "-C", moved], check=True)
        for where in (trace, moved / trace.name):
            verified = self.tool.call("verify", where)
            if verified.returncode != 0 or "cannot be replayed" in verified.stdout:
                raise harness.Failure(f"verify: {verified.stdout}{verified.stderr}")
            replayed = self.tool.replay(self.mpi, RANKS, where)
            self.expect(replayed.status == 0 and replayed.lines == recorded.lines, "the replay differs", replayed)
        copy = next((trace / "files").glob("*/gone"))
        copy.write_bytes(copy.read_bytes()[:-1])
        self.refused(trace, RANKS, "is not what was packed")
        if self.tool.call("verify", trace).returncode == 0:
            raise harness.Failure("verify finds nothing wrong with a damaged copy")
        if self.tool.call("rm", trace).returncode != 0 or trace.exists():
            raise harness.Failure("rm has left something of the recording")

    def divergence(self):
        """Another call, other arguments, fewer or more calls: rank, call and line are named."""
        trace = self.work / "changes.trace"
        recorded = self.tool.record(self.mpi, RANKS, trace, [self.changes], ["--check=full"])
        self.expect(recorded.status == 0, "cannot record", recorded)
        same = self.tool.replay(self.mpi, RANKS, trace)
        self.expect(same.status == 0 and same.lines == recorded.lines, "the unchanged program differs", same)
        for how, call in (("tag", "MPI_Recv"), ("count", "MPI_Recv"), ("call", "MPI_Barrier"), ("less", "MPI_Finalize"),
                          ("more", "MPI_Recv")):
            job = self.tool.replay(self.mpi, RANKS, trace, environment={"CHANGES": how}, timeout=60)
            self.expect(job.status != 0, f"{how}: not noticed", job)
            pattern = rf"rank 0, call \d+ of MPI, {call} at (changes\.c|observe\.h):\d+ .*left the recorded path"
            self.expect(re.search(pattern, job.err), f"{how}: not named", job)

    def refused(self, trace, ranks, words, environment=None):
        job = self.tool.replay(self.mpi, ranks, trace, timeout=60, environment=environment)
        self.expect(job.status != 0, f"accepted, in spite of: {words}", job)
        found = re.findall(words, job.err)
        self.expect(len(found) == 1, f"said {len(found)} times: {words}", job)

    def bad_input(self):
        trace = self.work / "good.trace"
        recorded = self.tool.record(self.mpi, RANKS, trace, [self.changes])
        self.expect(recorded.status == 0, "cannot record", recorded)
        self.refused(trace, RANKS + 1, f"was recorded with {RANKS} ranks, and this job has {RANKS + 1}")
        self.refused(trace, 1, f"was recorded with {RANKS} ranks, and this job has 1")
        bad = self.work / "bad.trace"

        def copy():
            shutil.rmtree(bad, ignore_errors=True)
            shutil.copytree(trace, bad)

        copy()
        (bad / "rank-1").unlink()
        self.refused(bad, RANKS, "rank 1: .*cannot open rank-1")
        copy()
        contents = (bad / "rank-0").read_bytes()
        (bad / "rank-0").write_bytes(contents[:-3])
        self.refused(bad, RANKS, "rank 0: .*a chunk is cut off")
        copy()
        # More than one: zstd has bits that mean nothing.
        (bad / "rank-0").write_bytes(contents[:-9] + bytes(byte ^ 255 for byte in contents[-9:-4]) + contents[-4:])
        self.refused(bad, RANKS, "rank 0: .*is not what was written")
        copy()
        other = self.work / "other.trace"
        self.tool.record(self.mpi, RANKS, other, [self.changes])
        shutil.copy(other / "rank-2", bad / "rank-2")
        self.refused(bad, RANKS, "rank 2 is from another recording")
        copy()
        text = (bad / "manifest.json").read_text()
        (bad / "manifest.json").write_text('"ranks": 4'.join(text.rsplit('"ranks": 3', 1)))  # not that of the format
        self.refused(bad, RANKS, "its checksum is wrong")
        # Another binary at the same place.
        saved = self.changes.read_bytes()
        shutil.copy(self.ends, self.changes)
        try:
            self.refused(trace, RANKS, "is not the program that was recorded")
        finally:
            self.changes.write_bytes(saved)
            self.changes.chmod(0o755)
        self.mixed(trace)

    def mixed(self, trace):
        """Launched by the other MPI, every rank is alone."""
        for mpi in harness.mpis():
            if mpi == self.mpi:
                continue
            replayed = harness.run(mpi, 2, [self.tool.path, "replay", "-a", trace], timeout=60)
            recorded = self.tool.record(mpi, 2, trace.with_suffix(".mixed"), [self.changes], timeout=60)
            for job in (replayed, recorded):
                self.expect(job.status != 0 and job.err.count("the launcher is that of") == 1,
                            "a launcher of another MPI", job)


def main():
    parser = harness.arguments(__doc__)
    parser.add_argument("cases", nargs="+")
    options = parser.parse_args()
    cases = Cases(options)
    return harness.run_all(options, [(name, getattr(cases, name)) for name in options.cases])


if __name__ == "__main__":
    sys.exit(main())
