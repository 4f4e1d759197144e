#!/usr/bin/env python3
"""`anaphora export --perfetto`, held against the rules of the JSON trace format.

  perfetto.py --build BUILD --work DIRECTORY

Every phase has the fields that it needs; slices of a thread nest; each flow has one beginning and one end, in this
order, and each of them hangs on a slice of its thread. What is there is what `anaphora dump` says."""

import argparse
import collections
import json
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
NEEDED = {"X": {"name", "cat", "ts", "dur", "pid", "tid"}, "M": {"name", "pid", "tid", "args"},
          "s": {"name", "cat", "id", "ts", "pid", "tid"}, "f": {"name", "cat", "id", "ts", "pid", "tid", "bp"}}


def check_fields(events):
    for event in events:
        missing = NEEDED[event["ph"]] - set(event)
        assert not missing, f"{event} lacks {missing}"
        for name in ("ts", "dur"):
            assert name not in event or isinstance(event[name], (int, float)) and event[name] >= 0, event


def check_nesting(slices):
    """By thread: a slice ends before the one around it does."""
    by_thread = collections.defaultdict(list)
    for s in slices:
        by_thread[s["pid"], s["tid"]].append((s["ts"], -s["dur"]))
    for thread, all_of_it in by_thread.items():
        ends = []
        for begin, negative in sorted(all_of_it):
            while ends and ends[-1] <= begin:
                ends.pop()
            assert not ends or begin - negative <= ends[-1], f"slices of {thread} overlap at {begin}"
            ends.append(begin - negative)
    return by_thread


def check_flows(events, by_thread):
    ends = collections.defaultdict(dict)
    starts = {thread: {begin for begin, negative in slices if negative == -1} for thread, slices in by_thread.items()}
    for event in events:
        if event["ph"] not in "sf":
            continue
        assert event["ph"] not in ends[event["id"]], f"flow {event['id']} has two ends of a kind"
        ends[event["id"]][event["ph"]] = event
        assert int(event["ts"]) in starts[event["pid"], event["tid"]], f"{event} hangs on no slice"
    for flow in ends.values():
        assert set(flow) == {"s", "f"}, flow
        assert flow["s"]["ts"] <= flow["f"]["ts"], flow
        assert flow["s"]["tid"] != flow["f"]["tid"], flow
        assert flow["s"]["name"] == flow["f"]["name"] and flow["f"]["bp"] == "e", flow
    return ends


def check_file(path):
    trace = json.loads(path.read_text())
    events = trace["traceEvents"]
    check_fields(events)
    by_thread = check_nesting([event for event in events if event["ph"] == "X"])
    flows = check_flows(events, by_thread)
    return trace, events, flows


def tool(build, *words):
    command = [str(build / "bin/anaphora"), *map(str, words)]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, timeout=120).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    options = parser.parse_args()
    build, work = options.build.resolve(), options.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    program, trace, out = work / "small", work / "trace", work / "out.json"
    subprocess.run([build / "bin/anaphora-c++", "-g", "-O1", "-std=c++20", "-pthread", ROOT / "tests/view/small.cc",
                    "-o", program], check=True, timeout=300)
    shutil.rmtree(trace, ignore_errors=True)
    tool(build, "record", "-q", "--chaos=1", "-o", trace, program)
    tool(build, "export", "--perfetto", trace, "-o", out)
    whole, events, flows = check_file(out)

    actions = [json.loads(line) for line in tool(build, "dump", "--json", trace).splitlines()]
    edges = [a for a in actions if a["kind"] == "edge"]
    after = [flow for flow in flows.values() if flow["s"]["name"] == "came after"]
    assert len(after) == len(edges), f"{len(after)} flows, {len(edges)} edges"
    created = [flow for flow in flows.values() if flow["s"]["name"] == "create"]
    assert len(created) == 3, created
    places = {(e["args"]["event"], e["args"].get("place")) for e in events if e["ph"] == "X" and e["cat"] != "lane"}
    for edge in edges:
        if edge["site"] > 4095:
            wanted = (f"{edge['slot']}:{edge['count']}", f"{edge['file']}:{edge['line']}")
            assert wanted in places, f"{wanted} is missing"
    names = [e["args"]["name"] for e in events if e["name"] == "thread_name"]
    assert names == [f"thread {i}" for i in range(4)], names
    assert whole["otherData"]["trace"] == str(trace)

    # The check itself must be able to fail.
    for damage in (lambda e: e.pop("ts"), lambda e: e.update(ts=e["ts"] + 1e9)):
        damaged = json.loads(out.read_text())
        damage(next(e for e in damaged["traceEvents"] if e["ph"] == "s"))
        (work / "damaged.json").write_text(json.dumps(damaged))
        try:
            check_file(work / "damaged.json")
        except (AssertionError, KeyError):
            continue
        sys.exit("a damaged file was taken for a good one")
    print(f"{len(events)} entries, {len(flows)} flows, all as they should be")


if __name__ == "__main__":
    main()
