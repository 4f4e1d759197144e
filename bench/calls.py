#!/usr/bin/env python3
"""What system calls cost: natively, recorded with patched calls, and recorded with dispatched ones; and how fast a file
is read. Native and recorded runs take turns; of each the best counts, since others may use the machine."""

import argparse
import os
import pathlib
import platform
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
CALLS = ("getppid", "clock_gettime", "read")
WAYS = ("native", "patched", "dispatched")
OPTIONS = {"patched": [], "dispatched": ["--no-patch"]}


class Bench:
    def __init__(self, options):
        self.bin = pathlib.Path(options.build).resolve() / "bin"
        self.work = pathlib.Path(options.output).resolve()
        self.work.mkdir(parents=True, exist_ok=True)

    def build(self, name):
        source = HERE / "calls" / f"{name}.c"
        for compiler, binary in (("cc", f"{name}-native"), (self.bin / "anaphora-cc", name)):
            subprocess.run([compiler, "-O2", source, "-o", self.work / binary], check=True, timeout=120)

    def run(self, way, name, *arguments):
        command = [self.work / name, *arguments]
        trace = self.work / "trace"
        if way == "native":
            command[0] = self.work / f"{name}-native"
        else:
            shutil.rmtree(trace, ignore_errors=True)
            command = [self.bin / "anaphora", "record", "-q", "-o", trace, *OPTIONS[way], *command]
        output = subprocess.run([str(part) for part in command], check=True, timeout=600, stdout=subprocess.PIPE).stdout
        size = (trace / "streams").stat().st_size if way != "native" else 0
        shutil.rmtree(trace, ignore_errors=True)
        return output.decode(), size


def measure_calls(bench, rounds):
    best = {}
    for _ in range(rounds):
        for way in WAYS:
            for line in bench.run(way, "calls", "50000")[0].splitlines():
                name, nanoseconds = line.split()
                best[way, name] = min(best.get((way, name), 1e18), float(nanoseconds))
    return best


def measure_reading(bench, rounds, megabytes, content):
    path = bench.work / "file"
    with open(path, "wb") as file:
        block = content(1 << 20)
        for _ in range(megabytes):
            file.write(block)
    best, size = {}, 0
    for _ in range(rounds):
        for way in ("native", "patched"):
            output, written = bench.run(way, "reader", path)
            size = written or size
            total, seconds = output.split()
            best[way] = max(best.get(way, 0.0), int(total) / float(seconds) / 1e9)
    path.unlink()
    return best, size


def text_like(size):
    return b"".join(b"%d bottles of beer\n" % (i * 7919) for i in range(size // 20))[:size].ljust(size)


def page(best, readings, megabytes):
    lines = ["# What system calls cost", "",
             f"Made by `make bench-calls` on {platform.machine()}, {os.cpu_count()} processors, "
             f"Linux {platform.release()}. Nanoseconds of processor time for a call, the best of several runs "
             "taken in turns.", "",
             "| call | native | recorded | more than native | recorded with --no-patch |", "|---|---|---|---|---|"]
    for name in CALLS:
        native, patched, dispatched = (best[way, name] for way in WAYS)
        lines.append(f"| {name} | {native:.0f} | {patched:.0f} | {patched - native:.0f} | {dispatched:.0f} |")
    lines += ["", f"Reading a file of {megabytes} MB that is in the page cache, in pieces of 64 KiB, in GB/s:", "",
              "| content | native | recorded | share | streams, MB |", "|---|---|---|---|---|"]
    for name, (speed, size) in readings.items():
        share = speed["patched"] / speed["native"]
        lines.append(f"| {name} | {speed['native']:.2f} | {speed['patched']:.2f} | {share:.0%} | {size / 1e6:.0f} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--output", required=True, help="directory for binaries, traces and the file that is read")
    parser.add_argument("--results", help="directory for the page; else it is printed")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--megabytes", type=int, default=1000, help="of the file that is read (1000)")
    options = parser.parse_args()
    bench = Bench(options)
    bench.build("calls")
    bench.build("reader")
    best = measure_calls(bench, options.rounds)
    contents = {"random": os.urandom, "text": text_like}
    readings = {name: measure_reading(bench, 3, options.megabytes, content) for name, content in contents.items()}
    text = page(best, readings, options.megabytes)
    if options.results:
        (pathlib.Path(options.results) / "calls.md").write_text(text)
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
