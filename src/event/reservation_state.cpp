#include "event/reservation_state.hpp"

#include <cstring>
#include <new>
#include <utility>

#include "event/event_trigger.hpp"

namespace stretto::detail {

namespace {

void append(waiter& w, waiter*& first, waiter*& last) noexcept {
  w.next = nullptr;
  if (last) last->next = &w;
  else first = &w;
  last = &w;
}

waiter* take(waiter*& first, waiter*& last) noexcept {
  waiter* w = first;
  first = w->next;
  if (!first) last = nullptr;
  __builtin_prefetch(first, 1);  // the next one to be granted
  w->next = nullptr;
  return w;
}

// A queued acquire has one of these as its waiter function, which shows how it wants to hold. They are never called.
void marks_exclusive(waiter&, const failure*, base::thread_context&) noexcept {}
void marks_shared(waiter&, const failure*, base::thread_context&) noexcept {}
hold wanted_by(const waiter& local) noexcept { return local.fire == marks_shared ? hold::shared : hold::exclusive; }

}  // namespace

void reservation_state::free_payload::operator()(std::byte* p) const noexcept {
  ::operator delete(p, std::align_val_t{64});
}

void reservation_state::allocate(std::size_t bytes) {
  payload_.reset();
  if (!bytes) return;
  payload_.reset(static_cast<std::byte*>(::operator new(bytes, std::align_val_t{64})));
  std::memset(payload_.get(), 0, bytes);
}

void reservation_state::start(std::size_t payload_bytes, std::uint32_t fairness, const std::source_location& where) {
  allocate(payload_bytes);
  payload_bytes_ = payload_bytes;
  fairness_ = fairness;
  where_ = where;
  is_exclusive_ = is_elsewhere_ = is_unknown_ = false;
  readers_ = 0;
  gone_ = {};
  local_grants_in_row_ = 0;
  first_ = last_ = first_remote_ = last_remote_ = nullptr;
  skipped_.clear();
}

void reservation_state::start_elsewhere() {
  start(0, 0, {});
  is_exclusive_ = is_elsewhere_ = is_unknown_ = true;
}

void* reservation_state::payload_buffer(std::size_t bytes) {
  const std::scoped_lock lock(lock_);
  if (std::exchange(is_unknown_, false)) {
    payload_bytes_ = bytes;
    if (!payload_) allocate(bytes);
  }
  return bytes ? payload_.get() : nullptr;
}

bool reservation_state::try_acquire(hold how, const std::source_location& by) noexcept {
  lock_.lock();
  const bool free = how == hold::shared ? can_share() : !is_held();
  if (free) {
    if (how == hold::shared) ++readers_;
    else is_exclusive_ = true;
    holder_ = by;
  }
  lock_.unlock();
  return free;
}

reservation_state::acquire_result reservation_state::acquire_locked(slot& s, hold how) noexcept {
  const bool is_shared = how == hold::shared;
  if (is_shared ? can_share() : !is_held()) {
    if (is_shared) ++readers_;
    else is_exclusive_ = true;
    holder_ = s.where.load(std::memory_order_relaxed);
    return acquire_result::now;
  }
  if (gone_) [[unlikely]]
    return acquire_result::never;
  s.own.fire = is_shared ? marks_shared : marks_exclusive;
  append(s.own, first_, last_);
  return is_elsewhere_ ? acquire_result::after_transfer : acquire_result::later;
}

reservation_state::acquire_result reservation_state::acquire(slot& s, hold how) noexcept {
  const std::scoped_lock lock(lock_);
  if (how == hold::shared && is_elsewhere_ && !gone_ && !first_) return acquire_result::by_request;
  return acquire_locked(s, how);
}

reservation_state::acquire_result reservation_state::acquire_in_line(slot& s) noexcept {
  const std::scoped_lock lock(lock_);
  return acquire_locked(s, hold::shared);
}

reservation_state::acquire_result reservation_state::acquire_for(remote_acquire& w) noexcept {
  const std::scoped_lock lock(lock_);
  if (gone_) return acquire_result::never;
  if (is_elsewhere_) return acquire_result::after_transfer;
  if (can_share()) {
    ++readers_;
    holder_ = {};
    return acquire_result::now;
  }
  append(w, first_remote_, last_remote_);
  return acquire_result::later;
}

waiter* reservation_state::take_remote() noexcept {
  const std::scoped_lock lock(lock_);
  last_remote_ = nullptr;
  return std::exchange(first_remote_, nullptr);
}

bool reservation_state::leave(remote_acquire& w) noexcept {
  const std::scoped_lock lock(lock_);
  if (is_held()) {
    append(w, first_remote_, last_remote_);
    return false;
  }
  is_exclusive_ = is_elsewhere_ = true;
  holder_ = {};
  return true;
}

std::vector<reservation_state::skipped> reservation_state::take_skipped() noexcept {
  const std::scoped_lock lock(lock_);
  return std::exchange(skipped_, {});
}

void reservation_state::move_here(std::uint32_t fairness, const std::source_location& where, std::vector<skipped> along,
                                  grant& next, waiter* readers) noexcept {
  const std::scoped_lock lock(lock_);
  fairness_ = fairness;
  // where() is read without the lock
  if (where_.line() != where.line() || where_.file_name() != where.file_name()) where_ = where;
  skipped_ = std::move(along);
  is_elsewhere_ = false;
  local_grants_in_row_ = 0;
  is_exclusive_ = false;
  if (readers) {  // they go first: they have waited already on the node where the reservation was
    waiter* last = readers;
    while (last->next) last = last->next;
    last->next = first_remote_;
    if (!first_remote_) last_remote_ = last;
    first_remote_ = readers;
  }
  grant_all(next, first_ != nullptr);
}

/// Grants queued acquires as long as they can hold the reservation together. If the next acquire is exclusive, it waits
/// until all readers have released, and all others wait behind it.
void reservation_state::grant_all(grant& next, bool is_local_first) noexcept {
  waiter *last_local = nullptr, *last_remote = nullptr;
  while (!is_exclusive_ && (first_ || first_remote_)) {
    const bool is_local = first_ && (!first_remote_ || local_grants_in_row_ < fairness_ || is_local_first);
    const hold wanted = is_local ? wanted_by(*first_) : static_cast<const remote_acquire*>(first_remote_)->how;
    if (wanted == hold::exclusive && readers_) return;
    is_local_first = false;
    if (wanted == hold::exclusive) is_exclusive_ = true;
    else ++readers_;
    if (is_local) {
      if (first_remote_) ++local_grants_in_row_;
      waiter* const w = take(first_, last_);
      holder_ = slot::of(*w).where.load(std::memory_order_relaxed);
      append(*w, next.local, last_local);
    } else {
      local_grants_in_row_ = 0;
      is_elsewhere_ = is_exclusive_;
      waiter* const w = take(first_remote_, last_remote_);
      holder_ = {};
      append(*w, next.remote, last_remote);
    }
  }
}

bool reservation_state::skip_acquire(const failure& cause) {
  const failure& root = cause.root();
  std::scoped_lock lock(lock_);
  if (is_elsewhere_ && !gone_) return false;
  for (auto& s : skipped_)
    if (s.root->has_root_of(root)) {
      ++s.count;
      return true;
    }
  skipped_.push_back({failure_ref::share(&root), 1});
  return true;
}

bool reservation_state::consume_skipped(const failure* root) noexcept {
  for (auto it = skipped_.begin(); it != skipped_.end(); ++it)
    if (!root || it->root->has_root_of(*root)) {
      if (--it->count == 0) skipped_.erase(it);
      return true;
    }
  return false;
}

reservation_state::release_result reservation_state::release(const failure* cause, grant& next) noexcept {
  std::scoped_lock lock(lock_);
  if (gone_) [[unlikely]]
    return release_result::ignored;
  if (is_elsewhere_) [[unlikely]]
    return release_result::elsewhere;
  if (cause && consume_skipped(&cause->root())) return release_result::ignored;
  if (!is_held()) return consume_skipped(nullptr) ? release_result::ignored : release_result::not_held;
  if (readers_) --readers_;
  else is_exclusive_ = false;
  grant_all(next, false);
  return release_result::given_back;
}

bool reservation_state::release_skipped(const failure& cause) noexcept {
  std::scoped_lock lock(lock_);
  if (is_elsewhere_ && !gone_) return false;
  consume_skipped(&cause.root());
  return true;
}

void reservation_state::hand_out(const grant& g, event_cache& cache, base::thread_context& context) noexcept {
  for (waiter* w = g.local; w;) finish(slot::of(*std::exchange(w, w->next)), nullptr, cache, context);
  if (g.remote) fire(g.remote, nullptr, cache, context);
}

reservation_state::waiting reservation_state::stop() noexcept {
  std::scoped_lock lock(lock_);
  const waiting left{first_, first_remote_};
  first_ = last_ = first_remote_ = last_remote_ = nullptr;
  skipped_.clear();
  return left;
}

reservation_state::waiting reservation_state::stop(failure_ref cause) noexcept {
  {
    std::scoped_lock lock(lock_);
    gone_ = std::move(cause);
    is_exclusive_ = true;
  }
  return stop();
}

}  // namespace stretto::detail
