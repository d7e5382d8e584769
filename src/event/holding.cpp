#include "event/holding.hpp"

#include <cstring>
#include <new>

#include "event/ending.hpp"

namespace stretto::detail {

namespace {

void append(waiter& w, waiter*& first, waiter*& last) noexcept {
  w.next = nullptr;
  if (last)
    last->next = &w;
  else
    first = &w;
  last = &w;
}

waiter* take(waiter*& first, waiter*& last) noexcept {
  waiter* w = first;
  first = w->next;
  if (!first) last = nullptr;
  __builtin_prefetch(first, 1);  // the next to be granted
  return w;
}

}  // namespace

void holding::free_payload::operator()(std::byte* p) const noexcept { ::operator delete(p, std::align_val_t{64}); }

void holding::start(std::size_t payload_bytes, std::uint32_t fairness, const std::source_location& where) {
  payload_.reset();
  if (payload_bytes) {
    payload_.reset(static_cast<std::byte*>(::operator new(payload_bytes, std::align_val_t{64})));
    std::memset(payload_.get(), 0, payload_bytes);
  }
  payload_bytes_ = payload_bytes;
  fairness_ = fairness;
  where_ = where;
  held_ = false;
  preferred_ = 0;
  first_ = last_ = first_remote_ = last_remote_ = nullptr;
  skipped_.clear();
}

bool holding::try_acquire(const std::source_location& by) noexcept {
  lock_.lock();
  const bool free = !held_;
  held_ = true;
  if (free) holder_ = by;
  lock_.unlock();
  return free;
}

bool holding::acquire(slot& s) noexcept {
  lock_.lock();
  const bool free = !held_;
  held_ = true;
  if (free)
    holder_ = s.where.load(std::memory_order_relaxed);
  else
    append(s.own, first_, last_);
  lock_.unlock();
  return free;
}

bool holding::acquire_remote(waiter& w) noexcept {
  lock_.lock();
  const bool free = !held_;
  held_ = true;
  if (free)
    holder_ = {};
  else
    append(w, first_remote_, last_remote_);
  lock_.unlock();
  return free;
}

void holding::skip_acquire(const failure& cause) {
  const failure& root = cause.root();
  std::scoped_lock lock(lock_);
  for (auto& s : skipped_)
    if (s.root->has_root_of(root)) {
      ++s.count;
      return;
    }
  skipped_.push_back({failure_ref::share(&root), 1});
}

bool holding::ignore(const failure* root) noexcept {
  for (auto it = skipped_.begin(); it != skipped_.end(); ++it)
    if (!root || it->root->has_root_of(*root)) {
      if (--it->count == 0) skipped_.erase(it);
      return true;
    }
  return false;
}

holding::released holding::release(const failure* cause, grant& next) noexcept {
  std::scoped_lock lock(lock_);
  if (cause && ignore(&cause->root())) return released::ignored;
  if (!held_) return ignore(nullptr) ? released::ignored : released::not_held;
  if (first_ && (!first_remote_ || preferred_ < fairness_)) {
    if (first_remote_) ++preferred_;
    next.local = &slot::of(*take(first_, last_));
    holder_ = next.local->where.load(std::memory_order_relaxed);
  } else if (first_remote_) {
    preferred_ = 0;
    next.remote = take(first_remote_, last_remote_);
    next.remote->next = nullptr;
    holder_ = {};
  } else {
    held_ = false;
  }
  return released::given_back;
}

void holding::release_skipped(const failure& cause) noexcept {
  std::scoped_lock lock(lock_);
  ignore(&cause.root());
}

void holding::hand_out(const grant& g, event_cache& cache, base::thread_context& context) noexcept {
  if (g.local)
    finish(*g.local, nullptr, cache, context);
  else if (g.remote)
    fire(g.remote, nullptr, cache, context);
}

holding::waiting holding::stop() noexcept {
  std::scoped_lock lock(lock_);
  const waiting left{first_, first_remote_};
  first_ = last_ = first_remote_ = last_remote_ = nullptr;
  skipped_.clear();
  return left;
}

}  // namespace stretto::detail
