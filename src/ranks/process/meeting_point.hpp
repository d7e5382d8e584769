// meeting_point.hpp - the atomic part of a meeting of ranks for a blocking collective (node_meeting.hpp): finds the
// rank that comes last, which resumes the others.
//
// Threads     each rank from one thread at a time; has_come: any.
// Cost        one atomic addition for each rank. Up to seven ranks share one cache line.
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
  explicit meeting_point(std::size_t ranks) : ranks_(ranks), others_(ranks > few ? ranks - few : 0) {}
  meeting_point(const meeting_point&) = delete;

  std::size_t size() const noexcept { return ranks_; }
  bool has_come(std::size_t rank) const noexcept { return place(rank).load(std::memory_order_acquire) != nullptr; }
  /// For the last rank, until it calls resume_others().
  Entry& entry(std::size_t rank) const noexcept { return *place(rank).load(std::memory_order_relaxed); }

  /// Called by each rank. Returns true in the last one, which calls resume_others(). The others then suspend
  /// themselves until that.
  bool come(std::size_t rank, Entry& own) noexcept {
    place(rank).store(&own, std::memory_order_release);
    if (first_.come.fetch_add(1, std::memory_order_acq_rel) + 1 != ranks_) return false;
    first_.come.store(0, std::memory_order_relaxed);
    return true;
  }

  /// Called by the last rank, whose number is `rank`: calls resume(entry) for all others. A rank that is resumed may
  /// come again at once.
  template <class Resume>
  void resume_others(std::size_t rank, Resume&& resume) noexcept {
    place(rank).store(nullptr, std::memory_order_relaxed);
    for (std::size_t other = 0; other < ranks_; ++other)
      if (Entry* const one = place(other).exchange(nullptr, std::memory_order_relaxed)) resume(*one);
  }

 private:
  using entry_place = std::atomic<Entry*>;  // null: the rank has not come

  static constexpr std::size_t few = 7;  // fill a cache line, together with the count

  const entry_place& place(std::size_t rank) const noexcept {
    return rank < few ? first_.places[rank] : others_[rank - few];
  }
  entry_place& place(std::size_t rank) noexcept { return rank < few ? first_.places[rank] : others_[rank - few]; }

  const std::size_t ranks_;
  std::vector<entry_place> others_;
  struct alignas(base::cache_line) {
    std::atomic<std::size_t> come{0};
    entry_place places[few] = {};
  } first_;
};

}  // namespace stretto::ranks
