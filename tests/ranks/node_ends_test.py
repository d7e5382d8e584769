"""node_ends_test.py - ranks of several nodes that end in wrong ways: all nodes end, with one message.

    node_ends_test.py BIN SOURCES WORK

As mpi_test.py; the programs are in SOURCES/wrong.
"""
import os
import re
import signal
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


class Hangs(unittest.TestCase):
    """The report follows ranks from node to node."""

    @classmethod
    def setUpClass(cls):
        build("deadlocks.c")

    def report(self, which, nodes, ranks):
        done = run(COMMAND, "run", "-n", nodes, "--ranks", ranks, "./deadlocks", which)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(len(re.findall("^error ", done.stderr, re.M)), 1, done.stderr)
        return done.stderr

    def line_of(self, text):
        lines = (SOURCES / "wrong/deadlocks.c").read_text().splitlines()
        return f"deadlocks.c:{1 + next(i for i, line in enumerate(lines) if text in line)}"

    def test_receives_in_a_ring(self):
        at = self.line_of("MPI_Recv(data, 4, MPI_INT, (rank + 1)")
        for nodes in 2, 3:
            with self.subTest(nodes=nodes):
                report = self.report("receive_first", nodes, 3)
                self.assertIn("error R10: 3 ranks wait for each other\n", report)
                for rank in range(3):
                    self.assertIn(f"  rank {rank}      waits at {at} in MPI_Recv(from rank {(rank + 1) % 3}, tag 7, "
                                  "4 of MPI_INT, MPI_COMM_WORLD)\n", report)
                self.assertRegex(report, r"cycle +rank 0 waits for rank 1, which waits for rank 2, "
                                       r"which waits for rank 0\n")

    def test_synchronous_sends(self):
        report = self.report("synchronous_sends", 2, 2)
        self.assertIn("error R10: 2 ranks wait for each other\n", report)
        self.assertIn(f"waits at {self.line_of('MPI_Ssend(data')} in MPI_Ssend(to rank 1, tag 3, 2 of MPI_INT, "
                      "MPI_COMM_WORLD)", report)

    def test_a_collective_that_one_rank_does_not_call(self):
        report = self.report("missing_collective", 2, 4)
        self.assertIn("error R10: ", report)
        self.assertIn("in MPI_Allreduce(4 of MPI_INT, MPI_SUM, the plate)\n", report)
        self.assertIn("rank 2      waits at", report)
        self.assertIn("in MPI_Recv(from any rank, any tag, 1 of MPI_INT, the plate)\n", report)

    def test_calls_in_different_order(self):
        report = self.report("different_order", 2, 2)
        self.assertIn("error R10: 2 ranks wait for each other\n", report)
        self.assertIn("in MPI_Bcast(4 of MPI_INT, root 1, MPI_COMM_WORLD)", report)

    def test_several_requests(self):
        report = self.report("several_requests", 2, 2)
        self.assertIn("in MPI_Waitall(3 requests: receive from rank 1 with tag 1, receive from rank 1 with tag 2, "
                      "send to rank 1)", report)

    def test_a_rank_that_ends_without_sending(self):
        report = self.report("missing_send", 2, 2)
        self.assertIn("in MPI_Recv(from rank 0, tag 5, 1 of MPI_INT, MPI_COMM_WORLD)", report)


class Signals(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        build("node_ends.cpp")

    def test_a_signal_to_the_command_ends_all_nodes(self):
        for number, nodes in (signal.SIGTERM, 2), (signal.SIGINT, 3):
            with self.subTest(signal=number, nodes=nodes):
                job = subprocess.Popen([COMMAND, "run", "-n", str(nodes), "--ranks", "4", "./node_ends", "ready"],
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=WORK,
                                       env=VARIABLES)
                self.addCleanup(job.kill)
                while job.stdout.readline() != "ready\n":
                    self.assertIsNone(job.poll())
                job.send_signal(number)
                _, errors = job.communicate(timeout=SECONDS)
                self.assertEqual(job.returncode, 128 + number)
                self.assertEqual(re.findall("^error .*", errors, re.M),
                                 [f"error W65: signal {int(number)} ({signal.strsignal(number)}) has ended all nodes"])


class Input(unittest.TestCase):
    def test_rank_0_reads_the_input_and_others_find_its_end(self):
        build("input.c")
        lines = [f"line {i}" for i in range(2000)]
        for nodes, order in (2, "blocks"), (3, "cyclic"), (1, "blocks"):
            with self.subTest(nodes=nodes, order=order):
                done = subprocess.run([COMMAND, "run", "-n", str(nodes), "--ranks", "4", "--map", order, "./input"],
                                      input="\n".join(lines) + "\n", capture_output=True, text=True, cwd=WORK,
                                      timeout=SECONDS, env=VARIABLES)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(sorted(done.stdout.splitlines()),
                                 ["rank 0: 2000 lines, the last is line 1999"]
                                 + [f"rank {r}: 0 lines, the last is " for r in (1, 2, 3)])


if __name__ == "__main__":
    WORK.mkdir(parents=True, exist_ok=True)
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
