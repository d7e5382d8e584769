#include "buffers/call_history.hpp"

#include <stretto/error.hpp>

#include <algorithm>
#include <utility>

namespace stretto::buffers {

void call_history::add(std::shared_ptr<const call_signature> c, std::uint64_t task, const std::source_location& where) {
  stable_hash all;
  all.add(hash_).add(c->hash);
  // A host function has no name that is the same on all nodes: its source line identifies it.
  if (c->is.what == buffer_call::verb::host_task) all.add(std::uint64_t{where.line()} << 32 | where.column());
  {
    const std::scoped_lock lock(lock_);
    const std::uint64_t n = calls_.load(std::memory_order_relaxed);
    entry& e = last_[n % most_kept];
    e.after = hash_ = all.value();
    e.task = task;
    e.call.swap(c);
    e.where = where;
    calls_.store(n + 1, std::memory_order_release);
  }
}

std::uint64_t call_history::first() const noexcept {
  const std::uint64_t n = calls_.load(std::memory_order_relaxed);
  return n > most_kept ? n - most_kept : 0;
}

std::optional<std::uint64_t> call_history::hash_after(std::uint64_t calls) const {
  const std::scoped_lock lock(lock_);
  if (calls == 0 || calls > calls_.load(std::memory_order_relaxed) || calls - 1 < first()) return std::nullopt;
  return at(calls - 1).after;
}

call_history::hash_window call_history::window() const {
  const std::scoped_lock lock(lock_);
  hash_window s{.first = first()};
  for (std::uint64_t n = s.first; n < calls_.load(std::memory_order_relaxed); ++n) s.after.push_back(at(n).after);
  return s;
}

call_history::comparison call_history::compare(const hash_window& other) const {
  using enum comparison::outcome;
  const std::scoped_lock lock(lock_);
  const std::uint64_t begin = std::max(first(), other.first);
  const std::uint64_t end = std::min(calls_.load(std::memory_order_relaxed), other.first + other.after.size());
  if (begin >= end) return {};
  for (std::uint64_t n = begin; n < end; ++n)
    if (at(n).after != other.after[n - other.first]) return {n == begin && n > 0 ? differs_before : differs, n};
  return {.is = same};
}

std::optional<call_history::call_description> call_history::describe(std::uint64_t number) const {
  const std::scoped_lock lock(lock_);
  if (number < first() || number >= calls_.load(std::memory_order_relaxed)) return std::nullopt;
  const entry& e = at(number);
  return call_description{(e.task == no_task ? "" : "T" + std::to_string(e.task) + ", ") + e.call->is.text(),
                          e.call->is.what == buffer_call::verb::end ? std::string() : short_location(e.where), e.after};
}

}  // namespace stretto::buffers
