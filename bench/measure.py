"""Building and running programs in the ways that are compared, interleaved."""

import json
import math
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
FLAGS = ["-std=c++20", "-O2", "-pthread"]
ALGORITHMS = ["rwtrace-1", "rwtrace-2", "mutex-lock", "crew-lock", "optimal-vector", "trace-all"]
# Which of the four binaries a way of running takes.
BINARY = {"native": "native", "one core": "native", "drd": "native", "tsan": "tsan", "record": "record",
          **{algorithm: "every" for algorithm in ALGORITHMS}}
# What is done with a recording, and which way has made it.
OF_A_TRACE = {"replay": "record", "races": "record"}


BUILD_TIMEOUT = 300
SHORTEST_TIMEOUT = 20


class Failed(Exception):
    """Something that is needed for a figure could not be had."""


class Running:
    """A process as who drives it sees it: Popen.poll() would take its figures away."""

    def __init__(self, pid):
        self.pid, self.ended = pid, False

    def poll(self):
        return 0 if self.ended else None


class Run:
    """One measured run of a command. `drive`, if given, talks to the process in a thread of its own; `problem` is then
    what it raised."""

    def __init__(self, command, timeout, output, drive=None):
        self.problem = ""
        with open(output, "wb") as sink, open(f"{output}.err", "wb") as errors:
            start = time.monotonic()
            process = subprocess.Popen([str(part) for part in command], stdout=sink, stderr=errors,
                                       stdin=subprocess.DEVNULL, start_new_session=True)
            running = Running(process.pid)
            driver = threading.Thread(target=self.drive, args=(drive, running), daemon=True)
            if drive:
                driver.start()
            self.timed_out = not self.wait(process, start + timeout)
            self.wall = time.monotonic() - start
            running.ended = True
            if drive:
                driver.join(10)
        self.stdout = pathlib.Path(output).read_text(errors="replace")
        self.stderr = pathlib.Path(f"{output}.err").read_text(errors="replace")

    def drive(self, drive, running):
        try:
            drive(running)
        except Exception as problem:  # of any client: the server is of no use any more
            self.problem = str(problem)[-300:] or repr(problem)
            if not running.ended:
                os.kill(running.pid, signal.SIGTERM)

    def wait(self, process, deadline):
        killed = False
        while True:
            pid, status, usage = os.wait4(process.pid, 0 if killed else os.WNOHANG)
            if pid:
                break
            if time.monotonic() > deadline:
                os.killpg(process.pid, signal.SIGKILL)
                killed = True
            time.sleep(0.002)
        self.status = process.returncode = os.waitstatus_to_exitcode(status)
        self.cpu = usage.ru_utime + usage.ru_stime
        self.rss_kib = usage.ru_maxrss
        return not killed


class Builder:
    """Binaries of a source, made when they are first asked for."""

    def __init__(self, build, cxx, work):
        self.work = work
        own = build / "bin" / "anaphora-c++"
        self.compilers = {"native": [cxx], "tsan": [cxx, "-fsanitize=thread"], "record": [own],
                          "every": [own, "--every-access"]}

    def binary(self, source, kind):
        path = self.work / f"{source.stem}-{kind}"
        if not path.exists():
            command = [str(part) for part in (*self.compilers[kind], *FLAGS, source, "-o", path)]
            try:
                subprocess.run(command, check=True, timeout=BUILD_TIMEOUT)
            except (OSError, subprocess.SubprocessError) as problem:
                raise Failed(f"not built: {problem}") from None
        return path

    def cost(self, source, kind):
        """CPU seconds of compiling, and bytes of code: what `size` calls text, with sites and other constant data."""
        path = self.work / f"{source.stem}-{kind}.o"
        run = Run([*self.compilers[kind], *FLAGS, "-c", source, "-o", path], BUILD_TIMEOUT,
                  self.work / "output")
        if run.status:
            raise Failed(f"{kind} does not compile: {run.stderr[-300:]}")
        sizes = subprocess.run(["size", path], capture_output=True, text=True, check=True).stdout.splitlines()[1]
        return {"cpu": run.cpu, "text": int(sizes.split()[0])}


def trace_stats(anaphora, trace):
    """Counters of a recording, by name; nothing if there are none."""
    try:
        output = subprocess.run([anaphora, "stats", "--json", trace], capture_output=True, timeout=120)
    except subprocess.TimeoutExpired:
        return {}
    if output.returncode != 0:
        return {}
    totals = json.loads(output.stdout).get("totals", {})
    size = sum(path.stat().st_size for path in trace.rglob("*") if path.is_file())
    names = ("dependences", "edges", "events", "references", "slow_checks", "acquired", "epochs")
    return {**{name: totals.get(name) for name in names}, "trace_bytes": size}


class Bench:
    """`deadline`, of the part that is being measured: no run begins after it, and none goes on for long."""

    def __init__(self, build, cxx, work, timeout):
        self.anaphora = build / "bin" / "anaphora"
        self.builder = Builder(build, cxx, work)
        self.work = work
        self.timeout = timeout
        self.deadline = math.inf
        self.share = 0  # of the part, in seconds

    def time_left(self):
        return self.deadline - time.monotonic()

    def in_shares(self, items):
        """Goes through `items`, each with an equal share of the time that is left to the part."""
        whole = self.deadline
        for i, item in enumerate(items):
            self.deadline = time.monotonic() + max(whole - time.monotonic(), 0) / (len(items) - i)
            yield item
        self.deadline = whole

    def run(self, command, drive=None):
        return Run(command, min(self.timeout, max(self.time_left(), SHORTEST_TIMEOUT)), self.work / "output", drive)

    def command(self, way, source, arguments, traces):
        if way == "replay":
            return [self.anaphora, "replay", "-a", traces["record"]]
        if way == "races":
            return [self.anaphora, "races", traces["record"]]
        program = [self.builder.binary(source, BINARY[way]), *arguments]
        if way == "one core":
            return ["taskset", "-c", "0", *program]
        if way == "drd":
            return ["valgrind", "--tool=drd", "-q", *program]
        if way == "record":
            return [self.anaphora, "record", "-o", traces[way], *program]
        if way in ALGORITHMS:
            return [self.anaphora, "record", f"--algorithm={way}", "-o", traces[way], *program]
        return program

    def measure(self, source, ways, arguments, repetitions):
        """All ways, again and again: {"ways": {way: figures}, "recordings": {way: counters}, "problems": []}."""
        arguments = [str(argument) for argument in arguments]
        traces = {way: self.work / f"trace-{way}" for way in ways if way == "record" or way in ALGORITHMS}
        samples = {way: [] for way in ways}
        result = {"program": source.stem, "arguments": arguments, "ways": {}, "recordings": {}, "problems": []}
        recorded = None
        given_up = set()  # ways that failed once, and what depends on them
        for repetition in range(repetitions):
            for way in ways:
                if way in given_up or OF_A_TRACE.get(way) in given_up:
                    continue
                if self.time_left() <= 0:
                    if not repetition:
                        result["problems"].append(f"{way}: left out for want of time")
                    continue
                if way in traces:
                    shutil.rmtree(traces[way], ignore_errors=True)
                try:
                    run = self.run(self.command(way, source, arguments, traces))
                except Failed as problem:
                    result["problems"].append(f"{way}: {problem}")
                    given_up.add(way)
                    continue
                # ThreadSanitizer says 66 and `races` says 1 if there are races: that is not a failure.
                if run.timed_out or run.status not in (0, {"tsan": 66, "races": 1}.get(way, 0)):
                    said = pathlib.Path(f"{self.work / 'output'}.err").read_text(errors="replace")[-300:]
                    state = "time-out" if run.timed_out else f"status {run.status}: {said}"
                    result["problems"].append(f"{way}: {state}")
                    if run.timed_out:
                        given_up.add(way)
                    continue
                if way == "record":
                    recorded = run.stdout
                if way == "replay" and run.stdout != recorded:
                    result["problems"].append("replay printed something else than the recording")
                if way in traces:
                    result["recordings"][way] = trace_stats(self.anaphora, traces[way])
                samples[way].append(run)
        for way, runs in samples.items():
            if runs:
                result["ways"][way] = {
                    "cpu_min": min(r.cpu for r in runs), "cpu_median": statistics.median(r.cpu for r in runs),
                    "wall_min": min(r.wall for r in runs), "wall_median": statistics.median(r.wall for r in runs),
                    "rss_kib": max(r.rss_kib for r in runs), "runs": len(runs)}
        for trace in traces.values():
            shutil.rmtree(trace, ignore_errors=True)
        return result
