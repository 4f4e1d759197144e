"""The real programs: how each is built, with the compilers of Anaphora and nothing else changed, and how it is run.

A project's build() returns when its programs exist; its cases() give a name, a command and, if the output can be
checked, a function that says whether it is right; or a Case, if there is more to say."""

import bz2
import dataclasses
import lzma
import os
import random
import shutil

import harness


class BuildFailed(Exception):
    pass


@dataclasses.dataclass
class Case:
    name: str
    command: list
    is_right: object = None  # of the recorded standard output
    drive: object = None     # harness.run()
    status: int = 0
    own_failure: object = None  # what it says if it fails by itself, now and then: then only replays are compared
    terminal: object = None  # types into the terminal that the command reads (terminal.py)
    report: object = None    # gives lines about a recording, from its trace; NotDriven if it is not as it should be


class Project:
    name = package = ""

    def __init__(self, tools, apt, work):
        self.tools = tools
        self.apt = apt
        self.work = work
        self.jobs = str(min(2, os.cpu_count() or 1))

    def command(self, command, cwd, timeout=900):
        environment = dict(os.environ, CC=str(self.tools.cc), CXX=str(self.tools.cxx))
        outcome = harness.run(command, timeout, cwd=cwd, env=environment)
        if outcome.timed_out or outcome.status != 0:
            tail = (outcome.stdout + outcome.stderr).decode(errors="replace")[-1500:]
            raise BuildFailed(f"{harness.shell_line(command)} in {cwd}: status {outcome.status}\n{tail}")

    def fresh_copy(self, package=None, into=None):
        """The source is built in a copy, so that each run starts from what was fetched."""
        source = self.apt.source(package or self.package)
        copy = self.work / self.name / (into or package or self.package)
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(source, copy, symlinks=True)
        return copy

    def data(self, size):
        """Text that compresses, the same in every run."""
        path = self.work / f"data-{size}"
        if not path.exists():
            rng = random.Random(1)
            words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randrange(2, 9))) for _ in range(2000)]
            text = " ".join(rng.choices(words, k=size // 5))
            path.write_text(text[:size])
        return path


class Pbzip2(Project):
    name = package = "pbzip2"

    def build(self):
        library = self.fresh_copy("bzip2")
        self.command(["make", f"-j{self.jobs}", f"CC={self.tools.cc}", "libbz2.a"], library)
        tree = self.fresh_copy()
        flags = "-O2 -g -pthread -D_LARGEFILE64_SOURCE -D_FILE_OFFSET_BITS=64 -DUSE_STACKSIZE_CUSTOMIZATION"
        # Its format macros are older than C++11's literals, which clang does not forgive by default.
        flags += f" -Wno-reserved-user-defined-literal -I{library}"
        self.command(["make", f"CXX={self.tools.cxx}", f"CXXFLAGS={flags}", f"LDFLAGS=-L{library}",
                      f"LDLIBS={library / 'libbz2.a'}", "pbzip2"], tree)
        self.program = tree / "pbzip2"

    def cases(self, threads):
        data = self.data(3_000_000)
        packed = self.work / "data.bz2"
        text = data.read_bytes()
        packed.write_bytes(b"".join(bz2.compress(text[i:i + 200_000]) for i in range(0, len(text), 200_000)))
        yield ("compress", [self.program, "-b1", f"-p{threads}", "-k", "-c", data],
               lambda out: bz2.decompress(out) == text)
        yield "decompress", [self.program, "-d", f"-p{threads}", "-k", "-c", packed], lambda out: out == text


class Xz(Project):
    name, package = "xz", "xz-utils"

    def build(self):
        tree = self.fresh_copy()
        self.command(["./configure", "--disable-shared", "--disable-doc", "--disable-nls", "--disable-scripts"], tree)
        self.command(["make", f"-j{self.jobs}"], tree)
        self.program = tree / "src" / "xz" / "xz"

    def cases(self, threads):
        data = self.data(3_000_000)
        packed = self.work / "data.xz"
        text = data.read_bytes()
        yield ("compress", [self.program, "-2", f"-T{threads}", "--block-size=300000", "-k", "-c", data],
               lambda out: packed.write_bytes(out) and lzma.decompress(out) == text)
        yield "decompress", [self.program, "-d", f"-T{threads}", "-k", "-c", packed], lambda out: out == text


class Zstd(Project):
    name, package = "zstd", "libzstd"

    def build(self):
        tree = self.fresh_copy()
        self.command(["make", f"-j{self.jobs}", "-C", "programs", f"CC={self.tools.cc}", f"CXX={self.tools.cxx}",
                      "HAVE_ZLIB=0", "HAVE_LZMA=0", "HAVE_LZ4=0", "ZSTD_NO_ASM=1", "zstd"], tree)
        self.program = tree / "programs" / "zstd"

    def cases(self, threads):
        data = self.data(6_000_000)
        packed = self.work / "data.zst"
        yield ("compress", [self.program, "-q", "-3", f"-T{threads}", "-B524288", "-c", data],
               lambda out: packed.write_bytes(out) > 1000)
        yield "decompress", [self.program, "-q", "-d", "-c", packed], lambda out: out == data.read_bytes()
        yield "benchmark", [self.program, "-b1", "-i0", f"-T{threads}", data], None


class Leveldb(Project):
    name = package = "leveldb"
    TESTS = ["env_test", "c_test", "cache_test", "corruption_test", "skiplist_test", "recovery_test"]

    def build(self):
        tree = self.fresh_copy()
        self.command(["cmake", "-S", tree, "-B", tree / "out", "-DCMAKE_BUILD_TYPE=Release"], tree)
        self.command(["cmake", "--build", tree / "out", f"-j{self.jobs}"], tree, 1800)
        self.out = tree / "out"

    def cases(self, threads):
        database = self.work / "leveldb-data"
        shutil.rmtree(database, ignore_errors=True)
        yield ("db_bench", [self.out / "db_bench", f"--db={database}", f"--threads={threads}", "--num=3000",
                            "--benchmarks=fillseq,fillrandom,readrandom,readwhilewriting,compact"], None)
        if threads == 2:
            for test in self.TESTS:
                if (self.out / test).exists():
                    yield test, [self.out / test], None
            # Without its benchmarks, the tests that take their time by the clock, and one that fails if the compaction in
            # the background, which nothing in it waits for, empties level 0 before the test looks.
            left_out = ["MultiThreaded", "Randomized", "HiddenValuesAreRemoved"]
            chosen = "DBTest.*-" + ":".join(f"DBTest.{name}" for name in left_out)
            yield "db_test", [self.out / "db_test", "--benchmark_filter=none", f"--gtest_filter={chosen}"], None
            yield ("db_test multi-threaded", [self.out / "db_test", "--benchmark_filter=none",
                                              "--gtest_filter=DBTest.MultiThreaded"], None)


class X264(Project):
    name = package = "x264"

    def build(self):
        tree = self.fresh_copy()
        parts = ["asm", "opencl", "avs", "swscale", "lavf", "ffms", "gpac", "lsmash"]
        self.command(["./configure", *(f"--disable-{part}" for part in parts)], tree)
        self.command(["make", f"-j{self.jobs}", "x264"], tree)
        self.program = tree / "x264"

    def video(self, width, height, frames):
        path = self.work / "video.y4m"
        with open(path, "wb") as out:
            out.write(f"YUV4MPEG2 W{width} H{height} F25:1 Ip A1:1 C420jpeg\n".encode())
            for frame in range(frames):
                out.write(b"FRAME\n")
                out.write(bytes((x * 2 + y + frame * 5 + (x ^ y) % 7) & 255
                                for y in range(height) for x in range(width)))
                out.write(bytes((x + frame) & 255 for x in range(width // 2)) * height)
        return path

    def cases(self, threads):
        video = self.video(176, 144, 30)
        yield ("frame threads", [self.program, "--threads", str(threads), "--preset", "veryfast", "-o", "-", video],
               lambda out: out.startswith(b"\0\0\0\1"))
        yield ("sliced threads", [self.program, "--threads", str(threads), "--sliced-threads", "--preset", "superfast",
                                  "-o", "-", video], lambda out: out.startswith(b"\0\0\0\1"))


ALL = [Pbzip2, Xz, Zstd, Leveldb, X264]
