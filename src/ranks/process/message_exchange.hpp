// message_exchange.hpp - implements exchange_source by messages: to create a communicator, the ranks concerned exchange
// small values (its number, its members) by collectives, and two groups by messages of their leaders.
//
// Threads     any thread of the rank.
#pragma once

#include "ranks/communicators/exchange_source.hpp"
#include "ranks/process/rank.hpp"

namespace stretto::ranks {

/// Makes the exchanges of one rank, one for each call that creates a communicator.
class message_exchanges final : public exchange_source {
 public:
  explicit message_exchanges(rank& of) : rank_(of) {}

  std::unique_ptr<creation_exchange> over(communicator& comm) override;
  std::unique_ptr<creation_exchange> in_group(const group& members, int tag) override;
  std::unique_ptr<creation_exchange> apart(communicator& comm, std::uint32_t call) override;
  std::unique_ptr<creation_exchange> between(communicator& local, const leader_link& link) override;

 private:
  rank& rank_;
};

}  // namespace stretto::ranks
