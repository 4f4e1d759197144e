"""Programs that live in the world: servers with real clients, a database under threads, a shell at a terminal.

A case with `drive` is recorded while drive(process) talks to it and makes it end; its replays have nobody to
talk to."""

import os
import pathlib
import re
import signal
import socket
import time

import harness
from projects import BuildFailed, Case, Project

READY = 60  # seconds in which a server has to listen


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for_port(process, port):
    end = time.monotonic() + READY
    while process.poll() is None and time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise harness.NotDriven("the server does not listen")


def bytes_in(trace):
    return sum(path.stat().st_size for path in pathlib.Path(trace).rglob("*") if path.is_file())


class Server(Project):
    """Recorded and, for comparison, as the system's compiler builds it."""

    requests = 0

    def client(self, port):
        """Runs the client; returns requests per second."""
        raise NotImplementedError

    def drive(self, port):
        def talk(process):
            wait_for_port(process, port)
            self.rate = self.client(port)
            os.kill(process.pid, signal.SIGTERM)
        return talk

    def run_client(self, command, pattern):
        outcome = harness.run(command, 300)
        found = re.search(pattern, outcome.stdout.decode(errors="replace"))
        if outcome.status != 0 or not found:
            said = (outcome.stdout + outcome.stderr).decode(errors="replace")[-800:]
            raise harness.NotDriven(f"{harness.shell_line(command)}: status {outcome.status}\n{said}")
        return found

    def native_rate(self, command, port):
        outcome = harness.run(command, 300, drive=self.drive(port))
        if outcome.problem:
            raise BuildFailed(f"without a recording: {outcome.problem}")
        return self.rate


class Memcached(Server):
    name = package = "memcached"
    requests = 100_000

    def build(self):
        self.programs = []
        for name, compiler in (("recorded", self.tools.cc), ("native", "clang-19")):
            tree = self.fresh_copy(into=name)
            self.command(["./configure", "--disable-docs", f"CC={compiler}"], tree)
            self.command(["make", f"-j{self.jobs}", "memcached"], tree)
            self.programs.append(tree / "memcached")

    def client(self, port):
        # One set to nine gets, as memaslap mixes them, of values of 1 KiB.
        found = self.run_client(["memcaslap", "-s", f"127.0.0.1:{port}", "-T2", "-c32", "-w1k", f"-x{self.requests}"],
                                r"cmd_get: (\d+)(?s:.*)cmd_set: (\d+)(?s:.*)written_bytes: (\d+)(?s:.*)TPS: (\d+)")
        gets, sets, self.received, rate = map(int, found.groups())
        if gets + sets < self.requests:
            raise harness.NotDriven(f"only {gets + sets} requests")
        return rate

    def commands(self, port, threads):
        """Recorded, native."""
        return [[program, "-u", "nobody", "-l", "127.0.0.1", "-p", str(port), "-U", "0", "-t", str(threads)]
                for program in self.programs]

    def cases(self, threads):
        port = free_port()
        recorded, native = self.commands(port, threads)
        before = self.native_rate(native, port)

        def report(trace):
            size = bytes_in(trace)
            yield (f"{self.rate} requests/s, native {before}: {100 * self.rate / before:.0f}%; trace {size} bytes, "
                   f"{100 * size / self.received:.0f}% of the {self.received} received")
            if size > self.received * 1.15:
                raise harness.NotDriven("the trace is larger than what was received and 15%")
        yield Case(f"{self.requests} requests", recorded, drive=self.drive(port), report=report)


class Civetweb(Server):
    name = package = "civetweb"
    requests = 4_000

    def build(self):
        tree = self.fresh_copy()
        self.programs = []
        for name, compiler in (("recorded", self.tools.cc), ("native", "clang-19")):
            program = tree / f"civetweb-{name}"
            self.command([compiler, "-g", "-O2", "-DNO_SSL", "-DNO_CGI", f"-I{tree / 'include'}",
                          tree / "src" / "main.c", tree / "src" / "civetweb.c", "-o", program, "-ldl", "-pthread"], tree)
            self.programs.append(program)

    def client(self, port):
        command = ["ab", "-q", "-n", str(self.requests), "-c", str(self.workers), f"http://127.0.0.1:{port}/page.html"]
        found = self.run_client([*command[:-1], "-k", command[-1]],
                                r"Complete requests: +(\d+)\nFailed requests: +(\d+)(?s:.*)per second: +([\d.]+)")
        complete, failed, rate = int(found[1]), int(found[2]), float(found[3])
        self.run_client(["ab", "-q", "-n", "200", *command[4:]], r"Failed requests: +0\n")  # a connection for each
        if complete != self.requests or failed:
            raise harness.NotDriven(f"{complete} complete, {failed} failed")
        return rate

    def cases(self, threads):
        pages = self.work / "pages"
        pages.mkdir(exist_ok=True)
        (pages / "page.html").write_bytes(self.data(5000).read_bytes())
        port = free_port()
        self.workers = 2 * threads  # a connection that is kept alive has one to itself
        recorded, native = ([program, "-document_root", pages, "-listening_ports", f"127.0.0.1:{port}", "-num_threads",
                             str(self.workers), "-enable_keep_alive", "yes", "-keep_alive_timeout_ms", "60000",
                             "-tcp_nodelay", "1", "-access_log_file", "/dev/stdout"]
                            for program in self.programs)
        before = self.native_rate(native, port)

        def report(_):
            yield f"{self.rate:.0f} requests/s, native {before:.0f}: {100 * self.rate / before:.0f}%"
        yield Case(f"{self.requests} requests", recorded, lambda out: out.count(b"GET /page.html") >= self.requests,
                   drive=self.drive(port), report=report)


class Sqlite(Project):
    """Its own stress of threads, and its shell at a terminal."""

    name, package = "sqlite", "sqlite3"

    def build(self):
        tree = self.fresh_copy()
        self.command(["./configure", "--disable-tcl", "--disable-readline", "--disable-shared"], tree)
        self.command(["make", "sqlite3.c"], tree)
        flags = ["-g", "-O2", "-DSQLITE_THREADSAFE=1", f"-I{tree}"]
        self.command([self.tools.cc, *flags, "-c", tree / "sqlite3.c", "-o", tree / "sqlite3.o"], tree)
        self.stress, self.shell = tree / "threadtest4", tree / "shell"
        self.command(["make", "shell.c"], tree)
        for program, source in (self.stress, "test/threadtest4.c"), (self.shell, "shell.c"):
            self.command([self.tools.cc, *flags, tree / source, tree / "sqlite3.o", "-o", program, "-lm", "-ldl",
                          "-pthread"], tree)

    def cases(self, threads):
        for mode in "--multithread", "--serialized", "--wal":
            # Gives up if a statement finds another thread changing the schema: unrecorded, too, in 1 of 12 runs.
            yield Case(f"stress {mode}", [self.stress, mode, str(threads)], lambda out: b"0 errors" in out,
                       own_failure=b"database schema is locked")
        if threads == 2:
            yield Case("shell at a terminal", [self.shell, "-interactive", ":memory:"],
                       lambda out: b"sum(a)" in out and b"b    " in out, status=1, terminal=self.type_into)

    def type_into(self, terminal):
        """A session of a user; each line waits for what the one before it makes appear. One is wrong, hence the status."""
        terminal.wait_for("sqlite> ")
        for line in ("create table t(a, b);", "insert into t values(1, random()), (2, random()), (3, random());",
                     ".mode box", "select count(*), sum(a), max(b) from t;", "selct;", "select b from t order by b;"):
            terminal.enter(line, "sqlite> $")
        terminal.enter(".quit")


ALL = [Memcached, Civetweb, Sqlite]
