// node_ends.cpp - ranks of several nodes: a rank of node 1, or all, end in a wrong way, one for each first argument.
#include <mpi.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

int* volatile nowhere = nullptr;

/// Each rank calls it.
void end_all(const char* which) {
  int data = 0;
  if (!std::strcmp(which, "ready")) std::puts("ready"), std::fflush(stdout), sleep(600);
  if (!std::strcmp(which, "all_abort")) MPI_Abort(MPI_COMM_WORLD, 6);
  if (!std::strcmp(which, "all_wrong_calls")) MPI_Bcast(&data, 1, MPI_INT, 1000, MPI_COMM_WORLD);
}

void end_rank(const char* which) {
  int data = 0;
  if (!std::strcmp(which, "killed")) kill(getpid(), SIGKILL);
  if (!std::strcmp(which, "process_exit")) syscall(SYS_exit_group, 3);  // no function of the C library sees it
  if (!std::strcmp(which, "crash")) *nowhere = 1;
  if (!std::strcmp(which, "exception")) throw 5;
  if (!std::strcmp(which, "mpi_abort")) MPI_Abort(MPI_COMM_WORLD, 6);
  if (!std::strcmp(which, "wrong_call")) MPI_Send(&data, 1, MPI_INT, 1000, 0, MPI_COMM_WORLD);
}

}  // namespace

int main(int argc, char** argv) {
  int rank = 0, size = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* const which = argc > 1 ? argv[1] : "";
  MPI_Barrier(MPI_COMM_WORLD);  // all nodes have started
  end_all(which);
  const int first_of_node_1 = size == 4 ? 2 : 1;
  if (rank == first_of_node_1) {
    end_rank(which);
    if (!std::strcmp(which, "return")) return 4;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  std::puts("not reached");
  MPI_Finalize();
}
