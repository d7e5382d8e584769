// module.cpp - messages between two processes through futures of the MPI module, each with a runtime of one worker.
//
// Threads     one worker per process, which mpirun decides.
#include <stretto_mpi/mpi.hpp>

#include <stretto/stretto.hpp>

#include <cstdlib>
#include <memory>
#include <span>

#include "peers/module/jacobi_opencl.hpp"

namespace {

std::shared_ptr<stretto::mpi_module> net;
std::unique_ptr<stretto::runtime> rt;

/// A message there and one back, again and again; half of that is one way. Each is received by a future and waited for.
bench::outcome time_pingpong(const bench::options& o) {
  const long turns = 50 * o.steps;
  double seconds = 0;
  rt->run([&] {
    const auto world = net->world();
    if (world.size() != 2) throw bench::unsupported("start two processes: mpirun -np 2");
    const int other = 1 - world.rank();
    const bool begins = world.rank() == 0;
    double sent = 1, sum = 0;
    const std::span<const double> out(&sent, 1);
    world.barrier();
    const bench::stopwatch clock;
    for (long i = 0; i < turns; ++i) {
      stretto::future<void> gone;
      if (begins) gone = world.isend(out, other);
      sum += world.irecv<double>(other, 0).get();
      if (!begins) gone = world.isend(out, other);
      gone.get();
    }
    seconds = clock.seconds();
    if (sum != static_cast<double>(turns)) throw bench::wrong_answer("messages were lost");
  });
  return {.value = seconds * 1e6 / (2.0 * static_cast<double>(turns))};
}

}  // namespace

int main(int argc, char** argv) {
  setenv("STRETTO_JOB", "alone", 1);
  int provided = 0, rank = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  net = std::make_shared<stretto::mpi_module>();
  rt = std::make_unique<stretto::runtime>(stretto::runtime_options{.workers = 1, .modules = {net}});
  const bench::program system{
      .system = "stretto_module",
      .entries = {{"nodes_pingpong", "us one way", bench::better::lower, 8, time_pingpong},
                  {"nodes_jacobi_device", "Mcells/s", bench::better::higher, 96, count_cells_on_devices}},
      .out = rank == 0 ? stdout : nullptr};
  const int code = bench::run(system, argc, argv);
  rt.reset();
  MPI_Finalize();
  return code;
}
