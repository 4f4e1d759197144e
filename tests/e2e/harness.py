"""Running the tools under test: commands with time limits, recordings, replays, and the comparison of the two.

Used by the runners of tests/e2e, tests/stress, tests/real and tests/install. Every command runs in a process group of
its own, which is killed as a whole when its time is over."""

import argparse
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time


class Outcome:
    """How a command ended: its status as a shell would give it, and what it wrote."""

    def __init__(self, command, status, stdout, stderr, seconds, timed_out):
        self.command = command
        self.status = status
        self.stdout = stdout
        self.stderr = stderr
        self.seconds = seconds
        self.timed_out = timed_out
        self.problem = None  # of who was to drive the command

    def program_stderr(self):
        """stderr without the lines of the tool itself."""
        lines = self.stderr.splitlines(keepends=True)
        return b"".join(line for line in lines if not line.startswith(b"anaphora:"))

    def tool_lines(self):
        return [line for line in self.stderr.decode(errors="replace").splitlines() if line.startswith("anaphora:")]


def kill_group(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


class NotDriven(Exception):
    """A program could not be made to do what the test is about; says why."""


def drive_until_done(drive, process, problems):
    try:
        drive(process)
    except (NotDriven, OSError) as problem:
        problems.append(str(problem))
        kill_group(process)


def run(command, timeout, cwd=None, env=None, stdin=None, drive=None):
    """`drive`, if given, gets the running process, talks to it and makes it end."""
    start = time.monotonic()
    process = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               stdin=stdin if stdin is not None else subprocess.DEVNULL, cwd=cwd, env=env,
                               start_new_session=True)
    timed_out = False
    problems = []
    driver = threading.Thread(target=drive_until_done, args=(drive, process, problems)) if drive else None
    if driver:
        driver.start()
    try:
        stdout, stderr = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        timed_out = True
        kill_group(process)
        stdout, stderr = process.communicate()
    finally:
        kill_group(process)
    if driver:
        driver.join()
    status = process.returncode if process.returncode >= 0 else 128 - process.returncode
    outcome = Outcome(command, status, stdout, stderr, time.monotonic() - start, timed_out)
    outcome.problem = problems[0] if problems else None
    return outcome


def shell_line(command):
    return " ".join(shlex.quote(str(part)) for part in command)


BUILD_LIMIT = 180  # seconds


class Tools:
    """The tools of a build tree or of an installation; both have the same shape."""

    def __init__(self, prefix):
        self.prefix = pathlib.Path(prefix).resolve()
        self.anaphora = self.prefix / "bin" / "anaphora"
        self.cc = self.prefix / "bin" / "anaphora-cc"
        self.cxx = self.prefix / "bin" / "anaphora-c++"

    def missing(self):
        return [str(tool) for tool in (self.anaphora, self.cc, self.cxx) if not tool.exists()]

    def compiler_for(self, source):
        return self.cc if pathlib.Path(source).suffix == ".c" else self.cxx

    def build_command(self, sources, flags, output):
        return [self.compiler_for(sources[0]), *flags, "-pthread", *sources, "-o", output]

    def build(self, sources, flags, output):
        """Or the end of the test."""
        built = run(self.build_command(sources, flags, output), BUILD_LIMIT)
        if built.status:
            sys.exit(built.stderr.decode(errors="replace"))
        return output

    def record_command(self, trace, program, options=()):
        return [self.anaphora, "record", "-o", trace, *options, *program]

    def replay_command(self, trace):
        return [self.anaphora, "replay", "-a", trace]


def first_difference(name, recorded, replayed):
    """One line saying where two outputs part, or None."""
    if recorded == replayed:
        return None
    at = next((i for i, (a, b) in enumerate(zip(recorded, replayed)) if a != b), min(len(recorded), len(replayed)))
    line = recorded[:at].count(b"\n") + 1
    start = recorded.rfind(b"\n", 0, at) + 1
    return (f"{name} differs at byte {at}, line {line}: recorded {recorded[start:start + 120]!r}, "
            f"replayed {replayed[start:start + 120]!r} (lengths {len(recorded)} and {len(replayed)})")


def differences(recorded, replayed):
    """What is not the same in a recording and a replay of it, as sentences."""
    if replayed.timed_out:
        return ["the replay did not end in time"]
    found = []
    if recorded.status != replayed.status:
        found.append(f"exit status: recorded {recorded.status}, replayed {replayed.status}")
    for name, a, b in (("stdout", recorded.stdout, replayed.stdout),
                       ("stderr", recorded.program_stderr(), replayed.program_stderr())):
        difference = first_difference(name, a, b)
        if difference:
            found.append(difference)
    if found:
        found += [f"the tool said: {line}" for line in replayed.tool_lines()]
    return found


def arguments(doc):
    """Of a test that has one case: its options, for more to be added."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--work", required=True)
    return parser


def begin(options):
    """The tools, and a directory that is empty."""
    if isinstance(options, str):
        options = arguments(options).parse_args()
    work = pathlib.Path(options.work).resolve()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    return Tools(options.build), work


def verdict(problems):
    """Prints it; the exit status."""
    print("\n".join(["FAIL", *problems] if problems else ["pass"]))
    return 1 if problems else 0
