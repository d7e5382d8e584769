"""mpi_test.py - MPI programs, compiled by stretto-cc and run as ranks.

    mpi_test.py BIN SOURCES WORK

BIN holds the compilers; SOURCES is tests/ranks, whose folder mpi/ has programs that check themselves. Programs are made
in WORK.
"""
import os
import re
import subprocess
import sys
import threading
import unittest
import unittest.mock
from pathlib import Path

BIN, SOURCES, WORK = (Path(argument).resolve() for argument in sys.argv[1:4])
SECONDS = 300  # ends a program that hangs, however busy the machine is


# Devices for regions: the cores of the host; these with memory of their own; a processor by OpenCL, in the host's
# memory and in its own; simulated devices, whose memory the host cannot access.
DEVICES = ({}, {"STRETTO_ACC_DISCRETE": "1"}, {"STRETTO_ACC_DEVICE_TYPE": "opencl"},
           {"STRETTO_ACC_DEVICE_TYPE": "opencl", "STRETTO_ACC_DISCRETE": "1"},
           {"STRETTO_ACC_DEVICE_TYPE": "sim", "STRETTO_DEVICES": "sim:2"})


def run(*command, ranks=1, workers=None, code=0, stuck=None):
    variables = dict(os.environ)
    if stuck:
        variables["STRETTO_STUCK"] = str(stuck)
    if ranks:
        variables["STRETTO_RANKS"] = str(ranks)
    if workers:
        variables["STRETTO_WORKERS"] = str(workers)
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, env=variables, cwd=WORK,
                          timeout=SECONDS, stdin=subprocess.DEVNULL)
    if done.returncode != code:
        raise AssertionError(f"{command} with {ranks} ranks ended with {done.returncode}, not {code}:\n"
                             f"{done.stdout}{done.stderr}")
    return done


def build(source, name, *options):
    compiler = "stretto-c++" if str(source).endswith(".cpp") else "stretto-cc"
    run(BIN / compiler, "-O1", "-g", "-Wall", "-Wextra", *options, source, "-o", name, "-lm")


def write(name, text):
    (WORK / name).write_text(text)
    return WORK / name


def printed_by(example):
    """The output that an example in C promises in the comment that opens it."""
    lines = example.read_text().split("\n * Output\n")[1].split("\n */")[0]
    return re.sub(r"^ \*   ", "", lines, flags=re.MULTILINE) + "\n"


class Programs(unittest.TestCase):
    def test_programs_that_check_themselves(self):
        for source in sorted((SOURCES / "mpi").glob("*.c")):
            build(source, source.stem)
            several = source.stem in ("busy_loops", "errno_of_ranks", "files", "groups_of_ranks", "messages", "openacc",
                                      "partitions", "sessions", "window_accesses")
            for ranks, workers in [(1, 1), (2, 2), (2, 1), (5, 2), (16, 2)] if several else [(1, 1), (2, 2)]:
                with self.subTest(program=source.stem, ranks=ranks, workers=workers):
                    if source.stem == "threads":
                        workers = None  # each rank blocks its worker
                    self.assertEqual(run(f"./{source.stem}", ranks=ranks, workers=workers).stdout, "")

    def test_programs_that_call_stretto(self):
        build(SOURCES / "mpi/tasks_of_ranks.cpp", "tasks_of_ranks", "-std=c++20")
        for ranks, workers in (1, 1), (2, 2), (5, 2), (16, 1):
            with self.subTest(ranks=ranks, workers=workers):
                self.assertEqual(run("./tasks_of_ranks", ranks=ranks, workers=workers).stdout, "")

    def test_tasks_that_wait_for_queues_of_openacc_and_start_them(self):
        run(BIN / "stretto-cc", "-O1", "-c", SOURCES / "acc/scaled_array.c", "-o", "scaled_array.o")
        build(SOURCES / "acc/queue_events.cpp", "queue_events", "-std=c++20", "scaled_array.o")
        for device in DEVICES:
            for ranks, workers in (1, 1), (2, 2), (5, 2):
                with self.subTest(ranks=ranks, workers=workers, device=device), \
                        unittest.mock.patch.dict(os.environ, device):
                    self.assertEqual(run("./queue_events", ranks=ranks, workers=workers).stdout, "")

    def test_openacc_regions_in_cxx(self):
        build(SOURCES / "acc/cxx_regions.cpp", "cxx_regions")
        for device in DEVICES:
            for ranks, workers in (1, 1), (2, 2), (5, 2):
                with self.subTest(ranks=ranks, workers=workers, device=device), \
                        unittest.mock.patch.dict(os.environ, device):
                    self.assertEqual(run("./cxx_regions", ranks=ranks, workers=workers).stdout, "")

    def test_openacc_regions_of_headers(self):
        (WORK / "headers").mkdir(exist_ok=True)
        write("headers/cells.hpp", "#pragma once\ntemplate <class T> void set(T *p) {\n#pragma acc parallel loop "
              "copyin(p[0:9])\n  for (int i = 0; i < 9; ++i) p[i] = 1;\n}\n")
        write("with_header.cpp", "#include <cells.hpp>\nint main() {\n  int p[9] = {};\n  set(p);\n  return p[8];\n}\n")
        build(WORK / "with_header.cpp", "with_header", "-Iheaders")
        run("./with_header", code=1)
        with unittest.mock.patch.dict(os.environ, STRETTO_ACC_DISCRETE="1"):
            run("./with_header")  # only the copy of the device is set

    def test_openacc_regions_that_are_not_in_the_c_subset_of_cxx(self):
        write("vector.cpp", "#include <vector>\nint main() {\n  std::vector<int> v(9);\n#pragma acc parallel loop\n"
              "  for (int i = 0; i < 9; ++i) v[i] = i;\n  return v[8] - 8;\n}\n")
        self.assertIn("  at          vector.cpp:5\n  found       the operator [] of the class \"std::vector<int>\"\n"
                      "  because     regions are written in the C subset of C++\n"
                      "  try         take a pointer to the elements ahead of the region: auto *p = v.data();\n",
                      run(BIN / "stretto-c++", "vector.cpp", "-o", "vector", code=1, ranks=None).stderr)
        write("pointer.cpp", (WORK / "vector.cpp").read_text().replace("#pragma", "int *p = v.data();\n#pragma")
              .replace(") v[i]", ") p[i]"))
        shown = run(BIN / "stretto-c++", "--acc-show", "pointer.cpp", ranks=None).stdout
        self.assertIn("pointer.cpp:5: parallel loop, line 6\n  - line 6: divided among gangs\n", shown)
        build(WORK / "pointer.cpp", "pointer")
        run("./pointer")

    def test_buffers_in_the_memory_of_openacc_devices(self):
        build(SOURCES / "acc/device_buffers.c", "device_buffers")
        for device in DEVICES:
            with unittest.mock.patch.dict(os.environ, device):
                for ranks, workers in (1, 1), (2, 2), (5, 2):
                    with self.subTest(ranks=ranks, workers=workers, device=device):
                        self.assertEqual(run("./device_buffers", ranks=ranks, workers=workers).stdout, "")
                with self.subTest(nodes=2, device=device):
                    self.assertEqual(on_nodes(2, "--ranks", 3, "./device_buffers").stdout, "")

    def test_instances_in_the_memory_of_openacc_devices(self):
        run(BIN / "stretto-cc", "-O1", "-c", SOURCES / "acc/scaled_array.c", "-o", "scaled_array.o")
        build(SOURCES / "acc/external_instances.cpp", "external_instances", "-std=c++20", "scaled_array.o")
        for device in (*DEVICES, {"STRETTO_ACC_DEVICE_TYPE": "sim", "STRETTO_DEVICES": "sim(in_place)"}):
            for ranks, workers in (1, 1), (2, 2), (5, 2):
                with self.subTest(ranks=ranks, workers=workers, device=device), \
                        unittest.mock.patch.dict(os.environ, device):
                    self.assertEqual(run("./external_instances", ranks=ranks, workers=workers).stdout, "")

    def test_data_of_devices_that_share_memory_is_not_copied(self):
        build(SOURCES / "acc/memory_use.c", "memory_use")
        shared = ({}, {"STRETTO_ACC_DEVICE_TYPE": "opencl"},
                  {"STRETTO_ACC_DEVICE_TYPE": "sim", "STRETTO_DEVICES": "sim(in_place)"})
        for device in shared:
            for discrete in ("0", "1"):
                with (self.subTest(device=device, discrete=discrete),
                      unittest.mock.patch.dict(os.environ, device | {"STRETTO_ACC_DISCRETE": discrete})):
                    expected = "separate" if discrete == "1" else "shared"
                    self.assertEqual(run("./memory_use", expected, ranks=2, workers=2).stdout, "")
        with unittest.mock.patch.dict(os.environ, STRETTO_ACC_DEVICE_TYPE="sim", STRETTO_DEVICES="sim"):
            self.assertEqual(run("./memory_use", "separate", ranks=2, workers=2).stdout, "")

    def test_copies_in_queues_of_openacc(self):
        build(SOURCES / "acc/queued_copies.c", "queued_copies")
        for device in DEVICES:
            for ranks, workers in (1, 1), (3, 2):
                with self.subTest(ranks=ranks, workers=workers, device=device), \
                        unittest.mock.patch.dict(os.environ, device):
                    self.assertEqual(run("./queued_copies", ranks=ranks, workers=workers).stdout, "")

    def test_blocks_of_the_heap_that_ranks_share(self):
        build(SOURCES / "acc/shared_blocks.c", "shared_blocks")
        for device in DEVICES:
            with unittest.mock.patch.dict(os.environ, device):
                for ranks, workers in (1, 1), (2, 2), (5, 2):
                    with self.subTest(ranks=ranks, workers=workers, device=device):
                        self.assertEqual(run("./shared_blocks", ranks=ranks, workers=workers).stdout, "")
        self.assertEqual(on_nodes(2, "--ranks", 2, "./shared_blocks", "copied").stdout, "")
        with unittest.mock.patch.dict(os.environ, {"STRETTO_ACC_SHARE_HEAP": "0", "STRETTO_LOG": "info"}):
            done = run("./shared_blocks", "copied", ranks=3)
            self.assertEqual(done.stdout, "")
            self.assertNotIn("copied, not shared", done.stderr)

    def test_why_a_block_is_copied(self):
        build(SOURCES / "acc/shared_blocks.c", "shared_blocks")
        environment = {"STRETTO_LOG": "info", "STRETTO_ACC_DISCRETE": "1"}
        with unittest.mock.patch.dict(os.environ, environment):
            reported = run("./shared_blocks", ranks=2).stderr
        for reason in ("the sender does not declare it readonly", "the sender's data is not within one block",
                       "the receiver's block is larger than the message", "it has fewer than 64 KiB",
                       "its argument is not the name of a pointer variable", 'assigned from "copied_to"',
                       'the caller has another pointer to what "given" points to', "it is in a queue",
                       "the receive buffer is present on the device"):
            self.assertRegex(reported, f"copied, not shared: [^\n]*{re.escape(reason)}")
        with unittest.mock.patch.dict(os.environ, environment):
            reported = on_nodes(2, "--ranks", 2, "./shared_blocks", "copied").stderr
        self.assertIn("copied, not shared: it comes from another node", reported)
        self.assertIn("copied, not shared: the collective does not block, or is not one of a single node", reported)

    def test_a_report_of_queues_of_openacc_that_wait_for_ever(self):
        build(SOURCES / "acc/no_partner.c", "no_partner")
        for device in DEVICES:
            with self.subTest(device=device), unittest.mock.patch.dict(os.environ, device):
                reported = run("./no_partner", ranks=2, workers=2, code=1).stderr
                self.assertRegex(reported, r"ranks 0-1 +wait at no_partner.c:18 in acc wait\(queue 1: "
                                           r"message at \S*no_partner.c:14, region at \S*no_partner.c:16\)")

    def test_the_example_furnace(self):
        source = SOURCES.parents[1] / "examples/mpi/furnace.cpp"
        build(source, "furnace", "-std=c++20")
        expected = re.findall(r"^//   (rank .*)$", source.read_text(), re.MULTILINE)
        self.assertEqual(len(expected), 3)
        self.assertEqual(sorted(run("./furnace", ranks=4, workers=2).stdout.splitlines()), expected)

    def test_the_examples_with_openacc(self):
        for source in sorted((SOURCES.parents[1] / "examples/acc").glob("*.c")):
            name = source.stem
            build(source, name)
            expected = printed_by(source)
            for ranks, workers, discrete in [(None, None, "0"), (1, 1, "1"), (2, 2, "1"), (3, 2, "0")]:
                with (self.subTest(program=name, ranks=ranks, workers=workers, discrete=discrete),
                      unittest.mock.patch.dict(os.environ, STRETTO_ACC_DISCRETE=discrete)):
                    self.assertEqual(run(f"./{name}", ranks=ranks, workers=workers).stdout, expected)
            with self.subTest(program=name, nodes=2):
                self.assertEqual(on_nodes(2, "--ranks", 2, f"./{name}", workers=2).stdout, expected)
            for discrete in ("0", "1"):
                with (self.subTest(program=name, device="opencl", discrete=discrete),
                      unittest.mock.patch.dict(os.environ, STRETTO_ACC_DEVICE_TYPE="opencl",
                                               STRETTO_ACC_DISCRETE=discrete)):
                    self.assertEqual(run(f"./{name}", ranks=2, workers=2).stdout, expected)
            devices = "sim(in_place)" if name == "hydro" else "sim"  # it has pointers on the device
            with (self.subTest(program=name, device=devices),
                  unittest.mock.patch.dict(os.environ, STRETTO_ACC_DEVICE_TYPE="sim", STRETTO_DEVICES=devices)):
                self.assertEqual(run(f"./{name}", ranks=2, workers=2).stdout, expected)

    def test_arguments_of_the_examples_with_openacc(self):
        for command in ("dgemm 17 times", "himeno XS 3 times", "hydro 20 9 times", "jacobi_forms asynchronous 9 7"):
            name, *arguments = command.split()
            build(SOURCES.parents[1] / f"examples/acc/{name}.c", name)
            with self.subTest(command=command):
                self.assertIn("\ncheck passed: ", run(f"./{name}", *arguments, ranks=2).stdout)
                self.assertIn("usage: ", run(f"./{name}", "0", "0", "0", ranks=2, code=2).stderr)

    def test_directives_that_are_wrong_or_only_shown(self):
        write("wrong.c", "int main(void) {\n  int a[9];\n#pragma acc parallel lop\n"
              "  for (int i = 0; i < 9; ++i) a[i] = i;\n  return a[8] - 8;\n}\n")
        self.assertIn("error O02: the directive \"parallel\" cannot have the clause \"lop\"\n  at          wrong.c:3\n",
                      run(BIN / "stretto-cc", "wrong.c", "-o", "wrong", code=1, ranks=None).stderr)
        write("right.c", (WORK / "wrong.c").read_text().replace("lop", "loop"))
        shown = run(BIN / "stretto-cc", "--acc-show", "right.c", ranks=None).stdout
        self.assertEqual(shown, "right.c:3: parallel loop, line 4\n  - line 4: divided among gangs\n"
                         "  - moved without a clause: copy(a)\n  - OpenCL: a kernel\n  - CUDA: a kernel\n")
        run(BIN / "stretto-cc", "-c", "-MMD", "-MF", "right.d", "right.c", "-o", "right.o", ranks=None)
        self.assertIn("right.o: right.c", (WORK / "right.d").read_text())
        run(BIN / "stretto-cc", "right.o", "-o", "right", ranks=None)
        run("./right", ranks=2)

    def test_random_programs(self):
        run(BIN / "stretto-c++", "-std=c++17", "-O1", "-Wall", "-Wextra",
            SOURCES / "random_programs/random_programs.cpp", "-o", "random_programs")
        count = 2000 if os.environ.get("STRETTO_TEST_LONG") else 40
        for ranks, workers in [(1, 1), (2, 2), (3, 1), (5, 2), (8, 2), (16, 3)]:
            with self.subTest(ranks=ranks, workers=workers):
                first = 1 + 1000 * ranks
                self.assertEqual(run("./random_programs", first, count, ranks=ranks, workers=workers).stdout, "")

    def test_threads_of_cxx_and_of_openmp(self):
        build(write("regions.cpp", """
#include <mpi.h>
#include <cstdio>
#include <thread>
#include <vector>
int main(int argc, char** argv) {
  int provided, rank, size, wrong = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const auto exchange = [&](int tag) {
    int sent = 10 * rank + tag, received = -1, peer = size - 1 - rank;
    MPI_Sendrecv(&sent, 1, MPI_INT, peer, tag, &received, 1, MPI_INT, peer, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return received == 10 * peer + tag ? 0 : 1;
  };
  #pragma omp parallel for num_threads(3) schedule(static, 1) reduction(+ : wrong)
  for (int tag = 0; tag < 3; ++tag) wrong += exchange(tag);
  int of_thread = 1;
  std::thread([&] { of_thread = exchange(3); }).join();
  std::thread([] {}).detach();
  MPI_Finalize();
  return wrong + of_thread;
}
"""), "regions", "-fopenmp")
        for ranks in 1, 2, 5:
            run("./regions", ranks=ranks)
        on_nodes(2, "--ranks", 5, "./regions", workers=None)

    def test_ranks_that_may_start_threads_share_workers_only_if_the_user_says_so(self):
        build(write("may_start.c", """
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
static void* nothing(void* data) { return data; }
int main(int argc, char** argv) {
  pthread_t thread;
  MPI_Init(&argc, &argv);
  if (argc > 1) pthread_create(&thread, 0, nothing, 0);
  MPI_Barrier(MPI_COMM_WORLD);
  printf("%ld\\n", syscall(SYS_gettid));
  MPI_Finalize();
  return 0;
}
"""), "may_start")
        for workers, threads in [(None, 4), (1, 1), (2, 2)]:
            self.assertEqual(len(set(run("./may_start", ranks=4, workers=workers).stdout.split())), threads)
        for workers, threads in [(None, 4), (1, 2)]:
            done = on_nodes(2, "--ranks", 4, "./may_start", workers=workers)
            self.assertEqual(len(set(done.stdout.split())), threads)

    def test_the_programs_of_the_guide(self):
        for name, source in ("mpi-programs", "ring"), ("openacc-programs", "sum"):
            page = (SOURCES / f"../../docs/guide/{name}.md").read_text()
            build(write(f"{source}.c", page.split("```c\n")[1].split("```")[0]), source)
            expected = re.search(rf"STRETTO_RANKS=(\d+) ./{source}\n +(.*)\n", page)
            self.assertEqual(run(f"./{source}", ranks=expected[1]).stdout, expected[2] + "\n")

    def test_the_program_of_the_guide_in_cxx(self):
        page = (SOURCES / "../../docs/guide/openacc-programs.md").read_text()
        build(write("grid.cpp", re.search(r"```cpp\n(#include <mpi.h>.*?)```", page, re.DOTALL)[1]), "grid")
        expected = re.search(r"STRETTO_RANKS=(\d+) ./grid\n +(.*)\n", page)
        for device in DEVICES:
            with self.subTest(device=device), unittest.mock.patch.dict(os.environ, device):
                self.assertEqual(run("./grid", ranks=expected[1]).stdout, expected[2] + "\n")


STRETTO = BIN.parents[1] / "tools/stretto"


def on_nodes(nodes, *command, code=0, workers=1, **more):
    return run(STRETTO, "run", "-n", nodes, *command, code=code, workers=workers, ranks=None, **more)


class Nodes(unittest.TestCase):
    def test_programs_that_check_themselves(self):
        for name in ("messages", "groups_of_ranks", "windows", "window_accesses", "files", "threads"):
            build(SOURCES / f"mpi/{name}.c", f"{name}_of_nodes")
            for nodes, ranks, order in [(2, 2, "blocks"), (2, 5, "blocks"), (3, 7, "cyclic")]:
                with self.subTest(program=name, nodes=nodes, ranks=ranks, order=order):
                    done = on_nodes(nodes, "--ranks", ranks, "--map", order, f"./{name}_of_nodes",
                                    workers=None if name == "threads" else 1)
                    self.assertEqual(done.stdout, "")

    def test_reordered_grids_have_near_ranks_on_one_node(self):
        source = write("near.c", r"""
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int dims[2] = {4, 4}, periods[2] = {0, 0};
  for (int reorder = 0; reorder < 2; ++reorder) {
    MPI_Comm grid, node;
    int lowest, rank, far = 0, all, near[4];
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, reorder, &grid);
    MPI_Comm_rank(grid, &rank);
    MPI_Comm_split_type(grid, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
    MPI_Allreduce(&rank, &lowest, 1, MPI_INT, MPI_MIN, node);
    for (int i = 0; i < 4; ++i) near[i] = lowest;
    MPI_Neighbor_allgather(&lowest, 1, MPI_INT, near, 1, MPI_INT, grid);
    for (int i = 0; i < 4; ++i) far += near[i] != lowest;
    MPI_Reduce(&far, &all, 1, MPI_INT, MPI_SUM, 0, grid);
    if (rank == 0) printf("%d links between nodes\n", all / 2);
  }
  MPI_Finalize();
}
""")
        build(source, "near")
        lines = on_nodes(2, "--ranks", 16, "--map", "cyclic", "./near", workers=2).stdout.splitlines()
        self.assertEqual(lines, ["12 links between nodes", "4 links between nodes"])

    def test_functions_and_mobile_objects_for_other_nodes(self):
        build(SOURCES / "mpi/functions_for_nodes.cpp", "functions_for_nodes", "-std=c++20")
        for nodes, ranks in (1, 3), (2, 2), (2, 6), (3, 12):
            with self.subTest(nodes=nodes, ranks=ranks):
                self.assertEqual(on_nodes(nodes, "--ranks", ranks, "./functions_for_nodes").stdout, "")

    def test_ranks_know_who_shares_their_node(self):
        build(write("shared.c", """
#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
  int rank, all, mine;
  MPI_Comm node;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &mine);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) printf("%d of %d\\n", mine, all);
  MPI_Comm_free(&node);
  MPI_Finalize();
  return 0;
}
"""), "shared")
        self.assertEqual(on_nodes(2, "--ranks-per-node", 3, "./shared").stdout, "3 of 6\n")
        self.assertEqual(on_nodes(2, "./shared").stdout, "1 of 2\n")

    def test_labels_are_those_of_ranks_where_there_are_ranks(self):
        build(write("ready.c", """
#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  puts("ready");
  return MPI_Finalize();
}
"""), "ready")
        labelled = on_nodes(2, "--ranks", 4, "--label", "./ready").stdout.splitlines()
        self.assertEqual(sorted(labelled), [f"[{rank}] ready" for rank in range(4)])
        of_nodes = on_nodes(2, "--label", "./ready").stdout.splitlines()
        self.assertEqual(sorted(of_nodes), ["N0: ready", "N1: ready"])

    def test_ranks_go_on_while_the_monitor_reads_the_calls_in_which_they_wait(self):
        build(write("go_on.c", """
#include <mpi.h>
int main(int argc, char** argv) {
  int rank, sent = 1, got;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; rank < 2 && i < 40000; ++i) {
    const int to_second = rank == i % 2;
    if (i % 3 == 0)
      MPI_Sendrecv(&sent, 1, MPI_INT, 1 - rank, 2, &got, 1, MPI_INT, 1 - rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else if (to_second)
      MPI_Send(&sent, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD);
    else
      MPI_Recv(&got, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
"""), "go_on")
        on_nodes(2, "--ranks", 3, "--map", "cyclic", "./go_on", stuck=0.01)

    def test_abort_ends_all_nodes_with_one_message(self):
        build(write("aborts_there.c", """
#include <mpi.h>
int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 3) MPI_Abort(MPI_COMM_WORLD, 5);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
"""), "aborts_there")
        done = on_nodes(2, "--ranks", 4, "./aborts_there", code=5)
        self.assertEqual(done.stderr, "error R91: rank 3 called MPI_Abort with the code 5\n")


class Output(unittest.TestCase):
    def test_lines_of_ranks_do_not_mix(self):
        build(write("lines.cpp", """
#include <mpi.h>
#include <cstdio>
#include <iostream>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 200; ++i) {
    std::printf("<%d", rank);
    std::cout << ':' << i;
    if (i % 50 == 0) MPI_Barrier(MPI_COMM_WORLD);
    std::puts(">");
  }
  std::printf("end of %d", rank);  // without an end of the line
  MPI_Finalize();
}
"""), "lines")
        out = run("./lines", ranks=6).stdout
        for rank in range(6):
            lines = [f"<{rank}:{i}>" for i in range(200)]
            self.assertEqual([line for line in out.splitlines() if line.startswith(f"<{rank}:")], lines)
            self.assertIn(f"end of {rank}", out)


class Wandering(unittest.TestCase):
    def test_another_worker_takes_the_ranks_of_one_that_computes(self):
        build(write("computes.c", """
#include <mpi.h>
int main(int argc, char** argv) {
  int rank;
  volatile int* flags;
  MPI_Win window;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate_shared(sizeof *flags, sizeof *flags, MPI_INFO_NULL, MPI_COMM_WORLD, &flags, &window);
  *flags = 0;
  for (int turn = 1; turn <= 20; ++turn) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == turn % 4) {  // computes until each other rank has run
      for (int other = 0; other < 4; ++other) {
        MPI_Aint bytes;
        int unit;
        volatile int* of_other;
        MPI_Win_shared_query(window, other, &bytes, &unit, &of_other);
        while (other != rank && *of_other < turn) continue;
      }
    }
    *flags = turn;
  }
  MPI_Win_free(&window);
  return MPI_Finalize();
}
"""), "computes")
        with_variable = dict(os.environ, STRETTO_RANKS="4", STRETTO_WORKERS="2", STRETTO_RANKS_WANDER="1")
        done = subprocess.run(["./computes"], cwd=WORK, env=with_variable, timeout=SECONDS, capture_output=True)
        self.assertEqual(done.returncode, 0, done)

    def test_programs_that_check_themselves(self):
        for name in "messages", "window_accesses", "files", "busy_loops":
            build(SOURCES / f"mpi/{name}.c", f"{name}_wandering")
            with self.subTest(program=name):
                command = [STRETTO, "run", "--ranks", 7, "--ranks-wander", f"./{name}_wandering"]
                self.assertEqual(run(*command, workers=2).stdout, "")

    def test_programs_whose_ranks_must_stay(self):
        reasons = {
            "static _Thread_local int kept; ++kept;": "stays has thread-local variables, which stay with a thread",
            "MPI_Op_free((MPI_Op[]){MPI_OP_NULL}); MPI_Op_create(0, 1, 0);":
                "stays gives MPI functions of its own, which run on a rank's worker",
            "pthread_t t; pthread_create(&t, 0, 0, 0);": "stays starts threads, which belong to a rank's worker",
        }
        for statement, reason in reasons.items():
            text = f"#include <mpi.h>\n#include <pthread.h>\nint main(void) {{ {statement} return 0; }}\n"
            build(write("stays.c", text), "stays")
            with self.subTest(reason=reason):
                said = run(STRETTO, "run", "--ranks", 2, "--ranks-wander", "./stays", code=1).stderr
                self.assertIn(f"""error R96: the ranks of "{WORK}/stays" cannot wander from worker to worker
  because     {reason}
""", said)


class Placement(unittest.TestCase):
    """Ranks on one worker run on one thread."""

    @classmethod
    def setUpClass(cls):
        build(write("placed.c", """
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char** argv) {
  int rank, size, all[64][2];
  cpu_set_t allowed;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  sched_getaffinity(0, sizeof allowed, &allowed);
  int mine[2] = {gettid(), CPU_COUNT(&allowed) == 1 ? CPU_ISSET(1, &allowed) : -1};
  MPI_Gather(mine, 2, MPI_INT, all, 2, MPI_INT, 0, MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && i < size; ++i) printf("%d %d\\n", all[i][0], all[i][1]);
  return MPI_Finalize();
}
"""), "placed")

    def workers(self, ranks, *options, workers=2, **variables):
        """The worker of each rank, as the lowest rank there, and the core that it is bound to."""
        with unittest.mock.patch.dict(os.environ, variables):
            said = run(STRETTO, "run", "--ranks", ranks, *options, "./placed", workers=workers).stdout
        lines = [line.split() for line in said.splitlines()]
        threads = [thread for thread, _ in lines]
        return [threads.index(one) for one in threads], [int(core) for _, core in lines]

    def test_consecutive_ranks_share_a_worker(self):
        for options in [], ["--map", "slot"], ["--map", "blocks"], ["--map", "node"], ["--map", "numa"]:
            with self.subTest(options=options):
                self.assertEqual(self.workers(5, *options)[0], [0, 0, 0, 3, 3])

    def test_consecutive_ranks_are_on_consecutive_workers(self):
        self.assertEqual(self.workers(5, "--map", "core")[0], [0, 1, 0, 1, 0])

    def test_consecutive_ranks_are_on_consecutive_domains_to_which_their_workers_are_bound(self):
        run(STRETTO, "platform", "--synthetic", "numa:2 core:1 pu:1", "--write", "two_domains.json")
        machine = {"STRETTO_PLATFORM": str(WORK / "two_domains.json")}
        has_cores = {0, 1} <= os.sched_getaffinity(0)
        for order, expected in ("numa", [0, 1, 0, 1]), ("slot", [0, 0, 2, 2]):
            with self.subTest(order=order):
                shared, cores = self.workers(4, "--map", order, **machine)
                self.assertEqual(shared, expected)
                if has_cores:
                    self.assertEqual(cores, [0 if one == 0 else 1 for one in expected])

    def test_an_order_that_there_is_not(self):
        said = run(STRETTO, "run", "--ranks", 2, "--map", "nmua", "./placed", code=2).stderr
        self.assertIn('error W53: --map cannot be "nmua"\n', said)
        self.assertIn('did you mean "numa"?', said)
        with unittest.mock.patch.dict(os.environ, STRETTO_RANKS_MAP="nmua"):
            said = run("./placed", ranks=2, code=1).stderr
        self.assertIn("""error R95: STRETTO_RANKS_MAP is "nmua"
  because     consecutive ranks share a worker (slot) or are on the next worker (core), domain (numa) or node (node)
  try         did you mean "numa"?
""", said)


class SystemCalls(unittest.TestCase):
    """Rank 0 waits in read for a byte that rank 1 writes."""

    @classmethod
    def setUpClass(cls):
        cls.source = write("pipe.c", """
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char** argv) {
  int rank, ends[2];
  char byte = 'x';
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0 && pipe(ends) != 0) return 1;
  MPI_Bcast(ends, 2, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Send(&byte, 1, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    if (read(ends[0], &byte, 1) != 1) return 2;
  }
  if (rank == 1) {
    MPI_Recv(&byte, 1, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (write(ends[1], &byte, 1) != 1) return 3;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) puts("done");
  return MPI_Finalize();
}
""")
        build(cls.source, "pipe")

    def test_a_rank_that_blocks_its_worker_is_reported_once(self):
        line = 1 + next(i for i, text in enumerate(self.source.read_text().splitlines()) if "read(ends[0]" in text)
        variables = dict(os.environ, STRETTO_RANKS="3", STRETTO_WORKERS="1", STRETTO_STUCK="3")
        with subprocess.Popen(["./pipe"], cwd=WORK, env=variables, stderr=subprocess.PIPE, text=True) as job:
            limit = threading.Timer(SECONDS, job.kill)
            limit.start()
            said = ""
            while "error H10" not in said and (line_read := job.stderr.readline()):  # no progress: rank 1 never writes
                said += line_read
            limit.cancel()
            job.kill()
        self.assertEqual(said.count("warning R19"), 1, said)
        self.assertIn("warning R19: rank 0 blocks its worker in read\n", said)
        self.assertIn(f"  at          pipe.c:{line}\n", said)
        self.assertRegex(said, r"  waiting     \d ranks? or tasks? on worker 0, ready to run\n")

    def test_a_spare_thread_runs_the_ranks_of_a_worker_that_blocks(self):
        command = [STRETTO, "run", "--ranks", 3, "--ranks-spare"]
        done = run(*command, 1, "./pipe", workers=1)
        self.assertEqual(done.stdout, "done\n")
        self.assertNotIn("R19", done.stderr)
        said = run(*command, "many", "./pipe", code=1).stderr
        self.assertIn("""error R89: STRETTO_RANKS_SPARE is "many"
  because     it is the number of spare threads, from 0 to 1000
""", said)

    def test_spare_threads_that_come_and_go_while_ranks_nap_and_send(self):
        build(write("naps.c", """
#include <mpi.h>
#include <unistd.h>
int main(int argc, char** argv) {
  int rank, size, sum, turn;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (turn = 0; turn < 60; ++turn) {
    if (turn % size == rank && usleep(turn % 2 ? 60000 : 15000) != 0) return 1;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (sum != size * (size - 1) / 2) return 2;
  }
  return MPI_Finalize();
}
"""), "naps")
        for workers in 1, 2:
            run(STRETTO, "run", "--ranks", 7, "--ranks-spare", 2, "./naps", workers=workers)
        build(SOURCES / "mpi/busy_loops.c", "busy_loops_spare")
        run(STRETTO, "run", "--ranks", 5, "--ranks-spare", 2, "./busy_loops_spare", workers=2)

    def test_a_program_whose_ranks_cannot_move(self):
        build(write("kept.c", "#include <mpi.h>\nstatic _Thread_local int kept;\nint main(void) { return kept++; }\n"),
              "kept")
        said = run(STRETTO, "run", "--ranks", 2, "--ranks-spare", 1, "./kept", code=1).stderr
        self.assertIn(f"""error R96: the ranks of "{WORK}/kept" cannot move to spare threads
  because     kept has thread-local variables, which stay with a thread
  try         leave out --ranks-spare and STRETTO_RANKS_SPARE: then each rank stays on one worker
""", said)

    def test_a_rank_with_a_worker_of_its_own_disturbs_no_other(self):
        self.assertEqual(run("./pipe", ranks=3, workers=3).stdout, "done\n")


class Processes(unittest.TestCase):
    def test_the_file_and_the_arguments_of_the_process_are_those_of_the_program(self):
        build(write("own_file.cpp", """
#include <mpi.h>
#include <climits>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <unistd.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  char link[PATH_MAX] = {}, real[PATH_MAX] = {};
  std::string words, word;
  if (readlink("/proc/self/exe", link, sizeof link - 1) < 0 || !realpath("/proc/self/exe", real)) return 1;
  std::ifstream arguments("/proc/self/cmdline");
  while (std::getline(arguments, word, '\\0')) words += word + ' ';
  for (const std::string path : {std::string(link), std::string(real),
                                 std::filesystem::canonical("/proc/self/exe").string(),
                                 std::filesystem::read_symlink("/proc/" + std::to_string(getpid()) + "/exe").string()})
    std::cout << path << '\\n';
  std::cout << argv[0] << ", " << words << '\\n';
  char none[4] = {};
  std::cout << readlink("/proc/self/exe", none, 3) << none << ", " << readlink("own_file", none, 3) << '\\n';
  MPI_Finalize();
}
"""), "own_file", "-std=c++17")
        done = run("./own_file", "one", "two", ranks=2, workers=1).stdout.splitlines()
        expected = [str((WORK / "own_file").resolve())] * 4
        expected += ["./own_file, ./own_file one two ", f"3{str(WORK)[:3]}, -1"]
        self.assertEqual(sorted(done), sorted(2 * expected))

    def test_processes_that_a_rank_starts_have_its_environment(self):
        build(write("starts.c", """
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char** argv) {
  int rank, status;
  char line[64] = "";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  setenv("COLOUR", rank ? "green" : "red", 1);
  if (system("echo system $COLOUR") != 0) return 1;
  FILE* const from = popen("echo popen $COLOUR", "r");
  if (fgets(line, sizeof line, from)) fputs(line, stdout);
  if (pclose(from) != 0) return 2;
  FILE* const to = popen("read word && exit $word", "w");
  fputs("5\\n", to);
  if (WEXITSTATUS(pclose(to)) != 5) return 3;
  const char* const command = "echo exec $COLOUR $0";
  for (int which = 0; which < 3; ++which) {
    char* const words[] = {"sh", "-c", (char*)command, "v", NULL};
    const pid_t child = fork();
    if (child == 0) {
      if (which == 0) execl("/bin/sh", "sh", "-c", command, "l", (char*)NULL);
      if (which == 1) execlp("sh", "sh", "-c", command, "lp", (char*)NULL);
      if (which == 2) execvp("sh", words);
      _exit(9);
    }
    waitpid(child, &status, 0);
    if (status) return 4;
  }
  MPI_Finalize();
  return 0;
}
"""), "starts")
        done = run("./starts", ranks=2, workers=2).stdout.splitlines()
        kinds = ["system {}", "popen {}", "exec {} l", "exec {} lp", "exec {} v"]
        self.assertEqual(sorted(done), sorted(k.format(c) for k in kinds for c in ("red", "green")))

    def test_a_program_that_starts_itself_again_is_one_rank(self):
        build(write("again.c", """
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char** argv) {
  int rank, size, status = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  printf("%s: %d of %d\\n", argv[0], rank, size);
  const pid_t child = size > 1 ? fork() : -1;
  if (child == 0) {
    execl(rank ? "./again" : "/proc/self/exe", rank ? "by path" : "by link", (char*)NULL);
    _exit(9);
  }
  if (size > 1) waitpid(child, &status, 0);
  MPI_Finalize();
  return status != 0;
}
"""), "again")
        expected = sorted(["./again: 0 of 2", "./again: 1 of 2", "by path: 0 of 1", "by link: 0 of 1"])
        self.assertEqual(sorted(run("./again", ranks=2, workers=1).stdout.splitlines()), expected)
        nodes = on_nodes(2, "--ranks", 2, "./again").stdout.splitlines()
        self.assertEqual(sorted(nodes), expected)


class Ends(unittest.TestCase):
    def test_exit_codes(self):
        build(write("codes.c", """
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Finalize();
  if (rank == 2) exit(7);
  return 0;
}
"""), "codes")
        run("./codes", ranks=2)
        run("./codes", ranks=4, code=7)

    def test_abort_ends_ranks_that_wait(self):
        build(write("aborts.c", """
#include <mpi.h>
int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1) MPI_Abort(MPI_COMM_WORLD, 5);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
"""), "aborts")
        said = run("./aborts", ranks=3, code=5).stderr
        self.assertEqual(said, "error R91: rank 1 called MPI_Abort with the code 5\n")

    def test_a_rank_that_ends_without_finalize_ends_the_job(self):
        build(write("leaves.c", """
#include <mpi.h>
int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 2) return 3;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
"""), "leaves")
        self.assertEqual(run("./leaves", ranks=4, code=3).stderr,
                         "error R93: rank 2 ended without MPI_Finalize, with the exit code 3\n")

    def test_an_error_names_the_rank_the_call_and_the_reason(self):
        build(write("truncates.c", """
#include <mpi.h>
int main(int argc, char** argv) {
  int rank, data[4] = {0};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) MPI_Send(data, 4, MPI_INT, 1, 7, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(data, 2, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
"""), "truncates")
        done = run("./truncates", ranks=2, code=15)
        self.assertEqual(done.stderr, """error R90: MPI_Recv failed in rank 1
  call        MPI_Recv(from rank 0, tag 7, 2 of MPI_INT, MPI_COMM_WORLD) at truncates.c:8
  class       MPI_ERR_TRUNCATE: the message is longer than the receive buffer
  because     the message from rank 0 with tag 7 has 16 bytes, the receive buffer 8
  try         MPI_Comm_set_errhandler with MPI_ERRORS_RETURN gives the error as the function's result
""")

    def test_a_program_for_mpich(self):
        build(write("mpich.c", """
extern int MPI_Init(int*, char***);
extern int MPI_Comm_rank(int, int*);
int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  return MPI_Comm_rank(0x44000000, &rank);
}
"""), "mpich")
        page = (SOURCES / "../../docs/errors/R82.md").read_text()
        self.assertEqual(run("./mpich", code=1).stderr, page.split("```\n")[3])

    def test_a_number_of_ranks_that_is_none(self):
        build(write("empty.c", "int main(void) { return 0; }\n"), "empty")
        done = subprocess.run(["./empty"], capture_output=True, text=True, cwd=WORK,
                              env=dict(os.environ, STRETTO_RANKS="many"))
        self.assertEqual(done.returncode, 1)
        self.assertIn('error R89: STRETTO_RANKS is "many"\n', done.stderr)


if __name__ == "__main__":
    WORK.mkdir(parents=True, exist_ok=True)
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
