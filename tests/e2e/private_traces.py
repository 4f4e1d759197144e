#!/usr/bin/env python3
"""Traces are for their user alone: modes of all files and directories, whatever the umask; planted links are not
followed; places where others could replace a trace are refused."""

import os
import pathlib
import stat
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import harness  # noqa: E402

LIMIT = 120  # seconds


def wrong_modes(top):
    """What is not 0700 or 0600; the link to the latest trace has no mode of its own."""
    found = []
    for path in [top, *sorted(top.rglob("*"))]:
        info = path.lstat()
        mode = stat.S_IMODE(info.st_mode)
        if not stat.S_ISLNK(info.st_mode) and mode != (0o700 if path.is_dir() else 0o600):
            found.append(f"{path} has mode {mode:o}")
    return found


def main():
    tools, work = harness.begin(__doc__)
    program = tools.build([HERE / "family.c"], ["-O2", "-g"], work / "family")
    problems = []

    def record(*arguments, env=None):
        return harness.run([tools.anaphora, "record", *arguments, "--children", program, "2"], LIMIT,
                           env={**os.environ, **(env or {})})

    # The most careless of umasks, in the standard place and in one that is named.
    os.umask(0)
    store, named = work / "data" / "anaphora", work / "named"
    os.mkdir(store.parent, 0o755)
    for outcome in (record(env={"ANAPHORA_TRACE_DIR": str(store)}), record("-o", named)):
        problems += [] if outcome.status == 0 else [f"recording fails: {outcome.stderr.decode()}"]
    archive = work / "named.tar.zst"
    packed = harness.run([tools.anaphora, "pack", "-o", archive, named], LIMIT)
    problems += [] if packed.status == 0 else [f"packing fails: {packed.stderr.decode()}"]
    os.umask(0o022)
    problems += wrong_modes(store) + wrong_modes(named) + wrong_modes(archive)
    for name in ("manifest.json", "streams", "children", "files", "files.json"):
        if not (named / name).exists():
            problems.append(f"there is no {name} to look at")

    # Links that somebody else has planted.
    target = work / "target"
    (work / "planted").symlink_to(target)
    outcome = record("-o", work / "planted")
    if outcome.status != 125 or target.exists():
        problems.append(f"a dangling link is followed: {outcome.stderr.decode()}")
    victim = work / "victim"
    victim.write_text("mine")
    (work / "planted.tar.zst").symlink_to(victim)
    outcome = harness.run([tools.anaphora, "pack", "-o", work / "planted.tar.zst", named], LIMIT)
    if outcome.status != 1 or victim.read_text() != "mine":
        problems.append(f"the archive is written through a link: {outcome.stderr.decode()}")
    streams = named / "streams"
    streams.rename(work / "streams")
    streams.symlink_to(work / "streams")
    if harness.run([tools.anaphora, "verify", named], LIMIT).status != 1:
        problems.append("streams is read through a link")

    # Places where anybody may rename things.
    shared = work / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    outcome = record("-o", shared / "trace")
    if outcome.status != 125 or b"anybody may replace" not in outcome.stderr or list(shared.iterdir()):
        problems.append(f"a directory that all may write is accepted: {outcome.stderr.decode()}")
    shared.chmod(0o1777)
    outcome = record("-o", shared / "trace")
    if outcome.status != 0:
        problems.append(f"a directory like /tmp is not accepted: {outcome.stderr.decode()}")
    return harness.verdict(problems)


if __name__ == "__main__":
    sys.exit(main())
