#!/usr/bin/env python3
"""The programs of the papers: how to run ours at the papers' sizes, and what the papers printed of theirs.

  papers.py --check      the table is whole, and what the papers printed fits together
  papers.py --list       each program with the arguments of its sizes
  papers.py --sources    the programs' sources, without .cc, one a line

Netzer, Optimal Tracing and Replay for Debugging Shared-Memory Parallel Programs, 1993
Stradal, The Performance of Various Tracing Algorithms for Shared-Memory Parallel Programs, 1994
Jiang et al., Optimistic Shared Memory Dependence Tracing, 2015

Published rows stand here as they were printed. Where the digits printed contradict each other, the row has a note in
NOTES; no number has been put right."""

import argparse
import dataclasses
import decimal
import pathlib
import re
import sys

THREADS = (2, 4, 8, 16)


@dataclasses.dataclass(frozen=True)
class Program:
    """A program of the papers. `sizes` gives its input for each number of threads, such that the references to shared
    memory (not counting those to stacks) are near the papers'; `timing` is an input for measuring time."""
    source: str
    what: str
    sizes: dict
    timing: str = "0.25"
    racy: bool = False

    def arguments(self, threads):
        return [str(threads), self.sizes[threads]]

    def timing_arguments(self, threads):
        return [str(threads), self.timing]


def same(size):
    """One input for every number of threads."""
    return {threads: f"n={size}" for threads in THREADS}


def each(*sizes):
    """Inputs that grow with the threads, as the papers' reference counts do."""
    return {threads: f"n={size}" for threads, size in zip(THREADS, sizes, strict=True)}


# By the names that the papers' tables use. What flow does is what Stradal says of it (section 5).
PROGRAMS = {
    "barnes": Program("barnes", "Barnes-Hut n-body simulation, octree built with locks", same(43)),
    "barnes2": Program("barnes", "barnes with a larger input", same(79)),
    "gauss": Program("gauss", "Gaussian elimination and back substitution", same(60)),
    "gcd": Program("gcd", "greatest common divisor of many numbers, from a shared list", same(16500)),
    "join": Program("join", "hash join of two relations", same(700)),
    "flow": Program("flow", "component-wise product of two matrices, rows waiting for their operands", same(151)),
    "locus": Program("locus", "wire router with an unlocked cost grid", same(790), racy=True),
    "mesh": Program("mesh", "rectangular mesh problem, neighbours waiting for each other", same(58)),
    "mp3d": Program("mp3d", "wind tunnel with unlocked cells", same(607), racy=True),
    "mtxmult": Program("mtxmult", "matrix multiplication", same(50)),
    "pnet": Program("pnet", "maximum network flow, push and lift with a lock for each node", same(110)),
    "ptycho": Program("ptycho", "simulation of coherent caches, one for each thread", each(3900, 5400, 3900, 2630)),
    "quicksort": Program("quicksort", "quicksort with a shared stack of ranges", each(420, 840, 1570, 2950)),
    "qs": Program("quicksort", "quicksort, as Stradal names it", each(420, 840, 1570, 2950)),
    "shpath": Program("shpath", "shortest paths by Dijkstra's algorithm", same(550)),
    "shpath small": Program("shpath", "shpath with the smaller inputs of Stradal's tables", each(41, 84, 84, 84)),
    "sort": Program("sort", "merge sort", each(305, 565, 1000, 1800)),
    "ocean": Program("ocean", "relaxation on several grids", same(128)),
    "water": Program("water", "molecular dynamics, all pairs, a lock for each molecule", same(386)),
    "fft": Program("fft", "six-step Fourier transform", same(256)),
    "radix": Program("radix", "radix sort", same(216000)),
    "fluid": Program("fluid", "smoothed particles, a lock for each cell", same(1450)),
    "qsort": Program("quicksort", "quicksort, as Jiang et al. name it", same(128000)),
}

# How rows are spelt in print, where not as above.
SPELT = {"Barnes": "barnes", "Barnes2": "barnes2", "mtxmul": "mtxmult"}

# Programs of the papers that have no counterpart here: Jiang's desktop and server programs.
NOT_HERE = {"aget", "pfscan", "pbzip2", "x264", "knot", "apache"}


@dataclasses.dataclass(frozen=True)
class Table:
    """A published table, its cells as printed."""
    title: str
    columns: tuple
    text: str

    def rows(self):
        """The rows, as dictionaries by column."""
        lines = [line for line in self.text.strip().splitlines() if line.strip()]
        return [dict(zip(self.columns, (cell.strip() for cell in line.split("|")), strict=True)) for line in lines]


# "?" marks cells that have a note.
NETZER_1 = Table("Netzer 1993, Table 1: performance of algorithm with exact access histories; "
                 "# of traces / # of references (% of references traced)",
                 ("program", "2", "4", "16"), """
barnes    | 201 / 66887 (0.3%)     | 407 / 66004 (0.6%)         | 1475 / 79426 (1.9%)
gauss     | 20806 / 162023 (13%)   | 22362 / 162719 (14%)       | 33636 / 185761 (18%)
gcd       | 3764 / 478675 (0.8%)   | 732701 / 525765 (1.4%) ?   | 1779046 / 822719 (2.2%) ?
join      | 61 / 35672 (0.2%)      | 287 / 35831 (0.8%)         | 862 / 36407 (2.4%)
locus     | 11257 / 1932827 (0.6%) | 18935 / 1996153 (0.9%)     | 88750 / 2530803 (3.5%)
mp3d      | 625 / 127041 (0.5%)    | 1293 / 127675 (1.0%)       | 3730 / 129568 (2.9%)
mtxmult   | 2453 / 400209 (0.6%)   | 7207 / 400209 (1.8%)       | 28894 / 400209 (7.2%)
pnet      | 2570 / 104298 (2.5%)   | 7272 / 139022 (5.2%)       | 26687 / 190854 (14%)
ptycho    | 102 / 112372 (0.09%)   | 762 / 336690 (0.2%)        | 8415 / 1188122 (0.7%)
quicksort | 22 / 11040 (0.2%)      | 452 / 22872 (2.0%)         | 3377 / 86331 (3.9%)
shpath    | 8973 / 3760213 (0.2%)  | 1687484 / 4212118 (0.4%) ? | 891089 / 61496004 (1.4%) ?
sort      | 3 / 14846 (0.02%)      | 17 / 29278 (0.06%)         | 287 / 109608 (2.6%) ?
""")

NETZER_2 = Table("Netzer 1993, Table 2: performance of algorithm with aggregate access histories, 2 processors",
                 ("program", "references", "exact traces", "exact history bytes", "aggregate traces",
                  "aggregate history bytes"), """
barnes    | 66887   | 201 (0.3%)   | 39880   | 347 (0.5%)   | 18368
gauss     | 162023  | 20806 (13%)  | 20896   | 20806 (13%)  | 10552
gcd       | 478675  | 3764 (0.8%)  | 39120   | 3474 (0.7%)  | 12992
join      | 35672   | 61 (0.2%)    | 39120   | 78 (0.2%)    | 27272
locus     | 1932827 | 11257 (0.6%) | 622504  | 6897 (0.4%)  | 193544
mp3d      | 127041  | 625 (0.5%)   | 279072  | 452 (0.4%)   | 80208
mtxmult   | 400209  | 2453 (0.6%)  | 60032   | 1227 (0.3%)  | 15016
pnet      | 104298  | 2570 (2.5%)  | 17088   | 4854 (4.7%)  | 13504
ptycho    | 112372  | 102 (0.09%)  | 171848  | 109 (0.1%)   | 46064
quicksort | 11040   | 22 (0.2%)    | 2824    | 22 (0.2%)    | 736
shpath    | 3760213 | 8973 (0.2%)  | 3936952 | 16771 (0.4%) | 984264
sort      | 14846   | 3 (0.02%)    | 3168    | 2 (0.01%)    | 1240
""")

STRADAL_1 = Table("Stradal 1994, Table 1: trace sizes from the compressed access history algorithms",
                  ("program", "references", "compressed-vector", "compressed-non-critical", "compressed-lamport"), """
Barnes 2  | 66887   | 4004 (5.99%)    | 725 (1.084%)    | 232 (0.347%)
Barnes 4  | 66004   | 7999 (12.12%)   | 1982 (3.003%)   | 630 (0.954%)
Barnes 16 | 79426   | 21709 (27.3%)   | 8385 (10.6%)    | 3938 (4.96%)
Barnes2 2 | 175671  | 2840 (1.617%)   | 1195 (0.68%)    | 257 (0.146%)
Barnes2 4 | 173340  | 11102 (6.405%)  | 4393 (2.534%)   | 1790 (1.033%)
Barnes2 8 | 173466  | 19972 (11.513%) | 7625 (4.396%)   | 4038 (2.328%)
gauss 2   | 162023  | 27274 (16.83%)  | 23661 (14.603%) | 664 (0.41%)
gauss 4   | 162719  | 51574 (31.7%)   | 45899 (28.2%)   | 19291 (11.85%)
gcd 2     | 478675  | 9058 (1.89%)    | 8421 (1.76%)    | 6394 (1.34%)
join 2    | 35672   | 63 (0.177%)     | 37 (0.104%)     | 19 (0.053%)
join 4    | 35831   | 462 (1.289%)    | 307 (0.857%)    | 237 (0.661%)
locus 2   | 1932827 | 37552 (1.943%)  | 22769 (1.178%)  | 6182 (0.32%)
locus 16  | 2530803 | 614120 (24.3%)  | 447600 (17.7%)  | 341274 (13.5%)
mp3d 2    | 127041  | 1336 (1.052%)   | 791 (0.623%)    | 164 (0.129%)
mp3d 4    | 127675  | 3983 (3.12%)    | 2133 (1.67%)    | 646 (0.506%)
mtxmult 2 | 400209  | 56744 (14.2%)   | 107 (0.027%)    | 57 (0.014%)
mtxmul 4  | 400209  | 114404 (28.6%)  | 199 (0.05%)     | 155 (0.038%)
pnet 2    | 104298  | 9510 (9.12%)    | 5335 (5.12%)    | 1557 (1.5%)
pnet 4    | 139022  | 31509 (22.7%)   | 21502 (15.5%)   | 9094 (6.54%)
ptycho 2  | 112372  | 3718 (3.31%)    | 2202 (1.96%)    | 392 (0.348%)
ptycho 4  | 336690  | 3649 (1.08%)    | 2474 (0.735%)   | 841 (0.25%)
qs 2      | 11040   | 22 (0.199%)     | 22 (0.199%)     | 13 (0.118%)
qs 4      | 22872   | 478 (2.09%)     | 452 (1.98%)     | 429 (1.88%)
shpath 2  | 24775   | 7206 (29.1%)    | 7033 (28.4%)    | 987 (3.98%)
shpath 2  | 3760213 | 1227179 (32.6%) | 1224404 (32.6%) | 38963 (1.04%)
shpath 4  | 100344  | 33443 (33.3%)   | 32470 (32.4%)   | 21447 (21.4%)
sort 2    | 14846   | 1 (0.007%)      | 1 (0.007%)      | 1 (0.007%)
sort 4    | 29278   | 12 (0.04%)      | 6 (0.02%)       | 8 (0.027%)
""")

STRADAL_2 = Table("Stradal 1994, Table 2: trace sizes from the optimal tracing algorithms",
                  ("program", "references", "optimal-vector", "optimal-non-critical", "optimal-lamport"), """
Barnes 2  | 66887   | 201 (0.3%)     | 170 (0.254%)   | 102 (0.152%)
Barnes 4  | 66004   | 407 (0.617%)   | 358 (0.542%)   | 210 (0.318%)
Barnes 16 | 79426   | 1475 (1.86%)   | 1402 (1.76%)   | 871 (1.097%)
Barnes2 2 | 175671  | 461 (0.262%)   | 171 (0.097%)   | 145 (0.083%)
Barnes2 4 | 173340  | 2260 (1.3%)    | 773 (0.45%)    | 856 (0.494%)
Barnes2 8 | 173466  | 3489 (2.01%)   | 1107 (0.638%)  | 1050 (0.6%)
gauss 2   | 162023  | 20806 (12.8%)  | 197 (0.122%)   | 78 (0.048%)
gauss 4   | 162719  | 22362 (13.7%)  | 548 (0.336%)   | 266 (0.163%)
gcd 2     | 478675  | 3764 (0.786%)  | 1728 (0.361%)  | 36 (0.007%)
join 2    | 35672   | 61 (0.171%)    | 36 (0.1%)      | 19 (0.053%)
join 4    | 35831   | 287 (0.8%)     | 140 (0.391%)   | 77 (0.215%)
locus 2   | 1932827 | 11257 (0.582%) | 1282 (0.066%)  | 1436 (0.074%)
locus 16  | 2530803 | 88750 (3.51%)  | 12787 (0.505%) | 11431 (0.452%)
mp3d 2    | 127041  | 625 (0.492%)   | 87 (0.068%)    | 97 (0.076%)
mp3d 4    | 127675  | 1293 (1.013%)  | 226 (0.177%)   | 208 (0.163%)
mtxmult 2 | 400209  | 2453 (0.613%)  | 1 (0.0002%)    | 2431 (0.607%)
mtxmult 4 | 400209  | 7207 (1.8%)    | 3 (0.0007%)    | 7078 (1.769%)
pnet 2    | 104298  | 2570 (2.46%)   | 2519 (2.42%)   | 1260 (1.21%)
pnet 4    | 139022  | 7272 (5.23%)   | 7194 (5.17%)   | 5944 (4.28%)
ptycho 2  | 112372  | 102 (0.091%)   | 5 (0.004%)     | 17 (0.015%)
ptycho 4  | 336690  | 762 (0.226%)   | 18 (0.005%)    | 16 (0.005%)
qs 2      | 11040   | 22 (0.199%)    | 22 (0.199%)    | 13 (0.118%)
qs 4      | 22872   | 452 (1.98%)    | 452 (1.98%)    | 429 (1.88%)
shpath 2  | 24775   | 653 (2.64%)    | 575 (2.32%)    | 312 (1.26%)
shpath 2  | 3760213 | 8973 (0.238%)  | 8072 (0.215%)  | 4243 (0.113%)
shpath 4  | 100344  | 3547 (3.53%)   | 3249 (3.24%)   | 2027 (2.02%)
sort 2    | 14846   | 3 (0.02%)      | 1 (0.007%)     | 2 (0.013%)
sort 4    | 29278   | 17 (0.058%)    | 5 (0.017%)     | 13 (0.044%)
""")

STRADAL_3 = Table("Stradal 1994, Table 3: runtime overheads of the various algorithms, times slower",
                  ("program", "seconds", "trace-all", "optimal-vector", "optimal-lamport", "compressed-vector",
                   "compressed-lamport"), """
gauss 2   | 1.366 | 4.29  | 15.53  | 14.32  | 11.34 | 10.85
gauss 4   | 1.122 | 3.73  | 15.77  | 15.2   | 12.68 | 12.63
gauss 8   | 1.068 | 3.70  | 18.38  | 17.99  | 14.57 | 14.30
gcd 2     | 3.21  | 9.43  | 21.64  | 20.14  | 15.89 | 15.82
gcd 4     | 3.63  | 10.93 | 34.19  | 30.45  | 20.41 | 20.08
gcd 8     | 2.886 | 13.77 | 60.91  | 53.76  | 28.73 | 28.18
join 2    | 4.28  | 1.55  | 3.46   | 3.34   | 2.35  | 2.44
join 4    | 5.176 | 1.79  | 4.97   | 4.85   | 6.35  | 2.77
join 8    | 5.408 | 1.65  | 4.68   | 4.63   | 2.70  | 2.66
flow 2    | 5.664 | 17.3  | 56.22  | 49.78  | 47.85 | 47.82
flow 4    | 1.74  | 14.11 | 59.36  | 52.8   | 48.2  | 44.83
flow 8    | 2.23  | 19.8  | 118.52 | 120.21 | 91.18 | 82.09
mesh 2    | 2.65  | 16.15 | 75.37  | 70.12  | 38.72 | 37.94
mesh 4    | 1.874 | 15.69 | 93.98  | 87.66  | 46.29 | 45.01
mesh 8    | 1.552 | 14.76 | 112.69 | 105.78 | 56.87 | 55.23
mtxmult 2 | 1.644 | 7.70  | 30.98  | 28.24  | 22.17 | 21.44
mtxmult 4 | 1.054 | 6.88  | 37.66  | 35.95  | 30.32 | 29.74
mtxmult 8 | .818  | 6.10  | 49.02  | 48.86  | 42.57 | 41.54
qs 2      | 1.436 | 13.27 | 51.81  | 47.15  | 32.48 | 32.34
qs 4      | 1.112 | 11.35 | 56.92  | 52.37  | 38.35 | 36.83
qs 8      | 1.014 | 10.36 | 63.81  | 59.78  | 44.73 | 42.78
shpath 2  | 5.656 | 3.85  | 23.43  | 22.42  | 10.17 | 9.82
shpath 4  | 4.084 | 3.42  | 33.68  | 32.56  | 13.93 | 13.44
shpath 8  | 3.618 | 3.17  | 47.81  | 44.23  | 18.48 | 17.98
sort 2    | 6.046 | 21.31 | 94.64  | 83.98  | 61.02 | 59.30
sort 4    | 4.746 | 20.43 | 112.02 | 96.60  | 76.58 | 75.36
sort 8    | 4.222 | 20.72 | 125.57 | 120.58 | 92.89 | 86.37
""")

# 16 threads on 24 cores. The last two columns are printed as one cell where the second is empty.
JIANG_2 = Table("Jiang et al. 2015, Table II: evaluation results",
                ("program", "thread-local of reads", "thread-local of all", "seconds", "rwtrace-1 seconds",
                 "rwtrace-1 dependences", "rwtrace-2 seconds", "rwtrace-2 dependences", "mutex-lock seconds",
                 "mutex-lock dependences", "crew-lock seconds", "crew-lock dependences", "octet same %",
                 "octet upgrade %", "octet conflict %"), """
aget  |53.06% |27.39% |4.53|4.59 |3.12K|4.60 |3.19K|4.89  |2.84K|4.53 |3.13K|54.61 |22.70|22.68
pfscan|>99.99%|>99.99%|0.99|7.76 |0.15K|18.45|0.21K|30.51 |0.15K|28.61|0.12K|>99.99|<0.01 |
pbzip2|86.86% |71.55% |1.99|2.01 |0.66K|2.04 |1.03K|2.07  |1.32K|2.04 |0.67K|86.10 |2.91 |10.99
ocean |99.99% |99.99% |1.61|1.87 |24.7K|2.80 |45.7K|54.56 |49.6M|14.63|25.2K|99.98 |0.01 |0.01
water |99.89% |95.67% |0.50|1.10 |822K |2.67 |1.09M|21.86 |74.0M|6.97 |872K |99.16 |0.19 |0.64
fft   |>99.99%|99.95% |3.36|4.28 |2.34K|5.19 |2.56K|5.52  |3.09K|5.48 |2.34K|>99.99|<0.01 |
radix |99.96% |63.62% |0.79|0.91 |2.34K|1.17 |2.35K|8.46  |9.17M|3.30 |2.33K|>99.99|<0.01 |
fluid |>99.99%|99.97% |0.53|1.46 |11.5K|2.49 |20.2K|111.17|119M |28.14|11.7K|>99.99|<0.01 |
qsort |99.35% |61.49% |1.34|3.30 |761K |5.56 |1.56M|3.54  |1.66M|3.35 |783K |99.17 |0.31 |0.52
x264  |99.96% |89.49% |4.26|29.41|3.75M|58.29|5.17M|69.25 |84.4M|58.36|5.78M|99.98 |0.01 |0.01
knot  |83.68% |47.09% |1.80|1.81 |38.2K|1.83 |79.6K|1.83  |68.4K|1.83 |38.6K|53.84 |22.80|23.36
apache|99.93% |67.52% |3.29|3.28 |3.50K|3.29 |3.61K|3.28  |3.22K|3.28 |3.53K|99.87 |0.13 |<0.01
""")

TABLES = {"netzer-1": NETZER_1, "netzer-2": NETZER_2, "stradal-1": STRADAL_1, "stradal-2": STRADAL_2,
          "stradal-3": STRADAL_3, "jiang-2": JIANG_2}

# Cells whose digits do not fit together, by table, row and column.
NOTES = {
    ("netzer-1", "gcd", "4"): "732701 of 525765 is not 1.4 %; 7327 of 525765 would be",
    ("netzer-1", "gcd", "16"): "1779046 of 822719 is not 2.2 %; 17790 of 822719 would be",
    ("netzer-1", "shpath", "4"): "1687484 of 4212118 is not 0.4 %; 16874 of 4212118 would be",
    ("netzer-1", "shpath", "16"): "ten times the references that one would expect after 4212118; "
                                  "89108 of 6149600 would be 1.4 % too",
    ("netzer-1", "sort", "16"): "287 of 109608 is 0.26 %, not 2.6 %",
}


def name_of(program):
    """(name, threads or None) of a row's first cell."""
    name, _, threads = program.partition(" ")
    return SPELT.get(name, name), int(threads) if threads else None


def program_of(table, row):
    """The key of PROGRAMS for a row of a table, or None if the program is not here; and its number of threads, or None
    where that is in the columns."""
    name, threads = name_of(row["program"])
    threads = threads or {"netzer-2": 2, "jiang-2": 16}.get(table)
    if name in NOT_HERE:
        return None, threads
    if name == "shpath" and table in ("stradal-1", "stradal-2") and int(row["references"]) < 1000000:
        name = "shpath small"
    return name, threads


def traced(cell, references=None):
    """(traced, references, percent as printed) of a cell such as '201 / 66887 (0.3%)' or '201 (0.3%)'."""
    match = re.fullmatch(r"(\d+)(?: / (\d+))? \(([\d.]+)%\)(?: \?)?", cell)
    if not match:
        raise ValueError(f"not a cell of a trace size: {cell!r}")
    return int(match[1]), int(match[2] or references), match[3]


def fits(count, references, printed):
    """Is the printed percentage the ratio, to its last digit? The papers cut as often as they rounded."""
    exact, printed = decimal.Decimal(count) * 100 / references, decimal.Decimal(printed)
    return abs(exact - printed) < decimal.Decimal(1).scaleb(printed.as_tuple().exponent)


def trace_cells():
    """All cells that give a number of traces: (table, row, column, traced, references, percent)."""
    for name in ("netzer-1", "netzer-2", "stradal-1", "stradal-2"):
        for row in TABLES[name].rows():
            for column, cell in row.items():
                if "(" in cell:
                    yield (name, row["program"], column, *traced(cell, row.get("references")))


def problems():
    """What is not right with this file, as sentences."""
    found = []
    here = pathlib.Path(__file__).resolve().parent
    for name, program in PROGRAMS.items():
        if not (here / "programs" / f"{program.source}.cc").exists():
            found.append(f"{name}: there is no programs/{program.source}.cc")
        if set(program.sizes) != set(THREADS):
            found.append(f"{name}: not all of {THREADS} threads have a size")
    for name, table in TABLES.items():
        for row in table.rows():
            program, threads = program_of(name, row)
            if program is not None and (program not in PROGRAMS or threads not in (None, *THREADS)):
                found.append(f"{name}: nothing stands for the row {row['program']!r}")
    for name, row, column, count, references, percent in trace_cells():
        noted = (name, row, column) in NOTES
        if not fits(count, references, percent) and not noted:
            found.append(f"{name}, {row}, {column}: {count} of {references} is not {percent} %")
        marked = next(r for r in TABLES[name].rows() if r["program"] == row)[column].endswith("?")
        if marked != noted:
            found.append(f"{name}, {row}, {column}: marked with ? and in NOTES, or neither")
    found += disagreements()
    return found


def disagreements():
    """Numbers that two tables print of the same execution, and print differently."""
    seen, found = {}, []
    for name, row, column, count, references, _ in trace_cells():
        program, threads = name_of(row)
        algorithm = column if name.startswith("stradal") else "aggregate" if "aggregate" in column else "optimal-vector"
        threads = threads or (2 if name == "netzer-2" else int(column))
        execution = ({"quicksort": "qs"}.get(program, program), threads, references, algorithm)
        if seen.setdefault(execution, count) != count:
            found.append(f"{name}, {row}, {column}: {count}, elsewhere {seen[execution]}")
    executions = {(program, threads): references for program, threads, references, _ in seen if program != "shpath"}
    for program, threads, references, _ in seen:
        if program != "shpath" and executions[program, threads] != references:
            found.append(f"{program} with {threads} threads has {references} references, elsewhere "
                         f"{executions[program, threads]}")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--check", action="store_true")
    action.add_argument("--list", action="store_true")
    action.add_argument("--sources", action="store_true")
    options = parser.parse_args()
    if options.sources:
        print("\n".join(dict.fromkeys(program.source for program in PROGRAMS.values())))
        return 0
    if options.list:
        for name, program in PROGRAMS.items():
            sizes = ", ".join(" ".join(program.arguments(threads)) for threads in THREADS)
            print(f"{name}: {program.source}, {program.what}; {sizes}; timing {program.timing}")
        return 0
    found = problems()
    for problem in found:
        print(problem)
    print(f"{len(PROGRAMS)} programs, {sum(len(table.rows()) for table in TABLES.values())} published rows, "
          f"{sum(1 for _ in trace_cells())} trace sizes, {len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
