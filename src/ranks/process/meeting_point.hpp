// meeting_point.hpp - the atomic part of a meeting of ranks for a blocking collective (node_meeting.hpp): finds the
// rank that comes last, which resumes the others.
//
// Threads     each rank from one thread at a time; has_come: any.
// Cost        one atomic addition for each rank.
// Invariants  (1) a rank writes its entry before it adds 1 to the count. Others may read the entry until the rank is
//             resumed, or until the next meeting if all then go on to another one. (2) the last rank sets the count to
//             0 before it resumes any other.
#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

#include "base/config.hpp"

namespace stretto::ranks {

/// `Entry` is what a rank shows the others: its arguments, and the request that is ended to resume it.
template <class Entry>
class meeting_point {
 public:
  explicit meeting_point(std::size_t ranks) : present_(ranks) {}
  meeting_point(const meeting_point&) = delete;

  std::size_t size() const noexcept { return present_.size(); }
  bool has_come(std::size_t rank) const noexcept { return present_[rank].load(std::memory_order_acquire) != nullptr; }

  /// Called by each rank. Returns true in the last one, which calls resume_others(). The others then suspend
  /// themselves until that.
  bool come(std::size_t rank, Entry& own) noexcept {
    present_[rank].store(&own, std::memory_order_release);
    if (come_.fetch_add(1, std::memory_order_acq_rel) + 1 != present_.size()) return false;
    come_.store(0, std::memory_order_relaxed);
    return true;
  }

  /// Called by the last rank, whose number is `rank`: calls resume(entry) for all others. A rank that is resumed may
  /// come again at once.
  template <class Resume>
  void resume_others(std::size_t rank, Resume&& resume) noexcept {
    present_[rank].store(nullptr, std::memory_order_relaxed);
    for (auto& place : present_)
      if (Entry* const one = place.exchange(nullptr, std::memory_order_relaxed)) resume(*one);
  }

 private:
  std::vector<std::atomic<Entry*>> present_;  // null: has not come
  alignas(base::cache_line) std::atomic<std::size_t> come_{0};
};

}  // namespace stretto::ranks
