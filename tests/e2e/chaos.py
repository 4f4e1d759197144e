#!/usr/bin/env python3
"""record --chaos: another seed in each run of --until-failure, kept in the trace and shown; a replay needs none."""

import json
import pathlib
import re
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import harness  # noqa: E402

LIMIT = 300  # seconds
SEED = 77
RUNS = 500


def seed_in(tools, trace):
    stats = harness.run([tools.anaphora, "stats", "--json", trace], LIMIT)
    return json.loads(stats.stdout)["options"]["chaos"]


def check_search(tools, work, binary):
    trace = work / "search"
    recorded = harness.run(tools.record_command(trace, [binary], [f"--chaos={SEED}", f"--until-failure={RUNS}"]), LIMIT)
    found = re.search(r"run (\d+) \(--chaos=(\d+)\) ended with", recorded.stderr.decode(errors="replace"))
    if not found:
        return [f"no failure in {RUNS} runs: {recorded.stderr.decode(errors='replace')}"]
    run, seed = int(found[1]), int(found[2])
    problems = [] if seed == SEED + run - 1 else [f"run {run} has seed {seed}"]
    if seed_in(tools, trace) != seed:
        problems.append(f"the trace has seed {seed_in(tools, trace)}, not {seed}")
    for command in ("ls", "ps", "stats"):
        shown = harness.run([tools.anaphora, command, trace if command != "ls" else work], LIMIT).stdout.decode()
        if f"chaos {seed}" not in shown and f"seed {seed}" not in shown:
            problems.append(f"`{command}` does not show the seed:\n{shown}")
    replayed = harness.run(tools.replay_command(trace), LIMIT)
    if replayed.status != recorded.status or not recorded.stdout.endswith(replayed.stdout):
        problems.append(f"recorded status {recorded.status}, replayed {replayed.status}: {replayed.stderr.decode()}")
    return problems


def check_seeds(tools, work, binary):
    problems = []
    for option, is_right in (("--chaos", lambda seed: seed > 0), ("--chaos=5", lambda seed: seed == 5),
                             ("--quiet", lambda seed: seed == 0)):
        trace = work / "one"
        shutil.rmtree(trace, ignore_errors=True)
        harness.run(tools.record_command(trace, [binary], [option]), LIMIT)
        if not is_right(seed_in(tools, trace)):
            problems.append(f"with {option} the seed is {seed_in(tools, trace)}")
    refused = harness.run(tools.record_command(work / "none", [binary], ["--chaos=often"]), LIMIT)
    if refused.status == 0 or b"takes a number" not in refused.stderr:
        problems.append(f"--chaos=often is not refused: {refused.stderr.decode()}")
    return problems


def main():
    tools, work = harness.begin(__doc__)
    source = HERE.parents[1] / "examples" / "check_then_act.cc"
    binary = tools.build([source], ["-std=c++20", "-O2", "-g"], work / "check_then_act")
    return harness.verdict(check_search(tools, work, binary) + check_seeds(tools, work, binary))


if __name__ == "__main__":
    sys.exit(main())
