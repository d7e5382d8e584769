// task_tags.hpp - tags of tasks and other operations: preconditions, place, node, worker, priority, name, profile.
//
//     int square(int x) { return x * x; }
//
//     void tagged_tasks(place memory, event ready) {
//       async(after(ready), [] { std::puts("runs once `ready` has triggered"); });
//       async(at(memory), priority(2), [] { std::puts("runs near that memory, before tasks of lower priority"); });
//       async(on(worker(0)), name("halo"), [] { std::puts("runs on worker 0 only"); });
//       async(at_node(job_nodes() - 1), call<&square>(3));  // on another node (remote.hpp)
//       future<operation_profile> measured;
//       async(profile(measured), [] {});
//       std::printf("ran for %g s\n", std::chrono::duration<double>(measured.get().running()).count());
//     }
//
// Launches, messages and other operations take tags, too. Tags are the first arguments, in any order.
//
// Threads     tags are values. A tag is valid in the call that it is made for.
#pragma once

#include <stretto/event.hpp>
#include <stretto/future.hpp>
#include <stretto/place.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

STRETTO_API_BEGIN

namespace stretto {

/// The result of at(place).
struct at_place {
  place where;
};
/// The tag `at(place)`: the task is queued at this place. Workers steal it along their steal paths.
inline at_place at(place where) noexcept { return {where}; }

/// The tag `at_node(2)`: the operation runs on this node of the job. An `at(place)` in the same call is a place of that
/// node.
struct at_node {
  std::uint32_t index;
  /// The node with this number, from 0.
  explicit constexpr at_node(std::uint32_t n) noexcept : index(n) {}
};

/// The result of on(processor).
struct on_processor {
  place where;
};
/// The tag `on(processor)`: the task runs only on workers whose home this place is, also after suspensions.
inline on_processor on(place processor) noexcept { return {processor}; }
/// The result of worker(i).
struct worker_number {
  std::uint32_t index;
};
/// The worker with this number, from 0, for on(worker(i)).
inline worker_number worker(std::uint32_t index) noexcept { return {index}; }
/// The result of on(worker(i)).
struct on_worker {
  worker_number which;  // the worker
};
/// The tag `on(worker(i))`: the task runs on this worker only, also after suspensions.
inline on_worker on(worker_number w) noexcept { return {w}; }

/// The result of priority(n).
struct task_priority {
  int value;  // -128 to 127
};
/// The tag `priority(n)`: a worker runs ready tasks of higher priority first. -128 to 127; tasks without it have 0.
inline task_priority priority(int value) noexcept { return {value}; }

/// The result of name(text).
struct task_name {
  std::string_view text;  // the name
};
/// The tag `name("halo")`: the name in errors, traces and hang reports. The text is copied unless it is a literal.
inline task_name name(std::string_view text) noexcept { return {text}; }

struct operation_profile;
/// The result of profile(into).
struct profile_into {
  future<operation_profile>* into;  // set by the call
};
/// The tag `profile(into)`: the call sets `into`, which is ready with a profile of the operation (profile.hpp) once
/// that has ended.
inline profile_into profile(future<operation_profile>& into) noexcept { return {&into}; }

/// The preconditions of a data operation: after(...), profile(into), {after(...), profile(into)}, or nothing. The
/// events must outlive the call.
class preconditions {
 public:
  constexpr preconditions() noexcept = default;
  /// From after(a, b, ...).
  template <std::size_t N>
  preconditions(const after_list<N>& list) noexcept : dependencies(list.items) {}
  /// From after(range).
  preconditions(after_range range) noexcept : events(range.items) {}
  /// From profile(into).
  preconditions(profile_into p) noexcept : profile(p.into) {}
  /// From {after(a, b, ...), profile(into)}.
  template <std::size_t N>
  preconditions(const after_list<N>& list, profile_into p) noexcept : dependencies(list.items), profile(p.into) {}
  /// From {after(range), profile(into)}.
  preconditions(after_range range, profile_into p) noexcept : events(range.items), profile(p.into) {}

  /// Whether there is nothing to wait for.
  bool is_empty() const noexcept { return dependencies.empty() && events.empty(); }

  std::span<const dependency> dependencies;      // one of the two is empty
  std::span<const event> events;                 // valid during the call
  future<operation_profile>* profile = nullptr;  // null: no profile
};

}  // namespace stretto

STRETTO_API_END
