// node_ranks.hpp - all ranks of the job, as this node reaches them.
//
// Threads     any, once all ranks of the node have been made.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "ranks/communicators/members_table.hpp"
#include "ranks/files/file_threads.hpp"
#include "ranks/messages/message_request.hpp"
#include "ranks/node_messages.hpp"
#include "ranks/nodes/rank_map.hpp"
#include "ranks/process/node_meeting.hpp"
#include "ranks/process/rank_threads.hpp"

namespace stretto::ranks {

class node_ranks {
 public:
  explicit node_ranks(const rank_map& map);

  /// How many ranks of this node can run at once.
  int workers() const { return workers_; }
  void set_workers(int workers) { workers_ = workers; }
  /// Of the job.
  int size() const { return map_.ranks(); }
  const rank_map& map() const { return map_; }
  /// Where messages to a rank go.
  const peer& reach(world_rank rank) const { return peers_[static_cast<std::size_t>(rank)]; }
  void set_peer(world_rank rank, const peer& at) { peers_[static_cast<std::size_t>(rank)] = at; }

  /// Where the members of a communicator meet, the same object for all; null if one of them is not of this node.
  std::shared_ptr<node_meeting> meeting_of(const std::shared_ptr<const communicator_members>& members);

  /// Of MPI_COMM_WORLD.
  const std::shared_ptr<const communicator_members>& world() const { return world_; }
  const std::shared_ptr<members_table>& members() const { return members_; }
  /// The threads that wait for disks.
  file_threads& files() { return files_; }
  rank_threads& threads() { return threads_; }

  /// Returns true once: the caller may end the job.
  bool try_claim_end() { return !is_end_claimed_.exchange(true, std::memory_order_relaxed); }
  /// Suspends the calling rank until the process ends.
  [[noreturn]] void wait_for_end();
  /// Called by the rank that ends the job: lets the other nodes end, and calls `report` if this one is to report
  /// (job_end). Empty: there are none.
  std::function<void(int code, const std::function<void()>& report)> end_others;
  /// Notifies another node, for checks, that ranks of this one begin a collective. Empty: there are none.
  std::function<void(int node, const collective_notice&)> notify_collective;

 private:
  const rank_map map_;
  std::vector<peer> peers_;  // by rank in the world
  const std::shared_ptr<members_table> members_;
  std::shared_ptr<const communicator_members> world_;
  int workers_ = 1;
  file_threads files_;
  meeting_table meetings_;
  rank_threads threads_;
  std::atomic<bool> is_end_claimed_ = false;
};

}  // namespace stretto::ranks
