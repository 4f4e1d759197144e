"""Catches the bugs of examples/: records each until it fails, and replays the failure. Called by run_e2e.py --zoo."""

import pathlib
import shutil

import harness

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
ATTEMPTS = 2000


def catch(plan, source, build, replay_all, failure):
    binary, build_command = build(plan, f"zoo-{source.stem}", [source], ["-std=c++20", "-O2", "-g"])
    trace = plan.work / "traces" / f"zoo-{source.stem}"
    shutil.rmtree(trace, ignore_errors=True)
    trace.parent.mkdir(parents=True, exist_ok=True)
    command = plan.tools.record_command(trace, [binary], [f"--until-failure={ATTEMPTS}", *plan.record_options[0]])
    recorded = harness.run(command, 4 * plan.timeout)
    commands = [build_command, command]
    if recorded.timed_out:
        raise failure(["the attempts did not end in time"], commands)
    if recorded.status == 0:
        raise failure([f"did not fail in {ATTEMPTS} attempts"], commands)
    replays = plan.replays
    first = harness.run(plan.tools.replay_command(trace), plan.timeout)
    if first.timed_out or first.status != recorded.status:
        raise failure([f"recorded status {recorded.status}, replayed {first.status}"] + first.tool_lines(),
                      commands + [plan.tools.replay_command(trace)])
    # What the attempts before the failing one printed is in `recorded`; the failing one comes last.
    if not recorded.stdout.endswith(first.stdout):
        raise failure(["the replay does not print what the failing recording printed"],
                      commands + [plan.tools.replay_command(trace)])
    replay_all(plan, trace, first, commands)
    shutil.rmtree(trace, ignore_errors=True)
    return f", status {recorded.status}, {recorded.seconds:.1f} s, {replays + 1} replays"


def run(plan, names, build, replay_all, report, failure):
    sources = [source for source in sorted(EXAMPLES.glob("*.cc")) if not names or source.stem in names]
    return [report(f"zoo {source.stem}", lambda s=source: catch(plan, s, build, replay_all, failure))
            for source in sources]
