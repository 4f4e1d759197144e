#!/usr/bin/env python3
"""gdb on single ranks of MPI jobs, recorded with --contents: programs/ranks, scripts/ranks, as run_gdb.py does it.

  ranks.py --build BUILD --work WORK --mpi MPI"""

import argparse
import importlib.util
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import run_gdb  # noqa: E402  (brings the harness of e2e)
from run_gdb import harness  # noqa: E402

SPEC = importlib.util.spec_from_file_location("mpi_harness", HERE.parent / "mpi" / "harness.py")
mpi_harness = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(mpi_harness)

RANKS = 3
DIGITS = "3141592653"


def record(tools, mpi, name, work):
    source = HERE / "programs" / "ranks" / f"{name}.c"
    flags = " ".join(run_gdb.re.findall(r"^// flags: (.*)$", source.read_text(), run_gdb.re.MULTILINE)).split()
    program = mpi_harness.compile_program(mpi, source, work / name, ["-O0", *flags])
    digits = work / "digits"
    digits.write_text(DIGITS)
    trace = work / f"trace-{name}"
    launch = [f"mpirun.{mpi}", "-n", str(RANKS)]
    recorded = harness.run([*launch, tools.anaphora, "record", "--contents", "-o", trace, program, digits], run_gdb.LIMIT)
    if recorded.timed_out or not trace.exists():
        sys.exit(f"cannot record: {recorded.stderr.decode(errors='replace')}")
    return trace


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--mpi", required=True)
    parser.add_argument("scripts", nargs="*")
    options = parser.parse_args()
    os.environ.update(mpi_harness.ENVIRONMENT)
    tools = harness.Tools(options.build)
    work = options.work.resolve()
    harness.shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    failed = ran = 0
    for source in sorted((HERE / "programs" / "ranks").glob("*.c")):
        trace = record(tools, options.mpi, source.stem, work)
        for script in sorted((HERE / "scripts" / "ranks" / source.stem).glob("*.gdb")):
            if options.scripts and script.stem not in options.scripts:
                continue
            problem, text = run_gdb.run_script(tools, trace, script)
            print(f"{source.stem}/{script.stem}: {problem or 'fine'}", flush=True)
            ran += 1
            failed += problem is not None
            if problem:
                print(text)
    for refused, why in (([], "--rank=N opens one rank"), (["--rank=0", "-g", "1:1"], "-g needs a call of MPI")):
        text = harness.run([tools.anaphora, "replay", *refused, trace], run_gdb.LIMIT).stderr.decode(errors="replace")
        print(f"{why}: {'fine' if why in text else 'not said'}", flush=True)
        failed += why not in text
    return 1 if failed or ran == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
