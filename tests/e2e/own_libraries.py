#!/usr/bin/env python3
"""Programs with libraries of their own: own_libraries.py --build DIR --work DIR

Two libraries that the program is linked with and others that it loads late, built as users build or with --every-access, in
several mixtures. `races` finds what races in each of them and in the program, with its place, its name and its stacks, and
nothing else; `deps`, `why`, `dump` and `replay --trace-all` work as well. So they do with a packed trace, and with libraries
whose symbols have been stripped."""

import json
import pathlib
import re
import shutil
import subprocess
import sys

import harness

HERE = pathlib.Path(__file__).resolve().parent / "libraries"
TIMEOUT = 300
RACES_FOUND = 66
PRINTED = b"7 3 3 20 20 40\n"
# Each variable that races, and the function that does it.
RACES = {"tally": ("tally.c", "tally_race"), "shelf::weight": ("shelf.cc", "add"), "unguarded": ("user.cc", "work"),
         "first_plugin": ("plugin.c", "first_race"), "second_plugin": ("plugin.c", "second_race")}
EVERY = ["--every-access"]
# What is built with --every-access, and how.
MIXTURES = {"ordinary": ([], ["-O2"]), "unoptimised": ([], ["-O0"]), "every access": (["tally", "shelf", "plugin", "user"], ["-O2"]),
            "library": (["tally"], ["-O2"]), "program": (["user"], ["-O2"]), "loaded late": (["plugin"], ["-O1"])}


class Wrong(Exception):
    pass


def demand(condition, text):
    if not condition:
        raise Wrong(text)


def run(command, statuses=(0,)):
    outcome = harness.run(command, TIMEOUT)
    demand(not outcome.timed_out and outcome.status in statuses,
           f"{harness.shell_line(command)} ended with {outcome.status}: {outcome.stderr.decode(errors='replace')[-1500:]}")
    return outcome


def racing_lines(name):
    return [n for n, line in enumerate((HERE / name).read_text().splitlines(), 1) if "// races" in line]


class Case:
    def __init__(self, tools, work, name):
        self.tools, self.name = tools, name
        self.work = work / name.replace(" ", "_")
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)
        self.trace = self.work / "trace"

    def build(self, every, level):
        def flags(part):
            return ["-g", *level, *(EVERY if part in every else [])]
        shared = ["-shared", "-fPIC"]
        self.tools.build([HERE / "tally.c"], flags("tally") + shared, self.work / "libtally.so")
        self.tools.build([HERE / "shelf.cc"], ["-std=c++20", *flags("shelf"), *shared], self.work / "libshelf.so")
        for name in ("first", "second"):
            self.build_plugin(name, flags("plugin"))
        self.tools.build([HERE / "user.cc", f"-L{self.work}", f"-Wl,-rpath,{self.work}", "-ltally", "-lshelf"],
                         ["-std=c++20", "-pthread", *flags("user")], self.work / "user")

    def build_plugin(self, name, flags):
        self.tools.build([HERE / "plugin.c"], ["-g", f"-DNAME={name}_plugin", f"-DRACE={name}_race", "-shared", "-fPIC", *flags],
                         self.work / f"{name}_plugin.so")

    def record(self, plugins=("first", "second", "first")):
        plugins = [self.work / f"{name}_plugin.so" for name in plugins]
        recorded = run(self.tools.record_command(self.trace, [self.work / "user", *plugins], ["-q"]))
        demand(recorded.stdout == PRINTED, f"it printed {recorded.stdout}")

    def races(self):
        outcome = run([self.tools.anaphora, "races", "--json", self.trace], (RACES_FOUND,))
        report = json.loads(outcome.stdout)
        return report["races"]

    def check_races(self, wanted=RACES, has_lines=True):
        found = self.races()
        names = {race["variable"] for race in found}
        demand(names == set(wanted), f"races of {sorted(names)}, not of {sorted(wanted)}")
        for race in found:
            file, function = wanted[race["variable"]]
            for side in (race["first"], race["second"]):
                frames = [frame["function"] for frame in side["stack"]]
                where = f"{race['variable']} in {side['place']} with the stack {frames}"
                demand(frames and function in frames[0], f"{where}: not in {function}")
                if has_lines:
                    demand(pathlib.Path(side["file"]).name == file and side["line"] in racing_lines(file), f"{where}: not there")
                    demand(function in side["function"], f"{where}: another function")


def check_mixture(tools, work, name):
    every, level = MIXTURES[name]
    case = Case(tools, work, name)
    case.build(every, level)
    case.record()
    case.check_races()


def check_others(tools, work):
    """What else follows code, and what only reads the trace."""
    case = Case(tools, work, "others")
    case.build([], ["-O2"])
    case.record()
    replayed = run([tools.anaphora, "replay", "-a", "-q", "--trace-all", case.work / "references", case.trace])
    demand(replayed.stdout == PRINTED and (case.work / "references").stat().st_size > 0, "references were not written")
    lines = [json.loads(line) for line in run([tools.anaphora, "deps", case.trace]).stdout.splitlines()]
    inside = [line for line in lines if pathlib.Path(line["to"]["file"]).name in ("tally.c", "shelf.cc", "plugin.c")]
    demand({"tally", "shelf::weight", "first_plugin"} <= {line["variable"] for line in inside}, f"dependences of {inside}")
    event = next(line["to"]["event"] for line in inside if line["variable"] == "tally")
    why = run([tools.anaphora, "why", event, case.trace]).stdout.decode()
    demand(any(name in why for name in ("titles", "shelf.cc:", "tally.c:")), f"why says {why[:2000]}")
    dumped = run([tools.anaphora, "dump", case.trace]).stdout.decode(errors="replace")
    demand(re.search(r"libtally\.so\" from \d+ on, \d+ bytes at 0x", dumped), "dump does not say where a library is")
    demand(not re.search(r"edge .* at 0x", dumped), "dump has a place without a name")


def check_packed(tools, work):
    """A packed trace has the libraries with it, where they are gone."""
    case = Case(tools, work, "packed")
    case.build([], ["-O2"])
    case.record()
    run([tools.anaphora, "pack", "-q", case.trace])
    for file in case.work.glob("*.so"):
        file.unlink()
    (case.work / "user").unlink()
    case.check_races()


def check_stripped(tools, work):
    """Of stripped libraries places have no lines and variables no names; what races is found all the same."""
    case = Case(tools, work, "stripped")
    case.build([], ["-O2"])
    for file in case.work.glob("*.so"):
        subprocess.run(["strip", file], check=True, timeout=TIMEOUT)
    case.record()
    found = {race["variable"] for race in case.races()}
    demand(found == {"", "unguarded"}, f"races of {found}")


def check_one_place(tools, work):
    """Two libraries are at the same addresses, one after the other: their races are found, but not named."""
    case = Case(tools, work, "one place")
    case.build([], ["-O2"])
    for name in ("first", "second"):
        case.build_plugin(name, ["-O2", "-DLARGE"])
    case.build_plugin("other", ["-O2"])
    case.record(("first", "other", "second"))  # the one in between is loaded by another thread
    found = {race["variable"]: race for race in case.races()}
    demand(set(found) == {"", "other_plugin", "tally", "shelf::weight", "unguarded"}, f"races of {set(found)}")
    demand("several libraries" in found[""]["first"]["place"], f"a race is {found['']}")


def check_far(tools, work):
    """Of a library too far from room for a copy of its code the message says which it is, and what to do."""
    case = Case(tools, work, "far")
    case.build_plugin("far", ["-O2", "-DLARGE"])
    tools.build([HERE / "far.c"], ["-g", "-O2", "-pthread"], case.work / "user")
    run(tools.record_command(case.trace, [case.work / "user", case.work / "far_plugin.so"], ["-q"]))
    refused = run([tools.anaphora, "deps", case.trace], (1,)).stderr.decode()
    demand("far_plugin.so" in refused and "--every-access" in refused and "plugin.c:" in refused, f"it says {refused}")
    found = json.loads(run([tools.anaphora, "races", "--json", case.trace], (RACES_FOUND, 1)).stdout or "{}")
    demand(not found, "races were found in what is not followed")


def main():
    options = harness.arguments(__doc__).parse_args()
    tools, work = harness.begin(options)
    cases = [(name, lambda n=name: check_mixture(tools, work, n)) for name in MIXTURES]
    cases += [("others", lambda: check_others(tools, work)), ("packed", lambda: check_packed(tools, work)),
              ("stripped", lambda: check_stripped(tools, work)), ("one place", lambda: check_one_place(tools, work)),
              ("far", lambda: check_far(tools, work))]
    problems = 0
    for name, check in cases:
        try:
            check()
            print(f"pass  {name}", flush=True)
        except Wrong as wrong:
            problems += 1
            print(f"FAIL  {name}: {wrong}", flush=True)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
