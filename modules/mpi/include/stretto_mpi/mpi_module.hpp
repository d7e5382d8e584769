// mpi_module.hpp - MPI as a module: its calls are functions that return futures, polled together while something is
// pending.
//
// MPI may have been started by the program, by the job that the runtime is a node of, or by nobody: then the module
// starts it, and ends it when the runtime ends. With MPI_THREAD_MULTIPLE and SERIALIZED any worker calls MPI; with
// FUNNELED the one worker that has the `interconnect` place on its paths does, between its other tasks, for all.
//
// Threads     world, on: any.
// Cost        while nothing is pending: nothing.
// Invariants  (1) it takes no tags and no communicators of the program. (2) MPI is called by one thread at a time
//             unless it allows more: mpi_mutex.hpp. (3) whoever started MPI ends it.
// Source      the interconnect place, and one poller for all pending calls: HiPER's MPI module (Grossman et al.). There
//             MPI is called by that place's worker only; here wherever MPI's thread level lets it.
#pragma once

#include <stretto/module.hpp>
#include <stretto_mpi/communicator.hpp>

namespace stretto {

namespace mpi {
/// MPI_THREAD_...; MPI_THREAD_SINGLE is taken as funneled.
enum class thread_level { funneled, serialized, multiple };
}  // namespace mpi

struct mpi_options {
  mpi::thread_level threads = mpi::thread_level::serialized;  // asked for where the module starts MPI
};

/// The module.
///
///     auto net = std::make_shared<stretto::mpi_module>();
///     stretto::runtime rt({.modules = {net}});
///     rt.run([&] {
///       const auto world = net->world();
///       world.isend(1.5, (world.rank() + 1) % world.size());
///       std::printf("%g\n", world.recv<double>());
///     });
class mpi_module final : public module {
 public:
  explicit mpi_module(const mpi_options& options = {});
  ~mpi_module() override;

  /// MPI_COMM_WORLD.
  mpi::communicator world(std::source_location where = std::source_location::current()) const {
    return on(MPI_COMM_WORLD, where);
  }
  /// Calls on this communicator. Where MPI's own errors would end the process there, they are returned from now on.
  mpi::communicator on(MPI_Comm comm, std::source_location where = std::source_location::current()) const;

  /// The thread level of MPI, and the place whose worker calls it with `funneled`.
  mpi::thread_level threads() const noexcept;
  place where() const noexcept { return where_; }
  /// Calls that have been started and have not ended.
  std::size_t pending() const noexcept;

  std::string_view name() const noexcept override { return "mpi"; }
  void add_places(platform_description& machine) const override;
  void initialise(module_host& host) override;
  void started(runtime& owner) override;
  void finalise() override;

 private:
  struct state;
  const mpi_options options_;
  std::unique_ptr<state> state_;   // while it serves a runtime
  std::unique_ptr<state> served_;  // of the runtime before: until that has ended, it may look at the poller
  place where_;
};

}  // namespace stretto
