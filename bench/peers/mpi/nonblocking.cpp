// nonblocking.cpp - Task Bench as an MPI program: no tasks, a loop over steps, messages between
// neighbours.
//
// Points are assigned to ranks in blocks. A rank posts the receives of the next step, runs its points
// of this step in order, each once its own messages are there, and sends at once what others need;
// it waits for nothing else. As in the public benchmark, every dependence between two ranks is one
// message.
//
// Threads     one per rank; `workers` is the number of ranks, which mpirun decides.

#include <mpi.h>

#include "messages.hpp"
#include "taskbench/task.hpp"

namespace {

using taskbench::stamp;

class rank_program {
 public:
  rank_program(const taskbench::graph& g, int rank, int ranks)
      : g_(g), rank_(rank), ranks_(ranks), first_(owner_first(rank)), last_(owner_first(rank + 1)) {
    for (side& s : sides_) {
      s.out.resize(g.is().width);
      s.in.resize(g.is().width);
      s.arrivals.resize(g.is().width);
      for (long p = first_; p < last_; ++p) s.in[p].resize(g.max_inputs());
    }
    from_.resize(g.max_inputs());
  }

  void run(long iterations) {
    post_receives(0);
    for (long t = 0; t < g_.is().steps; ++t) {
      post_receives(t + 1);
      side& now = sides_[t % 2];
      wait(now.departures);
      for (long p = std::max(first_, g_.first(t)); p < std::min(last_, g_.first(t) + g_.width(t)); ++p)
        run_point(now, sides_[(t + 1) % 2], t, p, iterations);
    }
    for (side& s : sides_) wait(s.departures);
  }

 private:
  struct side {  // of even or of odd steps
    std::vector<stamp> out;
    std::vector<std::vector<stamp>> in;              // by point and input, where it comes from another rank
    std::vector<std::vector<MPI_Request>> arrivals;  // by point
    std::vector<MPI_Request> departures;
  };

  // The first point p with p * ranks / width >= rank; the inverse of owner().
  long owner_first(long rank) const { return (rank * g_.is().width + ranks_ - 1) / ranks_; }
  int owner(long p) const { return static_cast<int>(p * ranks_ / g_.is().width); }
  int tag(long from, long to) const { return static_cast<int>(from * g_.is().width + to); }

  static void wait(std::vector<MPI_Request>& all) {
    if (!all.empty()) MPI_Waitall(static_cast<int>(all.size()), all.data(), MPI_STATUSES_IGNORE);
    all.clear();
  }

  void post_receives(long t) {
    side& s = sides_[t % 2];
    for (long p = std::max(first_, g_.first(t)); p < std::min(last_, g_.first(t) + g_.width(t)); ++p) {
      const std::span<const long> needed = g_.inputs(t, p);
      for (std::size_t i = 0; i < needed.size(); ++i)
        if (const int source = owner(needed[i]); source != rank_)
          MPI_Irecv(&s.in[p][i], sizeof(stamp), MPI_BYTE, source, tag(needed[i], p), MPI_COMM_WORLD,
                    &s.arrivals[p].emplace_back());
    }
  }

  void run_point(side& now, const side& before, long t, long p, long iterations) {
    wait(now.arrivals[p]);
    const std::span<const long> needed = g_.inputs(t, p);
    for (std::size_t i = 0; i < needed.size(); ++i)
      from_[i] = owner(needed[i]) == rank_ ? &before.out[needed[i]] : &now.in[p][i];
    taskbench::run_task(g_, t, p, {from_.data(), needed.size()}, &now.out[p], iterations);
    for (long q : g_.outputs(t, p))
      if (const int target = owner(q); target != rank_)
        MPI_Isend(&now.out[p], sizeof(stamp), MPI_BYTE, target, tag(p, q), MPI_COMM_WORLD,
                  &now.departures.emplace_back());
  }

  const taskbench::graph& g_;
  const int rank_;
  const int ranks_;
  const long first_;
  const long last_;
  side sides_[2];
  std::vector<const stamp*> from_;
};

bench::outcome time_taskbench(const bench::options& o) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks != o.workers)
    throw bench::unsupported("start as many ranks as workers: mpirun -np " + std::to_string(o.workers));
  const taskbench::graph g = taskbench::graph_of(o);
  rank_program mine(g, rank, ranks);
  MPI_Barrier(MPI_COMM_WORLD);
  const bench::stopwatch clock;
  mine.run(o.iteration());
  MPI_Barrier(MPI_COMM_WORLD);
  return taskbench::report(g, o, clock.seconds());
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const bench::program mpi{
      .system = "mpi",
      .entries = {{"taskbench", "us/task", bench::better::lower, 0, time_taskbench},
                  {"nodes_latency", "us one way", bench::better::lower, 8, time_nodes_latency},
                  {"nodes_pingpong", "us one way", bench::better::lower, 8, time_nodes_pingpong},
                  {"nodes_migration", "us", bench::better::lower, 8, time_nodes_latency},
                  {"nodes_put", "us one way", bench::better::lower, 8, time_nodes_latency},
                  {"nodes_put_device", "us one way", bench::better::lower, 8, time_nodes_staged},
                  {"nodes_put_device_cuda", "us one way", bench::better::lower, 8, time_nodes_staged_by_cuda},
                  {"nodes_flood", "Mmessages/s", bench::better::higher, 8, count_nodes_flood},
                  {"nodes_histogram", "ns/value", bench::better::lower, 1 << 14, time_nodes_histogram},
                  {"nodes_histogram_accumulate", "ns/value", bench::better::lower, 1 << 14,
                   time_nodes_histogram_accumulate},
                  {"nodes_heat", "Mcells/s", bench::better::higher, 96, count_nodes_heat},
                  {"nodes_jacobi_weak", "Mcells/s", bench::better::higher, 48, count_nodes_jacobi_weak},
                  {"nodes_jacobi", "Mcells/s", bench::better::higher, 96, count_nodes_jacobi}},
      .agree =
          [](bool mine) {
            int said = mine;
            MPI_Bcast(&said, 1, MPI_INT, 0, MPI_COMM_WORLD);
            return said != 0;
          },
      .out = rank == 0 ? stdout : nullptr};
  const int code = bench::run(mpi, argc, argv);
  MPI_Finalize();
  return code;
}
