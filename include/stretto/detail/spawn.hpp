// spawn.hpp - creates tasks from bodies.
#pragma once

#include <stretto/detail/tags.hpp>
#include <stretto/detail/task_request.hpp>
#include <stretto/future.hpp>

#include <concepts>
#include <cstddef>
#include <new>
#include <source_location>
#include <type_traits>
#include <utility>

STRETTO_API_BEGIN

namespace stretto::detail {

/// A task record without a body, and the thread state that made it.
struct new_task {
  completion* record;
  void* thread;
};
/// Makes a record with `bytes` bytes of storage for the body or the value. Throws B20 on a thread of no runtime, and
/// S02, S03 and S04 for the tags of `request`.
new_task make_task(std::size_t bytes, const task_type& type, const std::source_location& where);
new_task make_task(std::size_t bytes, const task_type& type, const std::source_location& where,
                   const task_request& request);
/// Passes the task to the scheduler: it is ready now, or when its preconditions have ended. If `thread` is null, it
/// finds the current thread.
void submit(completion& record, void* thread) noexcept;
void submit(completion& record, const task_request& request);
/// Drops a record whose body could not be constructed.
void abandon(completion& record) noexcept;

/// The body of an internal task on which others rely, and which cannot be cancelled.
template <class F>
struct goes_on {
  F body;
  decltype(auto) operator()() { return body(); }
};
template <class F>
goes_on(F) -> goes_on<F>;
template <class Body>
inline constexpr bool may_be_cancelled = true;
template <class F>
inline constexpr bool may_be_cancelled<goes_on<F>> = false;

template <class Body>
struct task_of {
  using result = std::invoke_result_t<Body&>;
  static_assert(!std::is_reference_v<result>, "a task's body returns a value or void; return a pointer instead");
  static constexpr std::size_t bytes = sizeof(Body) > value_bytes<result> ? sizeof(Body) : value_bytes<result>;

  struct drop_body {
    Body& body;
    ~drop_body() { body.~Body(); }
  };
  static void run(void* storage) {
    Body& body = *std::launder(static_cast<Body*>(storage));
    if constexpr (std::is_void_v<result>) {
      drop_body drop{body};
      body();
    } else {
      result value = [&] {
        drop_body drop{body};
        return body();
      }();
      ::new (storage) result(std::move(value));
    }
  }
  static constexpr task_type type{
      task_kind,
      run,
      std::is_trivially_destructible_v<Body> ? nullptr
                                             : +[](void* s) noexcept { std::launder(static_cast<Body*>(s))->~Body(); },
      value_type<result>.drop_value,
      storage_alignment<Body> > storage_alignment<result> ? storage_alignment<Body> : storage_alignment<result>,
      may_be_cancelled<Body>};
  static_assert(type.alignment <= most_alignment, "a task's captures and its result are aligned to at most 4096 bytes");
};

template <class Body, class Argument>
void construct_body(completion& record, Argument&& body) {
  if constexpr (std::is_nothrow_constructible_v<Body, Argument>) {
    ::new (storage_of(record)) Body(std::forward<Argument>(body));
  } else {
    try {
      ::new (storage_of(record)) Body(std::forward<Argument>(body));
    } catch (...) {
      abandon(record);
      throw;
    }
  }
}

template <class F>
concept task_body = std::invocable<std::decay_t<F>&> && !task_tag<std::decay_t<F>>;

template <task_body F>
auto spawn(F&& body, const std::source_location& where) {
  using Body = std::decay_t<F>;
  using Task = task_of<Body>;
  const new_task made = make_task(Task::bytes, Task::type, where);
  construct_body<Body>(*made.record, std::forward<F>(body));
  submit(*made.record, std::is_nothrow_constructible_v<Body, F> ? made.thread : nullptr);
  return future_access::make<typename Task::result>(*made.record);
}

template <task_body F>
auto spawn_as(const task_request& request, F&& body, const std::source_location& where) {
  using Body = std::decay_t<F>;
  using Task = task_of<Body>;
  const new_task made = make_task(Task::bytes, Task::type, where, request);
  construct_body<Body>(*made.record, std::forward<F>(body));
  auto result = future_access::make<typename Task::result>(*made.record);
  submit(*made.record, request);
  return result;
}

}  // namespace stretto::detail

STRETTO_API_END
