// barrier.hpp - phase barriers: a phase triggers when its expected number of arrivals has been reached.
//
//     struct maximum_of_ints {
//       using value_type = int;
//       static int identity() { return 0; }
//       static void apply(int& into, const int& value) { into = std::max(into, value); }
//     };
//     int largest_of_four() {
//       auto phase = reducing_barrier<maximum_of_ints>::create(4);  // four arrivals a phase
//       for (int i = 0; i < 4; ++i) async([=] { phase.arrive_with(i * i); });
//       wait(phase);
//       const int largest = phase.result().value();  // 9
//       phase = phase.advance();                      // the next four arrivals
//       phase.destroy();
//       return largest;
//     }
//
// A handle names one phase of one barrier; advance() gives the handle of the next. Handles are values: copy them, store
// them, send them to any task. Phases are 64-bit numbers. A phase takes an event slot only if its event is requested.
//
// Threads     every member from any thread that belongs to the barrier's runtime. A barrier may be used from every node
//             of the job; its node is the one that created it.
// Memory      writes before an arrival are visible once has_triggered() is true or the phase's event has triggered.
// Cost        arrive: one compare-and-swap; the last one of a phase takes a lock as well. Memory grows with arrivals
//             made ahead of their phase, not with the number of past phases.
// Invariants  (1) phases trigger in order. (2) a poisoned arrival counts, and poisons its phase only. (3) a changed
//             arrival count holds for that phase and for all later ones.
#pragma once

#include <stretto/event.hpp>
#include <stretto/plain_value.hpp>

#include <new>
#include <optional>
#include <type_traits>

STRETTO_API_BEGIN

namespace stretto {

/// The requirements on the operator of a reducing barrier: a value type, its identity, and apply(), which combines a
/// value into an accumulator. Arrivals come in any order, so apply must be associative and commutative. Floating-point
/// addition is so only up to rounding: its last bits may differ from run to run. For reproducible sums, add exactly
/// (integers, fixed point), or use a reduction_instance with numbered contributors, which combines them in order.
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
/// A reduction operator with its types erased.
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

/// One phase of a barrier: an event that triggers when all expected arrivals of this phase have been made. A
/// default-made barrier names none. Members throw B20 on a thread of no runtime, E22 for a barrier that names none or
/// was destroyed, and E03 for one of another, independent runtime.
class barrier {
 public:
  /// The largest arrival count of a phase.
  static constexpr std::uint32_t most_arrivals = (1u << 24) - 1;

  constexpr barrier() noexcept = default;

  /// Creates a barrier each of whose phases expects `arrivals` arrivals (at most most_arrivals), and returns its first
  /// phase. With 0, the phase waits for alter_arrival_count. Throws B20, and E20 for more arrivals.
  static barrier create(std::uint32_t arrivals, std::source_location where = std::source_location::current());

  /// Makes `count` of the arrivals that this phase expects. The phase may be a later one than the current phase. Throws
  /// E21 if the phase expects fewer, E22 if the barrier was destroyed.
  void arrive(std::uint32_t count = 1, std::source_location where = std::source_location::current()) const;
  /// Makes the arrivals when all of `when` have ended; if one of them is poisoned, so is this phase. The call already
  /// counts the arrivals as made, so it throws E21 for one too many. Throws E23 if the arrival would wait for its own
  /// phase.
  void arrive(event when, std::uint32_t count = 1, std::source_location where = std::source_location::current()) const;
  void arrive(std::span<const dependency> when, std::uint32_t count = 1,
              std::source_location where = std::source_location::current()) const;

  /// Changes the arrival count of this and all later phases by `delta`. Call it while an arrival of the caller at this
  /// phase is still outstanding, or before the arrivals that rely on the change.
  ///
  ///   returns  an event that triggers when the change has taken effect: the default event if the barrier is of this
  ///            node. Other nodes must wait for it before they make arrivals that rely on the change
  ///   throws   E24 if the phase has completed or the new count is below the arrivals made or above most_arrivals
  stretto::event alter_arrival_count(std::int32_t delta,
                                     std::source_location where = std::source_location::current()) const;

  /// The next phase of the same barrier. Costs an addition.
  constexpr barrier advance() const noexcept { return barrier(id_, phase_ + 1); }
  /// The number of this phase, from 0.
  constexpr std::uint64_t phase() const noexcept { return phase_; }

  /// True once this phase has triggered or is poisoned. Throws B20, E22. Cost: two loads.
  bool has_triggered() const;
  /// The event of this phase; the default event if the phase has triggered. Throws B20, E22. Cost: one event slot for
  /// each phase whose event is requested before it triggers.
  stretto::event event(std::source_location where = std::source_location::current()) const;
  /// As event(). Throws B20, E22.
  operator stretto::event() const { return event(); }
  /// This phase as a precondition, for after(...). Throws B20, E22.
  operator dependency() const { return event(); }

  /// Destroys the barrier. Phases that work still waits for are poisoned with E25. Throws B20, E22.
  void destroy(std::source_location where = std::source_location::current()) const;

  /// The text "barrier B1 phase 7". Throws std::bad_alloc only.
  friend std::string to_string(const barrier& b);
  friend constexpr bool operator==(const barrier&, const barrier&) noexcept = default;

 protected:
  constexpr barrier(std::uint64_t id, std::uint64_t phase) noexcept : id_(id), phase_(phase) {}
  static barrier create(std::uint32_t arrivals, const detail::value_fold& fold, std::source_location where);
  /// `fold` must outlive all barriers; null for an arrival without a value.
  void arrive_with(const void* value, const detail::value_fold* fold, std::span<const dependency> when,
                   std::uint32_t count, std::source_location where) const;
  /// Writes the value of the phase; false if the phase has not triggered yet. Throws the cause of a poisoned phase, E26
  /// if its value is no longer stored.
  bool result_into(void* value, std::size_t bytes) const;

 private:
  std::uint64_t id_ = 0;
  std::uint64_t phase_ = 0;
};

/// A barrier that reduces the values that arrivals bring, one result per phase. An arrival without a value adds
/// nothing.
template <arrival_reduction Operator>
class reducing_barrier : public barrier {
  static_assert(detail::explain_bytes<typename Operator::value_type>());  // it comes from other nodes

 public:
  using value_type = typename Operator::value_type;

  constexpr reducing_barrier() noexcept = default;
  /// Creates a barrier each of whose phases expects `arrivals` arrivals. Throws B20, E20.
  static reducing_barrier create(std::uint32_t arrivals, std::source_location where = std::source_location::current()) {
    return reducing_barrier(barrier::create(arrivals, detail::fold_of<Operator>, where));
  }

  using barrier::arrive;
  /// Makes `count` arrivals that bring `value` once. Throws E21, E22.
  void arrive_with(const value_type& value, std::uint32_t count = 1,
                   std::source_location where = std::source_location::current()) const {
    barrier::arrive_with(&value, &detail::fold_of<Operator>, {}, count, where);
  }
  /// Makes the arrivals when all of `when` have ended. The value of a poisoned arrival is not added. Throws E21, E22,
  /// E23.
  void arrive_with(const value_type& value, std::span<const dependency> when, std::uint32_t count = 1,
                   std::source_location where = std::source_location::current()) const {
    barrier::arrive_with(&value, &detail::fold_of<Operator>, when, count, where);
  }

  /// The next phase of the same barrier.
  constexpr reducing_barrier advance() const noexcept { return reducing_barrier(barrier::advance()); }

  /// The reduced value of this phase; nothing if the phase has not triggered yet. The last 8 phases are kept. Throws
  /// the cause of a poisoned phase, E26 if the value is no longer stored, B20 and E22.
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
