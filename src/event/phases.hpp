// phases.hpp - the state of one barrier: its present phase, the arrivals that each phase still expects, and arrivals
// for later phases.
//
// The two counts of the present phase and part of its number share one word: `unclaimed` arrivals may still be
// announced, `outstanding` ones are not complete. A deferred arrival is announced at once and completes later. A lock
// guards everything else (later phases, alterations, causes, events, values); only the last arrival of a phase must
// take it.
//
// Threads     any.
// Invariants  (1) present phase: outstanding >= unclaimed. (2) outstanding is 0 only while the phase ends, or if it
//             expects none. (3) `phase_` is raised before `word_` shows the new phase's counts.
#pragma once

#include <atomic>
#include <bit>
#include <iterator>
#include <source_location>
#include <vector>

#include "base/config.hpp"
#include "base/sanitizers.hpp"
#include "base/spin_lock.hpp"
#include "event/event_floor.hpp"

namespace stretto::detail {

/// How the values of arrivals are reduced, with erased types; no values if `bytes` is 0.
struct phase_fold {
  std::size_t bytes = 0;
  void (*begin)(void* into) = nullptr;
  void (*apply)(void* into, const void* value) = nullptr;
};

class alignas(base::cache_line) phases {
 public:
  enum class outcome { done, too_many, too_few, past };

  std::atomic<std::uint32_t> generation{0};  // of object_table

  void start(std::uint32_t arrivals, const phase_fold& fold, const std::source_location& where);

  /// Announces `count` arrivals at `phase`; each must be completed with complete_arrivals().
  outcome announce(std::uint64_t phase, std::uint32_t count) noexcept;
  /// Completes announced arrivals. `value` may be null; it is ignored if there is a cause.
  void complete_arrivals(std::uint64_t phase, std::uint32_t count, const failure* cause, const void* value,
                         base::thread_context& context, const std::source_location& where) noexcept;
  /// Announces and completes arrivals at once: the fast path.
  outcome arrive(std::uint64_t phase, std::uint32_t count, base::thread_context& context,
                 const std::source_location& where) noexcept {
    base::announce_release(this);
    auto word = word_.load(std::memory_order_acquire);
    while (phase_.load(std::memory_order_acquire) == phase && tag(word) == tag_of(phase) && unclaimed(word) >= count) {
      const auto after = word - count * (one_unclaimed + 1);
      if (!word_.compare_exchange_weak(word, after, std::memory_order_acq_rel, std::memory_order_acquire)) continue;
      if (outstanding(after) == 0) end_phase(context);
      else remember(after, where);
      return outcome::done;
    }
    if (const auto result = announce(phase, count); result != outcome::done) return result;
    complete_arrivals(phase, count, nullptr, nullptr, context, where);
    return outcome::done;
  }
  outcome alter(std::uint64_t phase, std::int32_t delta, base::thread_context& context) noexcept;

  bool has_ended(std::uint64_t phase) const noexcept {
    const bool has = phase_.load(std::memory_order_acquire) > phase || is_lost_.load(std::memory_order_acquire);
    if (has) base::announce_acquire(this);
    return has;
  }
  std::uint64_t present() const noexcept { return phase_.load(std::memory_order_acquire); }
  /// The poisoned phases of [first, last), all of which have ended.
  std::vector<std::pair<std::uint64_t, failure_ref>> poisoned_between(std::uint64_t first, std::uint64_t last);
  /// Expected arrivals can never come: poisons the present phase and all later ones.
  void lose(failure_ref cause, base::thread_context& context) noexcept;
  stretto::event event_at(std::uint64_t phase, base::thread_context& context, const std::source_location& where);
  /// The events of `phase` and later ones that have been requested: an arrival at `phase` must not wait for them.
  std::vector<event> asked_from(std::uint64_t phase);
  /// Poisons the requested events with `cause` and forgets everything.
  void stop(failure_ref cause, base::thread_context& context) noexcept;

  enum class value_state { pending, ready, poisoned, forgotten };
  value_state value(std::uint64_t phase, void* into, failure_ref& cause) noexcept;

  std::size_t value_bytes() const noexcept { return fold_.bytes; }
  const std::source_location& where() const noexcept { return where_; }
  /// A phase whose event has been requested and has not ended.
  struct awaited {
    std::uint64_t phase;
    event asked;
    std::uint64_t expected, arrived, announced;    // announced: without those that have arrived
    std::vector<std::source_location> arrived_at;  // the latest few
  };
  std::vector<awaited> awaited_phases();
  /// Announces and completes, with that cause, the missing arrivals of all phases up to `last`, whose event has been
  /// requested. Returns the number of phases with missing arrivals.
  std::size_t poison_missing_arrivals(std::uint64_t last, const failure_ref& cause,
                                      base::thread_context& context) noexcept;
  /// For a phase that has not ended: how many arrivals it expects, and how many are announced.
  std::pair<std::uint64_t, std::uint64_t> expected_and_announced(std::uint64_t phase) noexcept;

 private:
  /// The data of a phase beyond its plain counts.
  struct record {
    std::uint64_t phase;
    std::int64_t delta = 0;                    // to the arrivals expected, from this phase on
    std::uint32_t announced = 0, arrived = 0;  // ahead of their phase
    failure_ref cause{};
    event asked{};
  };
  struct poisoned_phase {
    std::uint64_t phase;
    failure_ref cause;
    event asked;
  };
  struct value_slot {
    std::uint64_t phase = ~std::uint64_t{0};
    std::vector<std::byte> bytes;
  };
  struct ended_event {
    event e;
    failure_ref cause;
  };

  static constexpr unsigned count_bits = 24;
  static constexpr std::uint64_t count_mask = (1u << count_bits) - 1;
  static constexpr std::uint64_t one_unclaimed = std::uint64_t{1} << count_bits;

  static constexpr std::uint64_t tag_of(std::uint64_t phase) noexcept { return phase & 0xffff; }
  static constexpr std::uint64_t tag(std::uint64_t word) noexcept { return word >> 2 * count_bits; }
  static constexpr std::uint64_t unclaimed(std::uint64_t word) noexcept { return word >> count_bits & count_mask; }
  static constexpr std::uint64_t outstanding(std::uint64_t word) noexcept { return word & count_mask; }
  static constexpr std::uint64_t word_of(std::uint64_t phase, std::uint64_t unclaimed,
                                         std::uint64_t outstanding) noexcept {
    return tag_of(phase) << 2 * count_bits | unclaimed << count_bits | outstanding;
  }

  /// For reports: stores the locations of the latest few arrivals, each with its phase's tag in place of the counts.
  static constexpr std::uint64_t tag_mask = ~std::uint64_t{0} << 2 * count_bits;
  void remember(std::uint64_t word, const std::source_location& where) noexcept {
    static_assert(sizeof where == sizeof(std::uint64_t));  // a pointer, below 2^47
    arrived_at_[word % std::size(arrived_at_)].store((word & tag_mask) | std::bit_cast<std::uint64_t>(where),
                                                     std::memory_order_relaxed);
  }

  void end_phase(base::thread_context& context) noexcept;
  // These require the lock.
  record* find(std::uint64_t phase) noexcept;
  record& at(std::uint64_t phase);
  std::int64_t expected(std::uint64_t phase) const noexcept;
  std::byte* value_of(std::uint64_t phase);

  std::atomic<std::uint64_t> word_{0};
  std::atomic<std::uint64_t> phase_{0};
  std::atomic<std::uint64_t> arrived_at_[4] = {};  // see remember()
  base::spin_lock lock_;
  std::atomic<bool> any_poisoned_{false}, is_lost_{false};
  failure_ref lost_;
  std::int64_t base_ = 0;                 // expected of the present phase
  std::vector<record> records_;           // of the present and later phases, in order
  std::vector<poisoned_phase> poisoned_;  // of past phases, in order
  phase_fold fold_;
  std::vector<value_slot> values_;  // by phase modulo its size
  std::source_location where_;
};

/// For every barrier of this node with a requested event: completes the missing arrivals with that cause. Adds to
/// `asked` the requested events of all phases, also of those that wait for announced arrivals. In barrier.cpp.
std::size_t poison_lacking_phases(const failure_ref& cause, base::thread_context& context, std::vector<event>& asked);

}  // namespace stretto::detail
