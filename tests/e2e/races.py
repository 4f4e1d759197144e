#!/usr/bin/env python3
"""`anaphora races`: races.py --build DIR --work DIR [--every-access] [--free NAME ...] [--bench NAME ...] [--zoo NAME ...]

Records programs of e2e and benchmarks that have no data races, in which none must be found, and bugs of the zoo, whose planted races must
be found at the lines where they are planted. Both compiled as users compile, or with --every-access."""

import json
import pathlib
import re
import shutil
import sys

import harness

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parents[1] / "examples"
BENCHMARKS = HERE.parents[1] / "bench" / "programs"
SCALE = 0.01  # of benchmarks
TIMEOUT = 300
ATTEMPTS = 2000
RECORDINGS = 20
THREADS = 2
RACES_FOUND = 66

# The variable, or None where it has no name, and the text of the lines that race on it. Not off_by_one: it goes wrong
# although its accesses are ordered.
PLANTED = {
    "deadlock": ("transfers", "transfers++;", "std::fprintf(stderr"),
    "double_checked": ("settings", "if (settings == nullptr) {", "settings = &storage;", "return *settings;"),
    "double_init": ("table", "if (table == nullptr)", "if (table == nullptr)"),
    "lost_update": ("balance", "balance = add_interest(seen);", "long seen = balance;"),
    "refcount": ("buffer", "object.references++", "object.references = one_less"),
    "torn_read": ("low", "low = i;", "first = low;"),
    "use_after_free": ("current", "current = nullptr;", "Session* session = current;"),
    "use_before_init": ("greeting", "greeting = new", "greeting->size()"),
    "vector_growth": (None, "item.value == 1", "value = 0;"),
}
NONE_PLANTED = ["aba_stack", "barrier_reuse", "check_then_act", "livelock", "lost_wakeup", "missed_signal", "starvation"]
NEEDS_FAILURE = ["deadlock"]         # there is no race unless it goes wrong
NEEDS_SUCCESS = ["use_before_init"]  # what goes wrong does so before the other access


class Wrong(Exception):
    pass


def demand(condition, text):
    if not condition:
        raise Wrong(text)


def run(command, statuses):
    outcome = harness.run(command, TIMEOUT)
    said = outcome.stderr.decode(errors="replace")[-1500:]
    demand(not outcome.timed_out and outcome.status in statuses,
           f"{harness.shell_line(command)} ended with {outcome.status}: {said}")
    return outcome


def find_report(tools, trace, *options):
    outcome = run([tools.anaphora, "races", "--json", *options, trace], (0, RACES_FOUND))
    report = json.loads(outcome.stdout)
    demand(bool(report["races"]) == (outcome.status == RACES_FOUND), "the exit status is not that of the report")
    return report


def find_races(tools, trace, *options):
    return find_report(tools, trace, *options)["races"]


def sides(race):
    return [(pathlib.Path(side["file"]).name, side["line"]) for side in (race["first"], race["second"])]


def said(races):
    return "; ".join(f"{race['variable']} {sides(race)}" for race in races)


def check_free(tools, work, flags, name):
    check_free_source(tools, work, flags, name, next((HERE / "programs").glob(f"{name}.c*")), [THREADS])


def check_free_source(tools, work, flags, name, source, arguments):
    standard = ["-std=c++20"] if source.suffix == ".cc" else []
    tools.build([source], ["-O2", "-g", *standard, *flags], work / name)
    trace = work / f"{name}.trace"
    run(tools.record_command(trace, [work / name, *arguments], ["-q"]), (0,))
    races = find_races(tools, trace)
    demand(not races, f"{name} has no races, but these were found: {said(races)}")


def record_bug(tools, work, flags, name):
    binary, trace = work / name, work / f"{name}.trace"
    tools.build([EXAMPLES / f"{name}.cc"], ["-std=c++20", "-O2", "-g", *flags], binary)
    options = ["-q", f"--until-failure={ATTEMPTS}"] if name in NEEDS_FAILURE else ["-q"]
    for _ in range(ATTEMPTS):
        shutil.rmtree(trace, ignore_errors=True)
        recorded = run(tools.record_command(trace, [binary], options), (0, 1, 134, 139))
        nothing_written = b"after 0 transfers" in recorded.stderr  # in deadlock: then nothing races either
        if (recorded.status == 0 or name not in NEEDS_SUCCESS) and not nothing_written:
            return trace
    raise Wrong(f"{name} does not do what is needed in {ATTEMPTS} runs")


def check_bug(tools, work, flags, name):
    """On a busy machine threads may run one after the other: then it is tried again."""
    for attempt in range(RECORDINGS):
        trace = record_bug(tools, work, flags, name)
        races = find_races(tools, trace)
        try:
            return check_races(name, races)
        except Wrong:
            if name in NONE_PLANTED or attempt + 1 == RECORDINGS:
                raise


def check_races(name, races):
    if name in NONE_PLANTED:
        demand(not races, f"{name} has no data race, but these were found: {said(races)}")
        return
    variable, *texts = PLANTED[name]
    lines = (EXAMPLES / f"{name}.cc").read_text().splitlines()
    planted = {next(n for n, line in enumerate(lines, 1) if text in line) for text in texts}
    for race in races:
        named = variable is None or re.split(r"[+[]", race["variable"])[0] == variable
        if named and {line for _, line in sides(race)} <= planted:
            event = race["second"]["event"]
            demand(race["seek"] == event and int(event.split(":")[1]) > 0, f"{name}: the event to seek is missing")
            return
    raise Wrong(f"{name}: no race of {variable} at lines {sorted(planted)}, only {said(races)}")


def check_stacks(tools, work, flags, level):
    """Both stacks of a race, down to the body of the thread, whatever calls were left before without returning."""
    binary, trace = work / "race_stacks", work / "race_stacks.trace"
    tools.build([HERE / "race_stacks.cc"], ["-std=c++20", level, "-g", *flags], binary)
    shutil.rmtree(trace, ignore_errors=True)
    run(tools.record_command(trace, [binary], ["-q"]), (0,))
    races = find_races(tools, trace)
    demand(races, "no races were found")
    wanted = {"deepest": ["deepest", "recurse", "recurse", "recurse", "recurse", "operator()", "call_it", "first_body"],
              "compare": ["compare", "sort_some", "second_body"],
              "from_main": ["from_main", "main"]}
    demand(any("from_main" in race[side]["stack"][0]["function"] for race in races for side in ("first", "second")),
           "no race of main")
    for race in races:
        if race.get("block"):
            demand("new_allocator.h" in str(race["block"]), f"a block is from {race['block']}, not from a header")
        for side in (race["first"], race["second"]):
            names = [frame["function"] for frame in side["stack"]]
            expected = next(w for name, w in wanted.items() if name in names[0])
            demand(len(names) >= len(expected) and all(w in n for w, n in zip(expected, names)),
                   f"the stack is {names}, not {expected}")
            demand(all(frame["line"] > 0 for frame in side["stack"][:len(expected)]), "a frame has no line")
            demand(not any("arly" in name for name in names), f"a call that has returned is in {names}")
            demand("value_before" in side, "an access has no value")


def check_early_end(tools, work, flags):
    """Stacks are looked for up to the last race, whatever the program does after it."""
    binary, trace = work / "race_early", work / "race_early.trace"
    tools.build([HERE / "race_early.c"], ["-O2", "-g", *flags], binary)
    shutil.rmtree(trace, ignore_errors=True)
    run(tools.record_command(trace, [binary], ["-q"]), (0,))
    report = find_report(tools, trace)
    demand(report["races"] and all(race[side]["stack"] for race in report["races"] for side in ("first", "second")),
           f"not a race with its stacks: {report}")
    demand([replay["whole"] for replay in report["replays"]][-2:] == [True, False],
           f"the last replay was not one that ended before the program: {report['replays']}")


def check_library(tools, work, flags):
    """A library does not hide what races in the program, nor does it race itself."""
    library, binary, trace = work / "librace_library.so", work / "race_library_user", work / "race_library.trace"
    tools.build([HERE / "race_library.c"], ["-O2", "-g", "-shared", "-fPIC", *flags], library)
    tools.build([HERE / "race_library_user.c"], ["-O2", "-g", *flags, library, f"-Wl,-rpath,{work.resolve()}"], binary)
    for arguments in ([], ["late"]):
        shutil.rmtree(trace, ignore_errors=True)
        run(tools.record_command(trace, [binary, *arguments], ["-q"]), (0,))
        races = find_races(tools, trace)
        demand(races and all(race["variable"] == "unprotected" for race in races),
               f"other races than planted: {said(races)}")
        for side in (races[0]["first"], races[0]["second"]):
            demand([frame["function"] for frame in side["stack"]] == ["run"], f"the stack is {side['stack']}")


def check_names(tools, work, flags):
    """Races of several variables or blocks in one line, or of one place, are told apart, those of an array's elements are not;
    names are as in the source, and those of library functions are there with their callers."""
    source, binary, trace = HERE / "race_names.c", work / "race_names", work / "race_names.trace"
    tools.build([source], ["-O2", "-g", "-pthread", *flags], binary)
    shutil.rmtree(trace, ignore_errors=True)
    run(tools.record_command(trace, [binary], ["-q"]), (0,))
    races = find_races(tools, trace)
    found = [re.split(r"[+]", race["variable"])[0] for race in races if "block" not in race]
    wanted = {"counter", "total", "one", "other", "table", "i", "x", "d", "text", "created"}
    demand(set(found) == wanted, f"races of {sorted(set(found))}, not of {sorted(wanted)}")
    blocks = {race["block"]["address"] for race in races if "block" in race}
    demand(len(blocks) == 2, f"races of {len(blocks)} blocks, not of two")
    demand(found.count("table") <= 3, f"{found.count('table')} races of one array")  # pairs of reads and writes
    lines = source.read_text().splitlines()
    for variable, function, caller in (("text", "snprintf", "body"), ("created", "pthread_create", "main")):
        line = next(n for n, text in enumerate(lines, 1) if f"{function}(" in text)
        place = f"{function}, called at race_names.c:{line} ({caller})"
        shown = [race[side]["place"] for race in races if race["variable"] == variable for side in ("first", "second")]
        demand(place in shown, f"the places of {variable} are {shown}, without {place!r}")


def check_assembly(tools, work, flags):
    """A thread's epoch ends at what inline assembly releases: it tells again what it has told before."""
    binary, trace = work / "race_assembly", work / "race_assembly.trace"
    tools.build([HERE / "race_assembly.c"], ["-O2", "-g", "-pthread", *flags], binary)
    shutil.rmtree(trace, ignore_errors=True)
    run(tools.record_command(trace, [binary], ["-q"]), (0,))
    races = find_races(tools, trace)
    demand({race["variable"] for race in races} == {"unordered"}, f"other races than of unordered: {said(races)}")


def check_known_order(tools, work, flags):
    """Where it has been found out what synchronisation means, the same races are found: those that are there."""
    binary, trace = work / "race_locks", work / "race_locks.trace"
    tools.build([HERE / "race_locks.cc"], ["-std=c++20", "-O2", "-g", "-pthread", *flags], binary)
    shutil.rmtree(trace, ignore_errors=True)
    run(tools.record_command(trace, [binary], ["-q"]), (0,))
    report = find_report(tools, trace)
    found = {race["variable"] for race in report["races"]}
    demand(found == {"unguarded", "mixed"}, f"other races than planted: {said(report['races'])}")
    demand("looking at synchronisation" in [replay["for"] for replay in report["replays"]],
           f"the order was not looked at: {report['replays']}")


def check_outputs(tools, work, flags):
    """Suppressions, SARIF, and the text for people, of one race."""
    trace = record_bug(tools, work, flags, "lost_update")
    races = find_races(tools, trace)
    demand(races and all(r["variable"] == "balance" for r in races), f"other races than of balance: {said(races)}")
    demand("value_before" in races[0]["second"], "there are no values")
    for pattern, left in (("race:deposit", 0), ("race:^balance$", 0), ("race:lost_*.cc$", 0), ("race:^eposit", len(races))):
        file = work / "suppressions"
        file.write_text(f"# known\n\n{pattern}\n")
        found = find_races(tools, trace, f"--suppressions={file}")
        demand(len(found) == left, f"{pattern} left {len(found)} races, not {left}")
    file.write_text("deadlock:deposit\n")
    refused = run([tools.anaphora, "races", f"--suppressions={file}", trace], (1,))
    demand(b"is no suppression" in refused.stderr, "a wrong suppression is not refused")
    sarif = work / "races.sarif"
    text = run([tools.anaphora, "races", f"--sarif={sarif}", trace], (RACES_FOUND,)).stdout.decode()
    demand("data race 1: balance" in text and "lost_update.cc:" in text and "seek " in text, f"the text is {text!r}")
    check_sarif(json.loads(sarif.read_text()), len(races))


def check_sarif(log, races):
    """What the specification of SARIF 2.1.0 demands of the objects that are used here."""
    demand(log["version"] == "2.1.0" and len(log["runs"]) == 1, "no SARIF 2.1.0 with one run")
    driver = log["runs"][0]["tool"]["driver"]
    rules = [rule["id"] for rule in driver["rules"]]
    results = log["runs"][0]["results"]
    demand(driver["name"] == "anaphora" and len(results) == races, "not one result for each race")
    for result in results:
        demand(result["ruleId"] in rules and result["level"] == "error" and result["message"]["text"], "a result says nothing")
        for location in result["locations"] + result["relatedLocations"]:
            place = location["physicalLocation"]
            demand(place["artifactLocation"]["uri"].startswith("file:///") and place["region"]["startLine"] > 0,
                   f"a location is {location}")
        demand(len(result["stacks"]) == 2 and all(frame["location"] for stack in result["stacks"] for frame in stack["frames"]),
               "there are no two stacks")


def main():
    parser = harness.arguments(__doc__)
    parser.add_argument("--every-access", action="store_true")
    parser.add_argument("--free", nargs="*", default=[])
    parser.add_argument("--bench", nargs="*", default=[])
    parser.add_argument("--zoo", nargs="*", default=[])
    options = parser.parse_args()
    tools, work = harness.begin(options)
    flags = ["--every-access"] if options.every_access else []
    cases = [(f"free {name}", lambda n=name: check_free(tools, work, flags, n)) for name in options.free]
    cases += [(f"bench {name}", lambda n=name: check_free_source(tools, work, flags, n, BENCHMARKS / f"{n}.cc",
                                                                 [THREADS, SCALE])) for name in options.bench]
    zoo = [*PLANTED, *NONE_PLANTED] if options.zoo == ["all"] else options.zoo
    cases += [(f"zoo {name}", lambda n=name: check_bug(tools, work, flags, n)) for name in zoo]
    cases += [(f"stacks {level}", lambda l=level: check_stacks(tools, work, flags, l)) for level in ("-O0", "-O2")]
    cases += [("early end", lambda: check_early_end(tools, work, flags))]
    cases += [("names", lambda: check_names(tools, work, flags))]
    cases += [("library", lambda: check_library(tools, work, flags))]
    if not options.every_access:  # in which assembly is not seen
        cases += [("assembly", lambda: check_assembly(tools, work, flags))]
        cases += [("known order", lambda: check_known_order(tools, work, flags))]
    if options.every_access:
        cases += [("outputs", lambda: check_outputs(tools, work, flags))]
    problems = []
    for name, case in cases:
        try:
            case()
            print(f"pass  {name}", flush=True)
        except Wrong as wrong:
            problems.append(f"{name}: {wrong}")
            print(f"FAIL  {name}: {wrong}", flush=True)
    return harness.verdict(problems)


if __name__ == "__main__":
    sys.exit(main())
