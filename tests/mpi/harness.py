"""Running MPI jobs under the tool, for the tests and the tables."""

import argparse
import atexit
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
# Jobs have more ranks than there are cores, often as root of a container; Open MPI has to be told that this is meant.
ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
}
# Open MPI's jobs of one user share a directory, and one that ends may take it away from another that begins.
os.environ["OMPI_MCA_orte_tmpdir_base"] = tempfile.mkdtemp(prefix="anaphora-mpi-")
atexit.register(shutil.rmtree, os.environ["OMPI_MCA_orte_tmpdir_base"], True)
COMPILERS = {".c": "mpicc", ".f90": "mpif90", ".cc": "mpicxx"}


class Failure(Exception):
    pass


def mpis():
    return [mpi for mpi in ("openmpi", "mpich") if shutil.which(f"mpicc.{mpi}") and shutil.which(f"mpirun.{mpi}")]


def mode_options(mode):
    """Mode `adaptive` is `auto` where it changes its way every few receives."""
    return ["--messages=auto", "--racing-after=5"] if mode == "adaptive" else [f"--messages={mode}"]


def compile_program(mpi, source, output, options=()):
    compiler = f"{COMPILERS[source.suffix]}.{mpi}"
    output.parent.mkdir(parents=True, exist_ok=True)
    command = [compiler, "-g", "-O1", "-o", str(output), str(source), *options, "-lm", "-pthread"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise Failure(f"{' '.join(command)}\n{done.stdout}")
    return output


class Job:
    """What a job printed: lines of all ranks, sorted, since ranks write in any order. A negative status is that of a
    launcher that failed itself: after an abort, the one of Open MPI 4.1 at times waits for its own threads for ever, or
    crashes, when all ranks have long ended."""

    def __init__(self, status, out, err):
        self.status, self.err, self.lines = status, err, []
        self.add_lines(out)

    def add_lines(self, text):
        self.lines = sorted([*self.lines, *(line for line in text.splitlines() if line.strip())])


def has_living_children(pid):
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = path.read_text().rpartition(")")[2].split()[:2]
        except OSError:
            continue
        if int(parent) == pid and state != "Z":
            return True
    return False


def stop(process):
    process.terminate()
    try:
        return process.communicate(timeout=20)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.communicate()


def run(mpi, ranks, command, **how):
    """Programs that include observe.h print into files, which launchers do not touch."""
    with tempfile.TemporaryDirectory(prefix="anaphora-observed-") as directory:
        job = launch(mpi, ranks, command, directory, **how)
        for file in pathlib.Path(directory).iterdir():
            job.add_lines(file.read_text())
    return job


def launch(mpi, ranks, command, observed, timeout=120, environment=None, cwd=None, apart=False):
    """apart: each rank prints into a file, for those that cannot open one themselves."""
    shell = ["sh", "-c", 'exec "$0" "$@" > "$OBSERVED/$$"'] if apart else []
    words = [f"mpirun.{mpi}", "-n", str(ranks), *shell, *map(str, command)]
    variables = dict(os.environ, **ENVIRONMENT, **(environment or {}), OBSERVED=observed)
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True, env=variables, cwd=cwd)
    deadline, alone = time.monotonic() + timeout, 0
    while True:
        try:
            out, err = process.communicate(timeout=1)
            break
        except subprocess.TimeoutExpired:
            alone = 0 if has_living_children(process.pid) else alone + 1
            if alone == 10 or time.monotonic() > deadline:
                out, err = stop(process)
                if alone < 10:
                    raise Failure(f"hangs (after {timeout} s): {' '.join(words)}\n{out[-2000:]}\n{err[-4000:]}")
                break
    return Job(process.returncode, out, err)


class Tool:
    def __init__(self, build):
        self.path = pathlib.Path(build).resolve() / "bin" / "anaphora"

    def record(self, mpi, ranks, trace, program, options=(), **how):
        shutil.rmtree(trace, ignore_errors=True)
        command = [self.path, "record", "-q", "-o", trace, *options, *map(str, program)]
        return run(mpi, ranks, command, **how)

    def replay(self, mpi, ranks, trace, options=(), quiet=True, **how):
        return run(mpi, ranks, [self.path, "replay", "-a", *(["-q"] if quiet else []), *options, trace], **how)

    def call(self, *arguments):
        return subprocess.run([self.path, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True)


def numbers(text):
    return [int(n) for n in text.split(",")]


def arguments(doc):
    """What all tests of one MPI are told."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--mpi", required=True, choices=["openmpi", "mpich"])
    return parser


def run_all(options, cases):
    """Pairs of a name and a function: the exit status."""
    options.work.mkdir(parents=True, exist_ok=True)
    failures = 0
    for name, case in cases:
        try:
            case()
            print(f"{name}: fine")
        except Failure as failure:
            failures += 1
            print(f"{name}: {failure}")
    return 1 if failures else 0


def main(doc, run):
    """Of a test that is one case."""
    options = arguments(doc).parse_args()
    return run_all(options, [(options.mpi, lambda: run(options))])
