"""late_ranks_test.py - what a report says about the ranks of a program: who was late, and the critical path.

    late_ranks_test.py BIN SOURCES WORK

As mpi_test.py; the programs are in SOURCES/traced.
"""
import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

BIN, SOURCES, WORK = (Path(argument).resolve() for argument in sys.argv[1:4])
COMMAND = BIN.parents[1] / "tools/stretto"
SOURCE = SOURCES / "traced/late_ranks.c"
ACCESSES = SOURCES / "traced/threads_and_accesses.c"
SECONDS = 300  # ends a program that hangs, however busy the machine is
COMPUTING = 30_000_000  # ns that a late rank computes, at least
LEAST = COMPUTING * 9 // 10  # the clocks of two nodes may differ

VARIABLES = dict(os.environ, STRETTO_WORKERS="1", STRETTO_TRACE="late.json", STRETTO_TRACE_LEVEL="full")


def run(*command, **more):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, cwd=WORK, timeout=SECONDS,
                          stdin=subprocess.DEVNULL, env=VARIABLES | more)
    assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def line_of(text, source=SOURCE):
    """"late_ranks.c:31" of the only line that contains the text."""
    found = [i for i, line in enumerate(source.read_text().splitlines(), 1) if text in line]
    assert len(found) == 1, (text, found)
    return f"{source.name}:{found[0]}"


class LateRanks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        run(BIN / "stretto-cc", "-O0", "-g", SOURCE, "-o", "late_ranks")

    def reported(self, *how):
        for file in WORK.glob("late*.json"):
            file.unlink()
        run(COMMAND, "run", "--ranks", 4, *how, "./late_ranks")
        return json.loads(run(COMMAND, "report", "late.json", "--json", "--out", "late.html"))

    def time_of(self, report, what, late, waiting, call):
        return sum(row["time"] for row in report["ranks"]["late"]
                   if row["what"] == what and row["late"].endswith(late) and row["waiting"].endswith(waiting)
                   and row["call"] == call)

    def check_late(self, report):
        self.assertGreater(self.time_of(report, "late sender", "rank 0", "rank 2", "MPI_Recv"), 2 * LEAST)
        self.assertGreater(self.time_of(report, "late sender", "rank 2", "rank 1", "MPI_Recv"), 2 * LEAST)
        self.assertGreater(self.time_of(report, "late receiver", "rank 0", "rank 2", "MPI_Ssend"), LEAST)
        self.assertGreater(self.time_of(report, "late receiver", "rank 0", "rank 2", "MPI_Send"), LEAST)
        self.assertEqual(sum(self.time_of(report, "late receiver", late, waiting, "MPI_Ssend") > LEAST
                             for late in ("rank 1", "rank 2", "rank 3") for waiting in ("rank 1", "rank 2", "rank 3")),
                         0)
        at = {row["call"]: row["at"] for row in report["ranks"]["late"] if row["what"] == "late receiver"}
        self.assertEqual(at["MPI_Ssend"], line_of("line of the late receiver"))
        self.assertEqual(at["MPI_Send"], line_of("MPI_Send(data"))

    def check_path(self, report):
        """It leads through the computing of ranks 0, 2 and 1, in this order, without a gap."""
        steps = report["ranks"]["path"]["steps"]
        long = [step["rank"].split()[-1] for step in steps if step["end"] - step["start"] > LEAST]
        self.assertEqual(long[-3:], ["0", "2", "1"], steps)
        self.assertEqual(steps[0]["start"], 0)
        for before, after in zip(steps, steps[1:]):
            self.assertEqual(before["end"], after["start"])
        on_path = {row["rank"].split()[-1]: row["on_path"] for row in report["ranks"]["times"]}
        self.assertGreater(on_path["0"], 4 * LEAST)
        self.assertGreater(on_path["1"], LEAST)
        self.assertGreater(on_path["2"], LEAST)
        self.assertEqual(sum(row["time"] for row in report["ranks"]["path"]["calls"]), steps[-1]["end"])

    def check_messages(self, report):
        count = sum(row["count"] for row in report["names"] if row["kind"] == "message wait")
        self.assertGreater(count, 0)
        names = [row["name"] for row in report["names"] if row["kind"] == "receive wait"]
        self.assertIn("MPI_Ssend(to rank 0, tag 3, 8 of MPI_CHAR, MPI_COMM_WORLD)", names)

    def test_ranks_of_one_node(self):
        report = self.reported()
        self.check_late(report)
        self.check_path(report)
        self.check_messages(report)
        self.assertEqual([row["rank"] for row in report["ranks"]["times"]], [f"rank {i}" for i in range(4)])
        self.assertEqual(report["ranks"]["messages"], 4 * 2 + 3 + 2)
        self.assertGreater(self.time_of(report, "late at a collective", "rank 1", "rank 3", "MPI_Barrier"), LEAST)
        self.assertGreater(self.time_of(report, "late at a collective", "rank 1", "rank 0", "MPI_Barrier"), LEAST)

    def test_ranks_of_two_nodes(self):
        report = self.reported("-n", 2)
        self.check_late(report)
        self.check_path(report)
        self.check_messages(report)
        self.assertEqual([row["rank"] for row in report["ranks"]["times"]],
                         ["node 0 rank 0", "node 0 rank 1", "node 1 rank 2", "node 1 rank 3"])

    def test_checks_see_the_same_while_a_trace_is_recorded(self):
        checked = dict(VARIABLES, STRETTO_CHECK="1", STRETTO_RANKS="4")
        done = subprocess.run(["./late_ranks"], capture_output=True, text=True, cwd=WORK, timeout=SECONDS, env=checked)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))


class ThreadsAndAccesses(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        run(BIN / "stretto-cc", "-O0", "-g", ACCESSES, "-o", "accesses", "-pthread")

    def check(self, node, *how):
        for file in WORK.glob("accesses*.json"):
            file.unlink()
        run(COMMAND, "run", "--ranks", 2, *how, "./accesses", STRETTO_TRACE="accesses.json", STRETTO_WORKERS="2")
        report = json.loads(run(COMMAND, "report", "accesses.json", "--json", "--out", "accesses.html"))
        times = {row["rank"].split("rank ")[1]: row for row in report["ranks"]["times"]}
        self.assertEqual(sorted(times), ["0", "1", "1, thread 1"])  # the second thread has the track of the first one
        self.assertGreater(times["1, thread 1"]["computing"], 0)
        self.assertGreater(min(times["0"]["accesses"], times["1"]["accesses"]), 0)
        received = [row for row in report["names"]
                    if row["name"] == "until MPI_Recv(from rank 0, tag 5, 1000 of MPI_INT, MPI_COMM_WORLD)"]
        at = line_of("line of the thread", ACCESSES)
        self.assertEqual([(row["count"], row["at"]) for row in received], [(2, at)])
        # a rank that waits for the other one within a call has a row "wait" of the same name
        copies = {row["name"]: row for row in report["names"] if row["kind"] == "copy"}
        put, written = copies["MPI_Put"], copies["MPI_File_write_at_all"]
        self.assertEqual((put["count"], put["at"]), (1, line_of("line of the put", ACCESSES)))
        self.assertEqual(written["count"], 2)

    def test_on_one_node(self):
        self.check("")


if __name__ == "__main__":
    WORK.mkdir(parents=True, exist_ok=True)
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
