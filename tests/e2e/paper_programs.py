"""The papers' programs of bench/ as programs for run_e2e.py, at the sizes of bench/papers.py."""

import pathlib
import sys

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))
import papers  # noqa: E402


class PaperProgram:
    threads_alone = (1, *papers.THREADS)
    flags = ["-std=c++20", "-O2", "-Wall", "-Wextra", "-Werror"]

    def __init__(self, program):
        self.name = program.source
        self.source = BENCH / "programs" / f"{program.source}.cc"
        self.sizes = program.sizes

    def command(self, binary, threads):
        return [binary, str(threads), self.sizes[max(threads, min(papers.THREADS))]]

    def wrong_end(self, status):
        """Programs find wrong results themselves, and end with 1."""
        return None if status == 0 else f"ended with status {status}, not 0"


def load(names):
    """One for each source, at the first of the sizes that it has in papers.py."""
    programs = {}
    for program in papers.PROGRAMS.values():
        programs.setdefault(program.source, PaperProgram(program))
    unknown = set(names) - set(programs)
    if unknown:
        sys.exit(f"no such program in bench/papers.py: {', '.join(sorted(unknown))}")
    return [program for name, program in programs.items() if not names or name in names]
