// collective_request.hpp - a collective of one rank in progress: its schedule, and the messages that it exchanges.
//
// Nobody waits for a step: the thread that completes a message advances the schedule that waits for it, in the rank's
// name where the schedule calls functions of the program.
//
// Threads     the rank makes and begins it; threads that complete its messages advance it, one at a time.
// Cost        two atomic operations for each transfer, beside those of messages.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ranks/collectives/collective_call.hpp"
#include "ranks/collectives/schedule_run.hpp"
#include "ranks/messages/point_to_point.hpp"
#include "ranks/messages/request_part.hpp"
#include "ranks/process/rank.hpp"

namespace stretto::ranks {

/// The ranks that exchange the messages of a collective, and how these are told apart from others.
struct collective_scope {
  /// All ranks of a communicator.
  explicit collective_scope(communicator& comm);
  /// Those of the local group.
  static collective_scope local_part(communicator& comm);
  /// Ranks that create a communicator from a group; `other` has those that they trade with. Their messages name
  /// senders by their ranks in the world, since there is no communicator yet.
  collective_scope(const group& members, std::optional<group> other, rank& self);

  context_number context;
  group local;
  std::optional<group> remote;
  int own = 0;  // the calling rank in `local`
  bool by_world_rank = false;
  /// The node of each rank of `local`; empty if all are on one node.
  std::shared_ptr<const std::vector<int>> nodes;
  std::shared_ptr<const void> numbers;  // stay in use until the collective has ended
};

class collective_request final : public request, transfer_port {
 public:
  collective_request(rank& of, collective_scope scope, int tag);

  /// As builders of schedules take it.
  collective_group group() const;
  /// The local group alone.
  collective_group local_group() const;
  schedule& steps() { return steps_; }
  /// All ranks concerned begin the same collective. The request is active afterwards.
  void begin();
  /// Distinguishes it from others of its communicator.
  int tag() const { return tag_; }
  /// For reports.
  std::string text() const;
  void add_messages(wait_targets& to) const;

 private:
  friend struct request_part<collective_request>;

  void post_send(const schedule_transfer& transfer) override;
  void post_receive(const schedule_transfer& transfer) override;
  void end_part(request_part<collective_request>& message) noexcept;
  void end_transfer(transfer_number number, error_class error);
  void go_on();
  void advance_in_rank();
  void finish();
  world_rank member(const peer_rank& which) const;
  envelope envelope_of(int source, const schedule_transfer& transfer) const;

  rank& rank_;
  const collective_scope scope_;
  const int tag_;
  schedule steps_;
  schedule_run run_;
  std::vector<request_part<collective_request>> messages_;  // by transfer
};

using collective_owner = std::unique_ptr<collective_request, request_release>;

/// The next collective of the calling rank on a communicator, with the owner's reference.
collective_owner make_collective(communicator& comm);
/// The same for the local group of an intercommunicator; the other group does not take part.
collective_owner make_local_collective(communicator& comm);

/// Begins the collective and suspends the rank until it has ended. Throws the error of a message.
void perform(collective_owner collective, const std::source_location& where = std::source_location::current());

/// Performs a blocking collective: where the ranks of this node meet, or by messages if some are of other nodes.
void perform(communicator& comm, const collective_call& call,
             const std::source_location& where = std::source_location::current());

}  // namespace stretto::ranks
