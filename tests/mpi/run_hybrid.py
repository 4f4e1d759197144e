#!/usr/bin/env python3
"""Ranks with recorded threads: programs built with anaphora-cc behind the compiler of an MPI, recorded and replayed.

  run_hybrid.py --build BUILD --work DIR --mpi NAME [--ranks 2,4] [--cycles N] [CASE...]"""

import argparse
import os
import pathlib
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
        return harness.compile_program(self.mpi, harness.HERE / f"programs/{name}.c", self.work / name)

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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--mpi", required=True, choices=harness.mpis())
    parser.add_argument("--ranks", default="2,4", type=lambda text: [int(n) for n in text.split(",")])
    parser.add_argument("--cycles", default=2, type=int)
    parser.add_argument("cases", nargs="*", default=["races"])
    options = parser.parse_args()
    shutil.rmtree(options.work, ignore_errors=True)
    options.work.mkdir(parents=True)
    cases = Cases(options)
    for name in options.cases:
        try:
            getattr(cases, name)()
        except harness.Failure as failure:
            print(f"{name}: {failure}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
