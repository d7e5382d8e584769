// communicator.hpp - what processes talk through: a communicator of the program's, with every call that the module
// offers.
//
// The module makes none by itself and uses no tag of its own: messages are those of the program, on the communicators
// that it names.
//
// Threads     a value; any thread of the runtime.
// Invariants  (1) good for as long as its module serves a runtime; calls outside throw M24.
#pragma once

#include <stretto_mpi/window.hpp>

namespace stretto::mpi {

/// Of mpi_module::world(), mpi_module::on(comm) or idup.
///
///     auto world = mpi->world();
///     auto came = world.irecv(halo, left);
///     world.isend(edge, right);
///     auto next = async(after(came), [&] { ... });
///     double all = world.allreduce(mine, MPI_SUM);        // this task waits, its worker does not
class communicator : public collectives {
 public:
  communicator() noexcept = default;

  /// A copy, in which messages do not meet those of this one. `free` ends it.
  future<communicator> idup(const call_tags& how = {}) const;
  communicator dup(const call_tags& how = {}) const { return idup(how).get(how.where); }
  /// Nothing may be under way in it. Only of copies made by idup, or by the program.
  void free(const call_tags& how = {});

  /// Memory for `count` elements on this process, zeros, which all others can reach. Collective; one at a time on each
  /// process.
  template <element T>
  future<window> iwin_allocate(std::size_t count, const call_tags& how = {}) const {
    return allocate(count * sizeof(T), sizeof(T), how);
  }
  template <element T>
  window win_allocate(std::size_t count, const call_tags& how = {}) const {
    return iwin_allocate<T>(count, how).get(how.where);
  }
  /// A window that the program has made over this communicator, and opened (MPI_Win_lock_all, or lock of those it
  /// means).
  window on(MPI_Win opened) const;

 private:
  friend class engine;
  struct copying;
  communicator(std::shared_ptr<engine> by, MPI_Comm comm, int rank, int size) noexcept
      : collectives(std::move(by), comm, rank, size) {}
  future<window> allocate(std::size_t bytes, std::size_t unit, const call_tags& how) const;
};

}  // namespace stretto::mpi
