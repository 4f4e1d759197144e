#!/usr/bin/env python3
"""Builds real multi-threaded programs from their source packages, unmodified, records and replays them.

  run_real.py --build DIR                     all of them
  run_real.py --build DIR --work DIR xz zstd  these; the sources stay in the work directory for the next time

What a program writes to its standard output and error, and its status, have to be the same in every replay. Files that
a program writes are not written again in a replay, so the programs write to their standard output where they can.
Exit status 77 if the sources cannot be had."""

import argparse
import pathlib
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
sys.path.insert(0, str(HERE))
import harness  # noqa: E402
import projects  # noqa: E402
import servers  # noqa: E402
import sources  # noqa: E402
import terminal  # noqa: E402


def record_case(options, trace, case, record):
    if case.terminal:
        return terminal.run(record, case.terminal, options.timeout, trace.parent)
    return harness.run(record, options.timeout, cwd=trace.parent, drive=case.drive)


def check_case(tools, options, trace, case):
    """What went wrong, as lines; none if nothing did."""
    shutil.rmtree(trace, ignore_errors=True)
    record = tools.record_command(trace, case.command)
    recorded = record_case(options, trace, case, record)
    shown = f"      {harness.shell_line(record)}"
    if recorded.timed_out:
        return [f"the recording did not end in {options.timeout} s", shown]
    if recorded.problem:
        return [recorded.problem, recorded.stderr.decode(errors="replace")[-1000:], shown]
    fails_itself = case.own_failure is not None and recorded.status != 0 and case.own_failure in recorded.stderr
    if recorded.status != case.status and not fails_itself:
        said = recorded.stderr.decode(errors="replace")[-1000:]
        return [f"the recording ended with status {recorded.status}", said, shown]
    if case.is_right is not None and not fails_itself and not case.is_right(recorded.stdout):
        return ["what the recorded program wrote is wrong", shown]
    for number in range(options.replays):
        replay = tools.replay_command(trace)
        found = harness.differences(recorded, harness.run(replay, options.timeout, cwd=trace.parent))
        if found:
            return [f"replay {number + 1}:", *found, shown, f"      {harness.shell_line(replay)}"]
    print(f"      recorded in {recorded.seconds:.1f} s, {options.replays} replays", flush=True)
    try:
        for line in case.report(trace) if case.report else []:
            print(f"      {line}", flush=True)
    except harness.NotDriven as problem:
        return [str(problem), shown]
    return []


def check_project(project, tools, options, work):
    """Numbers of cases that passed and that failed."""
    try:
        project.build()
    except projects.BuildFailed as failure:
        print(f"FAIL  {project.name}: does not build\n      {failure}", flush=True)
        return 0, 1
    print(f"pass  {project.name} builds", flush=True)
    passed, failed = 1, 0
    for threads in options.threads:
        try:
            for case in project.cases(threads):
                good = check_and_tell(project, case, threads, tools, options, work)
                passed, failed = passed + good, failed + (not good)
        except projects.BuildFailed as failure:
            print(f"FAIL  {project.name}, {threads} threads\n      {failure}", flush=True)
            failed += 1
    return passed, failed


def check_and_tell(project, case, threads, tools, options, work):
    case = case if isinstance(case, projects.Case) else projects.Case(*case)
    trace = work / f"trace-{project.name}-{case.name.replace(' ', '-')}-{threads}"
    problems = check_case(tools, options, trace, case)
    print(f"{'FAIL' if problems else 'pass'}  {project.name} {case.name}, {threads} threads", flush=True)
    if problems:
        print("      " + "\n      ".join(problems), flush=True)
    else:
        shutil.rmtree(trace, ignore_errors=True)
    return not problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="build directory or installation prefix")
    parser.add_argument("--work", help="where to build (default: a temporary directory)")
    parser.add_argument("--threads", type=lambda text: [int(n) for n in text.split(",")], default=[2, 4])
    parser.add_argument("--replays", type=int, default=3)
    parser.add_argument("--timeout", type=float, default=180, help="seconds for each recording and replay")
    parser.add_argument("projects", nargs="*")
    options = parser.parse_args()
    tools = harness.Tools(options.build)
    if tools.missing():
        sys.exit(f"not built: {', '.join(tools.missing())}")
    work = pathlib.Path(options.work or tempfile.mkdtemp(prefix="anaphora-real-")).resolve()
    work.mkdir(parents=True, exist_ok=True)
    everything = projects.ALL + servers.ALL
    chosen = [project for project in everything if not options.projects or project.name in options.projects]
    apt = sources.Apt(work / "apt")
    passed = failed = 0
    for project in chosen:
        try:
            one_passed, one_failed = check_project(project(tools, apt, work), tools, options, work)
        except sources.Unavailable as problem:
            print(f"the sources of {project.name} cannot be had: {problem}", flush=True)
            return 77
        passed, failed = passed + one_passed, failed + one_failed
    if not options.work and failed == 0:
        shutil.rmtree(work, ignore_errors=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
