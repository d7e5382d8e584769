// future.hpp - futures and promises: the result of a task or of the program, with its value or its exception.
//
//     int add_two_results() {
//       future<int> f = async([] { return 42; });  // a task
//
//       promise<int> p;  // a value that the program sets
//       future<int> later = p.get_future();
//       p.set(7);  // or p.poison(std::make_exception_ptr(...))
//
//       return f.get() + later.get();  // waits, and throws the exception of a failed task
//     }
//
// Threads     a future or promise object belongs to one task at a time, like any value; copies are free to go
//             anywhere. Const members may be called from several tasks at once.
// Memory      writes of the task are visible once get() or wait() has returned.
// Cost        moving: one store. Copying: one atomic addition. get() right after the spawn, if the task has not
//             started: a function call. Otherwise the waiting task suspends, never its worker.
// Invariants  (1) the value lives in the task's record until the last future is destroyed. (2) a promise that is
//             destroyed without a value poisons its future.
#pragma once

#include <stretto/detail/task_type.hpp>
#include <stretto/event.hpp>

#include <new>
#include <type_traits>
#include <utility>

STRETTO_API_BEGIN

namespace stretto {

namespace detail {

/// The base of all futures: a counted reference to the record of a task or promise.
class future_base {
 public:
  future_base() noexcept = default;
  future_base(const future_base& other) noexcept : record_(other.record_) {
    if (record_) add_reference(*record_);
  }
  future_base(future_base&& other) noexcept : record_(std::exchange(other.record_, nullptr)) {}
  future_base& operator=(future_base other) noexcept {
    std::swap(record_, other.record_);
    return *this;
  }
  ~future_base() {
    if (record_) release(*record_);
  }

  /// False for a default-made or moved-from future.
  bool valid() const noexcept { return record_ != nullptr; }
  /// True once the operation has ended, with a value or a failure. Never waits.
  bool is_ready() const noexcept { return record_ && is_done(*record_); }
  /// True once the operation has ended with a failure. Never waits.
  bool is_poisoned() const noexcept { return record_ && stretto::detail::is_poisoned(*record_); }
  /// The result that wait() would have; ok() while the operation has not ended. Never waits.
  wait_result result() const { return record_ ? result_of(*record_) : wait_result(); }

  /// The task as a precondition; this future must outlive the call that takes it. Throws E13 for an empty future.
  operator dependency() const {
    if (!record_) no_value("after", std::source_location::current());
    return dependency(*record_);
  }
  /// An event that triggers when the operation ends; it is poisoned with its failure. Throws B20. Cost: an event slot.
  operator event() const { return record_ ? event_of(*record_) : event(); }

 protected:
  /// Takes over one reference.
  explicit future_base(completion& record) noexcept : record_(&record) {}
  completion& wait_for_record(const std::source_location& where) const {
    if (!record_) no_value("get", where);
    wait_for(*record_, where);
    return *record_;
  }
  completion* record_ = nullptr;
};

struct future_access;

}  // namespace detail

/// The result of a task or of a promise<T>, as it will be.
template <class T = void>
class future;

/// The result of an operation that may not have ended yet: a value of type T, or an exception. Copies share the value.
template <class T>
class future : public detail::future_base {
 public:
  using detail::future_base::future_base;

  /// Suspends the calling task until the operation has ended, and returns the value, which stays in the record.
  ///
  ///   throws   the exception of the operation; stretto::poisoned (E10) if it was skipped because a precondition
  ///            failed; E13 for an empty future, B20 on a thread of no runtime, S14 if the task waits for itself
  const T& get(std::source_location where = std::source_location::current()) const& {
    return *std::launder(static_cast<const T*>(detail::storage_of(wait_for_record(where))));
  }
  /// As get(), and returns the value by value: moved if this is the only future or T cannot be copied, else copied.
  /// Throws as get().
  T get(std::source_location where = std::source_location::current()) && {
    completion& record = wait_for_record(where);
    T& value = *std::launder(static_cast<T*>(detail::storage_of(record)));
    if constexpr (std::is_copy_constructible_v<T> && !std::is_trivially_copyable_v<T>)
      if (!detail::is_only_reference(record)) return std::as_const(value);
    return std::move(value);
  }

 private:
  friend detail::future_access;
  explicit future(completion& record) noexcept : future_base(record) {}
};

/// The result of an operation without a value: success, or an exception.
template <>
class future<void> : public detail::future_base {
 public:
  using detail::future_base::future_base;

  /// Suspends the calling task until the operation has ended. Throws as future<T>::get().
  void get(std::source_location where = std::source_location::current()) const { wait_for_record(where); }

 private:
  friend detail::future_access;
  explicit future(completion& record) noexcept : future_base(record) {}
};

namespace detail {
struct future_access {
  template <class T>
  static future<T> make(completion& record) noexcept {
    return future<T>(record);
  }
};
}  // namespace detail

/// The writing end of a future. Move-only; any task may own it. Destroying it without a value poisons its futures with
/// E12.
template <class T = void>
class promise {
 public:
  static_assert(detail::storage_alignment<T> <= detail::most_alignment,
                "a promised value is aligned to at most 4096 bytes");

  /// A promise without a value yet. Throws B20 on a thread of no runtime.
  explicit promise(std::source_location where = std::source_location::current())
      : record_(&detail::new_promise(detail::value_bytes<T>, detail::value_type<T>, where)) {}
  promise(promise&& other) noexcept : record_(std::exchange(other.record_, nullptr)) {}
  /// Takes over the other promise.
  promise& operator=(promise other) noexcept {
    std::swap(record_, other.record_);
    return *this;
  }
  ~promise() {
    if (record_) detail::break_promise(*record_, nullptr);
  }

  /// A future of this promise; any number of them, before set() or poison(). Throws E13 afterwards.
  future<T> get_future(std::source_location where = std::source_location::current()) const {
    detail::add_reference(live("get_future", where));
    return detail::future_access::make<T>(*record_);
  }

  /// Sets the value; this object is empty afterwards. Throws E13 if the promise was set or poisoned before, and what
  /// the constructor of T throws.
  template <class Value = T>
    requires(!std::is_void_v<T>)
  void set(Value&& value, std::source_location where = std::source_location::current()) {
    completion& record = live("set", where);
    ::new (detail::storage_of(record)) T(std::forward<Value>(value));
    record_ = nullptr;
    detail::keep_promise(record);
  }
  void set(std::source_location where = std::source_location::current())
    requires std::is_void_v<T>
  {
    completion& record = live("set", where);
    record_ = nullptr;
    detail::keep_promise(record);
  }
  /// Poisons the futures with `why`; this object is empty afterwards. Throws E13 as set().
  void poison(std::exception_ptr why, std::source_location where = std::source_location::current()) {
    completion& record = live("poison", where);
    record_ = nullptr;
    detail::break_promise(record, std::move(why));
  }

 private:
  completion& live(const char* verb, const std::source_location& where) const {
    if (!record_) detail::no_value(verb, where);
    return *record_;
  }
  completion* record_;
};

}  // namespace stretto

STRETTO_API_END
