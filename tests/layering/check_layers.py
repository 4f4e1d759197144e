#!/usr/bin/env python3
"""Dependencies point one way: says which file includes what its part of the tree must not see.

  check_layers.py ROOT             checks ROOT/src and ROOT/include
  check_layers.py --control ROOT   shows that a wrong include is found in each part

A part is a directory of src/; the longest name that matches counts. What a part may include is listed with it: other
parts as a whole, or single headers. Every part may include its own headers and those of the system."""

import pathlib
import re
import sys

ABI = "anaphora/runtime_abi.h"
# Freestanding headers that say what the recorded program and the tools share.
SHARED = ["trace/session.h", "trace/stream_format.h", "trace/schedule.h", "trace/live_reference.h",
          "trace/step_table.h", "trace/translation.h", "trace/order_entries.h", "trace/looks.h", "trace/outside.h",
          "trace/debug_control.h",
          "trace/cold_call.h", "trace/relay_control.h"]
# The same for ranks of MPI jobs.
RANKS = ["trace/rank_format.h", "trace/rank_events.h", "trace/traced_channels.h", "trace/rank_link.h", "trace/race_facts.h", "trace/outside.h",
         "trace/rank_contents.h",
         "trace/stream_format.h"]

ALLOWED = {
    "include/anaphora": [],
    "src/algorithms": [],
    "src/sim": ["algorithms", "trace"],
    "src/trace": [ABI, "algorithms/catalogue.h"],
    "src/runtime": [ABI, *SHARED],
    "src/runtime/host": [ABI, *SHARED, "algorithms", "runtime/host_api.h", "runtime/layout.h"],
    "src/runtime/interpose": [ABI, *SHARED, "runtime/host_api.h", "runtime/layout.h"],
    "src/analysis": [ABI, "trace"],
    "src/debug": [ABI, "trace", "runtime/host_api.h", "runtime/layout.h"],
    "src/view": ["trace"],
    "src/mpi": [*RANKS],
    "src/instrument": [ABI, "llvm", "llvm-c"],
    "src/driver": [],
    "src/cli": [ABI, "algorithms", "analysis", "debug", "sim", "trace", "view", "mpi/calls.h", "runtime/layout.h"],
}
# Headers used on both sides may only see the ABI and each other.
FREESTANDING = {f"src/{name}": [ABI, *SHARED] for name in SHARED}
FREESTANDING |= {f"src/{name}": [ABI, *SHARED, *RANKS] for name in RANKS}
FREESTANDING |= {"src/runtime/host_api.h": [ABI, *SHARED], "src/runtime/layout.h": []}

# Nothing of a hosted C++ library may reach the recorded program; <new> and the like would already be too much.
HOSTED = {"iostream", "fstream", "filesystem", "string", "vector", "map", "memory", "functional", "mutex", "thread",
          "atomic", "optional", "variant"}

# The parts that are, or may be, inside the recorded program.
IN_PROGRAM = ("src/runtime", "src/algorithms", "src/mpi")

INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)
SUFFIXES = {".h", ".cc", ".c", ".S"}


def part_of(path):
    """The part that a file (relative to the root) belongs to, or None."""
    matching = [part for part in ALLOWED if path.startswith(part + "/")]
    return max(matching, key=len, default=None)


def allows(allowed, header):
    return any(header == name or header.startswith(name + "/") for name in allowed)


def complaints(path, text):
    part = part_of(path)
    if part is None:
        return [f"{path}: belongs to no part that is known here; add its directory to check_layers.py"]
    found = []
    own = part.removeprefix("src/").removeprefix("include/")
    freestanding = path in FREESTANDING
    for quoted, system in INCLUDE.findall(text):
        if system:
            if (freestanding or part.startswith(IN_PROGRAM)) and system in HOSTED:
                found.append(f"{path}: <{system}> needs a C++ library, which the recorded program need not have")
            continue
        if freestanding:
            fine = allows(FREESTANDING[path], quoted)
        else:
            fine = part_of("src/" + quoted) == part or quoted.startswith(own + "/") or allows(ALLOWED[part], quoted)
            fine = fine or "/" not in quoted
        if not fine:
            others = ", ".join(ALLOWED[part]) or "nothing else"
            found.append(f'{path}: must not include "{quoted}" (allowed: its own, {others})')
    return found


def check(root):
    found = []
    files = 0
    for directory in ("src", "include"):
        for file in sorted((root / directory).rglob("*")):
            if file.suffix in SUFFIXES and file.is_file():
                files += 1
                found += complaints(str(file.relative_to(root)), file.read_text(errors="replace"))
    return files, found


def control():
    """Each of these has to be found."""
    wrong = [
        ("src/algorithms/x.h", '#include "sim/arena_host.h"\n'),
        ("src/algorithms/x.h", "#include <vector>\n"),
        ("src/sim/x.cc", '#include "cli/output.h"\n'),
        ("src/trace/x.cc", '#include "algorithms/event.h"\n'),
        ("src/trace/x.cc", '#include "cli/output.h"\n'),
        ("src/trace/session.h", '#include "trace/result.h"\n'),
        ("src/runtime/host/x.cc", '#include "trace/manifest.h"\n'),
        ("src/runtime/host/order/x.cc", '#include "runtime/interpose/runtime.h"\n'),
        ("src/runtime/interpose/x.cc", '#include "runtime/host/slot.h"\n'),
        ("src/runtime/interpose/x.cc", "#include <vector>\n"),
        ("src/mpi/x.cc", '#include "trace/rank_trace.h"\n'),
        ("src/mpi/x.cc", "#include <vector>\n"),
        ("src/trace/rank_events.h", '#include "trace/result.h"\n'),
        ("src/view/x.cc", '#include "cli/output.h"\n'),
        ("src/debug/x.cc", '#include "cli/output.h"\n'),
        ("src/instrument/x.cc", '#include "trace/session.h"\n'),
        ("src/driver/x.cc", '#include "trace/version.h"\n'),
        ("src/cli/x.cc", '#include "runtime/host/slot.h"\n'),
        ("include/anaphora/runtime_abi.h", '#include "trace/session.h"\n'),
        ("src/utils/x.h", ""),
    ]
    return [f"not found: {path} with {text!r}" for path, text in wrong if not complaints(path, text)]


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--control"]
    if "--control" in sys.argv[1:]:
        found = control()
        done = "every wrong include was found"
    else:
        files, found = check(pathlib.Path(arguments[0]))
        done = f"{files} files, all dependencies as they should be"
        if not files:
            found = ["no source files under this root"]
    print("\n".join(found) if found else done)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
