#!/usr/bin/env python3
"""The making of the papers' tables (bench/tables.py) in small: papers_tables.py --build DIR --work DIR

One program goes all the way; the pages are made of numbers that are made up."""

import argparse
import pathlib
import shutil
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "bench"))
import executions  # noqa: E402
import pages  # noqa: E402
import papers  # noqa: E402

OPTIONS = None
ALGORITHMS = ("trace-all", "optimal-vector", "optimal-non-critical", "optimal-lamport", "compressed-vector",
              "compressed-non-critical", "compressed-lamport", "rwtrace-1", "rwtrace-2", "mutex-lock", "crew-lock",
              "octet", "ownership")


class OneProgram(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        shutil.rmtree(OPTIONS.work, ignore_errors=True)

    def setUp(self):
        for path in OPTIONS.work.glob("results/traces-*"):
            path.unlink()
        self.made = []

    def lab(self):
        return executions.Lab(OPTIONS.build, OPTIONS.work, OPTIONS.cxx, self.made.append)

    def test_traces(self):
        report = self.lab().traces("sort", 2)
        _, published, _ = papers.traced(papers.NETZER_1.rows()[-1]["2"])
        self.assertGreater(report["references"], 0.8 * published)  # waiting makes more, on a busy machine many more
        self.assertEqual(report["threads"], 2)
        self.assertEqual(tuple(report["algorithms"]), ALGORITHMS)
        self.assertEqual(report["algorithms"]["trace-all"]["traced"], report["references"])
        self.assertLess(report["aggregate"]["history_bytes"], report["algorithms"]["optimal-vector"]["history_bytes"])
        self.assertEqual(sum(report["chunks"]["octet"]["transitions"].values()), report["references"])

    def test_goes_on_where_it_was(self):
        def traced():
            return sum(line.startswith("traces-sort 2") for line in self.made)

        first = self.lab().traces("sort", 2)
        self.assertEqual(traced(), 1)
        self.assertEqual(self.lab().traces("sort", 2), first)
        self.assertEqual(traced(), 1)
        later = self.lab()
        later.tool = "another one"
        later.traces("sort", 2)
        self.assertEqual(traced(), 2)

    def test_times(self):
        ways = [executions.NATIVE, executions.online("optimal-vector"), executions.DEFAULT]
        times = self.lab().times("test", "sort", 2, "n=300", ways, executions.Limits(2, 60, 60))
        self.assertEqual(list(times), ["native", "optimal-vector", "ownership"])
        for way, found in times.items():
            self.assertGreater(found["cpu"], 0)
            self.assertEqual(found["edges"] is None, way == "native")

    def test_failures_say_what_failed(self):
        with self.assertRaisesRegex(executions.Failed, "record .*sort-every-access 2 n=0.* ended with"):
            self.lab().once("sort", executions.online("mutex-lock"), ["2", "n=0"], 60)


    def test_the_least_counts(self):
        a, b = {"cpu": 2.0, "wall": 1.0, "edges": None}, {"cpu": 1.0, "wall": 3.0, "edges": None}
        self.assertEqual(executions.least(a, b), {"cpu": 1.0, "wall": 1.0, "edges": None})
        self.assertEqual(executions.least(None, b), b)
        self.assertEqual(executions.least(a, None), a)


class MadeUp:
    machine, conditions = "a machine", "conditions"

    def traces(self, name, threads):
        report = {"traced": 10 * threads, "references": 1000, "history_bytes": 640, "reads": 100, "local_reads": 90,
                  "clock_skips": [{"from": 2, "to": 3, "count": 4}],
                  "transitions": {"same": 900, "alloc": 50, "upgrade": 30, "fence": 10, "conflict": 10}}
        return {"references": 1000, "algorithms": {name: report for name in ALGORITHMS},
                "accesses": {"race_checks": 100}, "aggregate": {**report, "history_bytes": 320},
                "chunks": {"rwtrace-1": report, "octet": report}}

    def overheads(self, name, threads):
        return {"seconds": 0.5, "trace-all": None, "optimal-vector": 20.0, "optimal-lamport": 19.0,
                "compressed-vector": 18.0, "compressed-lamport": 17.0, "default": 1.5}

    def jiang_times(self, name, threads):
        found = {"cpu": 2.0, "wall": 1.0, "edges": 7}
        return {"native": found, "rwtrace-1": found, "rwtrace-2": found, "mutex-lock": None, "crew-lock": found}


class Pages(unittest.TestCase):
    def check(self, page, tables):
        lines = page.lines
        heads = [i for i, line in enumerate(lines) if line.startswith("|---")]
        self.assertEqual(len(heads), len(tables))
        for at, table in zip(heads, tables, strict=True):
            columns = lines[at].count("---")
            rows = [lines[at - 1]]
            for line in lines[at + 1:]:
                if not line.startswith("|"):
                    break
                rows.append(line)
            self.assertEqual([row["program"] for row in table.rows()], [row.split("|")[1].strip() for row in rows[1:]])
            for row in rows:
                self.assertEqual(row.count(" | ") + 1, columns, row)
        text = "\n".join(lines)
        self.assertIn("## Reading", text)
        self.assertNotRegex(text, r"\bNone\b|\bnan\b")
        return text

    def test_netzer(self):
        text = self.check(pages.netzer_page(MadeUp()), (papers.NETZER_1, papers.NETZER_2))
        self.assertIn("| barnes | 201 / 66887 (0.3%) | 20 / 1000 (2%) |", text)
        self.assertIn("| 39880 | 640 |", text)

    def test_stradal(self):
        text = self.check(pages.stradal_page(MadeUp()), (papers.STRADAL_1, papers.STRADAL_2, papers.STRADAL_3))
        self.assertIn("| gauss 2 | 0.500 | 4.29 | - | 15.53 | 20.0 |", text)
        self.assertIn("optimal-vector 20.0 (published ", text)

    def test_jiang(self):
        text = self.check(pages.jiang_page(MadeUp(), "figure.svg"), (papers.JIANG_2,))
        self.assertRegex(text, r"\| ocean \| 99.99% \| 90% \|")
        self.assertRegex(text, r"\| aget \| 53.06% \|  \|")
        self.assertIn("(figure.svg)", text)


def main():
    global OPTIONS
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--work", required=True, type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--cxx", default=shutil.which("clang++-19") or "clang++")
    OPTIONS = parser.parse_args()
    unittest.main(argv=sys.argv[:1])


if __name__ == "__main__":
    main()
