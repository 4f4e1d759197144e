"""gdb's words for replays by Anaphora. Sourced by `anaphora replay`; talks to it by `monitor`."""

import functools
import itertools
import json
import os
import re
import subprocess

import gdb
from gdb.FrameDecorator import FrameDecorator

# A single rank of an MPI job, which has no host, and no threads that are recorded.
RANK = gdb.convenience_variable("anaphora_rank") is not None
HOST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "anaphora-host.frames")


def ask(words):
    return gdb.execute("monitor " + words, to_string=True)


def ask_here(word):
    """As ask(), about the thread that is selected in gdb, which need not be the last one that gdb has asked about."""
    thread = gdb.selected_thread()
    return ask(f"{word} {max(thread.ptid[1:])}" if thread else word)


@functools.lru_cache(maxsize=None)
def places():
    """The tool, the trace, and where the host's code begins and ends."""
    tool, trace, begin, end = ask("places").split("\n")[:4]
    return tool, trace, int(begin), int(end)


def symbol(address):
    """ " <name>", or nothing."""
    found = re.match(r"(\S+)(?: \+ (\d+))? in section", gdb.execute(f"info symbol {address}", to_string=True))
    return f" <{found[1]}{'+' + found[2] if found[2] else ''}>" if found else ""


def jump(words):
    """Asks for a jump, which the next reverse-continue makes."""
    problem = ask(words)
    if problem:
        raise gdb.GdbError(problem.rstrip())
    gdb.execute("reverse-continue")
    read_new_libraries()


def read_new_libraries():
    """A jump forwards passes the places where gdb learns that libraries were loaded: it knows them, but no symbols."""
    if gdb.parameter("auto-solib-add") and gdb.execute("sharedlibrary", to_string=True):
        gdb.execute("frame")  # what it could not name when it stopped


class Undisturbed:
    """With no breakpoint enabled."""

    def __enter__(self):
        self.enabled = [b for b in gdb.breakpoints() or () if b.enabled]
        for breakpoint in self.enabled:
            breakpoint.enabled = False

    def __exit__(self, *_):
        for breakpoint in self.enabled:
            breakpoint.enabled = True


def has_line(frame):
    return frame.find_sal().symtab is not None


def is_own(frame):
    """The program's own code: with a line, and no function of a header of the system's, or of ours in place of such."""
    if not has_line(frame):
        return False
    if "/anaphora-mpi-" in (gdb.solib_name(frame.pc()) or ""):
        return False
    name = frame.find_sal().symtab.fullname()
    return not name.startswith(("/usr/include/", "/usr/lib/")) and "/anaphora/include/libstdcxx/" not in name


def at_end():
    return bool(re.search(r"\), (the end|where the replay differs)", ask_here("when")))


def has_not(event):
    """Whether the event's thread, at the end, has not come to it."""
    slot, count = (int(part) for part in event.split(":"))
    counts = dict(part.split(":") for part in re.search(r"\(all threads: (.*?)\)", ask_here("when"))[1].split())
    return int(counts.get(str(slot), -1)) < count


def any_older(frame, wanted):
    while frame := frame.older():
        if wanted(frame):
            return True
    return False


def leave_library(jump_here):
    """An event may begin inside a function of the runtime's or of a library's: goes on to the program's own code, as long
    as that is the same event."""
    event = ask_here("when").split()[0]
    moved = False
    with Undisturbed():
        while not is_own(gdb.newest_frame()) and any_older(gdb.newest_frame(), is_own):
            # Inlined functions have no place to finish at.
            inlined = gdb.newest_frame().type() == gdb.INLINE_FRAME
            gdb.execute("next" if inlined else "finish", to_string=True)
            moved = True
            if ask_here("when").split()[0] != event:
                return jump_here()
    if moved:
        gdb.execute("frame")
    return None


def leave_mpi():
    """A call of MPI begins inside Anaphora's library: goes on to where it returns to the program's own code."""
    frame = gdb.newest_frame()
    while frame and not is_own(frame):
        frame = frame.older()
    if not frame or frame == gdb.newest_frame():
        return
    with Undisturbed():
        back = gdb.Breakpoint(f"*{frame.pc():#x}", internal=True)
        back.silent = True
        try:
            gdb.execute("continue", to_string=True)
        finally:
            back.delete()
    gdb.execute("frame")


class Word(gdb.Command):
    """One of our words, as run(argument). What gdb has against it becomes a sentence."""

    takes_nothing = False

    def __init__(self, word, *kind):
        super().__init__(word, *kind)
        self.word = word

    def invoke(self, argument, from_tty):
        argument = argument.strip()
        if argument and self.takes_nothing:
            raise gdb.GdbError(f"{self.word} takes no arguments")
        try:
            self.run(argument)
        except gdb.error as error:
            why = str(error).strip().rstrip(".")
            if why.startswith("No symbol") or "no frame" in why.lower():
                why += "; select a frame of the function that knows it first, as with `frame function NAME`"
            raise gdb.GdbError(f"{self.word}: {why}") from None


def plain_number(word, argument):
    if not argument.isdecimal():
        raise gdb.GdbError(f"{word} needs the number of a checkpoint, as `info checkpoints` lists them, "
                           f"not {argument or 'nothing'}")
    return argument


class When(Word):
    """Where in the recording this is: the selected thread and its event, as `seek` takes them."""

    takes_nothing = True

    def __init__(self):
        super().__init__("when", gdb.COMMAND_STATUS)

    def run(self, argument):
        print(ask_here("when"), end="")


class Seek(Word):
    """seek T:E -- goes to event E of thread T (the slot, as `when` and `anaphora dump` number them)."""

    def __init__(self):
        super().__init__("seek", gdb.COMMAND_RUNNING)

    def run(self, argument):
        def go():
            jump("seek " + argument)

        go()
        if RANK:
            leave_mpi()
        elif not at_end():
            leave_library(go)
        elif has_not(argument):
            raise gdb.GdbError(f"the recording has no event {argument}; this is its end")


class Checkpoint(Word):
    """Remembers this place, for `restart`."""

    takes_nothing = True

    def __init__(self):
        super().__init__("checkpoint", gdb.COMMAND_RUNNING)

    def run(self, argument):
        print(ask_here("checkpoint"), end="")


class Restart(Word):
    """restart [N] -- goes to checkpoint N, or to the beginning."""

    def __init__(self):
        super().__init__("restart", gdb.COMMAND_RUNNING)

    def run(self, argument):
        jump("restart " + (plain_number("restart", argument) if argument else ""))


class InfoCheckpoints(Word):
    """Lists the checkpoints."""

    takes_nothing = True

    def __init__(self):
        super().__init__("info checkpoints", gdb.COMMAND_STATUS)

    def run(self, argument):
        print(ask("checkpoints"), end="")


class DeleteCheckpoint(Word):
    """delete checkpoint N"""

    def __init__(self):
        super().__init__("delete checkpoint", gdb.COMMAND_RUNNING)

    def run(self, argument):
        print(ask("delete " + plain_number("delete checkpoint", argument)), end="")


class Waits(Word):
    """Which threads wait, and for whom."""

    takes_nothing = True

    def __init__(self):
        super().__init__("waits", gdb.COMMAND_STATUS)

    def run(self, argument):
        numbers = {max(thread.ptid[1:]): thread.num for thread in gdb.selected_inferior().threads()}
        for line in ask("waits").splitlines():
            line = re.sub(r"^thread (\d+):", lambda m: f"thread {numbers.get(int(m[1]), m[1])}:", line)
            print(re.sub(r"(wants [a-z -]*)(0x[0-9a-f]+)", lambda m: m[0] + symbol(m[2]), line))


class LastWrite(Word):
    """last-write EXPR -- goes back to where EXPR was written last. Stays where it is if it never was."""

    def __init__(self):
        super().__init__("last-write", gdb.COMMAND_RUNNING, gdb.COMPLETE_EXPRESSION)

    def run(self, argument):
        if not argument:
            raise gdb.GdbError("last-write needs an expression that is in memory")
        ask("mark")
        watch, found = None, False
        with Undisturbed():
            try:
                gdb.execute("watch -location " + argument)
                watch = gdb.breakpoints()[-1]
                gdb.execute("reverse-continue")
                found = watch.hit_count > 0
            finally:
                if watch:
                    watch.delete()
        if not found:
            jump("return")
            raise gdb.GdbError(f"{argument} has not been written before; this is where you were")


class Races(Word):
    """races here         -- the data races of this event, and those of this line
    races here EXPR    -- those of something in memory
    races              -- all

    They are found by replaying the recording beside the debugger, once; `anaphora races` does the same."""

    def __init__(self):
        super().__init__("races", gdb.COMMAND_STATUS, gdb.COMPLETE_EXPRESSION)

    def run(self, argument):
        words = argument.split(None, 1)
        if words and words[0] != "here":
            raise gdb.GdbError("races: all; races here: those of this place; races here EXPR: those of something in memory")
        if not words:
            show("", found_races())
        elif len(words) == 2:
            show(f" of {words[1]}", of_object(words[1]))
        else:
            here_and_on_this_line()


@functools.lru_cache(maxsize=None)
def found_races():
    tool, trace = places()[:2]
    print("looking for the data races of this recording...", flush=True)
    done = subprocess.run([tool, "races", "--json", trace], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          stdin=subprocess.DEVNULL, check=False)
    try:
        return json.loads(done.stdout)["races"]
    except ValueError:
        raise gdb.GdbError(done.stderr.strip() or "the races were not found") from None


def of_object(expression):
    value = gdb.parse_and_eval(expression)
    if value.address is None:
        raise gdb.GdbError(f"{expression} is not in memory")
    begin = int(value.address)
    end = begin + value.type.sizeof
    return [race for race in found_races() if race["address"] < end and begin < race["address"] + race["bytes"]]


def here_and_on_this_line():
    event = ask_here("when").split()[0]
    races = found_races()
    here = [race for race in races if event in (race["first"]["event"], race["second"]["event"])]
    show(f" at {event}", here)
    sal = gdb.selected_frame().find_sal()
    if not sal.symtab:
        return
    name = os.path.basename(sal.symtab.filename)
    on_line = [race for race in races if race not in here and
               any(os.path.basename(race[a]["file"]) == name and race[a]["line"] == sal.line for a in ("first", "second"))]
    if on_line:
        show(f" of {name}:{sal.line} at other events", on_line)


def show(where, races):
    print(f"{len(races)} data race{'' if len(races) == 1 else 's'}{where}{':' if races else '.'}")
    for race in races:
        print(f"  {race['variable'] or hex(race['address'])}, {race['bytes']} bytes at {race['address']:#x}")
        for access in (race["first"], race["second"]):
            print(f"    thread {access['thread']} at {access['event']}: {access['kind']} in {access['place']}")
        print(f"    seek {race['seek']}")


class Plain(FrameDecorator):
    """As gdb writes frames without filters: the names of functions without their parameters."""

    def function(self):
        name = super().function()
        if not isinstance(name, str) or name.endswith("operator()"):
            return name
        open_ones = 0
        for at in range(name.rfind(")"), 0, -1):
            open_ones += {")": 1, "(": -1}.get(name[at], 0)
            if open_ones == 0:
                return name[:at]
        return name


class WithoutHost:
    """Threads wait inside the host; a backtrace is about the program. `backtrace -no-filters` has all frames."""

    name, priority, enabled = "anaphora", 100, True

    def filter(self, frames):
        begin, end = places()[2:]
        inside = []
        for frame in frames:
            # A thread that has not begun has nothing behind the host.
            if frame.address() and not begin <= frame.address() < end:
                return map(Plain, itertools.chain([frame], frames))
            inside.append(frame)
        return map(Plain, inside)


if not RANK:
    gdb.frame_filters["anaphora"] = WithoutHost()


class BackToStatement(gdb.Command):
    """After a step back: gdb may stop at a piece of a line that is no statement of its own. Goes on to where it begins."""

    MOST = 32
    last_stop = None

    def __init__(self):
        super().__init__("anaphora-back-to-statement", gdb.COMMAND_RUNNING)
        gdb.events.stop.connect(self.note)

    @classmethod
    def note(cls, event):
        cls.last_stop = type(event)

    @classmethod
    def is_inside(cls, name, line):
        frame = gdb.newest_frame()
        if cls.last_stop is not gdb.StopEvent or not has_line(frame) or (name, line) != (frame.name(), frame.find_sal().line):
            return False
        return gdb.execute("frame", to_string=True).startswith("#0  0x")

    def invoke(self, argument, from_tty):
        if gdb.selected_thread() is None or gdb.selected_thread().is_running():
            return  # an editor's, which does not wait for the step ("set mi-async on")
        name, line = gdb.newest_frame().name(), gdb.newest_frame().find_sal().line
        moved = 0
        while moved < self.MOST and self.is_inside(name, line):
            gdb.execute(argument, to_string=True)
            moved += 1
        if moved:
            gdb.execute("frame")


BackToStatement()
for word in ("reverse-next", "reverse-step"):
    gdb.execute(f"define hookpost-{word}\nanaphora-back-to-statement {word}\nend")
for command in (When, Seek, Checkpoint, Restart, InfoCheckpoints, DeleteCheckpoint, LastWrite, *(() if RANK else (Waits, Races))):
    command()
gdb.execute("set confirm off")
if not RANK and os.path.exists(HOST):
    # Threads wait inside it: with its frames known, backtraces lead out of it.
    gdb.execute("add-symbol-file " + HOST, to_string=True)
