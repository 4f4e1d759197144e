#!/usr/bin/env python3
"""On line and off line the algorithms trace the same edges: same_edges.py --build DIR [PROGRAM ...]

Records a program with each algorithm, gets all references of that execution from a replay, and simulates the algorithm
over them. The edges must be those of the recording. Events with several references are left out: the recorder looks at
all of them at once, the simulator at one after the other. Of octet, whose edges start where the other thread happens to
be, the changes of state are compared."""

import argparse
import collections
import json
import pathlib
import re
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import harness  # noqa: E402
import run_e2e  # noqa: E402

EXACT = ("optimal-vector", "optimal-lamport", "compressed-vector", "compressed-lamport", "rwtrace-2", "mutex-lock")
THREADS = 4
TIMEOUT = 240
RECORDINGS = 20  # at most


class Wrong(Exception):
    pass


def run(command):
    outcome = harness.run(command, TIMEOUT)
    if outcome.timed_out or outcome.status != 0:
        raise Wrong(f"{harness.shell_line(command)} ended with {outcome.status}: "
                    f"{outcome.stderr.decode(errors='replace')[-1000:]}")
    return outcome.stdout.decode()


def recorded_edges(tools, trace):
    """By event, that is (slot, count): the sources."""
    edges = collections.defaultdict(collections.Counter)
    for line in run([tools.anaphora, "dump", "--json", trace]).splitlines():
        action = json.loads(line)
        if action["kind"] == "edge":
            edges[action["slot"], action["count"]][action["source"], action["source_count"]] += 1
    return edges


def simulated_edges(tools, file, algorithm):
    """The same, and how many references each event has."""
    edges, references = collections.defaultdict(collections.Counter), collections.Counter()
    out = run([tools.anaphora, "simulate", "--serials", "-b", "3", "-d", "2", f"--algorithm={algorithm}", file])
    pattern = re.compile(rf"{algorithm} \d+ (\d+):(\d+) [rwu] 0x[0-9a-f]+\+\d+(?: after (\d+):(\d+) [a-z]+)?")
    for line in out.splitlines():
        match = pattern.fullmatch(line)
        if not match:
            continue
        event = int(match[1]), int(match[2])
        if match[3]:
            edges[event][int(match[3]), int(match[4])] += 1
        else:
            references[event] += 1
    return edges, references


def record(tools, work, binary, algorithm):
    trace, file = work / f"{algorithm}.trace", work / f"{algorithm}.refs"
    shutil.rmtree(trace, ignore_errors=True)
    run(tools.record_command(trace, [binary, THREADS], ["-q", f"--algorithm={algorithm}"]))
    run([*tools.replay_command(trace), f"--trace-all={file}"])
    return trace, file


def is_same(algorithm, recorded, simulated):
    """Nothing keeps the order of two reads in a replay. With Lamport times, a reader that comes later takes the place of
    one whose time is smaller, and else stands beside it: an edge from the last of them is traced in either case."""
    if algorithm == "optimal-lamport" and recorded and simulated:
        return recorded <= simulated or simulated <= recorded
    return recorded == simulated


def check_edges(tools, work, binary, algorithm):
    trace, file = record(tools, work, binary, algorithm)
    recorded = recorded_edges(tools, trace)
    simulated, references = simulated_edges(tools, file, algorithm)
    compared = 0
    for event in sorted(set(recorded) | set(simulated)):
        if references[event] == 0:
            raise Wrong(f"{algorithm}: event {event} has an edge, but the references do not have the event")
        if references[event] > 1:
            continue
        if not is_same(algorithm, recorded[event], simulated[event]):
            raise Wrong(f"{algorithm}: event {event} was recorded with {dict(recorded[event])}, "
                        f"and simulated with {dict(simulated[event])}")
        compared += sum(recorded[event].values())
    return compared


def check_enough_edges(tools, work, binary, algorithm):
    """On a busy machine threads may run one after the other, and there is little to trace."""
    for _ in range(RECORDINGS):
        compared = check_edges(tools, work, binary, algorithm)
        if compared >= 20:
            return compared
    raise Wrong(f"{algorithm}: only {compared} edges to compare")


def check_transitions(tools, work, binary):
    """Who needs a fence depends on the order of upgrades of different granules, which the references need not keep."""
    trace, file = record(tools, work, binary, "octet")
    recorded = json.loads(run([tools.anaphora, "stats", "--json", trace]))["totals"]["transitions"]
    out = json.loads(run([tools.anaphora, "simulate", "-b", "3", "--algorithm=octet", "--json", file]))
    simulated = out["algorithms"][0]["transitions"]
    for name in ("alloc", "upgrade", "conflict"):
        if not recorded[name] or recorded[name] != simulated[name]:
            raise Wrong(f"octet: {recorded[name]} transitions recorded, {simulated[name]} simulated: {name}")
    return recorded["alloc"] + recorded["upgrade"] + recorded["conflict"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--work")
    parser.add_argument("programs", nargs="*")
    options = parser.parse_args()
    tools = harness.Tools(options.build)
    work = pathlib.Path(options.work or tempfile.mkdtemp(prefix="anaphora-same-edges-"))
    work.mkdir(parents=True, exist_ok=True)
    failed = False
    for program in run_e2e.load_programs(options.programs or ["race_int"]):
        binary = work / program.name
        try:
            run(tools.build_command([program.source], [*program.flags, "--every-access"], binary))
            for algorithm in EXACT:
                compared = check_enough_edges(tools, work, binary, algorithm)
                print(f"pass  {program.name} {algorithm}: {compared} edges", flush=True)
            print(f"pass  {program.name} octet: {check_transitions(tools, work, binary)} transitions", flush=True)
        except Wrong as wrong:
            print(f"FAIL  {program.name} {wrong}")
            failed = True
    if not options.work and not failed:
        shutil.rmtree(work)
    return failed


if __name__ == "__main__":
    sys.exit(main())
