// home_nodes.hpp - gives ids to the objects that this node makes, finds the home node of any id, and knows which nodes
// have failed.
//
// An id holds the number of the node that made the object, which is its home node, and a count. A node has a rank, from
// 0 to nodes() - 1, and a node number, from which the job computes the rank. A node that restores the objects of
// another job also knows, for each node number in their ids, the rank of the node that is now their home node.
//
// Threads     Any. start: before other threads. restore: one thread at a time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "dist/job.hpp"
#include "mobile/messages.hpp"

namespace stretto::mobiles {

class home_nodes {
 public:
  /// `j` is null in a runtime without a job.
  explicit home_nodes(dist::job* j) noexcept : job_(j) {}
  /// The runtime starts, with that node number. The job knows the rank by then.
  void start(std::uint16_t node) noexcept {
    node_ = node;
    self_ = job_ ? job_->self() : rank{0};
  }

  rank self() const noexcept { return self_; }
  std::uint16_t node() const noexcept { return node_; }
  std::uint32_t nodes() const noexcept { return job_ ? job_->nodes() : 1; }
  bool is_lost(rank r) const noexcept { return job_ && r != self_ && job_->is_lost(r); }
  /// Requires is_lost(r).
  failure_ref loss_of(rank r) const { return job_->loss_of(r); }

  /// The rank of the home node; no_rank: the object belongs to another job.
  rank home_of(object_id id) const noexcept {
    const std::uint16_t node = maker_of(id);
    const rank r = job_ ? job_->rank_of(node).value_or(no_rank) : node == node_ ? rank{0} : no_rank;
    return r != no_rank ? r : restored_home(node);
  }
  /// Reserves `count` consecutive ids for objects that this node makes. Returns the first.
  object_id reserve_ids(std::size_t count) noexcept {
    return id_of(node_, ids_made_.fetch_add(count, std::memory_order_relaxed) + 1);
  }
  /// The highest count in the ids that were reserved so far.
  std::uint64_t ids_made() const noexcept { return ids_made_; }

  /// The rank of the home node for each node number that ids may hold: saved with a checkpoint.
  std::map<std::uint16_t, rank> all() const;
  /// From now on these node numbers have home nodes, too, and new ids have counts above `ids_made`.
  void restore(const std::map<std::uint16_t, rank>& homes, std::uint64_t ids_made);

 private:
  rank restored_home(std::uint16_t node) const noexcept;

  dist::job* const job_;
  rank self_ = 0;
  std::uint16_t node_ = 0;
  std::atomic<std::uint64_t> ids_made_{0};
  std::atomic<const std::map<std::uint16_t, rank>*> restored_{nullptr};
  std::vector<std::unique_ptr<const std::map<std::uint16_t, rank>>> all_restored_;  // readers may still use old ones
};

}  // namespace stretto::mobiles
