// future.hpp - a task's result: an event plus the value that it promised; and promises that the program keeps.
//
//     future<int> f = async([] { return 42; });
//     int answer = f.get();                      // waits, and throws what the task threw
//
//     promise<int> p;
//     future<int> later = p.get_future();
//     p.set(7);                                  // or p.poison(std::make_exception_ptr(...))
//
// Threads     a future or promise object belongs to one task at a time, like any value; copies are free to go
//             anywhere. Const members may be called from several tasks at once.
// Memory      what the task did before it ended is visible after get() or wait() returned.
// Cost        moving: one store. Copying: one atomic addition. get() of a task that has not started, right after
//             it was spawned: a call. Otherwise the waiting task suspends, never its worker.
// Invariants  (1) the value lives in the task's record until the last future is gone. (2) a promise that is
//             destroyed unkept poisons its future.
#pragma once

#include <stretto/detail/task_type.hpp>
#include <stretto/event.hpp>

#include <new>
#include <type_traits>
#include <utility>

STRETTO_API_BEGIN

namespace stretto {

namespace detail {

/// The counted reference that futures are made of.
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
  /// True once the value is there or never will be.
  bool is_ready() const noexcept { return record_ && is_done(*record_); }
  bool is_poisoned() const noexcept { return record_ && stretto::detail::is_poisoned(*record_); }
  /// How it ended; ok() while it has not. Never waits.
  wait_result result() const { return record_ ? result_of(*record_) : wait_result(); }

  /// The task as something to wait for; this future must outlive the call that takes it.
  operator dependency() const {
    if (!record_) no_value("after", std::source_location::current());
    return dependency(*record_);
  }
  /// An event that happens when the task ends. Cost: an event slot, made now.
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

/// The promised result of a task or of a promise<T>.
///
///     stretto::future<int> f = stretto::async([] { return 42; });
///     int answer = f.get();
template <class T = void>
class future;

/// The result of an operation that may not have ended yet: a value of type T, or a failure.
template <class T>
class future : public detail::future_base {
 public:
  using detail::future_base::future_base;

  /// Waits, then the value, which stays where it is. Throws what the task threw, or stretto::poisoned if it was
  /// skipped because something that it depends on failed.
  const T& get(std::source_location where = std::source_location::current()) const& {
    return *std::launder(static_cast<const T*>(detail::storage_of(wait_for_record(where))));
  }
  /// The same, moved out of the record if this is the only future or a copy cannot be made, else copied.
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

template <>
class future<void> : public detail::future_base {
 public:
  using detail::future_base::future_base;

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

/// The writing end of a future. Move-only; may be handed to any task. Destroying it unkept poisons the future.
template <class T = void>
class promise {
 public:
  static_assert(detail::storage_alignment<T> <= detail::most_alignment,
                "a promised value is aligned to at most 4096 bytes");

  explicit promise(std::source_location where = std::source_location::current())
      : record_(&detail::new_promise(detail::value_bytes<T>, detail::value_type<T>, where)) {}
  promise(promise&& other) noexcept : record_(std::exchange(other.record_, nullptr)) {}
  promise& operator=(promise other) noexcept {
    std::swap(record_, other.record_);
    return *this;
  }
  ~promise() {
    if (record_) detail::break_promise(*record_, nullptr);
  }

  /// As many futures as wanted, before set().
  future<T> get_future(std::source_location where = std::source_location::current()) const {
    detail::add_reference(live("get_future", where));
    return detail::future_access::make<T>(*record_);
  }

  /// Keeps the promise; this object is empty afterwards. Throws E13 if it was kept or poisoned before.
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
  /// There will be no value, and why.
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
