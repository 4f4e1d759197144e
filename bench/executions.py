"""Executions of the papers' programs for the tables: compiled, recorded, traced, simulated and timed.

Every result is a file below the directory of work, with a fingerprint of all that it depends on. So a run that was
stopped goes on where it was, and what has changed is made again."""

import dataclasses
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import time

import measure
import papers

HERE = pathlib.Path(__file__).resolve().parent
AGGREGATE_SHIFT = 4  # Netzer 1993, 6: one history for every 16 bytes
CHUNK_SHIFT = 6      # Jiang 2015, IV: the addresses of 64 bytes are one
PASS_TIMEOUT = 600  # of a recording, a replay or a simulation
NATIVE_RUNS = 5      # in each round: they are short, and all ratios depend on them


class Failed(Exception):
    """A command did not do what it should."""


def run(command, timeout=PASS_TIMEOUT):
    command = [str(part) for part in command]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        raise Failed(f"{' '.join(command)} did not end in {timeout} s") from None
    if done.returncode != 0:
        raise Failed(f"{' '.join(command)} ended with {done.returncode}: {done.stderr[-1000:]}")
    return done.stdout


@dataclasses.dataclass(frozen=True)
class Way:
    """A way of running a program: the binary's kind, and the algorithm that records it, if any does."""
    binary: str
    algorithm: str = None
    options: tuple = ()

    def __str__(self):
        return self.algorithm or self.binary


NATIVE = Way("native")
DEFAULT = Way("checked", "ownership")


def online(algorithm, *options):
    return Way("every-access", algorithm, options)


class Lab:
    """Where executions are made. `say` gets a line for each thing that is done."""

    def __init__(self, build, work, cxx, say):
        self.build, self.work, self.cxx, self.say = build, work, cxx, say
        self.anaphora = build / "bin" / "anaphora"
        for name in ("bin", "results", "scratch"):
            (work / name).mkdir(parents=True, exist_ok=True)
        parts = sorted(p for p in (build / "lib").rglob("*") if p.is_file()) + [self.anaphora]
        self.tool = hashlib.sha256(b"".join(hashlib.sha256(p.read_bytes()).digest() for p in parts)).hexdigest()

    def kept(self, name, depends, make):
        """What make() gives, or what it gave before with the same dependences."""
        path = self.work / "results" / f"{name.replace(' ', '-')}.json"
        fingerprint = hashlib.sha256(json.dumps([self.tool, depends]).encode()).hexdigest()
        if path.exists():
            held = json.loads(path.read_text())
            if held["fingerprint"] == fingerprint:
                return held["result"]
        start = time.monotonic()
        result = make()
        partial = path.with_suffix(".partial")
        partial.write_text(json.dumps({"fingerprint": fingerprint, "result": result}, indent=1))
        os.replace(partial, path)
        self.say(f"{name} ({time.monotonic() - start:.1f} s)")
        return result

    def source_hash(self, source):
        files = (HERE / "programs" / f"{source}.cc", HERE / "programs" / "bench.h")
        return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()

    def binary(self, source, kind):
        """The program compiled in one of three ways: native, checked (as users do), every-access."""
        output = self.work / "bin" / f"{source}-{kind}"
        compiler = {"native": [self.cxx], "checked": [self.build / "bin" / "anaphora-c++"],
                    "every-access": [self.build / "bin" / "anaphora-c++", "--every-access"]}[kind]

        def make():
            run([*compiler, "-std=c++20", "-O2", "-pthread", HERE / "programs" / f"{source}.cc", "-o", output])
            return True

        if not output.exists():
            (self.work / "results" / f"compile-{source}-{kind}.json").unlink(missing_ok=True)
        self.kept(f"compile-{source}-{kind}", [self.source_hash(source), str(self.cxx)], make)
        return output

    def traces(self, name, threads):
        """What all algorithms trace of one execution of a program of papers.PROGRAMS: the simulator's report, with
        those of optimal-vector over aggregates of 16 bytes, and of rwtrace-1 and octet over chunks of 64."""
        program = papers.PROGRAMS[name]
        arguments = program.arguments(threads)

        def make():
            binary = self.binary(program.source, "every-access")
            trace, references = self.work / "scratch" / "trace", self.work / "scratch" / "references"
            shutil.rmtree(trace, ignore_errors=True)
            run([self.anaphora, "record", "-q", "-o", trace, binary, *arguments])
            run([self.anaphora, "replay", "-a", "-q", f"--trace-all={references}", trace])
            exact = json.loads(run([self.anaphora, "simulate", "--all", "-z", "--json", references]))
            aggregate = json.loads(run([self.anaphora, "simulate", "--algorithm=optimal-vector", "-b", AGGREGATE_SHIFT,
                                        "--json", references]))
            chunks = json.loads(run([self.anaphora, "simulate", "--algorithm=rwtrace-1", "--algorithm=octet", "-b",
                                     CHUNK_SHIFT, "--json", references]))
            shutil.rmtree(trace)
            references.unlink()
            return {**by_name(exact), "aggregate": aggregate["algorithms"][0], "chunks": by_name(chunks)["algorithms"]}

        # Two names may stand for one execution.
        label = f"{program.source} {' '.join(arguments)}"
        return self.kept(f"traces-{label}", [self.source_hash(program.source), arguments], make)

    def once(self, source, way, arguments, timeout):
        """CPU and wall seconds of one run, and how many edges were traced; None if it took too long."""
        binary, trace = self.binary(source, way.binary), self.work / "scratch" / "timed"
        command = [binary, *arguments]
        if way.algorithm:
            shutil.rmtree(trace, ignore_errors=True)
            how = ["-q", f"--algorithm={way.algorithm}", *way.options, "-o", trace]
            command = [self.anaphora, "record", *how, *command]
        done = measure.Run(command, timeout, self.work / "scratch" / "output")
        if done.timed_out:
            return None
        if done.status != 0:
            raise Failed(f"{' '.join(map(str, command))} ended with {done.status}: {done.stderr[-1000:]}")
        edges = None
        if way.algorithm:
            edges = json.loads(run([self.anaphora, "stats", "--json", trace]))["totals"]["edges"]
            shutil.rmtree(trace)
        return {"cpu": done.cpu, "wall": done.wall, "edges": edges}

    def times(self, what, source, threads, size, ways, limits):
        """Seconds of a program run in several ways, interleaved, each the least of several runs: {way: {cpu, wall,
        edges}}. Of ways that took too long, None."""
        arguments = [str(threads), size]

        def make():
            best, start, rounds = {}, time.monotonic(), 0
            while rounds < limits.rounds and (rounds == 0 or time.monotonic() - start < limits.seconds):
                for way in ways:
                    if rounds and best[str(way)] is None:
                        continue
                    for _ in range(1 if way.algorithm else NATIVE_RUNS):
                        best[str(way)] = least(best.get(str(way)), self.once(source, way, arguments, limits.timeout))
                rounds += 1
            return best

        depends = [self.source_hash(source), arguments, [dataclasses.astuple(way) for way in ways],
                   dataclasses.astuple(limits)]
        return self.kept(f"{what}-{source}-{threads}-{size.replace('=', '')}", depends, make)


@dataclasses.dataclass(frozen=True)
class Limits:
    """Of measuring times: rounds at most, seconds after which no further round begins, seconds of a single run."""
    rounds: int
    seconds: float
    timeout: float


def least(a, b):
    """Of two results of once(), either of which may be missing."""
    if not a or not b:
        return a or b
    return {key: a[key] if a[key] is None else min(a[key], b[key]) for key in a}


def by_name(report):
    """A report of `anaphora simulate --json` with its algorithms by name."""
    return {**report, "algorithms": {a["name"]: a for a in report["algorithms"]}}
