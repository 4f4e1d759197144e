#!/usr/bin/env python3
"""Recordings whose recorder was killed replay as far as they go:

  killed_recorder.py --build DIR --program NAME --saved BYTES --algorithm NAME ...
  killed_recorder.py --build DIR --program NAME --late TRIES --algorithm NAME ...

A program of bench/ is recorded with each algorithm and the recorder killed when it has saved so many bytes, or nearly
all. The slots were then saved up to different times, some of them perhaps to their ends; a replay must find its end in any case,
and end like the recording."""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import harness  # noqa: E402
import paper_programs  # noqa: E402

THREADS = 4
TIMEOUT = 240
KILLED = 128 + 9


class Wrong(Exception):
    pass


def saved_bytes(trace):
    return sum(file.stat().st_size for file in trace.glob("streams*")) if trace.exists() else 0


def record_and_kill(command, trace, bytes_saved, seconds):
    """Kills it when it has saved so much, or after so long. False if the recording was over before; the last thing that a
    recorder does is to say so in the manifest."""
    process = subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + seconds
        while saved_bytes(trace) < bytes_saved and time.monotonic() < deadline and process.poll() is None:
            time.sleep(0.002)
    finally:
        process.kill()
        process.wait()
    manifest = trace / "manifest.json"
    return manifest.exists() and json.loads(manifest.read_text())["state"] == "recording"


def check_replay(tools, trace):
    replay = tools.replay_command(trace)
    outcome = harness.run(replay, TIMEOUT)
    said = outcome.stderr.decode(errors="replace")
    if outcome.timed_out or outcome.status != KILLED or "goes as far as the recording does" not in said:
        raise Wrong(f"{harness.shell_line(replay)} ended with {outcome.status}, not {KILLED}: {said[-1000:]}")


def check(tools, binary, program, trace, algorithm, bytes_saved, tries):
    command = tools.record_command(trace, program.command(binary, THREADS), ["-q", f"--algorithm={algorithm}"])
    shutil.rmtree(trace, ignore_errors=True)
    whole = harness.run(command, TIMEOUT)
    if whole.timed_out or whole.status:
        raise Wrong(f"{harness.shell_line(command)} ended with {whole.status}")
    if tries:
        # How much is saved varies from run to run; who was too late tries earlier.
        all_bytes, killed, latest = saved_bytes(trace), 0, 1.0
        for _ in range(tries):
            shutil.rmtree(trace, ignore_errors=True)
            if record_and_kill(command, trace, all_bytes * latest, TIMEOUT):
                check_replay(tools, trace)
                killed += 1
            else:
                latest -= 0.03
        if not killed:
            raise Wrong(f"{algorithm}: the recorder was too fast to be killed")
        return
    for attempt in range(20):
        shutil.rmtree(trace, ignore_errors=True)
        if record_and_kill(command, trace, bytes_saved, whole.seconds * (0.9 - 0.03 * attempt)):
            break
    else:
        raise Wrong(f"{algorithm}: the recorder was too fast to be killed")
    check_replay(tools, trace)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--program", required=True)
    when = parser.add_mutually_exclusive_group(required=True)
    when.add_argument("--saved", type=int)
    when.add_argument("--late", type=int, help="how often to try")
    parser.add_argument("--algorithm", action="append", required=True)
    parser.add_argument("--work")
    options = parser.parse_args()
    tools = harness.Tools(options.build)
    work = pathlib.Path(options.work or tempfile.mkdtemp(prefix="anaphora-killed-"))
    work.mkdir(parents=True, exist_ok=True)
    program, = paper_programs.load([options.program])
    binary = work / program.name
    built = harness.run(tools.build_command([program.source], [*program.flags, "--every-access"], binary), TIMEOUT)
    if built.status != 0:
        sys.exit(f"{program.name} does not build: {built.stderr.decode(errors='replace')}")
    failed = False
    for algorithm in options.algorithm:
        try:
            check(tools, binary, program, work / "trace", algorithm, options.saved, options.late)
            print(f"pass  {algorithm}", flush=True)
        except Wrong as wrong:
            print(f"FAIL  {wrong}")
            failed = True
    if not options.work and not failed:
        shutil.rmtree(work)
    return failed


if __name__ == "__main__":
    sys.exit(main())
