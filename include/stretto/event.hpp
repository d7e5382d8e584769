// event.hpp - one-shot events: local or remote, triggered once or poisoned with a failure.
//
//     void order_by_events() {
//       const user_event gate = user_event::create();
//       const future<int> sum = async(after(gate), [] { return 40 + 2; });  // runs once the gate has triggered
//       const event both = merge(gate, sum);                                // triggers when both have
//       gate.trigger();                                                     // or gate.poison(exception)
//       wait(both);                                                         // throws if an input has failed
//       const wait_result how = both.result();                              // the same as a value
//       if (!how.ok()) how.rethrow();
//     }
//
// Threads     every member may be called from any thread that belongs to the event's runtime.
// Memory      writes before trigger() are visible after wait() returns or has_triggered() is true.
// Cost        has_triggered: one load. As a precondition: one list node, only if not yet triggered.
// Invariants  (1) an event triggers or is poisoned at most once. (2) each waiter runs exactly once.
// Source      generational events: Treichler, Bauer, Aiken, "Realm", PACT 2014, section 5.
#pragma once

#include <stretto/compiler.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <source_location>
#include <span>
#include <string>
#include <string_view>

STRETTO_API_BEGIN

namespace stretto {

struct completion;  // the part of a task that others can wait for

/// The functions of a kind of completions, provided by the part of Stretto that makes them.
struct completion_kind {
  void (*destroy)(completion&) noexcept;       // called when the last reference is dropped
  std::string (*describe)(const completion&);  // `task "halo"`; for errors and hang reports
};

/// The result of a wait as a value: success, or the exception that wait() would have thrown.
class wait_result {
 public:
  wait_result() noexcept = default;
  /// The result of a wait that ended with this exception.
  explicit wait_result(std::exception_ptr why) noexcept : why_(std::move(why)) {}
  /// Whether the wait ended without a failure.
  bool ok() const noexcept { return !why_; }
  /// The same as ok().
  explicit operator bool() const noexcept { return ok(); }
  /// The exception that wait() would have thrown; null if ok().
  const std::exception_ptr& why() const noexcept { return why_; }
  /// Throws the exception that wait() would have thrown. Does nothing if ok().
  void rethrow() const {
    if (why_) std::rethrow_exception(why_);
  }

 private:
  std::exception_ptr why_;
};

/// A handle of an event, 64 bits, passed by value: 16 bits node, 27 bits slot, 21 bits generation. A default-made event
/// has always triggered. Members throw B20 on a thread of no runtime, and E03 for an event of another, independent
/// runtime.
class event {
 public:
  constexpr event() noexcept = default;

  /// True once the event has triggered or is poisoned. Never waits. Throws B20, E03.
  bool has_triggered() const;
  /// True once the event is poisoned. Never waits. Throws B20, E03.
  bool is_poisoned() const;
  /// The result that wait() would have; ok() while the event has not ended. Never waits. Throws B20, E03.
  wait_result result() const;

  /// The handle as a number, for from_raw().
  constexpr std::uint64_t raw() const noexcept { return bits_; }
  /// The handle with that number.
  static constexpr event from_raw(std::uint64_t bits) noexcept { return event(bits); }

  friend constexpr bool operator==(event, event) noexcept = default;

 protected:
  constexpr explicit event(std::uint64_t bits) noexcept : bits_(bits) {}
  std::uint64_t bits_ = 0;
};

/// The event as text: "E12.3" is slot 12, generation 3; "N2:E12.3" is the same on node 2; "E-" is the default event.
std::string to_string(event e);

/// Something to wait for: an event or a task. A future converts to one; that future must outlive the call that takes
/// the dependency, as it does in `async(after(f), ...)`.
class dependency {
 public:
  /// Waits for an event.
  constexpr dependency(event e) noexcept : bits_(e.raw()) {}
  /// Waits for a task. For futures.
  explicit dependency(completion& c) noexcept : bits_(reinterpret_cast<std::uintptr_t>(&c) | std::uint64_t{1} << 63) {}

  /// The task; null if this is an event.
  completion* task() const noexcept {
    return bits_ >> 63 ? reinterpret_cast<completion*>(bits_ & ~(std::uint64_t{1} << 63)) : nullptr;
  }
  /// The event. Only if task() is null.
  constexpr event as_event() const noexcept { return event::from_raw(bits_); }

 private:
  std::uint64_t bits_;
};

/// The result of after(a, b, ...): a list of preconditions.
template <std::size_t N>
struct after_list {
  std::array<dependency, N> items;  // in the order of the arguments
  /// The preconditions of the list.
  operator std::span<const dependency>() const noexcept { return items; }
};
/// The result of after(range): preconditions in memory of the caller.
struct after_range {
  std::span<const event> items;  // valid during the call
};

/// The tag `after(a, b, ...)` of an operation: it starts when all of these events and futures have ended, and is
/// skipped if one of them is poisoned. A range of events may be given instead of a list. Throws E13 for an empty
/// future.
template <class... Dependency>
  requires(sizeof...(Dependency) > 0 && (std::convertible_to<const Dependency&, dependency> && ...))
after_list<sizeof...(Dependency)> after(const Dependency&... d) {
  return {{static_cast<dependency>(d)...}};
}
inline after_range after(std::span<const event> events) { return {events}; }

/// An event that the program triggers or poisons, from any task on any node. A plain handle: copy it, store it, send
/// it.
class user_event : public event {
 public:
  constexpr user_event() noexcept = default;
  /// Creates an untriggered event. Throws B20, and E09 if the runtime has 134,217,728 untriggered events. Cost: no heap
  /// allocation once earlier events have ended.
  static user_event create(std::source_location where = std::source_location::current());

  /// Triggers the event. Throws E01 if it has triggered or is poisoned, E04 for the default event.
  void trigger(std::source_location where = std::source_location::current()) const;
  /// Triggers the event when `precondition` has triggered; poisons it if that is poisoned. Throws E01, E04, and E02 if
  /// the event would wait for itself.
  void trigger(event precondition, std::source_location where = std::source_location::current()) const;
  /// Poisons the event: operations that wait for it are skipped, and wait() throws `why`. Throws E01, E04.
  void poison(std::exception_ptr why, std::source_location where = std::source_location::current()) const;

 private:
  constexpr explicit user_event(event e) noexcept : event(e) {}
};

/// An event that triggers when all inputs have triggered. If an input is poisoned, the result is poisoned once all have
/// ended, with the cause of the first poisoned input in input order. A merge of no events, or of events that all have
/// triggered, is the default event.
///
///   throws   B20; E03 for an event of another, independent runtime
///   cost     one slot and one copy of the handles if an input has not ended; about one subscription in all, not one
///            per input
event merge(std::span<const event> inputs, std::source_location where = std::source_location::current());
event merge(std::initializer_list<event> inputs, std::source_location where = std::source_location::current());
event merge(event a, event b, std::source_location where = std::source_location::current());
/// As merge, over events and tasks. Throws B20, E03.
event merge_dependencies(std::span<const dependency> inputs,
                         std::source_location where = std::source_location::current());

/// An event that triggers when `e` has triggered or is poisoned; it is never poisoned itself. Throws B20, E03.
event ignore_failure(event e, std::source_location where = std::source_location::current());

/// Counts of the events of one runtime.
struct event_statistics {
  std::uint64_t created = 0;      // dynamic events so far
  std::uint64_t untriggered = 0;  // right now
  std::uint64_t slots = 0;        // storage: follows the peak of `untriggered`
  std::uint64_t retired = 0;      // slots whose generations are used up
  std::size_t bytes = 0;          // memory of the event table
};
/// The event statistics of the calling thread's runtime. Throws B20.
event_statistics current_event_statistics();

}  // namespace stretto

STRETTO_API_END
