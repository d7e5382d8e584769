// job.hpp - jobs: this node's number, the number of nodes, and simulated jobs of several nodes in one process.
//
// Under a launcher (`stretto run`, mpirun, srun), each process is a node, connected by MPI. A simulated job consists of
// several runtimes in one process on a simulated network with delays from a seed. It serves to try, test and debug
// programs for a cluster.
//
//     void run_on_four_simulated_nodes() {
//       simulated_job job({.nodes = 4, .seed = 7});
//       std::vector<std::thread> all;
//       for (std::uint32_t n = 0; n < 4; ++n)
//         all.emplace_back([&, n] {
//           runtime rt({.workers = 1, .job = job.endpoint(n)});
//           rt.run([] { std::printf("node %u of %u\n", this_node(), job_nodes()); });
//         });
//       for (std::thread& node : all) node.join();
//     }
//
// Every node makes one runtime for the job. Its destructor waits for the other nodes: it returns once no task runs on
// any node and no message is under way.
//
// Threads     any thread may use a simulated_job.
#pragma once

#include <stretto/compiler.hpp>

#include <cstdint>
#include <memory>
#include <source_location>

STRETTO_API_BEGIN

namespace stretto {

/// One node's membership in a job, for runtime_options::job. Valid for one runtime.
class job_endpoint {
 public:
  virtual ~job_endpoint() = default;
};

/// The parameters of a simulated network. Its time is counted, not waited for; see simulated_job::seconds().
struct simulated_network {
  std::uint32_t nodes = 2;                   // 1 to 4096
  std::uint64_t seed = 1;                    // of delays, and so of the order of messages
  double latency_seconds = 1e-6;             // of a message
  double jitter_seconds = 2e-6;              // largest additional delay
  double bandwidth_bytes_per_second = 1e10;  // between two nodes, each way
};

/// A job of several nodes in one process, which send their messages over a simulated network. A handle: copies name the
/// same job.
class simulated_job {
 public:
  /// Creates the job. Throws N12 for invalid parameters, S08 if the process has too many runtimes.
  explicit simulated_job(const simulated_network& network = {},
                         std::source_location where = std::source_location::current());

  /// The number of nodes of the job.
  std::uint32_t nodes() const noexcept;
  /// The membership of a node, for its runtime. Throws N02 if there is no such node, N11 if it was taken before.
  std::shared_ptr<job_endpoint> endpoint(std::uint32_t node) const;

  /// Drops all messages between the two nodes from now on. Throws N02.
  void cut(std::uint32_t one, std::uint32_t other) const;
  /// Makes a node fail: the others can no longer reach it. Throws N02.
  void kill(std::uint32_t node) const;
  /// The simulated time since the start, in seconds. Never throws.
  double seconds() const;

 private:
  struct state;
  struct simulated_endpoint;
  std::shared_ptr<state> state_;
};

/// The number of the caller's node in its job; 0 without a job, unless it is a dry run (option dry_nodes). As MPI's
/// rank. Throws B20 on a thread of no runtime.
std::uint32_t this_node();
/// The number of nodes of the caller's job; 1 without a job, unless it is a dry run. As MPI's size. Throws B20 on a
/// thread of no runtime.
std::uint32_t job_nodes();

}  // namespace stretto

STRETTO_API_END
