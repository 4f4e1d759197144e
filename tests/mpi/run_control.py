#!/usr/bin/env python3
"""Replays with control messages: the same results, few messages under way, no standstill.

  run_control.py --build BUILD --work DIR --mpi NAME"""

import re
import sys

import harness

RANKS = 4


class Cases:
    def __init__(self, options):
        self.tool, self.mpi, self.work = harness.Tool(options.build), options.mpi, options.work

    def record(self, name, *arguments, mode="racing"):
        binary = harness.compile_program(self.mpi, harness.HERE / f"programs/{name}.c", self.work / name)
        trace = self.work / f"{name}.trace"
        recorded = self.tool.record(self.mpi, RANKS, trace, [binary, *arguments], [f"--messages={mode}", "--chaos=200"])
        if recorded.status != 0:
            raise harness.Failure(f"{name}: recording: status {recorded.status}\n{recorded.err[-1500:]}")
        return trace, recorded

    def replay(self, trace, recorded, options):
        replayed = self.tool.replay(self.mpi, RANKS, trace, options, quiet=False)
        if replayed.status != 0 or replayed.lines != recorded.lines:
            raise harness.Failure(f"{trace}: the replay differs, status {replayed.status}\n{replayed.err[-1500:]}")
        return replayed

    def programs(self):
        for name in ("fan_in", "completions", "persistent", "exchanges", "communicators", "collectives"):
            trace, recorded = self.record(name)
            self.replay(trace, recorded, ["--control-messages"])

    def flood(self):
        """Without them the senders are done long before the receiver."""
        shared = self.work / "under_way"
        shared.write_bytes(bytes(4096))
        trace, recorded = self.record("flood", shared)
        most = {}
        for options in ((), ("--control-messages",)):
            shared.write_bytes(bytes(4096))
            replayed = self.replay(trace, recorded, options)
            most[options] = int(re.search(r"under way at most: (\d+)", replayed.err)[1])
        if not most[("--control-messages",)] * 5 < most[()]:
            raise harness.Failure(f"flood: messages under way: {most}")

    def overtaken(self):
        """A permit that depends on what its sender does next."""
        received = self.work / "received"
        received.unlink(missing_ok=True)
        trace, recorded = self.record("overtaken", received)
        replayed = self.replay(trace, recorded, ["--control-messages"])
        if "rank 1: 1 of 1 sends" not in replayed.err:
            raise harness.Failure(f"overtaken: {replayed.err}")

    def other_modes(self):
        trace, _ = self.record("fan_in", mode="wildcard")
        replayed = self.tool.replay(self.mpi, RANKS, trace, ["--control-messages"])
        if replayed.status == 0 or "--messages=racing" not in replayed.err:
            raise harness.Failure(f"wildcard: status {replayed.status}: {replayed.err}")


def run(options):
    cases = Cases(options)
    for case in (cases.programs, cases.flood, cases.overtaken, cases.other_modes):
        case()


if __name__ == "__main__":
    sys.exit(harness.main(__doc__, run))
