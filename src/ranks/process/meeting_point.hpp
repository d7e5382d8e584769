// meeting_point.hpp - which of a number of ranks have come, and which of them is the last: what is atomic in a meeting.
//
// Threads     each rank from one thread at a time.
// Cost        one atomic addition for each rank.
// Invariants  (1) a rank writes its entry before it adds 1 to the count. Others read it until they resume the rank, or
//             meet once more. (2) the last one sets the count to 0 before it resumes any other.
#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

#include "base/config.hpp"

namespace stretto::ranks {

/// `Entry` is what a rank shows the others.
template <class Entry>
class meeting_point {
 public:
  explicit meeting_point(std::size_t ranks) : present_(ranks) {}
  meeting_point(const meeting_point&) = delete;

  std::size_t size() const noexcept { return present_.size(); }
  bool has_come(std::size_t rank) const noexcept { return present_[rank].load(std::memory_order_acquire) != nullptr; }

  /// Returns true in the last rank, which calls resume_others(). The others wait until they are resumed.
  bool come(std::size_t rank, Entry& own) noexcept {
    present_[rank].store(&own, std::memory_order_release);
    if (come_.fetch_add(1, std::memory_order_acq_rel) + 1 != present_.size()) return false;
    come_.store(0, std::memory_order_relaxed);
    return true;
  }

  /// By the last rank, `rank`: calls resume(entry) of all others. A rank that is resumed may come again at once.
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
