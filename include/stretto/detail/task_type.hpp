// task_type.hpp - what the compiled core knows of a task: its body, its value, and who refers to it.
#pragma once

#include <stretto/event.hpp>

#include <cstddef>
#include <exception>
#include <source_location>
#include <string>
#include <type_traits>

STRETTO_API_BEGIN

namespace stretto::detail {

/// Where a record keeps the body, then the value: this many bytes from its start, aligned to as many, or to as many as
/// its type says.
inline constexpr std::size_t storage_offset = 64;
inline constexpr std::size_t most_alignment = 4096;

/// What the compiled core must know of a type of task. `run` calls the body, destroys it and leaves the value
/// in the same storage; it may throw, the body being destroyed then too. Null where there is nothing to do.
struct task_type : completion_kind {
  void (*run)(void* storage);
  void (*drop_body)(void* storage) noexcept;
  void (*drop_value)(void* storage) noexcept;
  std::size_t alignment = storage_offset;  // of the storage, a power of two
  bool may_be_cancelled = false;           // of what the program spawned (cancel.hpp)
};

void destroy_task(completion& c) noexcept;
std::string describe_task(const completion& c);
inline constexpr completion_kind task_kind{destroy_task, describe_task};

void add_reference(completion& c) noexcept;
void release(completion& c) noexcept;
bool is_done(const completion& c) noexcept;
bool is_poisoned(const completion& c) noexcept;
bool is_only_reference(const completion& c) noexcept;
/// Suspends the calling task until `c` is done; throws its failure. On another thread: blocks it.
void wait_for(completion& c, const std::source_location& where);
event event_of(completion& c);
wait_result result_of(const completion& c);

inline void* storage_of(completion& c) noexcept { return reinterpret_cast<std::byte*>(&c) + storage_offset; }

completion& new_promise(std::size_t bytes, const task_type& type, const std::source_location& where);
void keep_promise(completion& c) noexcept;
void break_promise(completion& c, std::exception_ptr why) noexcept;
[[noreturn]] void no_value(const char* what, const std::source_location& where);

template <class T>
inline constexpr std::size_t storage_alignment = alignof(T) > storage_offset ? alignof(T) : storage_offset;
template <>
inline constexpr std::size_t storage_alignment<void> = storage_offset;

// Not a lambda: GCC gives what one in the initialiser of a variable becomes default visibility (compiler.hpp).
template <class T>
void destroy_value(void* storage) noexcept {
  static_cast<T*>(storage)->~T();
}
template <class T>
inline constexpr task_type value_type{task_kind, nullptr, nullptr,
                                      std::is_trivially_destructible_v<T> ? nullptr : &destroy_value<T>,
                                      storage_alignment<T>};
template <>
inline constexpr task_type value_type<void>{task_kind, nullptr, nullptr, nullptr};

template <class T>
inline constexpr std::size_t value_bytes = sizeof(T);
template <>
inline constexpr std::size_t value_bytes<void> = 0;

}  // namespace stretto::detail

STRETTO_API_END
