// task_type.hpp - the untyped form of tasks and futures for the compiled core: body, value and references.
#pragma once

#include <stretto/event.hpp>

#include <cstddef>
#include <exception>
#include <source_location>
#include <string>
#include <type_traits>

STRETTO_API_BEGIN

namespace stretto::detail {

/// The offset, in bytes, of the storage for the body and then the value in a record, and its default alignment. A type
/// may require more.
inline constexpr std::size_t storage_offset = 64;
inline constexpr std::size_t most_alignment = 4096;

/// The functions of a type of task. `run` calls the body, destroys it, also if it throws, and leaves the value in the
/// same storage. A function that has nothing to do is null.
struct task_type : completion_kind {
  void (*run)(void* storage);
  void (*drop_body)(void* storage) noexcept;
  void (*drop_value)(void* storage) noexcept;
  std::size_t alignment = storage_offset;  // of the storage, a power of two
  bool may_be_cancelled = false;           // true for tasks that the program spawned (cancel.hpp)
};

void destroy_task(completion& c) noexcept;
std::string describe_task(const completion& c);
inline constexpr completion_kind task_kind{destroy_task, describe_task};

void add_reference(completion& c) noexcept;
void release(completion& c) noexcept;
bool is_done(const completion& c) noexcept;
bool is_poisoned(const completion& c) noexcept;
bool is_only_reference(const completion& c) noexcept;
/// Suspends the calling task, or blocks a thread that is no worker, until `c` is done. Throws its failure.
void wait_for(completion& c, const std::source_location& where);
/// For callers whose stack `d` uses: returns only after `d` has ended. Does not throw its failure, which counts as
/// observed. If the calling task cannot be suspended (S11), other tasks run on top of it.
void join(const dependency& d, const std::source_location& where) noexcept;
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

// A function, because GCC gives a lambda in the initialiser of a variable default visibility (compiler.hpp).
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
