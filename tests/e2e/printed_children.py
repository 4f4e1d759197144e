#!/usr/bin/env python3
"""What the processes that a program starts print is printed again by a replay, byte for byte and in the same place:
into pipes, a file or a terminal, with stdout and stderr apart or one, and after the end of the program."""

import os
import pathlib
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time

import fcntl

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import harness  # noqa: E402

LIMIT = 60  # seconds
SIZE = (37, 91)  # of the terminal


class Case:
    def __init__(self, tools, work, name):
        self.tools, self.trace, self.name = tools, work / f"trace-{name}", name
        self.files = work
        self.problems = []
        self.relay_lives = True

    def record(self, *program, options=()):
        return [str(word) for word in self.tools.record_command(self.trace, program, ["-q", *options])]

    def replay(self):
        return [str(word) for word in [*self.tools.replay_command(self.trace), "-q"]]

    def expect(self, true, text):
        if not true:
            self.problems.append(f"{self.name}: {text}")

    def same(self, recorded, replayed, what="output"):
        difference = harness.first_difference(what, recorded, replayed)
        self.expect(not difference, difference)

    def done(self):
        verified = harness.run([self.tools.anaphora, "verify", self.trace], LIMIT)
        self.expect(verified.status == 0, f"verify: {verified.stdout.decode()}")
        has_end = b"printed has no end" not in verified.stdout
        self.expect(has_end == self.relay_lives, f"verify: {verified.stdout.decode()}")
        removed = harness.run([self.tools.anaphora, "rm", self.trace], LIMIT)
        self.expect(removed.status == 0 and not self.trace.exists(), f"rm: {removed.stderr.decode()}")
        return self.problems


def apart(case, binary):
    """Also what comes after the end of the program: the pipes are read until nobody has them."""
    recorded = harness.run(case.record(binary, "3", "late"), LIMIT)
    replayed = harness.run(case.replay(), LIMIT)
    case.problems += [f"{case.name}: {text}" for text in harness.differences(recorded, replayed)]
    case.expect(b"late\n" in recorded.stdout and b"later\n" in recorded.stderr, "the late ones did not print")
    case.expect(recorded.status == 0, f"status {recorded.status}: {recorded.stderr.decode()}")


def joined(command):
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    return subprocess.run(command, timeout=LIMIT, check=True, **streams).stdout


def one_pipe(case, binary):
    case.same(joined(case.record(binary, "2", "late")), joined(case.replay()))


def one_file(case, binary):
    """Read when nobody can print any more; what was there stays."""
    texts = []
    for command in case.record(binary, "2"), case.replay():
        path = case.files / f"{case.name}-{len(texts)}"
        path.write_bytes(b"before\n")
        with open(path, "ab") as to:
            subprocess.run(command, stdout=to, stderr=to, stdin=subprocess.DEVNULL, timeout=LIMIT, check=True)
        texts.append(path.read_bytes())
    case.same(*texts)


def in_terminal(command):
    """What appears in a terminal, and the status."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", *SIZE, 0, 0))

    def take_terminal():
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, preexec_fn=take_terminal)
    os.close(slave)
    text = b""
    until = time.monotonic() + LIMIT
    while time.monotonic() < until:
        if not select.select([master], [], [], 1)[0]:
            continue
        try:
            piece = os.read(master, 65536)
        except OSError:  # nobody has it any more
            break
        if not piece:
            break
        text += piece
    os.close(master)
    return text, process.wait(LIMIT)


def terminal(case, binary):
    recorded, status = in_terminal(case.record(binary, "2", "late"))
    case.expect(status == 0, f"status {status}: {recorded[-500:]}")
    case.expect(b"a terminal of %d %d\r\n" % SIZE in recorded, f"no terminal, or another size: {recorded[:500]}")
    case.expect(b"\r\r\n" not in recorded, "what is printed is changed twice")
    case.same(recorded, in_terminal(case.replay())[0])


def modes(case, binary):
    """What a child does to its terminal reaches the one that the user sits at, which is its stdin."""
    recorded, status = in_terminal(case.record(binary, "1", "modes"))
    case.expect(status == 0 and b"so does the other terminal" in recorded, f"status {status}: {recorded[-500:]}")
    case.same(recorded, in_terminal(case.replay())[0])


def nobody_reads(case, binary):
    """A child that prints for ever ends when nobody reads it any more, and so does the program."""
    process = subprocess.Popen(case.record(binary, "1", "yes"), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    process.stdout.read(100)
    process.stdout.close()
    try:
        case.expect(process.wait(LIMIT) != 0, "it does not notice")
    except subprocess.TimeoutExpired:
        case.expect(False, "it goes on printing")
        process.kill()
    case.expect(harness.run(case.replay(), LIMIT).status != 125, "it cannot be replayed")


def printed_by(process):
    """What came until the program has told that all is printed, and its process id."""
    text = b""
    while b"all is printed" not in text or not text.endswith(b"\n"):
        piece = os.read(process.stdout.fileno(), 65536)
        if not piece:
            raise harness.NotDriven(f"it ended too early: {text[-500:]}")
        text += piece
    return text, int(text.split(b"all is printed by ")[1].split()[0])


def with_pause(case, binary, kill):
    """Records a program that does not end until `kill`, which gets the recorder and the program's id, has ended it."""
    process = subprocess.Popen(case.record(binary, "1", "pause"), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    text, program = printed_by(process)
    kill(process, program)
    rest, _ = process.communicate(timeout=LIMIT)
    case.expect(process.returncode in (137, -9), f"status {process.returncode}")
    return text + rest, harness.run(case.replay(), LIMIT)


def killed(case, binary):
    """What was printed before the program was killed."""
    text, replayed = with_pause(case, binary, lambda _, program: os.kill(program, signal.SIGKILL))
    case.same(text, replayed.stdout)


def recorder_killed(case, binary):
    def kill(process, _):
        time.sleep(1)  # more than it leaves to be written
        process.kill()

    text, replayed = with_pause(case, binary, kill)
    case.same(text, replayed.stdout)


def relay_killed(case, binary):
    """The program does not mind, and what was saved until then is shown."""
    def kill(process, program):
        time.sleep(1)
        for child in pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split():
            if int(child) != program:
                os.kill(int(child), signal.SIGKILL)
        os.kill(program, signal.SIGKILL)

    text, replayed = with_pause(case, binary, kill)
    case.same(text, replayed.stdout)
    case.relay_lives = False


def in_debugger(case, binary):
    """It appears when the program hears of its child, and once only, however often one goes back."""
    script = case.files / f"{case.name}.gdb"
    script.write_text("set pagination off\nbreak system\ncontinue\necho [before]\\n\nfinish\necho [after]\\n\n"
                      "reverse-continue\nfinish\ndelete\ncontinue\nquit\n")
    recorded = harness.run(case.record(binary, "1"), LIMIT).stdout
    outcome = harness.run([case.tools.anaphora, "replay", "-x", str(script), str(case.trace)], LIMIT)
    first = recorded.splitlines()[0] + b"\n"
    before, _, rest = outcome.stdout.partition(b"[before]")
    between, _, after = rest.partition(b"[after]")
    where = [first in part for part in (before, between, after)]
    case.expect(where == [False, True, False], f"it is shown at {where}: {outcome.stdout[:1000]}")
    for line in b"shown again", b"after all was closed", b"of a daemon":
        case.expect(outcome.stdout.count(line) == 1, f"'{line.decode()}' is shown {outcome.stdout.count(line)} times")


CHECKS = {apart: 5, one_pipe: 5, one_file: 5, terminal: 5, modes: 2, nobody_reads: 2, killed: 5, recorder_killed: 2,
          relay_killed: 2, in_debugger: 1}


def main():
    tools, work = harness.begin(__doc__)
    binary = tools.build([HERE / "programs" / "children_print.c"], ["-O2", "-g"], work / "children_print")
    problems = []
    for check, loops in CHECKS.items():
        for n in range(loops):
            case = Case(tools, work, f"{check.__name__}-{n}")
            check(case, binary)
            problems += case.done()
    return harness.verdict(problems)


if __name__ == "__main__":
    sys.exit(main())
