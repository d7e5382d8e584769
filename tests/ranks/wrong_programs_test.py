"""wrong_programs_test.py - MPI programs that stop, crash or misuse MPI, and what is printed about them.

    wrong_programs_test.py BIN SOURCES WORK

As mpi_test.py; the programs are in SOURCES/wrong.
"""
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

BIN, SOURCES, WORK = (Path(argument).resolve() for argument in sys.argv[1:4])
SECONDS = 300  # ends a program that hangs, however busy the machine is


def run(*command, ranks=2, workers=2, code=None, text=None, **variables):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, cwd=WORK, timeout=SECONDS,
                          input=text or "", env=dict(os.environ, STRETTO_RANKS=str(ranks),
                                                     STRETTO_WORKERS=str(workers), STRETTO_STUCK="1", **variables))
    if code is not None and done.returncode != code:
        raise AssertionError(f"{command} ended with {done.returncode}, not {code}:\n{done.stdout}{done.stderr}")
    return done


def build(source):
    compiler = "stretto-c++" if source.suffix == ".cpp" else "stretto-cc"
    run(BIN / compiler, "-O1", "-g", "-Wall", "-Wextra", source, "-o", source.stem, code=0)
    return f"./{source.stem}"


def written(name, text):
    (WORK / name).write_text(text)
    return build(WORK / name)


def line_of(source, text):
    """The number of the first line with this text."""
    lines = (SOURCES / "wrong" / source).read_text().splitlines()
    return f"{source}:{1 + next(i for i, line in enumerate(lines) if text in line)}"


class Deadlocks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = build(SOURCES / "wrong/deadlocks.c")

    def report(self, which, ranks=2, workers=2):
        return run(self.program, which, ranks=ranks, workers=workers, code=1).stderr

    def test_receives_in_a_ring(self):
        at = line_of("deadlocks.c", "MPI_Recv(data, 4, MPI_INT, (rank + 1)")
        said = self.report("receive_first", ranks=3)
        self.assertIn("error R10: 3 ranks wait for each other\n", said)
        for rank in range(3):
            self.assertIn(f"  rank {rank}      waits at {at} in MPI_Recv(from rank {(rank + 1) % 3}, tag 7, "
                          "4 of MPI_INT, MPI_COMM_WORLD)\n", said)
        self.assertRegex(said, r"cycle +rank \d waits for rank \d, which waits for rank \d, which waits for rank \d\n")

    def test_receives_in_a_ring_on_one_worker(self):
        self.assertIn("error R10: 3 ranks wait for each other\n", self.report("receive_first", ranks=3, workers=1))

    def test_synchronous_sends(self):
        said = self.report("synchronous_sends")
        self.assertIn("error R10: 2 ranks wait for each other\n", said)
        at = line_of("deadlocks.c", "MPI_Ssend(data")
        self.assertIn(f"waits at {at} in MPI_Ssend(to rank 1, tag 3, 2 of MPI_INT, MPI_COMM_WORLD)", said)

    def test_a_rank_that_ends_without_sending(self):
        said = self.report("missing_send")
        self.assertIn("in MPI_Recv(from rank 0, tag 5, 1 of MPI_INT, MPI_COMM_WORLD)", said)
        self.assertIn(f"rank 0      waits at {line_of('deadlocks.c', 'MPI_Finalize();')} in MPI_Finalize", said)

    def test_a_rank_that_never_calls_mpi(self):
        said = self.report("ended", ranks=3)
        self.assertIn("error R10: ranks wait for rank 1, which has ended\n", said)
        self.assertIn("  rank 1      has ended\n", said)
        self.assertIn(f"  ranks 0,2   wait at {line_of('deadlocks.c', 'MPI_Finalize();')} in MPI_Finalize\n", said)

    def test_a_collective_that_one_rank_does_not_call(self):
        said = self.report("missing_collective", ranks=4)
        self.assertIn("ranks 0-1,3 wait at", said)
        self.assertIn("in MPI_Allreduce(4 of MPI_INT, MPI_SUM, the plate)\n", said)
        self.assertIn("rank 2      waits at", said)
        self.assertIn("in MPI_Recv(from any rank, any tag, 1 of MPI_INT, the plate)\n", said)

    def test_calls_in_different_order(self):
        said = self.report("different_order")
        self.assertIn("in MPI_Bcast(4 of MPI_INT, root 1, MPI_COMM_WORLD)", said)
        self.assertIn("in MPI_Recv(from rank 0, tag 9, 4 of MPI_INT, MPI_COMM_WORLD)", said)
        self.assertIn("error R10: 2 ranks wait for each other\n", said)

    def test_several_requests(self):
        said = self.report("several_requests")
        self.assertIn("in MPI_Waitall(3 requests: receive from rank 1 with tag 1, receive from rank 1 with tag 2, "
                      "send to rank 1)", said)
        self.assertIn("in MPI_Waitany(2 requests: receive from rank 0 with tag 1, receive from rank 0 with tag 2)",
                      said)

    def test_a_lock_of_a_window(self):
        at = line_of("deadlocks.c", "MPI_Recv(data, 1, MPI_INT, 1, 7")
        receives = f"rank 0      waits at {at} in MPI_Recv(from rank 1, tag 7, 1 of MPI_INT, MPI_COMM_WORLD)\n"
        said = self.report("lock_and_message", ranks=3)
        self.assertIn("cycle       rank 0 waits for rank 1, which waits for rank 0\n", said)
        self.assertIn(receives, said)
        self.assertRegex(said, r"rank 1      waits at deadlocks.c:\d+ in MPI_Win_lock")
        said = run(BIN.parents[1] / "tools/stretto", "run", "-n", 2, "--ranks", 3, self.program, "lock_and_message",
                   workers=2, code=1).stderr
        self.assertIn(receives, said)
        self.assertRegex(said, r"rank 1      waits at deadlocks.c:\d+ in MPI_Win_unlock")
        self.assertIn("cycle       rank 0 waits for rank 1, which waits for rank 0\n", said)

    def test_a_rank_that_waits_for_itself(self):
        self.assertIn("waits for itself\n", self.report("self"))

    def test_no_report_while_a_rank_sleeps_or_computes(self):
        program = written("busy.c", """
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>
static void* later(void* data) { sleep(4); return data; }
int main(int argc, char** argv) {
  int rank;
  pthread_t thread;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0 && sleep(4) != 0) return 1;  // a signal would cut it short
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) pthread_create(&thread, 0, later, 0), pthread_join(thread, 0);
  MPI_Barrier(MPI_COMM_WORLD);
  for (double end = MPI_Wtime() + 4; rank == 2 && MPI_Wtime() < end;) {}
  MPI_Finalize();
  return 0;
}
""")
        self.assertNotIn("R10", run(program, ranks=3, workers=1, code=0).stderr)


class Ends(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = build(SOURCES / "wrong/ends.cpp")

    def end(self, which, code):
        return run(self.program, which, ranks=3, code=code)

    def test_a_crash(self):
        said = self.end("crash", -11).stderr
        self.assertIn("unfinished \nerror R86: rank 1 crashed: Segmentation fault\n", said)
        self.assertIn(f" at {line_of('ends.cpp', '*nowhere = 1')}\n", said)

    def test_a_crash_in_a_call(self):
        said = self.end("crash_in_call", -11).stderr
        self.assertIn("error R86: rank 1 crashed: Segmentation fault\n", said)
        self.assertIn("  call        MPI_Send\n", said)
        self.assertIn(f"  line        main at {line_of('ends.cpp', 'MPI_Send(')}", said)

    def test_a_stack_that_overflows(self):
        self.assertIn('error S12: task "rank 1" ran out of stack\n', self.end("overflow", -11).stderr)

    def test_an_exception(self):
        said = self.end("exception", 134).stderr
        self.assertIn("error R87: rank 1: nothing catches an exception of type std::runtime_error\n"
                      "  what        no plate\n", said)

    def test_ends_without_finalize(self):
        for which, code in [("return", 0), ("exit", 4), ("abort", 134)]:
            with self.subTest(which=which):
                said = self.end(which, code or 1).stderr
                self.assertIn(f"error R93: rank 1 ended without MPI_Finalize, with the exit code {code}\n", said)

    def test_abort_of_mpi(self):
        self.assertIn("error R91: rank 1 called MPI_Abort with the code 6\n", self.end("mpi_abort", 6).stderr)

    def test_a_child(self):
        done = self.end("fork", 0)
        self.assertEqual(sorted(done.stdout.splitlines()), ["child", "the child ended with 9"])

    def test_a_system_call_that_blocks_is_reported_once_and_ends_nothing(self):
        said = self.end("sleep", 0).stderr
        self.assertIn("unfinished line\n", said)  # before the report or behind it: taking a stack ends the sleep
        self.assertEqual(said.count("error H10: no progress"), 1, said)
        self.assertIn('runs task "rank 1"', said)


class Streams(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = written("streams.cpp", """
#include <mpi.h>
#include <cstdio>
#include <iostream>
int main(int argc, char** argv) {
  int rank, number = -1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (std::scanf("%d", &number) != 1) number = 0;
  for (int i = 0; i < 100; ++i) {
    std::fprintf(stderr, "<%d", rank);
    std::cerr << ':' << i;
    std::fflush(stderr);
    if (i % 30 == 0) MPI_Barrier(MPI_COMM_WORLD);
    std::clog << ">\\n";
    std::printf("%d %d", rank, number);
    std::fflush(stdout);
    if (i % 40 == 0) MPI_Barrier(MPI_COMM_WORLD);
    std::puts("");
  }
  MPI_Finalize();
}
""")

    def check(self, label, **variables):
        done = run(self.program, ranks=5, code=0, text="42\n", **variables)
        for rank in range(5):
            start = label.format(rank)
            lines = [f"{start}<{rank}:{i}>" for i in range(100)]
            self.assertEqual([line for line in done.stderr.splitlines() if f"<{rank}:" in line], lines)
            number = 42 if rank == 0 else 0
            self.assertEqual(done.stdout.splitlines().count(f"{start}{rank} {number}"), 100)
        self.assertEqual(len(done.stderr.splitlines()), 500)
        self.assertEqual(len(done.stdout.splitlines()), 500)

    def test_lines_of_all_streams_do_not_mix(self):
        self.check("")

    def test_labels(self):
        self.check("[{}] ", STRETTO_RANKS_LABEL="1")


class Checks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = build(SOURCES / "wrong/misuse.c")

    def found(self, which, *expected, code=1):
        done = run(self.program, which, STRETTO_CHECK="1")
        for text in expected:
            self.assertIn(text, done.stderr)
        self.assertEqual(done.returncode, code)
        return done.stderr

    def test_types(self):
        self.found("types", f"""error R11: a message has other types than its receive
  sent        rank 0, MPI_Send(to rank 1, tag 7, 4 of MPI_INT, MPI_COMM_WORLD) at {line_of("misuse.c", "MPI_Send(")}
  received    rank 1, MPI_Recv(from rank 0, tag 7, 4 of MPI_FLOAT, MPI_COMM_WORLD) at {line_of("misuse.c", "MPI_Recv(")}
  because     element 0 is sent as MPI_INT and received as MPI_FLOAT
""")

    def test_lengths(self):
        self.found("truncation", "error R12: a message is longer than its receive\n", "MPI_Ssend(to rank 1, tag 7",
                   "MPI_Recv(from any rank, tag 7, 2 of MPI_INT", "error R90: MPI_Recv failed in rank 1", code=15)

    def test_leaks(self):
        self.found("leaks", "error R14: a rank calls MPI_Finalize and has not freed 3 objects\n",
                   f"1 of MPI_Comm_dup at {line_of('misuse.c', 'MPI_Comm_dup(')}\n",
                   f"1 of MPI_Type_contiguous at {line_of('misuse.c', 'MPI_Type_contiguous(')}\n",
                   f"MPI_COMM_WORLD) at {line_of('misuse.c', 'MPI_Irecv(')}\n")

    def test_windows(self):
        said = self.found("race", "error R17: two accesses to a window conflict\n",
                          f"rank 0, MPI_Put at {line_of('misuse.c', 'if (rank == 0) MPI_Put(')}\n",
                          f"rank 1, MPI_Get at {line_of('misuse.c', 'if (rank == 1) MPI_Get(')}\n",
                          "  memory      rank 0 of the window, at byte 8\n")
        self.assertEqual(said.count("error R17"), 1)
        at = line_of("misuse.c", "MPI_Win_fence(rank == 0")
        said = self.found("fences", "error R18: the ranks of a window disagree about a fence\n",
                          f"rank 0, MPI_Win_fence at {at}\n", f"rank 1, MPI_Win_fence at {at}\n",
                          "  because     only one of them gives MPI_MODE_NOPRECEDE\n")
        self.assertEqual(said.count("error R18"), 1)

    def assert_one_conflict(self, said, calls, memory):
        self.assertEqual(said.count("error R17"), 1)
        for rank, text in calls:
            self.assertIn(f"at {line_of('misuse.c', text)}\n", said)
            self.assertIn(f" rank {rank}, MPI_", said)
        self.assertIn(f"  memory      {memory}\n", said)

    def test_windows_under_locks_and_with_posts(self):
        under_lock = [(0, "MPI_Put(data, 4, MPI_INT, size - 1, 0"), (1, "MPI_Get(data, 4, MPI_INT, size - 1, 2")]
        said = self.found("race_under_lock", "because     one begins before a flush or an unlock ends the other")
        self.assert_one_conflict(said, under_lock, "rank 1 of the window, at byte 8")
        said = self.found("race_in_post", "because     both are in one epoch of MPI_Win_post")
        puts = [(rank, "MPI_Put(data, 4, MPI_INT, size - 1, 2 * rank") for rank in (0, 1)]
        self.assert_one_conflict(said, puts, "rank 1 of the window, at byte 8")
        for ranks in 2, 3:
            said = self.on_two_nodes("race_under_lock", ranks=ranks).stderr
            self.assert_one_conflict(said, under_lock, f"rank {ranks - 1} of the window, at byte 8")
            said = self.on_two_nodes("race_in_post", ranks=ranks).stderr
            self.assert_one_conflict(said, puts, f"rank {ranks - 1} of the window, at byte 8")
            said = self.on_two_nodes("race", ranks=ranks).stderr
            between_fences = [(0, "if (rank == 0) MPI_Put("), (1, "if (rank == 1) MPI_Get(")]
            self.assert_one_conflict(said, between_fences, "rank 0 of the window, at byte 8")

    def test_right_epochs(self):
        for ranks in 2, 5:
            self.assertEqual(run(self.program, "right_epochs", ranks=ranks, STRETTO_CHECK="1", code=0).stderr, "")
            done = self.on_two_nodes("right_epochs", ranks=ranks)
            self.assertEqual((done.stderr, done.returncode), ("", 0))

    def test_buffers(self):
        self.found("changed_buffer", "error R15: the buffer of a pending send was changed\n",
                   f"MPI_COMM_WORLD) at {line_of('misuse.c', 'MPI_Issend(')}\n")
        said = self.found("overlap", "error R16: two pending receives write the same memory\n")
        self.assertEqual(len(re.findall("receive +rank 0, MPI_Irecv", said)), 2)

    def test_collectives(self):
        for which, how in [("roots", "the roots differ"), ("operations", "the operations differ"),
                           ("counts", "the counts or the types differ")]:
            with self.subTest(which=which):
                done = run(self.program, which, STRETTO_CHECK="1")
                self.assertIn("error R13: the ranks of a communicator disagree about a collective\n", done.stderr)
                self.assertIn(f"  because     {how}\n", done.stderr)
                self.assertNotEqual(done.returncode, 0)

    def test_a_right_program(self):
        self.assertEqual(self.found("right", code=0), "")

    def on_two_nodes(self, which, ranks=2):
        return run(BIN.parents[1] / "tools/stretto", "run", "-n", 2, "--ranks", ranks, self.program, which, workers=1,
                   STRETTO_CHECK="1")

    def test_messages_between_nodes(self):
        sent, received = (line_of("misuse.c", text) for text in ("MPI_Send(", "MPI_Recv("))
        done = self.on_two_nodes("types")
        self.assertIn(f"""error R11: a message has other types than its receive
  sent        rank 0, MPI_Send(to rank 1, tag 7, 4 of MPI_INT, MPI_COMM_WORLD) at {sent}
  received    rank 1, MPI_Recv(from rank 0, tag 7, 4 of MPI_FLOAT, MPI_COMM_WORLD) at {received}
  because     element 0 is sent as MPI_INT and received as MPI_FLOAT
""", done.stderr, done)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("error R12: a message is longer than its receive\n", self.on_two_nodes("truncation").stderr)

    def test_collectives_of_two_nodes(self):
        for which, how in [("roots", "the roots differ"), ("operations", "the operations differ"),
                           ("counts", "the counts or the types differ")]:
            with self.subTest(which=which):
                done = self.on_two_nodes(which)
                self.assertIn("error R13: the ranks of a communicator disagree about a collective\n", done.stderr)
                self.assertIn(f"  because     {how}\n", done.stderr)
                self.assertNotEqual(done.returncode, 0)

    def test_a_right_program_on_two_nodes(self):
        done = self.on_two_nodes("right")
        self.assertEqual((done.stderr, done.returncode), ("", 0))


if __name__ == "__main__":
    WORK.mkdir(parents=True, exist_ok=True)
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
