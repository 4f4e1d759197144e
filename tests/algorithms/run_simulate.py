#!/usr/bin/env python3
"""`anaphora simulate` and `anaphora algorithms` as a user calls them: run_simulate.py ANAPHORA GENERATE_REFERENCES"""

import csv
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ANAPHORA, GENERATE = sys.argv.pop(1), sys.argv.pop(1)

# Netzer 1993, figure 1: P1 inserts into a queue and moves its head, then P2 takes the element out.
QUEUE = """\
# the queue of figure 1
threads 2
0 r 0x100 8   # i = head
0 w 0x200 8   # Queue[i] = data
0 w 0x100 8   # head = i + 1
1 r 0x100 8   # j = head - 1
1 r 0x200 8   # data = Queue[j]
1 w 0x100 8   # head = j
"""
NAMES = ["trace-all", "optimal-vector", "optimal-non-critical", "optimal-lamport", "compressed-vector",
         "compressed-non-critical", "compressed-lamport", "rwtrace-1", "rwtrace-2", "mutex-lock", "crew-lock", "octet",
         "ownership"]
LETTERS = {"o": "optimal-vector", "n": "optimal-non-critical", "l": "optimal-lamport", "c": "compressed-vector",
           "r": "compressed-non-critical", "m": "compressed-lamport"}
SIX = [name for name in NAMES if name in LETTERS.values()]


def run(*arguments):
    return subprocess.run([ANAPHORA, *arguments], capture_output=True, text=True, timeout=60)


class Simulate(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory(prefix="anaphora-simulate-")
        self.file = self.write(QUEUE)

    def tearDown(self):
        self.directory.cleanup()

    def write(self, text, name="queue.txt"):
        path = pathlib.Path(self.directory.name) / name
        path.write_text(text)
        return str(path)

    def json(self, *arguments, file=None):
        done = run("simulate", "--json", *arguments, file or self.file)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")
        return json.loads(done.stdout)

    def names(self, *arguments):
        return [a["name"] for a in self.json(*arguments)["algorithms"]]

    def test_figure_1(self):
        out = self.json("--all")
        self.assertEqual((out["threads"], out["references"]), (2, 6))
        by_name = {a["name"]: a for a in out["algorithms"]}
        self.assertEqual(list(by_name), NAMES)
        self.assertEqual(by_name["trace-all"]["traced"], 6)
        self.assertEqual(by_name["trace-all"]["percent"], 100)
        # "tracing only that P2 makes the third reference to head is sufficient"
        vector = by_name["optimal-vector"]
        self.assertEqual((vector["traced"], vector["kinds"]["raw"]), (1, 1))
        self.assertAlmostEqual(vector["percent"], 100 / 6)
        self.assertEqual(vector["critical_path"], 6)
        self.assertEqual(vector["history_bytes"] % 8, 0)
        self.assertEqual(by_name["rwtrace-1"]["traced"], 3)
        self.assertEqual(sum(by_name["octet"]["transitions"].values()), 6)
        for a in out["algorithms"]:
            self.assertLessEqual({"name", "traced", "references", "percent", "history_bytes"}, set(a))

    def test_choice_of_algorithms(self):
        self.assertEqual(self.names(), SIX)
        self.assertEqual(self.names("-a"), SIX)
        for letter, name in LETTERS.items():
            self.assertEqual(self.names("-" + letter), [name])
        self.assertEqual(self.names("-lo"), ["optimal-vector", "optimal-lamport"])
        self.assertEqual(self.names("--algorithm=octet", "--algorithm", "rwtrace-2"), ["rwtrace-2", "octet"])
        self.assertEqual(self.names("-z"), [])

    def test_aggregates(self):
        # Two variables of one aggregate: Netzer 1993, 6.
        file = self.write("threads 2\n0 w 0x100 4\n0 w 0x104 4\n1 r 0x100 4\n1 r 0x104 4\n")
        self.assertEqual(self.json("-o", file=file)["algorithms"][0]["traced"], 2)
        self.assertEqual(self.json("-o", "-b", "3", file=file)["algorithms"][0]["traced"], 1)
        self.assertEqual(self.json("-o", "-b3", file=file)["algorithms"][0]["histories"], 1)

    def test_accesses(self):
        out = self.json("-z")["accesses"]
        self.assertEqual((out["reads"], out["writes"], out["updates"]), (3, 3, 0))
        self.assertEqual(out["race_checks"], 2)
        self.assertNotIn("accesses", self.json("-o"))

    def test_lamport_skips(self):
        out = self.json("-l")["algorithms"][0]
        self.assertEqual(out["clock_skips"], [{"from": 2, "to": 3, "count": 1}])

    def test_csv(self):
        done = run("simulate", "--csv", self.file)
        self.assertEqual(done.returncode, 0)
        rows = list(csv.DictReader(io.StringIO(done.stdout)))
        self.assertEqual([r["name"] for r in rows], SIX)
        self.assertEqual(rows[0]["traced"], "1")
        self.assertTrue(all(None not in r and None not in r.values() for r in rows))

    def test_text(self):
        done = run("simulate", "-q", self.file)
        self.assertEqual(done.returncode, 0)
        self.assertIn("6 references of 2 threads", done.stdout)
        self.assertNotIn("clock skips", done.stdout)
        done = run("simulate", "-v", self.file)
        self.assertIn("clock skips 2-3", done.stdout)
        self.assertIn("need a race check", done.stdout)
        self.assertEqual(done.stderr, "")

    def test_debug(self):
        done = run("simulate", "-o", "-d1", self.file)
        self.assertIn("optimal-vector 4 1:1 r 0x100+8 after 0:3 raw\n", done.stdout)
        self.assertEqual(done.stdout.count("optimal-vector "), 2)  # the edge, and the line of the table
        done = run("simulate", "-o", "-d", "2", self.file)
        self.assertIn("optimal-vector 2 0:2 w 0x200+8\n", done.stdout)
        self.assertEqual(done.stdout.count("optimal-vector "), 8)

    def test_errors(self):
        def expect(status, text, *arguments):
            done = run("simulate", *arguments)
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertIn(text, done.stderr)
            self.assertEqual(done.stdout, "")

        expect(2, "there is no algorithm best; `anaphora algorithms` lists them", "--algorithm=best", self.file)
        expect(2, "--shift", "-b", "21", self.file)
        expect(2, "--debug", "-d3", self.file)
        expect(2, "--verbose", "-q", "-v", self.file)
        expect(2, "--csv", "--csv", "--json", self.file)
        expect(2, "file is required")
        expect(1, "No such file or directory", "/nonexistent")
        expect(1, "is a directory", self.directory.name)
        expect(2, "--shift", "-b", "x", self.file)
        expect(1, "is empty", self.write("", "empty"))
        expect(1, "self/exe, line 1: a file of references begins with a line `threads N`", "/proc/self/exe")
        late = self.write(QUEUE + "2 r 0x100 8\n", "late.txt")
        expect(1, "late.txt, line 9: thread 2, but 2 threads are declared (0 to 1)", "--json", late)

    def test_damaged_files(self):
        """Wherever a file is cut off or changed: an error that names the byte, and no number."""
        path = pathlib.Path(self.directory.name) / "refs"
        subprocess.run([GENERATE, path, "200000"], check=True, timeout=60, stdout=subprocess.DEVNULL)
        whole = path.read_bytes()
        self.assertGreaterEqual(self.json("-o", file=str(path))["references"], 200000)

        def expect_error(contents):
            path.write_bytes(contents)
            done = run("simulate", "--all", "--json", str(path))
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertRegex(done.stderr, r"refs (is cut off|is damaged|is a file|is empty).*|refs, line \d+: .*")
            return done.stderr

        for size in (1, 8, 20, len(whole) // 2, len(whole) - 1):
            expect_error(whole[:size])
        self.assertRegex(expect_error(whole[:-1]), "cut off: it does not end with a trailer at byte [0-9]+")
        middle = len(whole) // 2
        changed = whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1:]
        self.assertRegex(expect_error(changed), "damaged at byte [0-9]+: ")

    def test_algorithms(self):
        done = run("algorithms")
        self.assertEqual([line.split()[0] for line in done.stdout.splitlines()], NAMES)
        listed = json.loads(run("algorithms", "--json").stdout)
        self.assertEqual([a["name"] for a in listed], NAMES)
        self.assertEqual({a["letter"]: a["name"] for a in listed if a["letter"]}, LETTERS)


if __name__ == "__main__":
    unittest.main()
