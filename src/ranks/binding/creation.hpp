// creation.hpp - one call of a program that creates a communicator.
//
// Threads     one thread of each rank concerned.
#pragma once

#include <memory>
#include <utility>

#include "ranks/binding/call.hpp"
#include "ranks/binding/usage_check.hpp"
#include "ranks/communicators/communicator_creation.hpp"
#include "ranks/process/rank.hpp"

namespace stretto::ranks {

/// The parts by which a rank creates a communicator; the exchange lives as long as this.
class creation {
 public:
  explicit creation(std::unique_ptr<creation_exchange> exchange) : exchange_(std::move(exchange)) {}

  creation_exchange& exchange() { return *exchange_; }
  creation_site site() {
    rank_state& state = current_rank();
    if (rank* const whole = rank::current()) whole->retired().release();
    return {*exchange_, state.numbers, *state.node, state.world.members().local[state.world.rank()]};
  }

 private:
  std::unique_ptr<creation_exchange> exchange_;
};

inline creation creation_over(communicator& comm) { return creation(current_rank().exchanges->over(comm)); }

/// A handle that owns the communicator; MPI_COMM_NULL for none.
inline MPI_Comm new_handle(created_communicator made) {
  if (!made) return MPI_COMM_NULL;
  if (usage_check::is_on) [[unlikely]]
    usage_check::made(made.get(), usage_check::object_kind::communicator);
  return reinterpret_cast<MPI_Comm>(made.release());
}

/// Calls a function that creates a communicator; where it fails, the program gets MPI_COMM_NULL.
template <class Body>
int create_by_call(const char* name, MPI_Comm comm, MPI_Comm* newcomm, Body body) noexcept {
  return call(name, comm, [&] {
    required(newcomm, "newcomm") = MPI_COMM_NULL;
    *newcomm = new_handle(body(object_of(comm)));
  });
}

}  // namespace stretto::ranks
