// job.hpp - the nodes that run one program together: which one this is, how many there are; and jobs within one
// process.
//
// Under a launcher (`stretto run`, mpirun, srun) each process is a node, joined by MPI. A job may also consist of
// runtimes of one process on a simulated network, with delays and losses from a seed: to try, test and debug what is
// meant for a cluster.
//
//     simulated_job job({.nodes = 4, .seed = 7});
//     std::vector<std::thread> all;
//     for (std::uint32_t n = 0; n < 4; ++n)
//       all.emplace_back([&, n] {
//         runtime rt({.workers = 1, .job = job.seat(n)});
//         rt.run(program);
//       });
//
// Every node makes one runtime for the job, and destroying it waits for the others: it returns once nothing runs on any
// node and no message is under way.
//
// Threads     a simulated_job: any.
#pragma once

#include <stretto/compiler.hpp>

#include <cstdint>
#include <memory>
#include <source_location>

STRETTO_API_BEGIN

namespace stretto {

/// What runtime_options::job takes: one node's part in a job. Good for one runtime.
class job_seat {
 public:
  virtual ~job_seat() = default;
};

/// A network that is not there. Time is counted, not waited for; see `seconds`.
struct simulated_network {
  std::uint32_t nodes = 2;                   // 1 to 4096
  std::uint64_t seed = 1;                    // of delays, and so of who comes first
  double latency_seconds = 1e-6;             // of a message
  double jitter_seconds = 2e-6;              // at most as much more
  double bandwidth_bytes_per_second = 1e10;  // between two nodes, each way
};

/// A job of several nodes within one process, which send their messages over a simulated network.
class simulated_job {
 public:
  /// Throws N12 for what no network can be.
  explicit simulated_job(const simulated_network& network = {},
                         std::source_location where = std::source_location::current());

  /// How many nodes the job has.
  std::uint32_t nodes() const noexcept;
  /// Each once. Throws N02 if there is no such node, N11 if it was given out.
  std::shared_ptr<job_seat> seat(std::uint32_t node) const;

  /// No message passes between the two nodes from now on.
  void cut(std::uint32_t one, std::uint32_t other) const;
  /// The node is lost to all others.
  void kill(std::uint32_t node) const;
  /// Counted since the start.
  double seconds() const;

 private:
  struct state;
  struct simulated_seat;
  std::shared_ptr<state> state_;
};

/// Number of the caller's node in its job, and how many there are: 0 and 1 in a runtime that is alone, unless it is a
/// dry run (option dry_run). Throws B20 on a thread of no runtime.
std::uint32_t this_node();
/// The number of nodes of the job; 1 in a runtime that is alone. Throws B20 on a thread of no runtime.
std::uint32_t job_nodes();

}  // namespace stretto

STRETTO_API_END
