#!/usr/bin/env python3
"""System calls of libraries that come and go, and of programs, PIE or not, are patched where the shape allows it, and with
--no-patch they are not; all recordings replay."""

import pathlib
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import harness  # noqa: E402

LIMIT = 120  # seconds
IN_MOV_AND_CMP = "3"  # what library.c calls replaced(): the jump's target is not


def check(tools, work, command, options, wanted):
    trace = work / ("trace" + "".join(options))
    shutil.rmtree(trace, ignore_errors=True)
    recorded = harness.run(tools.record_command(trace, command, options), LIMIT)
    if recorded.status:
        return [f"recorded status {recorded.status}: {recorded.stderr.decode(errors='replace')}"]
    problems = harness.differences(recorded, harness.run(tools.replay_command(trace), LIMIT))
    found = set(recorded.stdout.decode().replace(":", "").split())
    if found != {wanted}:
        problems.append(f"with {options or 'no option'} the library is patched as {sorted(found)}, not {wanted}")
    return problems


def main():
    tools, work = harness.begin(__doc__)
    library = tools.build([HERE / "patches" / "library.c"], ["-O1", "-fPIC", "-shared"], work / "library.so")
    binary = tools.build([HERE / "patches" / "loader.c"], ["-O2", "-g"], work / "loader")
    problems = check(tools, work, [binary, library], [], IN_MOV_AND_CMP)
    problems += check(tools, work, [binary, library], ["--no-patch"], "0")
    for kind in "-pie", "-no-pie":
        flags = ["-O1", "-fPIE" if kind == "-pie" else "-fno-pie", kind]
        fixed = tools.build([HERE / "patches" / "fixed.c", HERE / "patches" / "library.c"], flags, work / f"fixed{kind}")
        problems += [f"{kind}: {problem}" for problem in check(tools, work, [fixed], [], IN_MOV_AND_CMP)]
    return harness.verdict(problems)


if __name__ == "__main__":
    sys.exit(main())
