// communicator.hpp - a rank's own object of a communicator, and what it shares with the other ranks of its node.
//
// Threads     communicator_members is immutable. A communicator belongs to one rank; threads of the rank may read it at
//             once, and MPI asks programs to change it from one thread at a time.
// Invariants  (1) members().local[rank()] is the rank that has the object.
//             (2) all ranks of a communicator have equal members, but that the two sides of an intercommunicator see
//             each other as remote.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ranks/communicators/attribute_list.hpp"
#include "ranks/communicators/collective_tags.hpp"
#include "ranks/communicators/communicator_number.hpp"
#include "ranks/communicators/error_handler.hpp"
#include "ranks/communicators/group.hpp"
#include "ranks/communicators/group_operations.hpp"
#include "ranks/communicators/info.hpp"
#include "ranks/communicators/topology.hpp"

namespace stretto::ranks {

class node_meeting;  // process/node_meeting.hpp

struct communicator_members {
  communicator_number number{};
  group local;
  std::optional<group> remote;  // of an intercommunicator
  /// Of an intercommunicator: for messages within the local group, in collective operations and merges.
  communicator_number local_number{};
  /// The node of each rank of the local group; empty if all are on one node. members_table fills it in.
  std::vector<int> nodes = {};

  bool is_intercommunicator() const { return remote.has_value(); }
  /// The group that ranks in calls are of: destinations, sources and roots.
  const group& peers() const { return remote ? *remote : local; }

  friend bool operator==(const communicator_members&, const communicator_members&) = default;
};

/// identical: the same communicator; congruent: identical groups; similar: the same members.
comparison compare(const communicator_members& a, const communicator_members& b);

class communicator {
 public:
  /// MPI_MAX_OBJECT_NAME, which counts the zero at the end.
  static constexpr std::size_t name_limit = 128;

  communicator(std::shared_ptr<const communicator_members> members, int rank)
      : members_(std::move(members)), rank_(rank), handler_(predefined_handler(error_reaction::fatal)) {}
  communicator(const communicator&) = delete;
  communicator& operator=(const communicator&) = delete;

  const communicator_members& members() const { return *members_; }
  const std::shared_ptr<const communicator_members>& shared_members() const { return members_; }
  int rank() const { return rank_; }
  int size() const { return members_->local.size(); }
  bool is_intercommunicator() const { return members_->is_intercommunicator(); }

  const std::string& name() const { return name_; }
  /// Cuts the name off at MPI's limit.
  void set_name(std::string_view name) { name_ = name.substr(0, name_limit - 1); }

  attribute_list& attributes() { return attributes_; }
  const error_handler_ref& handler() const { return handler_; }
  void set_handler(error_handler_ref handler) { handler_ = std::move(handler); }
  const info& hints() const { return hints_; }
  /// Takes the hints that Stretto knows, MPI's assertions and those that begin with "stretto_"; others are ignored.
  void add_hints(const info& given);

  /// Null without a topology.
  const topology* arrangement() const { return arrangement_.get(); }
  const std::shared_ptr<const topology>& shared_arrangement() const { return arrangement_; }
  void set_arrangement(std::shared_ptr<const topology> arrangement) { arrangement_ = std::move(arrangement); }

  /// Kept by the communicator and by its pending operations: with the last reference its numbers become free for
  /// others.
  const std::shared_ptr<const void>& numbers() const { return numbers_; }
  void set_numbers(std::shared_ptr<const void> numbers) { numbers_ = std::move(numbers); }

  /// Where its ranks meet for blocking collectives: null if some are of other nodes, nothing before the first one.
  const std::optional<std::shared_ptr<node_meeting>>& meeting() const { return meeting_; }
  void set_meeting(std::shared_ptr<node_meeting> meeting) { meeting_ = std::move(meeting); }

  /// Counts the calls on this communicator that create others, for key_of_collective: all ranks count alike.
  std::uint32_t next_creation() { return creations_.fetch_add(1, std::memory_order_relaxed); }
  collective_tags& tags() { return tags_; }
  /// Of collectives of the local group of an intercommunicator, whose two groups may need different numbers of these.
  collective_tags& local_tags() { return local_tags_; }

 private:
  // immutable after construction
  std::shared_ptr<const communicator_members> members_;
  int rank_;
  std::shared_ptr<const void> numbers_;  // null for predefined communicators
  // the program changes them
  std::string name_;
  attribute_list attributes_;
  error_handler_ref handler_;
  info hints_;
  std::shared_ptr<const topology> arrangement_;
  std::optional<std::shared_ptr<node_meeting>> meeting_;
  std::atomic<std::uint32_t> creations_ = 0;
  collective_tags tags_;
  collective_tags local_tags_;
};

/// Gives the duplicate of a communicator what MPI_Comm_dup copies besides the groups: the topology, the error handler
/// and, by the functions of their keys, the attributes; since MPI 4.0 no hints. `handle` is that of the original and
/// `copy_handle` that of the duplicate.
///
/// Throws call_error where a function of a key fails; the duplicate has no attributes then.
void copy_properties(communicator& original, communicator& copy, void* handle, void* copy_handle);

/// The group with this rank in it is what the rank gets: its own object, or null (MPI_COMM_NULL) if it is no member.
std::unique_ptr<communicator> made_communicator(std::shared_ptr<const communicator_members> members, world_rank self);

}  // namespace stretto::ranks
