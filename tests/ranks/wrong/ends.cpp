// ends.cpp - ranks that end in wrong ways, one for each first argument.
#include <mpi.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <stdexcept>

namespace {

volatile int sink;
int* volatile nowhere = nullptr;

void crash() { *nowhere = 1; }

int overflow(int depth) {
  volatile char space[4096];
  space[depth % 4096] = 1;
  return overflow(depth + 1) + space[0];
}

void fork_child() {
  const pid_t child = fork();
  if (child == 0) {
    std::printf("child\n");
    std::exit(9);
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::printf("the child ended with %d\n", WEXITSTATUS(status));
}

}  // namespace

int main(int argc, char** argv) {
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const char* const which = argc > 1 ? argv[1] : "";
  if (rank == 1) {
    std::fprintf(stderr, "unfinished ");
    if (!std::strcmp(which, "crash")) crash();
    if (!std::strcmp(which, "crash_in_call"))
      MPI_Send(reinterpret_cast<void*>(8192), 400, MPI_INT, 0, 1, MPI_COMM_WORLD);
    if (!std::strcmp(which, "overflow")) sink = overflow(0);
    if (!std::strcmp(which, "exception")) throw std::runtime_error("no plate");
    if (!std::strcmp(which, "return")) return 0;
    if (!std::strcmp(which, "exit")) std::exit(4);
    if (!std::strcmp(which, "abort")) std::abort();
    if (!std::strcmp(which, "mpi_abort")) MPI_Abort(MPI_COMM_WORLD, 6);
    if (!std::strcmp(which, "fork")) fork_child();
    if (!std::strcmp(which, "sleep")) sleep(3);
    std::fprintf(stderr, "line\n");
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
}
