// memory.hpp - shared memory of the stand-in: global pointers, puts, gets and atomics. They happen in the call, and end
// in the next progress.
#pragma once

#include <upcxx/team.hpp>

#include <new>

namespace upcxx {

template <class T>
class global_ptr {
 public:
  global_ptr() = default;
  global_ptr(int rank, std::size_t offset) : rank_(rank), offset_(offset) {}

  intrank_t where() const { return rank_; }
  T* local() const { return reinterpret_cast<T*>(stand_in::here().all[rank_].heap + offset_); }
  global_ptr operator+(std::ptrdiff_t n) const { return {rank_, offset_ + static_cast<std::size_t>(n) * sizeof(T)}; }

 private:
  int rank_ = 0;
  std::size_t offset_ = 0;
};

/// Memory is not used again.
template <class T>
global_ptr<T> new_array(std::size_t n) {
  auto& p = stand_in::here();
  const std::scoped_lock lock(p.heap_mutex);
  const std::size_t at = (p.heap_used + 63) / 64 * 64;
  if (at + n * sizeof(T) > stand_in::heap_bytes) throw std::bad_alloc();
  p.heap_used = at + n * sizeof(T);
  const global_ptr<T> made(p.rank, at);
  for (std::size_t i = 0; i < n; ++i) new (made.local() + i) T();
  return made;
}
template <class T>
global_ptr<T> new_(T value = {}) {
  const auto made = new_array<T>(1);
  *made.local() = value;
  return made;
}
template <class T>
void delete_array(global_ptr<T>) {}
template <class T>
void delete_(global_ptr<T>) {}

namespace stand_in {
template <class... T>
future<T...> after_progress(T... values) {
  require_master("memory of another process is used");
  promise<T...> p;
  const auto f = p.get_future();
  here().completions.push_back([p, values...]() mutable { p.fulfill_result(values...); });
  return f;
}
}  // namespace stand_in

template <class T>
future<> rput(T value, global_ptr<T> to) {
  std::memcpy(to.local(), &value, sizeof value);
  return stand_in::after_progress();
}
template <class T>
future<> rput(const T* from, global_ptr<T> to, std::size_t n) {
  std::memcpy(to.local(), from, n * sizeof(T));
  return stand_in::after_progress();
}
template <class T>
future<T> rget(global_ptr<T> from) {
  return stand_in::after_progress(*from.local());
}
template <class T>
future<> rget(global_ptr<T> from, T* into, std::size_t n) {
  std::memcpy(into, from.local(), n * sizeof(T));
  return stand_in::after_progress();
}

enum class atomic_op : unsigned {
  load,
  store,
  compare_exchange,
  add,
  fetch_add,
  fetch_min,
  fetch_max,
  fetch_bit_and,
  fetch_bit_or,
  fetch_bit_xor
};

template <class T>
class atomic_domain {
 public:
  atomic_domain(const std::vector<atomic_op>& operations, const team& of = world()) : operations_(operations) {
    stand_in::meet(of);
  }
  atomic_domain(const atomic_domain&) = delete;
  void destroy() { is_alive_ = false; }
  ~atomic_domain() {
    if (is_alive_ && initialized()) stand_in::stop("an atomic domain is destroyed without destroy()");
  }

  using order = std::memory_order;
  future<T> load(global_ptr<T> at, order) const {
    return change(atomic_op::load, at, [](T old) { return old; });
  }
  future<> store(global_ptr<T> at, T value, order) const {
    return changed(atomic_op::store, at, [=](T) { return value; });
  }
  future<T> compare_exchange(global_ptr<T> at, T expected, T value, order) const {
    return change(atomic_op::compare_exchange, at, [=](T old) { return old == expected ? value : old; });
  }
  future<> add(global_ptr<T> at, T value, order) const {
    return changed(atomic_op::add, at, [=](T old) { return old + value; });
  }
  future<T> fetch_add(global_ptr<T> at, T value, order) const {
    return change(atomic_op::fetch_add, at, [=](T old) { return old + value; });
  }
  future<T> fetch_min(global_ptr<T> at, T value, order) const {
    return change(atomic_op::fetch_min, at, [=](T old) { return old < value ? old : value; });
  }
  future<T> fetch_max(global_ptr<T> at, T value, order) const {
    return change(atomic_op::fetch_max, at, [=](T old) { return old < value ? value : old; });
  }
  future<T> fetch_bit_and(global_ptr<T> at, T value, order) const {
    return change(atomic_op::fetch_bit_and, at, [=](T old) { return old & value; });
  }
  future<T> fetch_bit_or(global_ptr<T> at, T value, order) const {
    return change(atomic_op::fetch_bit_or, at, [=](T old) { return old | value; });
  }
  future<T> fetch_bit_xor(global_ptr<T> at, T value, order) const {
    return change(atomic_op::fetch_bit_xor, at, [=](T old) { return old ^ value; });
  }

 private:
  template <class Change>
  T apply(atomic_op op, global_ptr<T> at, Change change) const {
    if (std::find(operations_.begin(), operations_.end(), op) == operations_.end())
      stand_in::stop("an atomic operation is not in its domain");
    const std::atomic_ref<T> element(*at.local());
    T old = element.load();
    while (!element.compare_exchange_weak(old, change(old))) {
    }
    return old;
  }
  template <class Change>
  future<T> change(atomic_op op, global_ptr<T> at, Change by) const {
    return stand_in::after_progress(apply(op, at, by));
  }
  template <class Change>
  future<> changed(atomic_op op, global_ptr<T> at, Change by) const {
    apply(op, at, by);
    return stand_in::after_progress();
  }

  const std::vector<atomic_op> operations_;
  bool is_alive_ = true;
};

}  // namespace upcxx
