#include "event/reservation_state.hpp"

#include <cstring>
#include <new>
#include <utility>

#include "event/event_trigger.hpp"

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
  w->next = nullptr;
  return w;
}

// What an acquire in line wants is told by what would fire it, which nobody does.
void wait_to_hold(waiter&, const failure*, base::thread_context&) noexcept {}
void wait_to_share(waiter&, const failure*, base::thread_context&) noexcept {}
hold wanted_by(const waiter& local) noexcept { return local.fire == wait_to_share ? hold::shared : hold::alone; }

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
  readers_ = 0;
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

bool holding::try_acquire(hold how, const std::source_location& by) noexcept {
  lock_.lock();
  const bool free = how == hold::shared ? can_share() : !is_held();
  if (free) {
    if (how == hold::shared) ++readers_;
    else held_ = true;
    holder_ = by;
  }
  lock_.unlock();
  return free;
}

holding::taken holding::acquire_locked(slot& s, hold how) noexcept {
  const bool is_shared = how == hold::shared;
  if (is_shared ? can_share() : !is_held()) {
    if (is_shared) ++readers_;
    else held_ = true;
    holder_ = s.where.load(std::memory_order_relaxed);
    return taken::now;
  }
  if (gone_) [[unlikely]]
    return taken::never;
  s.own.fire = is_shared ? wait_to_share : wait_to_hold;
  append(s.own, first_, last_);
  return away_ ? taken::once_it_comes : taken::later;
}

holding::taken holding::acquire(slot& s, hold how) noexcept {
  const std::scoped_lock lock(lock_);
  if (how == hold::shared && away_ && !gone_ && !first_) return taken::by_message;
  return acquire_locked(s, how);
}

holding::taken holding::acquire_in_line(slot& s) noexcept {
  const std::scoped_lock lock(lock_);
  return acquire_locked(s, hold::shared);
}

holding::taken holding::acquire_for(remote_acquire& w) noexcept {
  const std::scoped_lock lock(lock_);
  if (gone_) return taken::never;
  if (away_) return taken::once_it_comes;
  if (can_share()) {
    ++readers_;
    holder_ = {};
    return taken::now;
  }
  append(w, first_remote_, last_remote_);
  return taken::later;
}

waiter* holding::take_remote() noexcept {
  const std::scoped_lock lock(lock_);
  last_remote_ = nullptr;
  return std::exchange(first_remote_, nullptr);
}

bool holding::leave(remote_acquire& w) noexcept {
  const std::scoped_lock lock(lock_);
  if (is_held()) {
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
                   grant& next, waiter* readers) noexcept {
  const std::scoped_lock lock(lock_);
  fairness_ = fairness;
  if (where_.line() != where.line() || where_.file_name() != where.file_name()) where_ = where;  // readers take no lock
  skipped_ = std::move(along);
  away_ = false;
  preferred_ = 0;
  held_ = false;
  if (readers) {  // ahead of who wants it to go on: they have waited for one node already
    waiter* last = readers;
    while (last->next) last = last->next;
    last->next = first_remote_;
    if (!first_remote_) last_remote_ = last;
    first_remote_ = readers;
  }
  grant_all(next, first_ != nullptr);
}

/// To who waits, as long as those can hold it together. Whose turn it is waits for readers to leave, and everyone else
/// behind it.
void holding::grant_all(grant& next, bool is_local_first) noexcept {
  waiter *last_local = nullptr, *last_remote = nullptr;
  while (!held_ && (first_ || first_remote_)) {
    const bool is_local = first_ && (!first_remote_ || preferred_ < fairness_ || is_local_first);
    const hold wanted = is_local ? wanted_by(*first_) : static_cast<const remote_acquire*>(first_remote_)->how;
    if (wanted == hold::alone && readers_) return;
    is_local_first = false;
    if (wanted == hold::alone) held_ = true;
    else ++readers_;
    if (is_local) {
      if (first_remote_) ++preferred_;
      waiter* const w = take(first_, last_);
      holder_ = slot::of(*w).where.load(std::memory_order_relaxed);
      append(*w, next.local, last_local);
    } else {
      preferred_ = 0;
      away_ = held_;
      waiter* const w = take(first_remote_, last_remote_);
      holder_ = {};
      append(*w, next.remote, last_remote);
    }
  }
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
  if (!is_held()) return ignore(nullptr) ? released::ignored : released::not_held;
  if (readers_) --readers_;
  else held_ = false;
  grant_all(next, false);
  return released::given_back;
}

bool holding::release_skipped(const failure& cause) noexcept {
  std::scoped_lock lock(lock_);
  if (away_ && !gone_) return false;
  ignore(&cause.root());
  return true;
}

void holding::hand_out(const grant& g, event_cache& cache, base::thread_context& context) noexcept {
  for (waiter* w = g.local; w;) finish(slot::of(*std::exchange(w, w->next)), nullptr, cache, context);
  if (g.remote) fire(g.remote, nullptr, cache, context);
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
