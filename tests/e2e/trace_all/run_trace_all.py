#!/usr/bin/env python3
"""`anaphora replay --trace-all`: run_trace_all.py --build DIR [--algorithm NAME ...] [--plain PROGRAM ...] [--translated PROGRAM ...]

Records known_values.c with each algorithm, traces all references of the recording in a replay, and demands that the trace
explains every value that the program says it read. A second trace of the same recording may differ from the first only in
the order of references that are not in conflict. The same once more for a program compiled without --every-access, whose
code is followed by a translation.

The named programs of e2e are compiled without --every-access: their replays must not mind being followed, and what the
translation tells must be what the processor's trap flag shows (for the first; it takes too long for the others)."""

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

THREADS, STEPS, SECTION_EVERY = 4, 1600, 64
FOLLOWED_STEPS = 192  # by instructions, which is slow
OBJECTS = 1 << 47  # objects have addresses from here on
TIMEOUT = 240
RECORDINGS = 20  # at most, until threads ran side by side

HANDLES_FAULTS = ["fault_handler"]

Reference = collections.namedtuple("Reference", "thread kind address size")


class Wrong(Exception):
    pass


def demand(condition, text):
    if not condition:
        raise Wrong(text)


def run(command, status=0):
    outcome = harness.run(command, TIMEOUT)
    said = outcome.stderr.decode(errors="replace")[-1500:]
    demand(not outcome.timed_out and outcome.status == status,
           f"{harness.shell_line(command)} ended with {outcome.status}, not {status}: {said}")
    return outcome


def read_references(tools, file):
    """All references of a file, by way of the simulator."""
    out = run([tools.anaphora, "simulate", "--algorithm=mutex-lock", "-d", "2", file]).stdout.decode()
    found = re.findall(r"^mutex-lock (\d+) (\d+):\d+ ([rwu]) (0x[0-9a-f]+)\+(\d+)$", out, re.MULTILINE)
    demand([int(number) for number, *_ in found] == list(range(1, len(found) + 1)), "the references are not numbered")
    return [Reference(int(thread), kind, int(address, 16), int(size)) for _, thread, kind, address, size in found]


def parse_output(text):
    lines = text.decode().splitlines()
    words, updates, section, entries = re.fullmatch(r"words (\S+) updates (\S+) section (\S+) (\d+)", lines[0]).groups()
    values = collections.defaultdict(dict)
    for line in lines[1:]:
        name, thread, *numbers = line.split()
        values[name][int(thread) + 1] = [int(number) for number in numbers]  # thread 0 is main
    return int(words, 16), int(updates, 16), int(section, 16), int(entries), values


def check_values(references, output, wanted):
    """Executes the trace: each read has to find what the program says that it found."""
    words, updates, section, entries, values = parse_output(output)
    memory = collections.Counter()
    steps = {thread: 0 for thread in values["reads"]}
    reads = {thread: iter(found) for thread, found in values["reads"].items()}
    olds = {thread: iter(found) for thread, found in values["olds"].items()}
    random = {thread: 88172645463325252 + (thread - 1) * 977 for thread in steps}
    seen = collections.Counter()
    for number, r in enumerate(references, 1):
        if r.thread not in steps:
            continue
        if words <= r.address < words + 64:
            demand(r.size == 8, f"reference {number} is of {r.size} bytes, not 8")
            x, mask = random[r.thread], (1 << 64) - 1
            x ^= x << 13 & mask
            x ^= x >> 7
            x ^= x << 17 & mask
            random[r.thread] = x
            steps[r.thread] += 1
            demand(r.address == words + 8 * (x >> 8 & 7), f"reference {number} is to another word than the program's")
            if x >> 20 & 3:
                demand(r.kind == "r", f"reference {number} is no read")
                expected = next(reads[r.thread])
                demand(memory[r.address] == expected,
                       f"reference {number}: thread {r.thread} read {expected}, the trace says {memory[r.address]}")
            else:
                demand(r.kind == "w", f"reference {number} is no write")
                memory[r.address] = (r.thread - 1) * 1000000 + steps[r.thread]
        elif r.address == updates:
            demand(next(olds[r.thread]) == memory[updates], f"reference {number}: an update found another value")
            memory[updates] += 1
        elif r.address == section:
            seen[r.kind] += 1
    demand(all(n == wanted for n in steps.values()), f"references to words are missing: {steps}")
    demand(seen["w"] == entries, f"{seen['w']} writes in the section, not {entries}")


def explains(references, output, wanted):
    try:
        check_values(references, output, wanted)
        return True
    except Wrong:
        return False


def check_objects(references, steps):
    """Each thread is prepared, created, started, ended and joined; each section takes and leaves the mutex."""
    per_object = collections.Counter(r.address for r in references if r.address >= OBJECTS)
    demand(sorted(per_object.values()).count(5) >= THREADS, f"no five events for each thread: {per_object}")
    sections = THREADS * (steps // SECTION_EVERY)
    demand(2 * sections in per_object.values(), f"no mutex with {2 * sections} operations: {per_object}")


def order_of_conflicts(references):
    """What any two traces of an execution have in common: of each thread its references; of each word the order of its
    accesses but for reads between the same two writes."""
    threads, places = collections.defaultdict(list), collections.defaultdict(list)
    for r in references:
        serial = len(threads[r.thread])
        threads[r.thread].append(r)
        for place in range(r.address >> 3, (r.address + r.size - 1 >> 3) + 1):
            accesses = places[place]
            if r.kind != "r" or not accesses or accesses[-1][0] != "r":
                accesses.append((r.kind, [(r.thread, serial)]))
            else:
                accesses[-1][1].append((r.thread, serial))
                accesses[-1][1].sort()
    return threads, places


def record_and_trace(tools, work, program, algorithm):
    trace, file = work / f"{algorithm}.trace", work / f"{algorithm}.refs"
    shutil.rmtree(trace, ignore_errors=True)
    recorded = run(tools.record_command(trace, program, ["-q", f"--algorithm={algorithm}"]))
    replay = [*tools.replay_command(trace), f"--trace-all={file}"]
    replayed = run(replay)
    demand(not harness.differences(recorded, replayed), "the replay differs from the recording")
    return recorded, replay, file


def check_algorithm(tools, work, binary, algorithm, steps=STEPS):
    for _ in range(RECORDINGS):  # on a busy machine threads may run one after the other
        recorded, replay, file = record_and_trace(tools, work, [binary, THREADS, steps], algorithm)
        first = read_references(tools, file)
        check_values(first, recorded.stdout, steps)
        check_objects(first, steps)
        if not explains(sorted(first, key=lambda r: r.thread), recorded.stdout, steps):
            break
    else:
        raise Wrong("any order explains the values")
    run(replay)
    second = read_references(tools, file)
    demand(order_of_conflicts(first) == order_of_conflicts(second), "two traces of one recording differ")
    result = json.loads(run([tools.anaphora, "simulate", "--all", "--json", file]).stdout)
    demand(result["threads"] == THREADS + 1 and result["references"] == len(first), "the simulator counts otherwise")
    demand(all(a["traced"] for a in result["algorithms"]), "an algorithm traced nothing")


def by_thread(references):
    threads = collections.defaultdict(list)
    for r in references:
        threads[r.thread].append(r)
    return threads


def check_both_ways(tools, trace, file, work, faults=False):
    """A translation tells all that the trap flag shows, in its order. That shows nothing of a thread before its first check, so
    of each thread a first part may be longer in the translation's; nor, after a fault that is handled, what comes up to the
    next check, while the translation tells an instruction that faults and is executed again twice."""
    stepped = work / "stepped.refs"
    run([*tools.replay_command(trace), "--by-trap-flag", f"--trace-all={stepped}"])
    translated, shown = by_thread(read_references(tools, file)), by_thread(read_references(tools, stepped))
    demand(shown and set(shown) == set(translated), "the two ways tell of different threads")
    for thread, wanted in shown.items():
        told, same = translated[thread], 0
        while same < min(len(told), len(wanted)) and told[-1 - same] == wanted[-1 - same]:
            same += 1
        rest, more = wanted[:len(wanted) - same], iter(told[:len(told) - same])
        demand(all(r in more for r in rest) and (faults or same * 2 >= len(wanted)),
               f"thread {thread}: {len(told)} references by translation, {len(wanted)} by the trap flag; the last {same} agree")


def check_plain(tools, work, name, both_ways):
    """Compiled as users compile: the replay is followed, and prints what the recording printed."""
    source = next((HERE.parent / "programs").glob(f"{name}.c*"))
    binary = work / name
    run(tools.build_command([source], ["-O2", "-std=c++20"] if source.suffix == ".cc" else ["-O2"], binary))
    _, _, file = record_and_trace(tools, work, [binary, 2], "ownership")
    if both_ways:
        check_both_ways(tools, work / "ownership.trace", file, work, name in HANDLES_FAULTS)
    demand(json.loads(run([tools.anaphora, "simulate", "-o", "--json", file]).stdout)["references"], "no references")


def check_instructions(tools, work):
    """Instructions of each kind are told with what they access."""
    binary = work / "instructions"
    run(tools.build_command([HERE / "instructions.c"], ["-O2"], binary))
    recorded, _, file = record_and_trace(tools, work, [binary], "ownership")
    check_both_ways(tools, work / "ownership.trace", file, work)
    expected = [(kind, int(address, 16), int(size))
                for kind, address, size in re.findall(r"^([rw]) (0x\w+) (\d+)$", recorded.stdout.decode(), re.MULTILINE)]
    places = {address >> 6 for _, address, _ in expected}
    found = [(r.kind, r.address, r.size) for r in read_references(tools, file) if r.thread == 1 and r.address >> 6 in places]
    demand(expected and found == expected, f"references {found}, not {expected}")


def check_refusals(tools, work, binary):
    def expect(command, text):
        said = run(command, 125).stderr.decode()
        demand(text in said, f"{harness.shell_line(command)} said {said!r}, not {text!r}")

    trace, file = work / "refused.trace", work / "none.refs"
    shutil.rmtree(trace, ignore_errors=True)
    run(tools.record_command(trace, [binary, 2, 100], ["-q", "--algorithm=rwtrace-1"]))
    expect([*tools.replay_command(trace), f"--trace-all={file}"], "do not order writes after reads")
    demand(not file.exists(), "a refused replay left a file")
    shutil.rmtree(trace)
    run(tools.record_command(trace, [binary, 2, 100], ["-q"]))
    expect([*tools.replay_command(trace), f"--trace-all={work}/missing/refs"], "No such file or directory")
    expect([*tools.replay_command(trace), "--trace-all=/dev/full"], "No space left on device")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--algorithm", action="append")
    parser.add_argument("--plain", action="append", default=[])
    parser.add_argument("--translated", action="append", default=[])
    parser.add_argument("--work")
    options = parser.parse_args()
    tools = harness.Tools(options.build)
    work = pathlib.Path(options.work or tempfile.mkdtemp(prefix="anaphora-trace-all-"))
    work.mkdir(parents=True, exist_ok=True)
    source, binary, plain = HERE / "known_values.c", work / "known_values", work / "known_values_plain"
    try:
        run(tools.build_command([source], ["-O2", "--every-access"], binary))
        for algorithm in options.algorithm or ["ownership"]:
            check_algorithm(tools, work, binary, algorithm)
            print(f"pass  {algorithm}", flush=True)
        check_refusals(tools, work, binary)
        print("pass  refusals", flush=True)
        run(tools.build_command([source], ["-O2"], plain))
        check_algorithm(tools, work, plain, "ownership", FOLLOWED_STEPS)
        print("pass  followed", flush=True)
        check_instructions(tools, work)
        print("pass  instructions", flush=True)
        for name in options.plain + options.translated:
            check_plain(tools, work, name, name in options.plain)
            print(f"pass  followed {name}", flush=True)
    except Wrong as wrong:
        print(f"FAIL  {wrong}")
        return 1
    if not options.work:
        shutil.rmtree(work)
    return 0


if __name__ == "__main__":
    sys.exit(main())
