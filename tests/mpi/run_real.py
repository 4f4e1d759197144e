#!/usr/bin/env python3
"""Real programs from Debian packages, recorded and replayed: both must give the same results.

  run_real.py --build BUILD --work DIR [--messages MODE] [PROGRAM...]

All of them are built with Open MPI. Lines that tell times and speeds are left out of the comparison."""

import argparse
import pathlib
import random
import re
import shutil
import sys
import time

import harness

MELT = """units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 8 0 8 0 8
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 3.0 87287
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
fix 1 all nve
thermo 20
run 200
"""
FUTURES = """from mpi4py.futures import MPIPoolExecutor

def square(x):
    return x * x

if __name__ == "__main__":
    with MPIPoolExecutor() as pool:
        print("sum", sum(pool.map(square, range(60))))
"""
# Times, rates and whatever is computed from them.
VARIES = re.compile(r"(?i)time|using|wall|cpu|second"
                    r"|/s\b|rate|speed|perf|usage|%|date|version|elapsed|memory|mem\b|\bsec")


class Program:
    def __init__(self, ranks, needs, prepare, result=None, environment=None):
        self.ranks, self.needs, self.prepare, self.result = ranks, needs, prepare, result
        self.environment = environment


def write(path, text):
    path.write_text(text)
    return path


def lammps(work):
    return ["/usr/bin/lmp", "-in", write(work / "in.melt", MELT), "-log", "none"]


def futures(work):
    return ["/usr/bin/python3", "-m", "mpi4py.futures", write(work / "squares.py", FUTURES)]


def mumps(work):
    return ["/bin/sh", "-c", "exec /usr/lib/mumps/dsimpletest < /usr/lib/mumps/input_simpletest_real"]


def hpcc(work):
    text = pathlib.Path("/usr/share/doc/hpcc/examples/_hpccinf.txt").read_text()
    text = re.sub(r"(?m)^\d+(\s+Ns\s*)$", r"200\1", text)
    write(work / "hpccinf.txt", text)
    (work / "hpccoutf.txt").unlink(missing_ok=True)
    return ["/usr/bin/hpcc"]


def scotch(work):
    """A grid, as a centralised graph. Threads of Scotch that share memory race there, so that its results vary with
    the same messages: it is told to have one in each rank (environment)."""
    n = 100
    lines = ["0", f"{n * n} {4 * n * (n - 1)}", "0 000"]
    for i in range(n * n):
        x, y = i % n, i // n
        others = [i + d for d, fine in ((-1, x > 0), (1, x < n - 1), (-n, y > 0), (n, y < n - 1)) if fine]
        lines.append(" ".join(map(str, [len(others), *others])))
    write(work / "grid.grf", "\n".join(lines) + "\n")
    (work / "order.txt").unlink(missing_ok=True)
    return ["/usr/bin/dgord", work / "grid.grf", work / "order.txt"]


def scotch_result(work):
    return (work / "order.txt").read_text().splitlines()


def hpcc_result(work):
    """Residuals are results; the rest are speeds, by clocks of which only the walls' are replayed."""
    lines = (work / "hpccoutf.txt").read_text().splitlines()
    wanted = re.compile(r"PASSED|FAILED|Success=|_N=|Found 0 errors")
    return [line for line in lines if wanted.search(line) and "CPU" not in line]


def random_dna(generator, length):
    return "".join(generator.choice("ACGT") for _ in range(length))


def abyss(work):
    """Reads of both strands of a genome: it drops what only one of them has."""
    generator = random.Random(5)
    genome = random_dna(generator, 3000)
    reads = []
    for i in range(1200):
        at = generator.randrange(len(genome) - 60)
        read = genome[at:at + 60]
        reads.append(f">read{i}\n{read if i % 2 else read[::-1].translate(str.maketrans('ACGT', 'TGCA'))}")
    write(work / "reads.fa", "\n".join(reads) + "\n")
    (work / "contigs.fa").unlink(missing_ok=True)
    return ["/usr/lib/abyss/ABYSS-P", "-k25", "-v", "--coverage-hist=" + str(work / "hist"), "-o", work / "contigs.fa",
            work / "reads.fa"]


def abyss_result(work):
    """Contigs; ranks write theirs in any order of files, and numbers go by rank."""
    return sorted((work / "contigs.fa").read_text().splitlines())


def phyml(work):
    """Eight sequences that have mutated from one."""
    generator = random.Random(11)
    ancestor = random_dna(generator, 120)
    lines = ["8 120"]
    for i in range(8):
        sequence = "".join(generator.choice("ACGT") if generator.random() < 0.2 else base for base in ancestor)
        lines.append(f"species{i} {sequence}")
    write(work / "dna.phy", "\n".join(lines) + "\n")
    for old in work.glob("dna.phy_*"):
        old.unlink()
    return ["/usr/bin/phyml-mpi", "-i", work / "dna.phy", "-d", "nt", "-b", "6", "-m", "JC69", "-o", "tl", "--quiet"]


def phyml_result(work):
    """Trees with their bootstrap values. The seed is the time, which is recorded."""
    return [line for name in ("tree", "boot_trees")
            for line in (work / f"dna.phy_phyml_{name}.txt").read_text().splitlines()]


PROGRAMS = {
    "lammps": Program(4, "/usr/bin/lmp", lammps),
    "mpi4py": Program(3, "/usr/lib/python3/dist-packages/mpi4py", futures),
    "mumps": Program(3, "/usr/lib/mumps/dsimpletest", mumps),
    "hpcc": Program(4, "/usr/bin/hpcc", hpcc, hpcc_result),
    "scotch": Program(4, "/usr/bin/dgord", scotch, scotch_result, {"SCOTCH_PTHREAD_NUMBER": "1"}),
    # Its ranks all send before they receive, and stand still, recorded or not, where MPI does not buffer that much.
    "abyss": Program(4, "/usr/lib/abyss/ABYSS-P", abyss, abyss_result, {"OMPI_MCA_btl_vader_eager_limit": "65536"}),
    "phyml": Program(3, "/usr/bin/phyml-mpi", phyml, phyml_result),
}


def outcome(program, job, work):
    written = program.result(work) if program.result else []
    return written + [line for line in job.lines if not VARIES.search(line)]


def test(tool, name, work, mode):
    program = PROGRAMS[name]
    if not pathlib.Path(program.needs).exists():
        raise harness.Failure(f"{program.needs} is not installed: scripts/install-deps real-mpi")
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    command = program.prepare(work)
    trace = work / "trace"
    begin = time.monotonic()
    how = {"timeout": 600, "cwd": work, "environment": program.environment}
    recorded = tool.record("openmpi", program.ranks, trace, command, [f"--messages={mode}"], **how)
    if recorded.status != 0:
        raise harness.Failure(f"recording: status {recorded.status}\n{recorded.err[-2000:]}")
    expected = outcome(program, recorded, work)
    if not expected:
        raise harness.Failure("no result to compare")
    program.prepare(work)  # programs that append to their output
    replayed = tool.replay("openmpi", program.ranks, trace, **how)
    found = outcome(program, replayed, work) if replayed.status == 0 else []
    if found != expected:
        different = [line for line in found if line not in expected][:5]
        raise harness.Failure(f"replay: status {replayed.status}, different: {different}\n{replayed.err[-2000:]}")
    return f"{len(expected)} lines of results, {time.monotonic() - begin:.0f} s"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--messages", default="auto")
    parser.add_argument("programs", nargs="*", default=list(PROGRAMS))
    options = parser.parse_args()
    tool = harness.Tool(options.build)
    failures = 0
    for name in options.programs:
        try:
            print(f"{name}: {test(tool, name, options.work.resolve() / name, options.messages)}", flush=True)
        except harness.Failure as failure:
            failures += 1
            print(f"{name}: {failure}", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
