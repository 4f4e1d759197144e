#!/usr/bin/env python3
"""Drives gdb on the replay of a recorded program with scripts, and looks at what it prints.

  run_gdb.py --build BUILD --work WORK PROGRAM [SCRIPT...]

The program is programs/PROGRAM.cc, its scripts are scripts/PROGRAM/*.gdb. A comment in the program may say what else is built:

  // flags: FLAGS        more for the compiler
  // library: NAME       programs/libraries/NAME.cc, which the program is linked with

Comments in a script say what is wanted:

  # options: -g 0:0     options of `anaphora replay`
  # expect: REGEX       has to be printed, after what earlier lines of this kind expect
  # never: REGEX        must not be printed
"""

import argparse
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
import harness  # noqa: E402

LIMIT = 240  # seconds, for each script


def comments(script, word):
    return re.findall(rf"^# {word}:[ \t]*(.*)$", script.read_text(), re.MULTILINE)


def missing(text, wanted):
    """What of `wanted` is not there, in this order."""
    at = 0
    for pattern in wanted:
        found = re.compile(pattern, re.MULTILINE).search(text, at)
        if not found:
            return pattern
        at = found.end()
    return None


def build(tools, name, work):
    source = HERE / "programs" / f"{name}.cc"
    flags = ["-g", "-O0", "-std=c++20"]
    for more in re.findall(r"^// flags: (.*)$", source.read_text(), re.MULTILINE):
        flags += more.split()
    libraries = re.findall(r"^// library: (.*)$", source.read_text(), re.MULTILINE)
    for library in libraries:
        tools.build([HERE / "programs" / "libraries" / f"{library}.cc"], [*flags, "-shared", "-fPIC"], work / f"lib{library}.so")
    linked = [f"-L{work}", f"-Wl,-rpath,{work}", *[f"-l{library}" for library in libraries]] if libraries else []
    return tools.build([source, *linked], flags, work / name)


def run_script(tools, trace, script):
    options = " ".join(comments(script, "options")).split()
    command = [tools.anaphora, "replay", *options, trace, "--", "-nx", "-batch", "-ex", "set width 0", "-ex",
               "set pagination off", "-x", script]
    outcome = harness.run(command, LIMIT)
    text = (outcome.stderr + outcome.stdout).decode(errors="replace")
    wanted = comments(script, "expect")
    if not wanted:
        return "expects nothing", text
    if outcome.timed_out:
        return "did not end", text
    for never in comments(script, "never"):
        if re.search(never, text, re.MULTILINE):
            return f"has {never}", text
    lacks = missing(text, wanted)
    return (f"lacks {lacks}" if lacks else None), text


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("program")
    parser.add_argument("scripts", nargs="*")
    options = parser.parse_args()
    tools = harness.Tools(options.build)
    work = options.work.resolve()
    harness.shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    program = build(tools, options.program, work)
    trace = work / "trace"
    recorded = harness.run(tools.record_command(trace, [program]), LIMIT)
    if recorded.timed_out or not trace.exists():
        sys.exit(f"cannot record: {recorded.stderr.decode(errors='replace')}")
    failed = 0
    scripts = sorted((HERE / "scripts" / options.program).glob("*.gdb"))
    for script in scripts:
        if options.scripts and script.stem not in options.scripts:
            continue
        problem, text = run_script(tools, trace, script)
        print(f"{script.stem}: {problem or 'fine'}", flush=True)
        if problem:
            failed += 1
            print(text)
    return 1 if failed or not scripts else 0


if __name__ == "__main__":
    sys.exit(main())
