// task_tags.hpp - tags that say where, when and how urgently a task runs, and what it is called.
//
//     async(after(a, b), [] { ... });                        // when these have ended (event.hpp)
//     async(at(memory), priority(2), [] { ... });            // near that memory, before others
//     async(on(worker(1)), name("halo"), [] { ... });        // on that worker and nowhere else
//     async(at_node(2), call<&squared>(3));                  // on another node (remote.hpp)
//     async(profile(measured), [] { ... });                  // measured.get() says what it did and when
//
// Launches, messages and other operations take them, too. Tags stand first, in any order.
//
// Threads     tags are values, used in the call that they are made for.
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

/// The tag `at(place)`: spawn there; it may be stolen along steal paths.
struct at_place {
  place where;
};
inline at_place at(place where) noexcept { return {where}; }

/// The tag `at_node(2)`: on that node of the job. With `at(place)` beside it, at a place of that node.
struct at_node {
  std::uint32_t index;
  explicit constexpr at_node(std::uint32_t n) noexcept : index(n) {}
};

/// The tag `on(processor)`: run on a worker whose home it is, and nowhere else, also after suspensions.
struct on_processor {
  place where;
};
inline on_processor on(place processor) noexcept { return {processor}; }
/// The tag `on(worker(i))`.
struct worker_number {
  std::uint32_t index;
};
inline worker_number worker(std::uint32_t index) noexcept { return {index}; }
struct on_worker {
  worker_number which;
};
inline on_worker on(worker_number w) noexcept { return {w}; }

/// The tag `priority(n)`: among ready tasks of one worker, higher first; 0 is usual, -128 to 127.
struct task_priority {
  int value;
};
inline task_priority priority(int value) noexcept { return {value}; }

/// The tag `name("halo")`: shown in errors, traces and hang reports; copied if not a literal of the program.
struct task_name {
  std::string_view text;
};
inline task_name name(std::string_view text) noexcept { return {text}; }

/// The tag `profile(into)`: when the operation is over, `into` is ready with what it did and when (profile.hpp).
struct operation_profile;
struct profile_into {
  future<operation_profile>* into;
};
inline profile_into profile(future<operation_profile>& into) noexcept { return {&into}; }

/// What an operation waits for: made of `after(...)`, or nothing; and who wants its profile:
/// {after(...), profile(into)}.
class preconditions {
 public:
  constexpr preconditions() noexcept = default;
  template <std::size_t N>
  preconditions(const after_list<N>& list) noexcept : dependencies(list.items) {}
  preconditions(after_range range) noexcept : events(range.items) {}
  preconditions(profile_into p) noexcept : profile(p.into) {}
  template <std::size_t N>
  preconditions(const after_list<N>& list, profile_into p) noexcept : dependencies(list.items), profile(p.into) {}
  preconditions(after_range range, profile_into p) noexcept : events(range.items), profile(p.into) {}

  bool is_empty() const noexcept { return dependencies.empty() && events.empty(); }

  std::span<const dependency> dependencies;  // one of the two is empty
  std::span<const event> events;
  future<operation_profile>* profile = nullptr;
};

}  // namespace stretto

STRETTO_API_END
