// event.hpp - a one-shot "this has happened", local or remote, that may carry a failure.
//
//     user_event gate = user_event::create();
//     future<void> later = async(after(gate), [] { ... });     // when the gate has been triggered
//     gate.trigger();
//     event both = merge(gate, later);                          // when both have happened
//     wait(both);                                               // throws if an input has failed
//
// Threads     every member may be called from any thread that belongs to the event's runtime.
// Memory      what happened before trigger() is visible after wait() returns or has_triggered() is true.
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

/// What the maker of a completion provides.
struct completion_kind {
  void (*destroy)(completion&) noexcept;       // the last reference is gone
  std::string (*describe)(const completion&);  // `task "halo"`; for errors and hang reports
};

/// How a wait ended, as a value.
class wait_result {
 public:
  wait_result() noexcept = default;
  /// A wait that ended with this failure.
  explicit wait_result(std::exception_ptr why) noexcept : why_(std::move(why)) {}
  /// Whether the wait ended without a failure.
  bool ok() const noexcept { return !why_; }
  /// As ok().
  explicit operator bool() const noexcept { return ok(); }
  /// What wait() would have thrown; null if ok.
  const std::exception_ptr& why() const noexcept { return why_; }
  /// Throws what wait() would have thrown; nothing if ok().
  void rethrow() const {
    if (why_) std::rethrow_exception(why_);
  }

 private:
  std::exception_ptr why_;
};

/// A handle, 64 bits, passed by value: node 16, slot 27, generation 21. The default event has always happened.
class event {
 public:
  constexpr event() noexcept = default;

  /// True once it has triggered or is poisoned.
  bool has_triggered() const;
  /// True once it has been poisoned.
  bool is_poisoned() const;
  /// How it ended, or nothing thrown and ok() while it has not. Never waits.
  wait_result result() const;

  /// The handle as a number.
  constexpr std::uint64_t raw() const noexcept { return bits_; }
  /// The handle whose number raw() gave.
  static constexpr event from_raw(std::uint64_t bits) noexcept { return event(bits); }

  friend constexpr bool operator==(event, event) noexcept = default;

 protected:
  constexpr explicit event(std::uint64_t bits) noexcept : bits_(bits) {}
  std::uint64_t bits_ = 0;
};

/// "E12.3" (slot 12, generation 3), with "N2:" before it if the node is not 0; "E-" for the default event.
std::string to_string(event e);

/// Something to wait for: an event, or directly a task through its future, which must outlive the call that takes
/// the dependency (it does in `async(after(f), ...)`).
class dependency {
 public:
  constexpr dependency(event e) noexcept : bits_(e.raw()) {}
  explicit dependency(completion& c) noexcept : bits_(reinterpret_cast<std::uintptr_t>(&c) | std::uint64_t{1} << 63) {}

  completion* task() const noexcept {  // null if this is an event
    return bits_ >> 63 ? reinterpret_cast<completion*>(bits_ & ~(std::uint64_t{1} << 63)) : nullptr;
  }
  /// The event, if this is no task.
  constexpr event as_event() const noexcept { return event::from_raw(bits_); }

 private:
  std::uint64_t bits_;
};

/// The tag `after(a, b, ...)`: starts only when all have happened. Any mix of events and futures, or one range.
template <std::size_t N>
struct after_list {
  std::array<dependency, N> items;
  /// The items of the list.
  operator std::span<const dependency>() const noexcept { return items; }
};
/// What after(...) makes of a range of events.
struct after_range {
  std::span<const event> items;
};

/// The tag `after(a, b, ...)`: starts only when all of these have happened, a list or a range of them.
template <class... Dependency>
  requires(sizeof...(Dependency) > 0 && (std::convertible_to<const Dependency&, dependency> && ...))
after_list<sizeof...(Dependency)> after(const Dependency&... d) {
  return {{static_cast<dependency>(d)...}};
}
inline after_range after(std::span<const event> events) { return {events}; }

/// An event that the program triggers. A plain handle: copied, stored, triggered from any task on any node.
class user_event : public event {
 public:
  constexpr user_event() noexcept = default;
  /// A new untriggered event. Cost: no heap allocation once warm.
  static user_event create(std::source_location where = std::source_location::current());

  /// It has happened. Throws E01 if it had already triggered or was poisoned.
  void trigger(std::source_location where = std::source_location::current()) const;
  /// It happens when `precondition` has; poisoned if that is. Throws E02 if that would wait for itself.
  void trigger(event precondition, std::source_location where = std::source_location::current()) const;
  /// It will never happen, and why.
  void poison(std::exception_ptr why, std::source_location where = std::source_location::current()) const;

 private:
  constexpr explicit user_event(event e) noexcept : event(e) {}
};

/// Happens when all inputs have; poisoned, once all have ended, with the first poisoned input's cause in input
/// order. An empty merge, or one of events that all have happened, is the default event. Cost: one slot and one
/// copy of the handles, only if something has yet to happen; about one subscription in all, not one per input.
event merge(std::span<const event> inputs, std::source_location where = std::source_location::current());
event merge(std::initializer_list<event> inputs, std::source_location where = std::source_location::current());
event merge(event a, event b, std::source_location where = std::source_location::current());
/// The same over dependencies (tasks and events mixed).
event merge_dependencies(std::span<const dependency> inputs,
                         std::source_location where = std::source_location::current());

/// What outlives a failure: as `e`, but never poisoned (happens when `e` has ended either way).
event ignore_failure(event e, std::source_location where = std::source_location::current());

/// Slots in use and ever made, and events created, of the calling thread's runtime.
struct event_statistics {
  std::uint64_t created = 0;      // dynamic events so far
  std::uint64_t untriggered = 0;  // right now
  std::uint64_t slots = 0;        // storage: follows the peak of `untriggered`
  std::uint64_t retired = 0;      // slots whose generations are used up
  std::size_t bytes = 0;
};
/// The event statistics of the calling thread's runtime.
event_statistics current_event_statistics();

}  // namespace stretto

STRETTO_API_END
