"""gdb's words for replays by Anaphora. Sourced by `anaphora replay`; talks to it by `monitor`."""

import os

import gdb

HOST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "anaphora-host.frames")


def ask(words):
    return gdb.execute("monitor " + words, to_string=True)


def jump(words):
    """Asks for a jump, which the next reverse-continue makes."""
    problem = ask(words)
    if problem:
        raise gdb.GdbError(problem.rstrip())
    gdb.execute("reverse-continue")


class When(gdb.Command):
    """Where in the recording this is: the selected thread and its event, as `seek` takes them."""

    def __init__(self):
        super().__init__("when", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        print(ask("when"), end="")


class Seek(gdb.Command):
    """seek T:E -- goes to event E of thread T (the slot, as `when` and `anaphora dump` number them)."""

    def __init__(self):
        super().__init__("seek", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        jump("seek " + argument)


class Checkpoint(gdb.Command):
    """Remembers this place, for `restart`."""

    def __init__(self):
        super().__init__("checkpoint", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        print(ask("checkpoint"), end="")


class Restart(gdb.Command):
    """restart [N] -- goes to checkpoint N, or to the beginning."""

    def __init__(self):
        super().__init__("restart", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        jump("restart " + argument)


class InfoCheckpoints(gdb.Command):
    """Lists the checkpoints."""

    def __init__(self):
        super().__init__("info checkpoints", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        print(ask("checkpoints"), end="")


class DeleteCheckpoint(gdb.Command):
    """delete checkpoint N"""

    def __init__(self):
        super().__init__("delete checkpoint", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        print(ask("delete " + argument), end="")


class Waits(gdb.Command):
    """Which threads wait, and for whom."""

    def __init__(self):
        super().__init__("waits", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        print(ask("waits"), end="")


class LastWrite(gdb.Command):
    """last-write EXPR -- goes back to where EXPR was written last."""

    def __init__(self):
        super().__init__("last-write", gdb.COMMAND_RUNNING, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, from_tty):
        if not argument:
            raise gdb.GdbError("last-write needs an expression that is in memory")
        # Nothing else shall stop on the way.
        enabled = [b for b in gdb.breakpoints() or () if b.enabled]
        for other in enabled:
            other.enabled = False
        gdb.execute("watch -location " + argument)
        watch = gdb.breakpoints()[-1]
        try:
            gdb.execute("reverse-continue")
        finally:
            watch.delete()
            for other in enabled:
                other.enabled = True


for command in (When, Seek, Checkpoint, Restart, InfoCheckpoints, DeleteCheckpoint, Waits, LastWrite):
    command()
gdb.execute("set confirm off")
if os.path.exists(HOST):
    # Threads wait inside it: with its frames known, backtraces lead out of it.
    gdb.execute("add-symbol-file " + HOST, to_string=True)
