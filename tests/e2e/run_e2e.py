#!/usr/bin/env python3
"""Builds, records and replays the programs of programs.txt, and demands that replays are the same to the last byte.

  run_e2e.py --build DIR                     everything, in full
  run_e2e.py --build DIR --quick             fewer recordings and replays
  run_e2e.py --build DIR --quick race_int    only this program
  run_e2e.py --build DIR --control           shows that recordings do differ from run to run
  run_e2e.py --build DIR --zoo               catches the bugs of examples/
  run_e2e.py --build DIR --papers            the papers' programs of bench/, with their checks of their results

A trace whose replay failed is kept, and the commands that show the failure are printed."""

import argparse
import concurrent.futures
import itertools
import pathlib
import shlex
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import harness  # noqa: E402
import paper_programs  # noqa: E402

CONTROL_PROGRAMS = ["race_int", "race_struct", "stdio_mix", "cond_queue", "matmul", "work_stealing", "exceptions",
                    "bank"]


class Program:
    threads_alone = ()  # with how many threads it is run without a recording; none: with the most

    def __init__(self, line):
        name, flags, arguments, end = (part.strip() for part in line.split(":", 3))
        self.source = HERE / "programs" / name
        self.name = self.source.stem
        self.flags = shlex.split(flags)
        self.arguments = shlex.split(arguments)
        self.end = end

    def command(self, binary, threads):
        return [binary] + [str(threads) if part == "@" else part for part in self.arguments]

    def wrong_end(self, status):
        """Says what is wrong with how the program ended, or None."""
        if self.end == "any":
            return None
        kind, number = self.end.split()
        expected = int(number) if kind == "exit" else 128 + int(number)
        return None if status == expected else f"ended with status {status}, not {expected}"


class Plan:
    """How much to do, and with what."""

    def __init__(self, options):
        self.tools = harness.Tools(options.build)
        self.threads = options.threads or ([2, 4, 16] if options.quick else [2, 4, 16, 64])
        self.recordings = options.recordings or (1 if options.quick else 3)
        self.replays = options.replays or (3 if options.quick else 10)
        self.timeout = options.timeout
        options_of_all = shlex.split(options.record_options)
        algorithms = options.algorithms.split(",") if options.algorithms else []
        self.record_options = [[*options_of_all, f"--algorithm={name}"] for name in algorithms] or [options_of_all]
        self.compile_options = shlex.split(options.compile_options)
        self.work = pathlib.Path(options.work or tempfile.mkdtemp(prefix="anaphora-e2e-"))
        self.kept = self.work / "failed"


class Failure(Exception):
    def __init__(self, reasons, commands):
        super().__init__("\n".join(reasons))
        self.reasons = reasons
        self.commands = commands


def load_programs(names):
    lines = (HERE / "programs.txt").read_text().splitlines()
    programs = [Program(line) for line in lines if line.strip() and not line.startswith("#")]
    unknown = set(names) - {program.name for program in programs}
    if unknown:
        sys.exit(f"no such program in programs.txt: {', '.join(sorted(unknown))}")
    return [program for program in programs if not names or program.name in names]


def build(plan, name, sources, flags):
    directory = plan.work / "bin"
    directory.mkdir(parents=True, exist_ok=True)
    binary = directory / name
    command = plan.tools.build_command(sources, flags + plan.compile_options, binary)
    outcome = harness.run(command, 180)
    if outcome.status != 0:
        said = outcome.stderr.decode(errors="replace")[:2000]
        raise Failure([f"does not build (status {outcome.status}):", said], [command])
    return binary, command


def replay_all(plan, trace, recorded, commands):
    replay = plan.tools.replay_command(trace)
    for attempt in range(plan.replays):
        replayed = harness.run(replay, plan.timeout)
        found = harness.differences(recorded, replayed)
        if found:
            plan.kept.mkdir(parents=True, exist_ok=True)
            kept = plan.kept / trace.name
            shutil.rmtree(kept, ignore_errors=True)
            shutil.copytree(trace, kept)
            raise Failure([f"replay {attempt + 1} of {plan.replays}:"] + found,
                          commands + [plan.tools.replay_command(kept)])


def run_alone(plan, program, binary, build_command):
    """Programs built with Anaphora work without it, too."""
    for threads in program.threads_alone or (plan.threads[-1],):
        command = program.command(binary, threads)
        outcome = harness.run(command, plan.timeout)
        wrong = "did not end" if outcome.timed_out else program.wrong_end(outcome.status)
        if wrong:
            raise Failure([f"not recorded, {threads} threads: {wrong}", outcome.stderr.decode(errors="replace")[-1500:]],
                          [build_command, command])


def check(plan, program):
    """Returns the recorded outputs; raises Failure."""
    binary, build_command = build(plan, program.name, [program.source], program.flags)
    run_alone(plan, program, binary, build_command)
    outputs = []
    for record_options, threads in itertools.product(plan.record_options, plan.threads):
        for number in range(plan.recordings):
            trace = plan.work / "traces" / f"{program.name}-{threads}-{number}"
            shutil.rmtree(trace, ignore_errors=True)
            trace.parent.mkdir(parents=True, exist_ok=True)
            command = plan.tools.record_command(trace, program.command(binary, threads), record_options)
            recorded = harness.run(command, plan.timeout)
            commands = [build_command, command]
            if recorded.timed_out:
                raise Failure([f"the recording with {threads} threads did not end in {plan.timeout} s"], commands)
            wrong = program.wrong_end(recorded.status)
            if wrong:
                tail = recorded.stderr.decode(errors="replace")[-1500:]
                raise Failure([f"recorded with {threads} threads: {wrong}", tail], commands)
            replay_all(plan, trace, recorded, commands)
            outputs.append(recorded.stdout + recorded.program_stderr())
            shutil.rmtree(trace, ignore_errors=True)
    return outputs


def report(name, run_check):
    """Prints one line for a check, more if it failed; returns whether it passed."""
    try:
        note = run_check() or ""
        print(f"pass  {name}{note}", flush=True)
        return True
    except Failure as failure:
        text = [f"FAIL  {name}"] + [f"      {line}" for reason in failure.reasons for line in reason.splitlines()]
        text += ["      to reproduce:"] + [f"        {harness.shell_line(command)}" for command in failure.commands]
        print("\n".join(text), flush=True)
        return False


def control(plan, programs):
    """Recordings of the same program have to differ, or equal replays would prove nothing."""
    plan.threads, plan.recordings, plan.replays = [4], 5, 1
    differing = []

    def one(program):
        if len(set(check(plan, program))) > 1:
            differing.append(program.name)

    passed = [report(f"control {p.name}", lambda p=p: one(p)) for p in programs]
    enough = len(differing) * 2 >= len(programs)
    print(f"{'pass' if enough else 'FAIL'}  {len(differing)} of {len(programs)} programs printed different things from "
          "recording to recording", flush=True)
    return passed + [enough]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="build directory or installation prefix")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--control", action="store_true")
    parser.add_argument("--zoo", action="store_true")
    parser.add_argument("--papers", action="store_true")
    parser.add_argument("--threads", type=lambda text: [int(n) for n in text.split(",")])
    parser.add_argument("--recordings", type=int)
    parser.add_argument("--replays", type=int)
    parser.add_argument("--timeout", type=float, default=240, help="seconds for each recording and replay")
    parser.add_argument("--compile-options", default="", help="further options of anaphora-cc")
    parser.add_argument("--record-options", default="", help="further options of anaphora record")
    parser.add_argument("--algorithms", help="names of tracing algorithms, with commas: all is done with each of them")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--work", help="directory for programs and traces (default: a temporary one)")
    parser.add_argument("programs", nargs="*")
    options = parser.parse_args()
    plan = Plan(options)
    if plan.tools.missing():
        sys.exit(f"not built: {', '.join(plan.tools.missing())}")
    if options.zoo:
        import zoo
        passed = zoo.run(plan, options.programs, build, replay_all, report, Failure)
    elif options.control:
        passed = control(plan, load_programs(options.programs or CONTROL_PROGRAMS))
    else:
        programs = (paper_programs.load if options.papers else load_programs)(options.programs)
        differing = set()

        def one(program):
            if len(set(check(plan, program))) > len(plan.threads) * len(plan.record_options):
                differing.add(program.name)

        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            passed = list(pool.map(lambda p: report(p.name, lambda: one(p)), programs))
        if plan.recordings > 1:
            print(f"{len(differing)} of {len(programs)} programs printed different things from recording to recording")
    if not options.work and all(passed):
        shutil.rmtree(plan.work, ignore_errors=True)
    print(f"{passed.count(True)} passed, {passed.count(False)} failed")
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
