#!/usr/bin/env python3
"""anaphora pack: a packed trace replays without the program, its libraries and its files, from an archive, and in a
sandbox of an unprivileged user where nothing but the trace and Anaphora is to be seen, without ptrace and
personality(2)."""

import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import harness  # noqa: E402

LIMIT = 120  # seconds
NOBODY = 65534
SYS_PTRACE, SYS_PERSONALITY = 101, 135
TEXT = b"sixteen letters." + b"x" * 4080


def deny(*numbers):
    """A filter for seccomp: these system calls fail with EPERM, all others pass."""
    load, equal, give = 0x20, 0x15, 0x06
    steps = [(load, 0, 0, 0)]
    steps += [(equal, len(numbers) - i, 0, number) for i, number in enumerate(numbers)]
    steps += [(give, 0, 0, 0x7FFF0000), (give, 0, 0, 0x00050000 | 1)]
    return b"".join(struct.pack("<HBBI", *step) for step in steps)


class Check:
    def __init__(self, tools, work):
        self.tools, self.work, self.problems = tools, work, []
        self.home = work / "home"  # of the program
        self.trace = work / "trace"

    def expect(self, what, truth, outcome=None):
        if not truth:
            said = f": {outcome.status} {(outcome.stdout + outcome.stderr).decode(errors='replace')}" if outcome else ""
            self.problems.append(what + said)

    def same(self, what, outcome):
        self.expect(what, not harness.differences(self.recorded, outcome), outcome)

    def tool(self, *arguments):
        return harness.run([self.tools.anaphora, *arguments], LIMIT)

    def record(self):
        shutil.rmtree(self.work, ignore_errors=True)
        self.home.mkdir(parents=True)
        library, program, data = self.home / "libvoice.so", self.home / "traveller", self.home / "data"
        data.write_bytes(TEXT)
        sources = HERE / "packed"
        for command in (self.tools.build_command([sources / "voice.c"], ["-g", "-shared", "-fPIC"], library),
                        self.tools.build_command([sources / "traveller.c"],
                                                 ["-O2", "-g", f"-Wl,-rpath,{self.home}", library], program)):
            build = harness.run(command, 180)
            if build.status:
                sys.exit(build.stderr.decode(errors="replace"))
        self.recorded = harness.run(self.tools.record_command(self.trace, [program, data]), LIMIT)
        self.expect("it is recorded", self.recorded.status == 42, self.recorded)
        shutil.copytree(self.trace, self.work / "plain")

    def pack(self):
        archive = self.work / "trace.tar.zst"
        packed = self.tool("pack", "-o", archive, self.trace)
        self.expect("it is packed", packed.status == 0 and archive.exists(), packed)
        names = sorted(path.name for path in (self.trace / "files").glob("*/*"))
        self.expect(f"files {names}", {"traveller", "libvoice.so", "libc.so.6", "ld-linux-x86-64.so.2"} <= set(names))
        again = self.tool("pack", "-q", self.trace)
        self.expect("it can be packed twice", again.status == 0 and not again.stderr, again)
        self.same("the replay of the packed trace", harness.run(self.tools.replay_command(self.trace), LIMIT))

    def lose_everything(self):
        """The library is another one of the same size, all else is gone."""
        library = self.home / "libvoice.so"
        damaged = bytearray(library.read_bytes())
        damaged[4096:] = bytes(len(damaged) - 4096)
        library.write_bytes(damaged)
        (self.home / "traveller").unlink()
        (self.home / "data").unlink()
        plain = harness.run(self.tools.replay_command(self.work / "plain"), LIMIT)
        refused = plain.status == 125 and b"anaphora pack" in plain.stderr
        self.expect("without them, a plain trace is refused", refused, plain)
        refused = self.tool("pack", self.work / "plain")
        self.expect("it is too late to pack it", refused.status == 1, refused)
        self.expect("and nothing is left of that", not list((self.work / "plain").glob("files*")))
        self.same("the replay without the originals", harness.run(self.tools.replay_command(self.trace), LIMIT))
        verified = self.tool("verify", self.trace)
        self.expect("it verifies", verified.status == 0 and b"cannot be replayed" not in verified.stdout, verified)

    def unpack(self):
        elsewhere = self.work / "elsewhere"
        elsewhere.mkdir()
        # tar itself calls the program zstd; Python has no zstd. libarchive's own tool may be missing.
        for command in (["bsdtar", "-xf"], ["tar", "--zstd", "-xf"]):
            if not shutil.which(command[0]) or (command[0] == "tar" and not shutil.which("zstd")):
                continue
            out = harness.run([*command, self.work / "trace.tar.zst", "-C", elsewhere], LIMIT)
            self.expect("the archive is unpacked", out.status == 0, out)
            self.same("the replay from the archive",
                      harness.run(self.tools.replay_command(elsewhere / "trace"), LIMIT))
            return
        print("skipped  the archive: neither bsdtar nor zstd is installed")

    def sandbox(self, place):
        """What can be seen there: a copy of the tool with its libraries and loader, and one of the trace."""
        tool = place / "tool"
        for directory in ("bin", "lib/anaphora", "libraries"):
            (tool / directory).mkdir(parents=True)
        shutil.copy(self.tools.anaphora, tool / "bin")
        shutil.copy(self.tools.prefix / "lib/anaphora/anaphora-host", tool / "lib/anaphora")
        # In bin, since the tool looks for its host from where /proc/self/exe is.
        for path in re.findall(r"(/\S+)", harness.run(["ldd", self.tools.anaphora], LIMIT).stdout.decode()):
            shutil.copy(path, tool / ("bin/ld.so" if "/ld-linux" in path else "libraries"))
        shutil.copytree(self.trace, place / "trace")
        (place / "filter").write_bytes(deny(SYS_PTRACE, SYS_PERSONALITY))
        drop = []
        if os.geteuid() == 0:
            subprocess.run(["chown", "-R", f"{NOBODY}:{NOBODY}", str(place)], check=True)
            drop = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
        return [*drop, "bwrap", "--unshare-all", "--die-with-parent", "--clearenv", "--ro-bind", tool, "/tool",
                "--ro-bind", place / "trace", "/trace", "--proc", "/proc", "--dev", "/dev"]

    def replay_in_sandbox(self):
        if not shutil.which("bwrap") or not shutil.which("setpriv"):
            print("skipped  the sandbox: bubblewrap is not installed")
            return
        with tempfile.TemporaryDirectory(prefix="anaphora-sandbox-") as name:
            enter = self.sandbox(pathlib.Path(name))
            run_tool = ["/tool/bin/ld.so", "--library-path", "/tool/libraries", "/tool/bin/anaphora"]
            possible = harness.run([*enter, *run_tool, "version"], LIMIT)
            if possible.status:
                print(f"skipped  the sandbox: {possible.stderr.decode(errors='replace').strip()}")
                return
            command = ["sh", "-c", 'filter=$1; shift; exec "$@" 3< "$filter"', "sh", f"{name}/filter", *enter,
                       "--seccomp", "3", *run_tool]
            self.same("the replay in the sandbox", harness.run([*command, "replay", "-a", "/trace"], LIMIT))
            # The system is not there.
            listing = harness.run([*command, "record", "/bin/true"], LIMIT)
            self.expect("the system cannot be seen in the sandbox", listing.status == 127, listing)

    def damage(self):
        library, = (self.trace / "files").glob("*/libvoice.so")
        good = library.read_bytes()
        library.write_bytes(good[:-1] + bytes([good[-1] ^ 1]))
        replay = harness.run(self.tools.replay_command(self.trace), LIMIT)
        self.expect("damage is found", replay.status == 125 and b"is not what was packed" in replay.stderr, replay)
        verified = self.tool("verify", self.trace)
        self.expect("damage is verified", verified.status == 1, verified)
        library.unlink()
        library.symlink_to("/etc/passwd")
        replay = harness.run(self.tools.replay_command(self.trace), LIMIT)
        self.expect("a link is refused", replay.status == 125, replay)
        removed = self.tool("rm", self.trace)
        self.expect("it can be removed", removed.status == 0 and not self.trace.exists(), removed)


def main():
    check = Check(*harness.begin(__doc__))
    for part in (check.record, check.pack, check.lose_everything, check.unpack, check.replay_in_sandbox, check.damage):
        part()
    return harness.verdict(check.problems)


if __name__ == "__main__":
    sys.exit(main())
