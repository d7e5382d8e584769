"""node_ends_test.py - ranks of several nodes that end in wrong ways: all nodes end, with one message.

    node_ends_test.py BIN SOURCES WORK

As mpi_test.py; the programs are in SOURCES/wrong.
"""
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

BIN, SOURCES, WORK = (Path(argument).resolve() for argument in sys.argv[1:4])
COMMAND = BIN.parents[1] / "tools/stretto"
SECONDS = 300  # ends a program that hangs, however busy the machine is


VARIABLES = dict(os.environ, STRETTO_WORKERS="1", STRETTO_STUCK="1")


def run(*command):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, cwd=WORK, timeout=SECONDS,
                          stdin=subprocess.DEVNULL, env=VARIABLES)


def build(name):
    compiler = "stretto-c++" if name.endswith(".cpp") else "stretto-cc"
    done = run(BIN / compiler, "-O1", "-g", SOURCES / "wrong" / name, "-o", Path(name).stem)
    assert done.returncode == 0, done.stderr


class NodeEnds(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        build("node_ends.cpp")

    def ends(self, which, code, message):
        """On 2 and 3 nodes, with one and two ranks each, the job ends with the code, and this is its only error."""
        for nodes, ranks in (2, 2), (3, 3), (2, 4):
            with self.subTest(nodes=nodes, ranks=ranks):
                done = run(COMMAND, "run", "-n", nodes, "--ranks", ranks, "./node_ends", which)
                errors = re.findall("^error .*", done.stderr, re.M)
                self.assertEqual(len(errors), 1, done.stderr)
                self.assertRegex(errors[0], f"^error {message}$")
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertNotIn("not reached", done.stdout)

    def test_a_node_that_is_killed(self):
        self.ends("killed", 137, "R94: node N1 has failed: all ranks of the job end")

    def test_a_node_whose_process_ends(self):
        self.ends("process_exit", 3, "R94: node N1 has failed: all ranks of the job end")

    def test_a_rank_that_crashes(self):
        self.ends("crash", 139, r"R86: rank \d crashed: Segmentation fault")

    def test_an_exception(self):
        self.ends("exception", 134, r"R87: rank \d: nothing catches an exception of type int")

    def test_abort_of_one_rank(self):
        self.ends("mpi_abort", 6, r"R91: rank \d called MPI_Abort with the code 6")

    def test_abort_of_all_ranks(self):
        self.ends("all_abort", 6, r"R91: rank \d called MPI_Abort with the code 6")

    def test_an_erroneous_call(self):
        self.ends("wrong_call", 6, r"R90: MPI_Send failed in rank \d")

    def test_an_erroneous_call_of_all_ranks(self):
        self.ends("all_wrong_calls", 8, r"R90: MPI_Bcast failed in rank \d")

    def test_a_rank_that_leaves(self):
        self.ends("return", 4, r"R93: rank \d ended without MPI_Finalize, with the exit code 4")


if __name__ == "__main__":
    WORK.mkdir(parents=True, exist_ok=True)
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
