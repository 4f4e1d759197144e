#!/usr/bin/env python3
"""Runs the commands of docs/tutorial.md in order, and compares what they print with what the text says.

  run_tutorial.py --build BUILD --work WORK
  run_tutorial.py --control                   shows that a wrong line is found

In an indented block, `$ ` begins a command of the shell and `(gdb) ` one for the gdb that the last `anaphora replay` has opened;
such a session goes on over the blocks that follow, until the next command of the shell. Other lines have to be
printed, in this order, by the command before them: lines in between do not matter, and any number stands for any other."""

import argparse
import os
import pathlib
import re
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "e2e"))
import harness  # noqa: E402

LIMIT = 300  # seconds, for each command
MARK = "@@ command"


class Step:
    """A command with what it has to print, and, if it opens gdb, the commands for that."""

    def __init__(self, command):
        self.command = command
        self.wanted = []
        self.inside = []

    def latest(self):
        return self.inside[-1] if self.inside else self


def read_steps(text):
    steps = []
    for line in text.splitlines():
        if not line.startswith("    "):
            continue
        line = line[4:]
        if line.startswith("$ "):
            steps.append(Step(line[2:]))
        elif line.startswith("(gdb) "):
            steps[-1].inside.append(Step(line[6:]))
        elif line.strip() and line != "...":
            steps[-1].latest().wanted.append(line)
    return steps


def plain(line):
    """With # for every number, and without the directories of files and the columns of text."""
    line = re.sub(r"0x[0-9a-f]+", "#", line)
    line = re.sub(r"\d+", "#", line)
    line = re.sub(r"\b(\d+|#) times\b|\bonce\b", "# times", line)
    line = re.sub(r"# data races?\b", "# data races", line)
    line = re.sub(r"(?<![\w.])[\w./#-]*/", "", line)
    # A place is printed with its address or without it.
    line = re.sub(r"^(##? +)# in ", r"\1", line)
    line = re.sub(r"^(##?) +", r"\1 ", line)
    return re.sub(r"\s+", " ", line).strip()


def missing(wanted, printed):
    lines = iter([plain(line) for line in printed.splitlines()])
    for line in wanted:
        if not any(plain(line) in candidate for candidate in lines):
            return line
    return None


def run_shell(command, work, environment):
    outcome = harness.run(["bash", "-c", command], LIMIT, cwd=work, env=environment)
    return outcome.timed_out, (outcome.stderr + outcome.stdout).decode(errors="replace")


def check(what, wanted, printed):
    lacks = missing(wanted, printed)
    print(f"{'lacks ' + lacks if lacks else 'fine'}: {what}", flush=True)
    if lacks:
        print(printed)
    return 1 if lacks else 0


def run_gdb(step, work, environment):
    """All of the session's commands in one gdb; each announces itself."""
    script = ["set width 0", "set pagination off", "set style enabled off"]
    for inside in step.inside:
        script += [f"echo \\n{MARK}\\n", inside.command]
    (work / "script.gdb").write_text("\n".join(script) + "\n")
    late, text = run_shell(f"{step.command} -- -nx -batch -x script.gdb 2>&1", work, environment)
    if late:
        print(f"did not end: {step.command}\n{text}")
        return 1
    parts = text.split(MARK + "\n")
    failed = check(step.command, step.wanted, parts[0])
    if len(parts) != len(step.inside) + 1:
        print(f"lacks commands: gdb took {len(parts) - 1} of {len(step.inside)}\n{text}")
        return 1
    return failed + sum(check(f"(gdb) {i.command}", i.wanted, part) for i, part in zip(step.inside, parts[1:]))


def control():
    text = "    $ echo 'a 1'; echo 'b 2'\n    a 7\n    b 7\n"
    good, bad = read_steps(text)[0], read_steps(text.replace("b 7", "c 7"))[0]
    printed = "a 1\nb 2\n"
    orders = missing(["b 2", "a 1"], printed)
    return 0 if missing(good.wanted, printed) is None and missing(bad.wanted, printed) == "c 7" and orders else 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build")
    parser.add_argument("--work", type=pathlib.Path)
    parser.add_argument("--control", action="store_true")
    options = parser.parse_args()
    if options.control:
        return control()
    tools = harness.Tools(options.build)
    work = options.work.resolve()
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(ROOT / "examples", work, ignore=shutil.ignore_patterns("demo"))
    environment = {**os.environ, "PATH": f"{tools.prefix / 'bin'}:{os.environ['PATH']}", "ANAPHORA_TRACE_DIR": str(work / "traces")}
    failed = 0
    steps = read_steps((ROOT / "docs" / "tutorial.md").read_text())
    for step in steps:
        if step.inside:
            failed += run_gdb(step, work, environment)
            continue
        late, text = run_shell(step.command, work, environment)
        failed += check(step.command, ["(it did not end)"] if late else step.wanted, text)
    return 1 if failed or not steps else 0


if __name__ == "__main__":
    sys.exit(main())
