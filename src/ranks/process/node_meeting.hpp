// node_meeting.hpp - where the ranks of a communicator, all of one node, meet for a blocking collective.
//
// Each rank shows its arguments and suspends; the last one that comes performs the collective on the buffers of all and
// resumes them. If there is much to do and several workers can do it, it resumes them first, and all claim parts: each
// rank those of its own range first, so that the same core writes its buffer every time.
//
// Threads     each rank from one thread at a time, as MPI requires.
// Cost        one atomic addition, one suspension and one resumption for each rank; no heap once warm.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <source_location>
#include <vector>

#include "base/config.hpp"
#include "ranks/collectives/direct_collective.hpp"
#include "ranks/communicators/communicator.hpp"
#include "ranks/process/meeting_point.hpp"

namespace stretto::ranks {

class node_meeting {
 public:
  /// Of the ranks of a local group, of which `workers` can run at once.
  node_meeting(std::shared_ptr<const communicator_members> members, int workers);
  node_meeting(const node_meeting&) = delete;

  /// The ranks that have not come. For the monitor, while all that have come wait.
  std::vector<world_rank> absent() const;

  /// Called by all ranks. Throws call_error: op before it meets the others; truncate, or other if the ranks called
  /// different collectives.
  void perform(int rank, const collective_call& call,
               const std::source_location& where = std::source_location::current());

 private:
  struct present_rank;

  /// Returns true in the last rank; in others false, once it has resumed them.
  bool meet(present_rank& own, const std::source_location& where);
  void resume_others(int rank) noexcept;
  /// By the last rank.
  void perform_for_all(present_rank& own, const std::source_location& where);
  void share(present_rank& own, const direct_collective& work, const std::source_location& where);
  /// Claims parts until none is left, and waits for those of the others.
  void perform_parts(present_rank& own, const std::source_location& where);
  /// Claims what is left of the parts of a rank.
  void perform_range(std::int64_t rank, const present_rank& by);
  bool do_calls_agree() const;

  const std::shared_ptr<const communicator_members> of_;
  const int workers_;
  meeting_point<present_rank> point_;
  // Written by the last rank, read by those that it resumes.
  std::vector<collective_member*> members_;
  const direct_collective* shared_ = nullptr;  // whose parts all ranks perform; null: the last one has done all
  alignas(base::cache_line) std::atomic<std::int64_t> unclaimed_{0};  // parts of the shared work
};

/// The meetings of a node, so that the ranks of a communicator find one object.
class meeting_table {
 public:
  std::shared_ptr<node_meeting> share(const std::shared_ptr<const communicator_members>& members, int workers);

 private:
  std::mutex mutex_;
  std::map<const communicator_members*, std::weak_ptr<node_meeting>> all_;  // a meeting keeps its members
};

}  // namespace stretto::ranks
