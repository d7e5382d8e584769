#include "event/holding.hpp"

#include <cstring>
#include <new>
#include <utility>

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

void holding::allocate(std::size_t bytes) {
  payload_.reset();
  if (!bytes) return;
  payload_.reset(static_cast<std::byte*>(::operator new(bytes, std::align_val_t{64})));
  std::memset(payload_.get(), 0, bytes);
}

void holding::start(std::size_t payload_bytes, std::uint32_t fairness, const std::source_location& where) {
  allocate(payload_bytes);
  payload_bytes_ = payload_bytes;
  fairness_ = fairness;
  where_ = where;
  held_ = away_ = is_unknown_ = false;
  gone_ = {};
  preferred_ = 0;
  first_ = last_ = first_remote_ = last_remote_ = nullptr;
  skipped_.clear();
}

void holding::start_away() {
  start(0, 0, {});
  held_ = away_ = is_unknown_ = true;
}

void* holding::room_for_payload(std::size_t bytes) {
  const std::scoped_lock lock(lock_);
  if (std::exchange(is_unknown_, false)) {
    payload_bytes_ = bytes;
    if (!payload_) allocate(bytes);
  }
  return bytes ? payload_.get() : nullptr;
}

bool holding::try_acquire(const std::source_location& by) noexcept {
  lock_.lock();
  const bool free = !held_;
  held_ = true;
  if (free) holder_ = by;
  lock_.unlock();
  return free;
}

holding::taken holding::acquire(slot& s) noexcept {
  const std::scoped_lock lock(lock_);
  if (!held_) {
    held_ = true;
    holder_ = s.where.load(std::memory_order_relaxed);
    return taken::now;
  }
  if (gone_) [[unlikely]]
    return taken::never;
  append(s.own, first_, last_);
  return away_ ? taken::once_it_comes : taken::later;
}

bool holding::leave(waiter& w) noexcept {
  const std::scoped_lock lock(lock_);
  if (held_) {
    append(w, first_remote_, last_remote_);
    return false;
  }
  held_ = away_ = true;
  holder_ = {};
  return true;
}

std::vector<holding::skipped> holding::take_skipped() noexcept {
  const std::scoped_lock lock(lock_);
  return std::exchange(skipped_, {});
}

void holding::come(std::uint32_t fairness, const std::source_location& where, std::vector<skipped> along,
                   grant& next) noexcept {
  const std::scoped_lock lock(lock_);
  fairness_ = fairness;
  if (where_.line() != where.line() || where_.file_name() != where.file_name()) where_ = where;  // readers take no lock
  skipped_ = std::move(along);
  away_ = false;
  preferred_ = 0;
  if (first_) {
    grant_local(next);
  } else if (first_remote_) {
    grant_remote(next);
  } else {
    held_ = false;
  }
}

void holding::grant_local(grant& next) noexcept {
  if (first_remote_) ++preferred_;
  next.local = &slot::of(*take(first_, last_));
  holder_ = next.local->where.load(std::memory_order_relaxed);
}

void holding::grant_remote(grant& next) noexcept {
  preferred_ = 0;
  away_ = true;
  next.remote = take(first_remote_, last_remote_);
  next.remote->next = nullptr;
  holder_ = {};
}

bool holding::skip_acquire(const failure& cause) {
  const failure& root = cause.root();
  std::scoped_lock lock(lock_);
  if (away_ && !gone_) return false;
  for (auto& s : skipped_)
    if (s.root->has_root_of(root)) {
      ++s.count;
      return true;
    }
  skipped_.push_back({failure_ref::share(&root), 1});
  return true;
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
  if (gone_) [[unlikely]]
    return released::ignored;
  if (away_) [[unlikely]]
    return released::elsewhere;
  if (cause && ignore(&cause->root())) return released::ignored;
  if (!held_) return ignore(nullptr) ? released::ignored : released::not_held;
  if (first_ && (!first_remote_ || preferred_ < fairness_))
    grant_local(next);
  else if (first_remote_)
    grant_remote(next);
  else
    held_ = false;
  return released::given_back;
}

bool holding::release_skipped(const failure& cause) noexcept {
  std::scoped_lock lock(lock_);
  if (away_ && !gone_) return false;
  ignore(&cause.root());
  return true;
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

holding::waiting holding::stop(failure_ref cause) noexcept {
  {
    std::scoped_lock lock(lock_);
    gone_ = std::move(cause);
    held_ = true;
  }
  return stop();
}

}  // namespace stretto::detail
