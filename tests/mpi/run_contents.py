#!/usr/bin/env python3
"""Records MPI programs with --contents and replays each rank alone: without a launcher, it must print what it printed
in the job, and end in the same way.

  run_contents.py --build BUILD --work DIR --mpi NAME [--ranks 2,4] [--modes M,...] CASE...

A case is a program of programs/, without its suffix, or one of: random, ends, divergence, refused, bad_input, names."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import harness
import run_mpi

RANKS = 3
# Functions that a rank alone may call as they are: they do not depend on other ranks, or work on windows, files, ports
# and sessions, which it cannot have.
LOCAL = re.compile(r"""MPIX?_(
    (Type|Info|Op|Errhandler|Error|Status|T|Win|File|Grequest|Keyval|Session)_.*|Add_error_.*|Delete_error_.*|
    (Pack|Unpack)(_.*)?|Comm_(c2f|f2c|(set|get|create|call)_errhandler|(create|free)_keyval|(set|delete)_attr|
    (set|get)_(name|info)|get_parent)|(Group|Message|Request)_(c2f|f2c)|Group_free|Attr_(put|delete)|
    (Get|Put|R?accumulate|Accumulate|Rget|Rput|R?[gG]et_accumulate)(_c)?|Fetch_and_op|Compare_and_swap|
    Get_(address|count|elements|version|library_version)(_[cx])?|Address|Aint_.*|Alloc_mem|Free_mem|
    Buffer_(attach|detach)(_c)?|Close_port|Dims_create|Finalized|Initialized|Is_thread_main|Query_.*|GPU_query_support|
    Pcontrol|Parrived|Pready.*|Reduce_local(_c)?|Register_datarep(_c)?|Wtick|Wtime)""", re.VERBOSE)


class Alone:
    """What a rank printed without the others."""

    def __init__(self, tool, trace, rank, options=(), environment=None, timeout=60):
        with tempfile.TemporaryDirectory(prefix="anaphora-observed-") as directory:
            command = [tool.path, "replay", "-a", "-q", f"--rank={rank}", *options, trace]
            variables = dict(os.environ, **(environment or {}), OBSERVED=directory)
            try:
                done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, text=True, env=variables, timeout=timeout)
            except subprocess.TimeoutExpired as late:
                raise harness.Failure(f"rank {rank} alone hangs: {late.stderr}") from None
            text = "".join(file.read_text() for file in pathlib.Path(directory).iterdir())
        self.status, self.err = done.returncode, done.stderr
        self.lines = [line for line in (done.stdout + text).splitlines() if line.strip()]


class Cases:
    def __init__(self, options):
        self.options, self.mpi, self.work = options, options.mpi, options.work
        self.tool = harness.Tool(options.build)

    def compile(self, name):
        return harness.compile_program(self.mpi, run_mpi.source_of(name), self.work / name)

    def expect(self, truth, what, job):
        if not truth:
            raise harness.Failure(f"{what}; status {job.status}\n{chr(10).join(job.lines[-5:])}\n{job.err[-2000:]}")

    def record(self, trace, program, ranks=RANKS, options=()):
        job = self.tool.record(self.mpi, ranks, trace, program, ["--contents", *options])
        verified = self.tool.call("verify", trace)
        if verified.returncode != 0:
            raise harness.Failure(f"verify: {verified.stdout}{verified.stderr}\n{job.err[-1000:]}")
        return job

    def program(self, name):
        binary = self.compile(name)
        for ranks in self.options.ranks:
            for mode in self.options.modes:
                self.ranks_alone(name, [binary], ranks, [f"--messages={mode}", "--chaos=300"])
        self.ranks_alone(name, [binary], self.options.ranks[-1], ["--check=full"])

    def ranks_alone(self, name, program, ranks, options):
        trace = self.work / f"{name}.trace"
        recorded = self.record(trace, program, ranks, options)
        self.expect(recorded.status == 0, "cannot record", recorded)
        lines = []
        for rank in range(ranks):
            alone = Alone(self.tool, trace, rank)
            self.expect(alone.status == 0, f"rank {rank} of {ranks} alone ({options})", alone)
            lines += alone.lines
        if "--check=full" in options:
            together = self.tool.replay(self.mpi, ranks, trace)
            self.expect(together.lines == recorded.lines, "the replay of the job differs", together)
        if sorted(lines) != recorded.lines:
            missing = [line for line in recorded.lines if line not in lines]
            raise harness.Failure(f"{ranks} ranks, {options}: recorded and not replayed: {missing[:4]}")
        shutil.rmtree(trace)

    def random(self):
        """Random programs, some of which kill themselves."""
        binary = self.compile("random")
        for seed in range(self.options.first, self.options.first + self.options.seeds):
            trace = self.work / "random.trace"
            death = [str(20 + seed % 50)] if seed % 3 == 0 else []
            recorded = self.record(trace, [binary, str(seed), "2", *death], 4, [f"--messages={self.options.modes[0]}"])
            lines = []
            for rank in range(4):
                alone = Alone(self.tool, trace, rank)
                self.expect(alone.status == 0 or death, f"seed {seed}, rank {rank}", alone)
                lines += alone.lines
            # Where a rank was between two calls when it was ended from outside, nobody knows.
            mine = "rank 0:" if death else "rank "
            lines = sorted(line for line in lines if line.startswith(mine))
            expected = [line for line in recorded.lines if line.startswith(mine)]
            if lines != expected:
                raise harness.Failure(f"seed {seed}: {len(expected)} lines recorded, {len(lines)} replayed; not in both: "
                                      f"{sorted(set(lines) ^ set(expected))[:4]}")

    def ends(self):
        """Rank 0 dies in all ways; the others are ended by the launcher. The recorded ends are repeated."""
        binary = self.compile("ends")
        # With "tool", the replay kills its own tool.
        for how, status in (("kill", 128 + 9), ("abort", 9), ("segv", 128 + 11), ("exit", 7), ("tool", -9)):
            trace = self.work / f"ends-{how}.trace"
            recorded = self.record(trace, [binary, how])
            expected = [line for line in recorded.lines if re.fullmatch(r"\d+: \d+", line)]
            for rank in range(RANKS):
                alone = Alone(self.tool, trace, rank)
                self.expect(alone.status != 0, f"{how}: rank {rank} ends as if nothing had happened", alone)
                if rank > 0:
                    continue
                printed = sorted(line for line in alone.lines if re.fullmatch(r"\d+: \d+", line))
                self.expect(printed == expected and len(printed) > 100, f"{how}: prints something else", alone)
                self.expect(alone.status == status, f"{how}: ends with {alone.status}, not {status}", alone)

    def divergence(self):
        binary = self.compile("changes")
        trace = self.work / "changes.trace"
        recorded = self.record(trace, [binary], options=["--check=full"])
        self.expect(recorded.status == 0, "cannot record", recorded)
        for how, rank, call in (("tag", 0, "MPI_Recv"), ("count", 0, "MPI_Recv"), ("call", 0, "MPI_Barrier"),
                                ("less", 0, "MPI_Finalize"), ("more", 0, "MPI_Recv"), ("data", 1, "MPI_Send")):
            alone = Alone(self.tool, trace, rank, environment={"CHANGES": how})
            self.expect(alone.status == 125, f"{how}: not noticed", alone)
            pattern = rf"rank {rank}, call \d+ of MPI, {call} at (changes\.c|observe\.h):\d+ .*left the recorded path"
            self.expect(re.search(pattern, alone.err), f"{how}: not named", alone)

    def refused(self):
        """Recording ends at a call that could not be repeated; without --contents nothing is refused."""
        binary = self.compile("refused")
        for how, call in (("window", "MPI_Win_create"), ("file", "MPI_File_open")):
            trace = self.work / "refused.trace"
            job = self.tool.record(self.mpi, 2, trace, [binary, how], ["--contents"])
            self.expect(job.status != 0, f"{call} was not refused", job)
            pattern = rf"rank \d, .*{call} at refused\.c:\d+.*cannot be replayed without the other ranks"
            self.expect(re.search(pattern, job.err), f"{call} is not named", job)
            job = self.tool.record(self.mpi, 2, trace, [binary, how])
            self.expect("cannot be replayed" not in job.err, f"{call} is refused without --contents", job)

    def alone_refused(self, trace, rank, words):
        alone = Alone(self.tool, trace, rank)
        self.expect(alone.status == 125, f"accepted, in spite of: {words}", alone)
        self.expect(len(re.findall(words, alone.err)) == 1, f"not said once: {words}", alone)

    def bad_input(self):
        binary = self.compile("changes")
        plain, trace, bad = (self.work / f"{name}.trace" for name in ("plain", "good", "bad"))
        self.expect(self.tool.record(self.mpi, RANKS, plain, [binary]).status == 0, "cannot record", None)
        self.alone_refused(plain, 0, "record --contents")
        recorded = self.record(trace, [binary])
        self.expect(recorded.status == 0, "cannot record", recorded)
        self.alone_refused(trace, RANKS, f"has the ranks 0 to {RANKS - 1}")
        together = self.tool.replay(self.mpi, RANKS, trace)
        self.expect(together.status == 0 and together.lines == recorded.lines, "the job's replay differs", together)
        job = self.tool.replay(self.mpi, RANKS, trace, ["--rank=0"], timeout=60)
        self.expect(job.status != 0 and "wants no launcher" in job.err, "--rank under a launcher", job)

        def changed(name, change):
            shutil.rmtree(bad, ignore_errors=True)
            shutil.copytree(trace, bad)
            data = (bad / name).read_bytes()
            (bad / name).write_bytes(change(data))

        for change, words in ((lambda d: d[:-3], "a chunk is cut off"), (lambda d: b"", "is empty"),
                              (lambda d: d[:200] + bytes([d[200] ^ 1]) + d[201:], "is not what was written"),
                              (lambda d: b"x" + d[1:], "does not begin like")):
            changed("contents-0", change)
            self.alone_refused(bad, 0, words)
            verified = self.tool.call("verify", bad)
            if verified.returncode == 0 or "contents-0" not in verified.stdout:
                raise harness.Failure(f"verify: {verified.stdout}")
        changed("contents-1", lambda d: (trace / "contents-0").read_bytes())
        self.alone_refused(bad, 1, "that of another rank")
        (bad / "contents-1").unlink()
        self.alone_refused(bad, 1, "cannot open contents-1")
        removed = self.tool.call("rm", bad)
        if removed.returncode != 0 or bad.exists():
            raise harness.Failure(f"rm: {removed.stdout}{removed.stderr}")

    def names(self):
        """Every function of the MPI is wrapped, refused, or known to need no other rank."""
        binary = self.compile("fan_in")
        linked = subprocess.run(["ldd", binary], stdout=subprocess.PIPE, text=True).stdout
        library = re.search(r"libmpi(?:ch)?\.so\S* => (\S+)", linked).group(1)
        ours = self.tool.path.parent.parent / "lib" / "anaphora" / f"anaphora-mpi-{self.mpi}.so"

        def symbols(path):
            listed = subprocess.run(["nm", "-D", "--defined-only", path], stdout=subprocess.PIPE, text=True, check=True)
            return {line.split()[-1] for line in listed.stdout.splitlines()}

        there = {name[1:] for name in symbols(library) if re.match(r"PMPIX?_", name)}
        unknown = sorted(name for name in there - symbols(ours) if not LOCAL.fullmatch(name))
        if unknown or len(there) < 300:
            raise harness.Failure(f"neither wrapped nor refused nor local, of {len(there)}: {unknown}")


def main():
    parser = harness.arguments(__doc__)
    parser.add_argument("--ranks", default="2,3", type=harness.numbers)
    parser.add_argument("--modes", default="wildcard", type=lambda text: text.split(","))
    parser.add_argument("--first", default=0, type=int)
    parser.add_argument("--seeds", default=4, type=int)
    parser.add_argument("cases", nargs="+")
    options = parser.parse_args()
    cases = Cases(options)
    return harness.run_all(options, [(name, getattr(cases, name, lambda name=name: cases.program(name)))
                                     for name in options.cases])


if __name__ == "__main__":
    sys.exit(main())
