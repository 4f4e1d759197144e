#!/usr/bin/env python3
"""The other ways to a debugger: -x, -i=mi, -g, -s PORT, as editors do it, no gdb at all, a packed trace.

  ways_in.py --build BUILD --work WORK"""

import argparse
import contextlib
import os
import pathlib
import re
import shlex
import subprocess
import sys
import threading

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
import harness  # noqa: E402

LIMIT = 240


def text_of(outcome):
    return (outcome.stdout + outcome.stderr).decode(errors="replace")


@contextlib.contextmanager
def server_for(tools, trace):
    """A tool that waits for a debugger, and the gdb that it proposes, as words."""
    server = subprocess.Popen([tools.anaphora, "replay", "-s", "0", trace], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
                              stdin=subprocess.DEVNULL, text=True)
    try:
        line = server.stderr.readline()
        found = re.search(r"for instance: (gdb .*)$", line)
        if not found:
            raise SystemExit(line)
        yield server, shlex.split(found[1])
    finally:
        server.kill()
        server.wait()


def by_port(tools, trace):
    """Starts that gdb with a few words more."""
    with server_for(tools, trace) as (server, command):
        command[1:1] = ["-nx", "-batch"]
        command[-1:-1] = ["-ex", "break square", "-ex", "continue", "-ex", "backtrace"]
        return text_of(harness.run(command, LIMIT)) + f"status {server.wait(LIMIT)}"


def as_editors_do(tools, trace):
    """Asynchronous commands of the machine interface, as VS Code sends them; our words from its console. Each waits for what
    the one before leads to."""
    steps = [("-gdb-set mi-async on", r"\^done"), ('-interpreter-exec console "set sysroot"', r"\^done"),
             ("-file-exec-and-symbols PROGRAM", r"\^done"), ("-target-select remote PORT", r"\^connected"),
             ('-interpreter-exec console "source WORDS"', r"\^done"), ("-break-insert square", r"\^done"),
             ("-exec-continue", r"breakpoint-hit"), ("-exec-next", r"\*stopped"),
             ("-exec-next --reverse", r"\*stopped"), ('-interpreter-exec console "when"', r"all threads"),
             ('-interpreter-exec console "restart"', r"\*stopped"), ("-exec-continue", r"breakpoint-hit"),
             ("-stack-list-frames", r'func="square".*func="main"')]
    with server_for(tools, trace) as (_, command):
        words = next(w.split()[1] for w in command if w.startswith("source "))
        port = next(w.split()[2] for w in command if w.startswith("target remote "))
        gdb = subprocess.Popen(["gdb", "-nx", "-q", "-i=mi"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True)
        limit = threading.Timer(LIMIT, gdb.kill)
        limit.start()
        text = ""
        try:
            for step, wanted in steps:
                gdb.stdin.write(step.replace("PROGRAM", command[-1]).replace("PORT", port).replace("WORDS", words) + "\n")
                gdb.stdin.flush()
                while line := gdb.stdout.readline():
                    text += line
                    if "^error" in line:
                        return f"{text}after {step}"
                    if re.search(wanted, line):
                        break
                else:
                    return f"{text}ended after {step}"
            return "all steps"
        finally:
            limit.cancel()
            gdb.kill()
            gdb.wait()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    options = parser.parse_args()
    tools = harness.Tools(options.build)
    work = options.work.resolve()
    harness.shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    program = tools.build([HERE / "programs" / "steps.cc"], ["-g", "-O0", "-std=c++20"], work / "steps")
    trace, script = work / "trace", work / "script.gdb"
    harness.run(tools.record_command(trace, [program]), LIMIT)
    script.write_text("break square\ncontinue\nprint n + 41\nquit\n")
    replay = [tools.anaphora, "replay"]
    path = {**os.environ, "PATH": str(work)}

    # gdb takes the next line when the program has stopped, as it would from a file.
    words = work / "mi"
    words.write_text("-break-insert square\n-exec-continue\n-exec-continue --reverse\n-gdb-exit\n")
    mi = words.open("rb")

    cases = [
        ("-x", lambda: text_of(harness.run([*replay, "-x", script, trace, "--", "-nx", "-batch"], LIMIT)), r"\$1 = 42"),
        ("-i=mi", lambda: text_of(harness.run([*replay, "-i=mi", trace, "--", "-nx"], LIMIT, stdin=mi)),
         r'reason="breakpoint-hit"(.*\n)*.*No more reverse-execution history'),
        ("-g", lambda: text_of(harness.run([*replay, "-g", "0:100", trace, "--", "-nx", "-batch", "-ex", "when"], LIMIT)),
         r"^0:10\d "),
        ("-g nonsense", lambda: text_of(harness.run([*replay, "-g", "x", trace], LIMIT)), r"-g needs a thread and an event"),
        ("-s", lambda: by_port(tools, trace), r"Breakpoint 1, square(.*\n)*.*in main(.*\n)*.*status 0"),
        ("as editors do", lambda: as_editors_do(tools, trace), r"^all steps$"),
        ("no gdb", lambda: text_of(harness.run([*replay, trace], LIMIT, env=path)), r"gdb is not installed"),
        ("no change", lambda: text_of(harness.run([*replay, trace, "--", "-nx", "-batch", "-ex", "print total = 3"], LIMIT)),
         r"(?i)cannot (be changed|access memory)"),
    ]
    failed = 0
    for name, run, wanted in cases:
        text = run()
        fine = re.search(wanted, text, re.MULTILINE)
        print(f"{name}: {'fine' if fine else 'lacks ' + wanted}")
        if not fine:
            failed += 1
            print(text)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
