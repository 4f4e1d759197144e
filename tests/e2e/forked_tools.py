#!/usr/bin/env python3
"""What every tool makes of the traces of forked children, also packed and elsewhere; and a child whose recorder is killed."""

import json
import os
import pathlib
import shutil
import signal
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import harness  # noqa: E402

LIMIT = 120  # seconds
KILLED = 128 + 9
RACY = "racers.c"  # the race of every process


class Check:
    def __init__(self, tools, work):
        self.tools, self.work, self.problems = tools, work, []

    def tool(self, *arguments, cwd=None):
        return harness.run([self.tools.anaphora, *arguments], LIMIT, cwd=cwd)

    def expect(self, what, truth, outcome):
        if not truth:
            said = (outcome.stdout + outcome.stderr).decode(errors="replace")[-1500:]
            self.problems.append(f"{what}: status {outcome.status}: {said}")

    def record(self, name):
        program, trace = self.work / name, self.work / f"{name}.trace"
        self.tools.build([HERE / "forks" / f"{name}.c"], ["-O1", "-g"], program)
        shutil.rmtree(trace, ignore_errors=True)
        return program, trace, self.tools.record_command(trace, [program], ["--children"])

    def says(self, child, status, wanted, *arguments):
        outcome = self.tool(*arguments, child, cwd=self.work)
        said = (outcome.stdout + outcome.stderr).decode(errors="replace")
        self.expect(" ".join(map(str, arguments)), outcome.status == status and wanted in said, outcome)

    def look(self, child):
        page = self.work / "view.html"
        self.says(child, 0, "exit status 5", "stats")
        self.says(child, 0, "intact", "verify")
        self.says(child, 0, "thread-start", "dump")
        self.says(child, 66, RACY, "races")
        self.says(child, 0, RACY, "deps", "--csv")
        self.says(child, 0, "thread 0", "why", "1:20")
        page.unlink(missing_ok=True)
        self.says(child, 0, "", "view", "-o", page)
        if not page.exists():
            self.problems.append("view has written no page")
        self.says(child, 0, "Perfetto", "export", "--perfetto")

    def move(self, program, trace, child):
        """To where there is no program any more."""
        outcome = self.tool("pack", "-o", self.work / "child.tar.zst", child)
        wanted = f"pack that one: {trace}"
        self.expect("a child is packed alone", outcome.status == 1 and wanted in outcome.stderr.decode(), outcome)
        archive, away = self.work / "all.tar.zst", self.work / "away"
        outcome = self.tool("pack", "-o", archive, trace)
        self.expect("pack", outcome.status == 0, outcome)
        shutil.rmtree(away, ignore_errors=True)
        away.mkdir()
        harness.run(["tar", "xf", archive, "-C", away], LIMIT)
        program.unlink()
        for arguments, status, wanted in (([], 0, b"parent"), (["-p", child.name], 5, b"child")):
            outcome = self.tool("replay", "-a", *arguments, away / trace.name)
            self.expect("replay of the packed trace", outcome.status == status and wanted in outcome.stdout, outcome)

    def look_at_all(self):
        program, trace, command = self.record("racers")
        recorded = harness.run(command, LIMIT)
        self.expect("record", recorded.status == 0, recorded)
        listed = json.loads(self.tool("ps", "--json", trace).stdout)
        children = [entry["process"] for entry in listed if "process" in entry]
        if len(children) != 1:
            self.problems.append(f"children: {children}")
            return
        child = trace / "children" / str(children[0])
        self.look(child)
        self.move(program, trace, child)

    def recorder_of_child(self, process):
        """The tool forks one for each child; the program is no tool, once it has begun, and it and the relay have the real
        stdout."""
        tool = pathlib.Path(self.tools.anaphora).resolve()

        def is_recorder(child):
            try:
                return (pathlib.Path(f"/proc/{child}/exe").resolve() == tool
                        and os.readlink(f"/proc/{child}/fd/1") == "/dev/null")
            except OSError:
                return False

        until = time.monotonic() + LIMIT
        while time.monotonic() < until and process.poll() is None:
            listed = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
            recorders = [child for child in listed if is_recorder(child)]
            if recorders:
                return int(recorders[0])
            time.sleep(0.01)
        raise harness.NotDriven("the forked child has no recorder")

    def kill_recorder(self):
        _, trace, command = self.record("talker")
        out = self.work / "talker.out"

        def drive(process):
            recorder = self.recorder_of_child(process)
            until = time.monotonic() + LIMIT
            while out.stat().st_size < 200_000 and time.monotonic() < until:
                time.sleep(0.01)
            time.sleep(1)  # more than the recorder leaves to be written
            os.kill(recorder, signal.SIGKILL)

        recorded = harness.run(["sh", "-c", 'exec "$@" > "$0"', out, *command], LIMIT, drive=drive)
        self.expect("a recorder is killed", recorded.status == 0 and not recorded.problem, recorded)
        self.expect("what the child says", b"the recorder of this process was killed" in recorded.stderr, recorded)
        self.expect("how it ended", b"ended by signal 9" in recorded.stderr, recorded)
        said = out.read_bytes()
        outcome = self.tool("ps", trace)
        self.expect("ps", b"recorder was killed" in outcome.stdout, outcome)
        for child in (trace / "children").iterdir():
            replayed = self.tool("replay", "-a", child)
            right = replayed.status == KILLED and said.startswith(replayed.stdout) and len(replayed.stdout) > 1000
            self.expect("replay up to there", right, replayed)


def main():
    tools, work = harness.begin(__doc__)
    check = Check(tools, work.resolve())
    check.look_at_all()
    check.kill_recorder()
    return harness.verdict(check.problems)


if __name__ == "__main__":
    sys.exit(main())
