#!/usr/bin/env python3
"""Ranks with recorded threads: programs built with anaphora-cc behind the compiler of an MPI, recorded and replayed.

  run_hybrid.py --build BUILD --work DIR --mpi NAME [--ranks 2,4] [--cycles N] CASE..."""

import os
import re
import shutil
import sys

import harness


class Cases:
    def __init__(self, options):
        self.options, self.mpi, self.work = options, options.mpi, options.work
        self.tool = harness.Tool(options.build)
        compiler = str(self.tool.path.parent / "anaphora-cc")
        os.environ.update(OMPI_CC=compiler, MPICH_CC=compiler)

    def compile(self, name):
        return harness.compile_program(self.mpi, harness.HERE / f"programs/{name}.c", self.work / name,
                                       ["-DPRINT_TOGETHER"])

    def expect(self, truth, what, job):
        if not truth:
            raise harness.Failure(f"{what}; status {job.status}\n{chr(10).join(job.lines[-8:])}\n{job.err[-3000:]}")

    def check(self, *arguments):
        done = self.tool.call(*arguments)
        if done.returncode != 0:
            raise harness.Failure(f"{' '.join(map(str, arguments))}: {done.stdout}{done.stderr}")
        return done.stdout

    def races(self):
        """Data races between the threads of a rank decide who sends what to whom: no two recordings are the same, and
        every replay is."""
        program = self.compile("hybrid")
        seen = set()
        for ranks in self.options.ranks:
            for cycle in range(self.options.cycles):
                trace = self.work / f"races-{ranks}"
                recorded = self.tool.record(self.mpi, ranks, trace, [program])
                self.expect(recorded.status == 0 and len(recorded.lines) == 4 * ranks, "cannot record", recorded)
                self.check("verify", trace)
                for _ in range(2):
                    replayed = self.tool.replay(self.mpi, ranks, trace)
                    self.expect(replayed.status == 0 and replayed.lines == recorded.lines, "the replay differs", replayed)
                seen.add("\n".join(recorded.lines))
        if len(seen) < 2:
            raise harness.Failure("all recordings are the same, so nothing has been tested")
        self.check("rm", trace)
        if trace.exists():
            raise harness.Failure("rm has left something of the recording")

    def callbacks(self):
        """Functions that MPI calls, derived types, memory that MPI gives out."""
        program = self.compile("callbacks")
        for ranks in self.options.ranks:
            trace = self.work / f"callbacks-{ranks}"
            recorded = self.tool.record(self.mpi, ranks, trace, [program], ["--check=full"])
            self.expect(recorded.status == 0 and len(recorded.lines) == 2 * ranks, "cannot record", recorded)
            for _ in range(2):
                replayed = self.tool.replay(self.mpi, ranks, trace)
                self.expect(replayed.status == 0 and replayed.lines == recorded.lines, "the replay differs", replayed)

    def packed(self):
        """The program and its libraries come along with the recording."""
        program, trace = self.compile("hybrid"), self.work / "packed"
        recorded = self.tool.record(self.mpi, 2, trace, [program, "20"])
        self.expect(recorded.status == 0, "cannot record", recorded)
        self.check("pack", trace)
        program.unlink()
        replayed = self.tool.replay(self.mpi, 2, trace)
        self.expect(replayed.status == 0 and replayed.lines == recorded.lines, "the replay differs", replayed)

    def families(self):
        """The programs of run_mpi.py, one for each family of functions, with their threads recorded."""
        for name in ("completions", "probes", "persistent", "exchanges", "communicators", "collectives", "mailbox"):
            trace = self.work / f"{name}.trace"
            recorded = self.tool.record(self.mpi, 3, trace, [self.compile(name)])
            self.expect(recorded.status == 0 and (trace / "threads-2").is_dir(), f"cannot record {name}", recorded)
            replayed = self.tool.replay(self.mpi, 3, trace)
            self.expect(replayed.status == 0 and replayed.lines == recorded.lines, f"{name}: the replay differs", replayed)

    def ends(self):
        """A thread ends the job while others race. What it printed is printed again; the others are killed at any time,
        perhaps between printing and recording that they did, and what they printed last may be lost. So of them only
        lines are compared that both jobs have."""
        program = self.compile("hybrid")

        def rounds(job):
            return dict(re.findall(r"^(rank \d thread \d round \d+): (\w+)$", "\n".join(job.lines), re.MULTILINE))

        for how in ("kill", "abort", "segv", "exit"):
            trace = self.work / f"end-{how}"
            recorded = self.tool.record(self.mpi, 3, trace, [program, "200", "3", how], apart=True)
            lines = rounds(recorded)
            of_ender = {key for key in lines if key.startswith("rank 0 thread 1")}
            self.expect(recorded.status != 0 and len(of_ender) > 20, "the program did not end as it should", recorded)
            self.check("verify", trace)
            for _ in range(2):
                replayed = self.tool.replay(self.mpi, 3, trace, timeout=60, apart=True)
                self.expect(replayed.status != 0, f"{how}: the replay ends as if nothing had happened", replayed)
                again = rounds(replayed)
                self.expect({key for key in again if key.startswith("rank 0 thread 1")} == of_ender,
                            f"{how}: the thread that ends the job prints something else", replayed)
                other = [f"{key}: {lines[key]}, then {again[key]}" for key in lines.keys() & again.keys()
                         if again[key] != lines[key]]
                self.expect(not other, f"{how}: the replay prints something else: {other[:5]}", replayed)

    def bad_input(self):
        """A trace of threads that is missing or damaged: one rank says so, and all end."""
        program, trace, bad = self.compile("hybrid"), self.work / "good", self.work / "bad"
        recorded = self.tool.record(self.mpi, 3, trace, [program, "20"])
        self.expect(recorded.status == 0, "cannot record", recorded)
        streams = (trace / "threads-2/streams").read_bytes()

        def refused(spoil, words):
            shutil.rmtree(bad, ignore_errors=True)
            shutil.copytree(trace, bad)
            spoil()
            job = self.tool.replay(self.mpi, 3, bad, timeout=60)
            self.expect(job.status != 0 and len(re.findall(words, job.err)) == 1, f"not said once: {words}", job)
            if self.tool.call("verify", bad).returncode == 0:
                raise harness.Failure(f"verify finds nothing wrong: {words}")

        # A rank's threads without MPI.
        for words in (["replay", "-a"], ["replay"], ["races"]):
            done = self.tool.call(*words, trace / "threads-1")
            if done.returncode == 0 or done.stdout or f"replay -a {trace.resolve()}" not in done.stderr:
                raise harness.Failure(f"{words} of threads-1: {done.returncode}\n{done.stdout}{done.stderr}")

        refused(lambda: shutil.rmtree(bad / "threads-1"), "rank 1: .*threads-1")
        refused(lambda: (bad / "threads-2/streams").write_bytes(streams[:-5]), "threads-2")
        refused(lambda: (bad / "threads-0/manifest.json").write_text("{}"), "rank 0: .*threads-0")


def main():
    parser = harness.arguments(__doc__)
    parser.add_argument("--ranks", default="2,4", type=harness.numbers)
    parser.add_argument("--cycles", default=2, type=int)
    parser.add_argument("cases", nargs="+")
    options = parser.parse_args()
    shutil.rmtree(options.work, ignore_errors=True)
    cases = Cases(options)
    return harness.run_all(options, [(name, getattr(cases, name)) for name in options.cases])


if __name__ == "__main__":
    sys.exit(main())
