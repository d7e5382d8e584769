// exchange_source.hpp - where a rank gets the exchanges by which it creates communicators.
//
// Threads     any thread of the rank; each exchange belongs to one call.
#pragma once

#include <memory>
#include <optional>

#include "ranks/communicators/communicator.hpp"
#include "ranks/communicators/creation_exchange.hpp"

namespace stretto::ranks {

/// How the leaders of two groups reach each other to join their groups.
struct leader_link {
  int local_leader = 0;                     // rank in the local communicator
  std::optional<world_rank> remote_leader;  // of the local leader only
  int tag = 0;
};

/// `collectives` implements it over messages.
class exchange_source {
 public:
  virtual ~exchange_source() = default;

  /// Among the ranks of a communicator; of an intercommunicator also between its sides.
  virtual std::unique_ptr<creation_exchange> over(communicator& comm) = 0;
  /// The same, apart from collectives that the ranks begin meanwhile; `call` is that of next_creation().
  virtual std::unique_ptr<creation_exchange> apart(communicator& comm, std::uint32_t call) = 0;
  /// Among the members of a group, which alone call.
  virtual std::unique_ptr<creation_exchange> in_group(const group& members, int tag) = 0;
  /// Among the ranks of `local`, and between its leader and that of another group.
  virtual std::unique_ptr<creation_exchange> between(communicator& local, const leader_link& link) = 0;
};

}  // namespace stretto::ranks
