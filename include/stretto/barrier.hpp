// barrier.hpp - phase barriers: each phase happens when the arrivals expected of it have come.
//
// A handle names one phase of one barrier; advance() gives the handle of the next. Handles are values: copied, stored,
// sent to any task. Phases are 64-bit numbers, and a phase needs an event slot only if someone asks for its event.
//
// Threads     every member from any thread that belongs to the barrier's runtime.
// Memory      what happened before an arrival is visible after has_triggered() is true or the phase's event has
//             happened.
// Cost        arrive: one compare-and-swap; the last one of a phase takes a lock besides. Memory follows the arrivals
//             made ahead of their phase, not the phases gone by.
// Invariants  (1) phases happen in order. (2) a poisoned arrival counts, and poisons its phase only. (3) alterations
//             hold for the phase they are made at and for all later ones.
#pragma once

#include <stretto/event.hpp>
#include <stretto/plain_value.hpp>

#include <new>
#include <optional>
#include <type_traits>

STRETTO_API_BEGIN

namespace stretto {

/// How values are reduced at arrival: a type of values, what to begin with, and how to put one more in. Arrivals come
/// in any order, so apply must be associative and commutative. Floating-point addition is so only up to rounding: its
/// last bits may differ from run to run. Where they must not, add exactly (integers, fixed point), or use a
/// reduction_instance with numbered contributors, which are combined in the order of their numbers.
///
///     struct sum { using value_type = double;
///                  static double identity() { return 0; }
///                  static void apply(double& into, const double& value) { into += value; } };
template <class Operator>
concept arrival_reduction = std::is_trivially_copyable_v<typename Operator::value_type> &&
                            requires(typename Operator::value_type& into, const typename Operator::value_type& value) {
                              { Operator::identity() } -> std::convertible_to<typename Operator::value_type>;
                              Operator::apply(into, value);
                            };

namespace detail {
/// A reduction with its types erased.
struct value_fold {
  std::size_t bytes = 0;
  void (*begin)(void* into) = nullptr;
  void (*apply)(void* into, const void* value) = nullptr;
};
template <arrival_reduction Operator>
void begin_value(void* into) {
  new (into) typename Operator::value_type(Operator::identity());
}
template <arrival_reduction Operator>
void apply_value(void* into, const void* value) {
  Operator::apply(*static_cast<typename Operator::value_type*>(into),
                  *static_cast<const typename Operator::value_type*>(value));
}
template <arrival_reduction Operator>
inline constexpr value_fold fold_of{sizeof(typename Operator::value_type), &begin_value<Operator>,
                                    &apply_value<Operator>};
}  // namespace detail

/// One phase of a barrier: an event that happens when the arrivals expected of this phase have come.
class barrier {
 public:
  static constexpr std::uint32_t most_arrivals = (1u << 24) - 1;

  constexpr barrier() noexcept = default;

  /// A barrier whose every phase expects `arrivals` (at most 16,777,215); returns its first phase. A phase that expects
  /// none waits for alter_arrival_count. Throws E20.
  static barrier create(std::uint32_t arrivals, std::source_location where = std::source_location::current());

  /// `count` of the arrivals that this phase expects have come. It may be a later phase than the present one. Throws
  /// E21 if the phase expects fewer, E22 if the barrier is gone.
  void arrive(std::uint32_t count = 1, std::source_location where = std::source_location::current()) const;
  /// They come when all of `when` have ended; if one of them is poisoned, so is this phase. The arrivals are taken
  /// from those expected now, so one too many is found now. Throws E23 too, if the arrival would wait for its own
  /// phase.
  void arrive(event when, std::uint32_t count = 1, std::source_location where = std::source_location::current()) const;
  void arrive(std::span<const dependency> when, std::uint32_t count = 1,
              std::source_location where = std::source_location::current()) const;

  /// From this phase on, `delta` more (or fewer) arrivals are expected. To be called by someone whose arrival at this
  /// phase is still expected, or before the arrivals that rely on it. Throws E24. Happens when it has taken effect: at
  /// once, if the barrier is of this node; arrivals of third nodes that rely on it come after that.
  stretto::event alter_arrival_count(std::int32_t delta,
                                     std::source_location where = std::source_location::current()) const;

  /// The next phase. Free.
  constexpr barrier advance() const noexcept { return barrier(id_, phase_ + 1); }
  constexpr std::uint64_t phase() const noexcept { return phase_; }

  /// True once this phase has happened or is poisoned. Cost: two loads.
  bool has_triggered() const;
  /// This phase as an event; the default event if it has happened. Cost: one slot for each phase asked for in time.
  stretto::event event(std::source_location where = std::source_location::current()) const;
  /// The event of this phase.
  operator stretto::event() const { return event(); }
  /// This phase as a precondition.
  operator dependency() const { return event(); }

  /// Gives the barrier's memory back. Phases that someone still waits for are poisoned with E25.
  void destroy(std::source_location where = std::source_location::current()) const;

  /// "barrier B1 phase 7".
  friend std::string to_string(const barrier& b);
  friend constexpr bool operator==(const barrier&, const barrier&) noexcept = default;

 protected:
  constexpr barrier(std::uint64_t id, std::uint64_t phase) noexcept : id_(id), phase_(phase) {}
  static barrier create(std::uint32_t arrivals, const detail::value_fold& fold, std::source_location where);
  /// `fold` outlives the program's barriers; null where there is no value.
  void arrive_with(const void* value, const detail::value_fold* fold, std::span<const dependency> when,
                   std::uint32_t count, std::source_location where) const;
  /// False if the phase has not happened yet. Throws its cause if poisoned, E26 if its value is no longer stored.
  bool result_into(void* value, std::size_t bytes) const;

 private:
  std::uint64_t id_ = 0;
  std::uint64_t phase_ = 0;
};

/// A barrier that reduces the values that come with arrivals. An arrival without a value adds nothing.
template <arrival_reduction Operator>
class reducing_barrier : public barrier {
  static_assert(detail::explain_bytes<typename Operator::value_type>());  // it comes from other nodes

 public:
  using value_type = typename Operator::value_type;

  constexpr reducing_barrier() noexcept = default;
  static reducing_barrier create(std::uint32_t arrivals, std::source_location where = std::source_location::current()) {
    return reducing_barrier(barrier::create(arrivals, detail::fold_of<Operator>, where));
  }

  using barrier::arrive;
  void arrive_with(const value_type& value, std::uint32_t count = 1,
                   std::source_location where = std::source_location::current()) const {
    barrier::arrive_with(&value, &detail::fold_of<Operator>, {}, count, where);
  }
  /// A poisoned arrival's value is not added.
  void arrive_with(const value_type& value, std::span<const dependency> when, std::uint32_t count = 1,
                   std::source_location where = std::source_location::current()) const {
    barrier::arrive_with(&value, &detail::fold_of<Operator>, when, count, where);
  }

  constexpr reducing_barrier advance() const noexcept { return reducing_barrier(barrier::advance()); }

  /// The phase's reduced value, once it has happened; kept for the last 8 phases at least.
  std::optional<value_type> result() const {
    value_type value;
    if (!result_into(&value, sizeof value)) return std::nullopt;
    return value;
  }

 private:
  constexpr explicit reducing_barrier(barrier b) noexcept : barrier(b) {}
};

}  // namespace stretto

STRETTO_API_END
