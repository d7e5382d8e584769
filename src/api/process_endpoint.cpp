#include "api/process_endpoint.hpp"

#include <stretto/error.hpp>

#include "base/kept_heap.hpp"
#include "base/node_numbers.hpp"
#include "net/mpi/mpi_library.hpp"
#include "net/mpi/mpi_transport.hpp"

namespace stretto {
namespace {

/// The endpoint of a process that a launcher started, or that option job makes join by MPI.
class mpi_endpoint final : public dist::endpoint {
 public:
  mpi_endpoint(const net::mpi::launch_environment& here, const base::settings& s)
      : calls_(net::mpi::load(here, net::mpi::library_folders(s.mpi_folder))),
        level_(level_of(s.mpi_threads, here)),
        lane_memory_(s.lane_memory) {
    // Claims the maximum: the number of processes is known only after MPI has started.
    if (!base::claim_node_numbers(first(), most_processes)) {
      throw error("N14", "this process already has a runtime in the launched job")
          .because("each process is one node of the job that its launcher started")
          .remedy("give another runtime the option job = an endpoint of a simulated_job, or set STRETTO_JOB=alone");
    }
    base::keep_heap(s.kept_heap);  // messages allocate and free their arguments all the time
  }
  ~mpi_endpoint() override { base::release_node_numbers(first(), most_processes); }

  std::uint16_t first() const noexcept override { return base::first_process_node_number; }
  std::unique_ptr<net::transport> join(net::handlers& all) override {
    return net::mpi::make(calls_, all, level_, lane_memory_);
  }

 private:
  static net::mpi::threads level_of(base::mpi_level l, const net::mpi::launch_environment& here) noexcept {
    switch (l) {
      case base::mpi_level::funneled: return net::mpi::threads::funneled;
      case base::mpi_level::serialized: return net::mpi::threads::serialized;
      case base::mpi_level::multiple: return net::mpi::threads::multiple;
      // A program that is linked with MPI may block in a call, while its other threads send what that call waits for on
      // another node.
      case base::mpi_level::automatic:
        return here.program.empty() ? net::mpi::threads::serialized : net::mpi::threads::multiple;
    }
    return net::mpi::threads::serialized;
  }

  static constexpr std::uint32_t most_processes = 0x2000;
  const net::mpi::calls& calls_;
  const net::mpi::threads level_;
  const std::uint64_t lane_memory_;
};

}  // namespace

std::shared_ptr<dist::endpoint> endpoint_of_process(const base::settings& s) {
  if (s.job == base::job_mode::alone) return nullptr;
  const net::mpi::launch_environment here = net::mpi::detect_launch_environment();
  if (s.job == base::job_mode::automatic) {
    if (here.launched == 1) return nullptr;
    check_bootstrap(here);
  }
  try {
    return std::make_shared<mpi_endpoint>(here, s);
  } catch (error& e) {
    if (e.code() == "N08" && s.job == base::job_mode::automatic)
      e.fact("or",
             "with STRETTO_JOB=alone each of the " + std::to_string(here.launched) + " processes is a job of its own");
    throw;
  }
}

}  // namespace stretto
