"""Runs a command that reads a terminal, in a pane of tmux, and types into it. What it writes goes to files, so that
every byte of it can be compared."""

import pathlib
import re
import shutil
import subprocess
import tempfile
import time

import harness

PATIENCE = 60  # seconds for what a line makes appear


class Terminal:
    def __init__(self, directory):
        self.output = directory / "output"
        self.status = directory / "status"
        self.socket = directory / "socket"
        self.seen = 0  # bytes of the output that have been waited for

    def tmux(self, *arguments):
        done = subprocess.run(["tmux", "-S", str(self.socket), "-f", "/dev/null", *arguments], capture_output=True,
                              timeout=PATIENCE, check=False)
        if done.returncode != 0:
            raise harness.NotDriven(f"tmux {arguments[0]}: {done.stderr.decode(errors='replace')}")

    def start(self, command, errors, cwd):
        line = f"{harness.shell_line(command)} > {self.output} 2> {errors}; echo $? > {self.status}.new; "
        self.tmux("new-session", "-d", "-x", "100", "-y", "30", "-c", str(cwd),
                  f"{line} mv {self.status}.new {self.status}")

    def wait_for(self, pattern):
        """Until the output has `pattern` behind what was waited for before."""
        end = time.monotonic() + PATIENCE
        while True:
            text = self.output.read_bytes() if self.output.exists() else b""
            found = re.search(pattern.encode(), text[self.seen:])
            if found:
                self.seen += found.end()
                return
            if time.monotonic() > end or self.status.exists():
                raise harness.NotDriven(f"{pattern!r} does not appear: {text[-300:]!r}")
            time.sleep(0.02)

    def enter(self, line, pattern=None):
        # For tmux, a semicolon at the end would end its command.
        self.tmux("send-keys", "-l", line[:-1] + "\\;" if line.endswith(";") else line)
        self.tmux("send-keys", "Enter")
        if pattern:
            self.wait_for(pattern)


def run(command, type_into, timeout, cwd):
    """The outcome of the command, whose user is type_into(terminal)."""
    directory = pathlib.Path(tempfile.mkdtemp(prefix="anaphora-tmux-"))
    terminal = Terminal(directory)
    errors = directory / "errors"
    start, problem = time.monotonic(), None
    try:
        terminal.start(command, errors, cwd)
        type_into(terminal)
        while not terminal.status.exists() and time.monotonic() < start + timeout:
            time.sleep(0.02)
    except (harness.NotDriven, subprocess.TimeoutExpired) as failure:
        problem = str(failure)
    subprocess.run(["tmux", "-S", str(terminal.socket), "kill-server"], capture_output=True, timeout=PATIENCE,
                   check=False)
    ended = terminal.status.exists()
    status = int(terminal.status.read_text()) if ended else -1
    texts = [path.read_bytes() if path.exists() else b"" for path in (terminal.output, errors)]
    outcome = harness.Outcome(command, status, *texts, time.monotonic() - start, not ended and problem is None)
    outcome.problem = problem
    shutil.rmtree(directory, ignore_errors=True)
    return outcome
