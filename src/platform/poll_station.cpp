#include "platform/poll_station.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include <stretto/error.hpp>

namespace stretto {

poller::~poller() {
  if (auto* station = station_.load(std::memory_order_acquire)) station->forget(*this);
}

void poller::add_pending(std::size_t n) noexcept {
  if (n == 0 || silent_.load(std::memory_order_relaxed) || pending_.fetch_add(n, std::memory_order_seq_cst) != 0)
    return;
  if (auto* station = station_.load(std::memory_order_acquire)) station->poller_became_pending(*this);
}

void poller::remove_pending(std::size_t n) noexcept {
  if (n == 0 || pending_.fetch_sub(n, std::memory_order_seq_cst) != n) return;
  if (auto* station = station_.load(std::memory_order_acquire)) station->poller_became_idle();
}

void poller::next_poll(std::chrono::steady_clock::time_point t) noexcept {
  using std::chrono::nanoseconds;
  const auto at = t == t.max() ? detail::poll_station::never
                               : std::chrono::duration_cast<nanoseconds>(t.time_since_epoch()).count();
  if (due_.exchange(at, std::memory_order_seq_cst) <= at || !pending()) return;
  if (auto* station = station_.load(std::memory_order_acquire))
    station->sooner(at, detail::poll_station::urgency::at_once);
}

void poller::stop_polling() noexcept {
  silent_.store(true, std::memory_order_seq_cst);
  while (busy_.load(std::memory_order_seq_cst)) std::this_thread::yield();
}

void poller::poll_now() noexcept {
  due_.store(0, std::memory_order_seq_cst);
  if (auto* station = station_.load(std::memory_order_acquire))
    station->sooner(0, detail::poll_station::urgency::at_once);
}

namespace detail {

std::int64_t poll_station::now() noexcept {
  using std::chrono::nanoseconds, std::chrono::steady_clock;
  return std::chrono::duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count();
}

void poll_station::add(poller& p) {
  poll_station* none = nullptr;
  if (!p.station_.compare_exchange_strong(none, this, std::memory_order_seq_cst))
    throw error("M11", "a poller was added twice")
        .because("a poller belongs to one runtime until that runtime ends")
        .remedy("make one poller per runtime, and add it once");
  p.next_ = first_.load(std::memory_order_relaxed);
  first_.store(&p, std::memory_order_release);
  if (p.pending()) poller_became_pending(p);  // operations that began before the call
}

// Called for a module that failed to initialise, before any thread polls.
void poll_station::forget(poller& removed) noexcept {
  poller* before = nullptr;
  for (poller* p = first_.load(std::memory_order_relaxed); p && p != &removed; p = p->next_) before = p;
  if (before) before->next_ = removed.next_;
  else first_.store(removed.next_, std::memory_order_relaxed);
}

void poll_station::release() noexcept {
  for (poller* p = first_.exchange(nullptr); p;) {
    poller* const next = std::exchange(p->next_, nullptr);
    p->silent_.store(false, std::memory_order_relaxed);
    p->due_.store(0, std::memory_order_relaxed);
    p->station_.store(nullptr, std::memory_order_release);
    p = next;
  }
  pending_pollers_.store(0);
}

void poll_station::poller_became_pending(const poller& p) noexcept {
  pending_pollers_.fetch_add(1, std::memory_order_seq_cst);
  sooner(p.due_.load(std::memory_order_seq_cst), urgency::normal);
}

void poll_station::poller_became_idle() noexcept {
  if (pending_pollers_.fetch_sub(1, std::memory_order_seq_cst) == 1) none_pending();
}

std::int64_t poll_station::earliest_due() const noexcept {
  std::int64_t earliest = never;
  if (!any_pending()) return earliest;
  for (const poller* p = first_.load(std::memory_order_acquire); p; p = p->next_)
    if (p->pending_.load(std::memory_order_seq_cst) && !p->silent_.load(std::memory_order_relaxed))
      earliest = std::min(earliest, p->due_.load(std::memory_order_seq_cst));
  return earliest;
}

bool poll_station::may_others_never_end(const poller& but) const noexcept {
  for (const poller* p = first_.load(std::memory_order_acquire); p; p = p->next_)
    if (p != &but && p->pending() && !p->may_never_end()) return false;
  return true;
}

bool poll_station::all_will_call() noexcept {
  bool all = true;
  for (poller* p = first_.load(std::memory_order_acquire); p; p = p->next_) {
    if (!p->pending() || p->silent_.load(std::memory_order_relaxed)) continue;
    std::int64_t due = p->due_.load(std::memory_order_seq_cst);
    if (due && (due == never || due > now())) continue;
    // Mark it as not due before asking: if the poller calls right after its promise, the call makes it due again.
    if (!p->due_.compare_exchange_strong(due, never, std::memory_order_seq_cst) || p->will_call()) continue;
    std::int64_t unchanged = never;
    p->due_.compare_exchange_strong(unchanged, due, std::memory_order_seq_cst);
    all = false;
  }
  return all;
}

bool poll_station::is_any_left() const noexcept {
  for (const poller* p = first_.load(std::memory_order_acquire); p; p = p->next_)
    if (p->due_.load(std::memory_order_relaxed) == never && p->pending()) return true;
  return false;
}

std::size_t poll_station::give_up(poller& p, const char* why) noexcept {
  p.silent_.store(true, std::memory_order_seq_cst);
  p.fail(
      std::make_exception_ptr(error("M05", "polling failed, so the runtime cannot detect the end of these operations")
                                  .because(why)
                                  .remedy("fix the cause; poll() may throw only if its operations cannot continue")));
  if (p.pending_.exchange(0, std::memory_order_seq_cst)) poller_became_idle();
  return 1;
}

std::size_t poll_station::poll_each() noexcept {
  std::size_t ended = 0;
  std::int64_t time = 0;
  for (poller* p = first_.load(std::memory_order_acquire); p; p = p->next_) {
    if (!p->pending() || p->silent_.load(std::memory_order_relaxed)) continue;
    if (const auto due = p->due_.load(std::memory_order_relaxed)) {
      if (due == never || (due > (time ? time : time = now()))) continue;
    }
    if (p->busy_.load(std::memory_order_relaxed) || p->busy_.exchange(true, std::memory_order_seq_cst)) continue;
    // Another thread has just released the poller, and its poll may have ended all pending operations.
    if (!p->pending() || p->silent_.load(std::memory_order_seq_cst)) {
      p->busy_.store(false, std::memory_order_release);
      continue;
    }
    try {
      ended += p->poll();
    } catch (const std::exception& e) {
      ended += give_up(*p, e.what());
    } catch (...) {
      ended += give_up(*p, "the exception is not a std::exception");
    }
    p->busy_.store(false, std::memory_order_release);
  }
  return ended;
}

}  // namespace detail
}  // namespace stretto
