#include "base/signal_watch.hpp"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

#include "base/clock.hpp"
#include "base/config.hpp"
#include "base/fork_reset.hpp"
#include "base/futex.hpp"
#include "base/passive_thread.hpp"
#include "base/signals_blocked.hpp"

namespace stretto::base {

// Handlers belong to the process, so all watches share this. It is never destroyed: a runtime may outlive the static
// objects of the main thread.
struct signal_registry {
  static constexpr int signals = 64;

  // The handler.
  std::atomic<std::uint64_t> watched{0}, pending{0};  // a bit per signal
  std::atomic<std::uint32_t> calls{0};                // futex
  std::atomic<std::uint32_t> inside{0};               // handlers that may read `before` or mark their signal
  struct sigaction before[signals] = {};              // written while none is inside that would read it

  // Held during whole constructors and destructors.
  std::mutex change_mutex;
  std::uint64_t installed = 0;  // a bit per signal whose handler is ours, or one that forwards to ours
  std::thread* thread = nullptr;
  std::atomic<bool> ends{false};

  // The list; held while callbacks run.
  std::mutex list_mutex;
  signal_watch* first = nullptr;
  timed_watch* first_timed = nullptr;

  void add(signal_watch& w);
  void remove(signal_watch& w) noexcept;
  void add(timed_watch& w);
  void remove(timed_watch& w) noexcept;
  void wake() noexcept;
  bool start_thread();
  void stop_thread() noexcept;
  void install(int number) noexcept;
  void uninstall(int number) noexcept;
  void serve() noexcept;
  void begin_anew() noexcept;
  void run_signal_callbacks() noexcept;
  std::int64_t run_timed_callbacks() noexcept;
};

namespace {

constinit signal_registry registry;

std::uint64_t bit(int number) noexcept { return std::uint64_t{1} << number; }

void on_signal(int number, siginfo_t* about, void* context) {
  const int error_of_others = errno;
  registry.inside.fetch_add(1, std::memory_order_seq_cst);
  const struct sigaction next = registry.before[number];
  if (registry.watched.load(std::memory_order_seq_cst) & bit(number)) {
    registry.pending.fetch_or(bit(number), std::memory_order_seq_cst);
    registry.wake();
  }
  registry.inside.fetch_sub(1, std::memory_order_seq_cst);
  errno = error_of_others;
  // A watch replaces the default action, which is to end the process.
  if (next.sa_flags & SA_SIGINFO) return next.sa_sigaction(number, about, context);
  if (next.sa_handler != SIG_DFL && next.sa_handler != SIG_IGN) next.sa_handler(number);
}

bool is_ours(const struct sigaction& s) noexcept { return s.sa_flags & SA_SIGINFO && s.sa_sigaction == on_signal; }

const fork_reset signals_in_child([]() noexcept { registry.begin_anew(); });

}  // namespace

/// In a forked child: the handlers stay; the watches and the thread belong to the parent.
void signal_registry::begin_anew() noexcept {
  watched.store(0, std::memory_order_seq_cst);
  pending.store(0, std::memory_order_seq_cst);
  inside.store(0, std::memory_order_seq_cst);
  std::construct_at(&change_mutex);
  std::construct_at(&list_mutex);
  // Another thread may have been between a handler and its bit.
  installed = 0;
  for (int number = 1; number < signals; ++number) {
    struct sigaction now;
    if (sigaction(number, nullptr, &now) == 0 && is_ours(now)) installed |= bit(number);
  }
  passive_thread::begin_anew();
  thread = nullptr;
  ends.store(false, std::memory_order_seq_cst);
  first = nullptr;
  first_timed = nullptr;
}

void signal_registry::wake() noexcept {
  calls.fetch_add(1, std::memory_order_seq_cst);
  futex_wake(calls);
}

void signal_registry::install(int number) noexcept {
  watched.fetch_or(bit(number), std::memory_order_seq_cst);
  if (installed & bit(number)) return;
  installed |= bit(number);
  struct sigaction ours {};
  ours.sa_sigaction = on_signal;
  ours.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;  // ONSTACK: a task's stack is small
  sigemptyset(&ours.sa_mask);
  while (inside.load(std::memory_order_seq_cst)) relax();  // handlers of an earlier installation
  sigaction(number, nullptr, &before[number]);
  sigaction(number, &ours, nullptr);
}

void signal_registry::uninstall(int number) noexcept {
  watched.fetch_and(~bit(number), std::memory_order_seq_cst);
  while (inside.load(std::memory_order_seq_cst)) relax();  // handlers that saw it watched
  pending.fetch_and(~bit(number), std::memory_order_seq_cst);
  struct sigaction now;
  sigaction(number, nullptr, &now);
  if (!is_ours(now)) return;  // another handler may forward to ours
  sigaction(number, &before[number], nullptr);
  installed &= ~bit(number);
}

bool signal_registry::start_thread() {
  if (thread) return true;
  const signals_blocked here;
  try {
    ends.store(false, std::memory_order_seq_cst);
    thread = new std::thread([this] { serve(); });
  } catch (const std::system_error&) {
    // The program goes on without watches.
  }
  return thread != nullptr;
}

void signal_registry::stop_thread() noexcept {
  if (!thread) return;
  ends.store(true, std::memory_order_seq_cst);
  wake();
  thread->join();
  delete thread;
  thread = nullptr;
}

void signal_registry::add(signal_watch& w) {
  const std::scoped_lock lock(change_mutex);
  if (!start_thread()) return;
  {
    const std::scoped_lock list(list_mutex);
    w.next_ = first;
    first = &w;
  }
  install(w.number_);
}

void signal_registry::remove(signal_watch& w) noexcept {
  const std::scoped_lock lock(change_mutex);
  bool was_last = true, is_empty;
  {
    const std::scoped_lock list(list_mutex);
    signal_watch** at = &first;
    while (*at && *at != &w) at = &(*at)->next_;
    if (!*at) return;  // it never had a thread
    *at = w.next_;
    for (const signal_watch* other = first; other; other = other->next_) was_last &= other->number_ != w.number_;
    is_empty = !first && !first_timed;
  }
  if (was_last) uninstall(w.number_);
  if (is_empty) stop_thread();
}

void signal_registry::add(timed_watch& w) {
  const std::scoped_lock lock(change_mutex);
  if (!start_thread()) return;
  const std::scoped_lock list(list_mutex);
  w.next_ = first_timed;
  first_timed = &w;
  wake();
}

void signal_registry::remove(timed_watch& w) noexcept {
  const std::scoped_lock lock(change_mutex);
  bool is_empty;
  {
    const std::scoped_lock list(list_mutex);
    timed_watch** at = &first_timed;
    while (*at && *at != &w) at = &(*at)->next_;
    if (!*at) return;  // it never had a thread
    *at = w.next_;
    is_empty = !first && !first_timed;
  }
  if (is_empty) stop_thread();
}

void signal_registry::run_signal_callbacks() noexcept {
  const std::scoped_lock list(list_mutex);
  // Taken under the lock: no watch that is removed meanwhile leaves its signal to a later one.
  const std::uint64_t due = pending.exchange(0, std::memory_order_seq_cst);
  for (const signal_watch* w = first; w; w = w->next_) {
    if (!(due & bit(w->number_))) continue;
    try {
      w->callback_();
    } catch (const std::exception& e) {
      std::fprintf(stderr, "%s\n", e.what());
    } catch (...) {
      std::fputs("stretto: what a signal asked for failed\n", stderr);
    }
  }
}

/// Nanoseconds until the next callback is due; timed_watch::never: none is.
std::int64_t signal_registry::run_timed_callbacks() noexcept {
  const std::scoped_lock list(list_mutex);
  std::int64_t pause = timed_watch::never;
  for (timed_watch* w = first_timed; w; w = w->next_) {
    const auto now = static_cast<std::int64_t>(nanoseconds_now());
    if (w->is_called_.exchange(false, std::memory_order_seq_cst)) w->due_ = 0;
    if (w->due_ != timed_watch::never && w->due_ <= now) {
      const std::int64_t wanted = w->callback_();
      w->due_ =
          wanted == timed_watch::never ? timed_watch::never : static_cast<std::int64_t>(nanoseconds_now()) + wanted;
    }
    if (w->due_ == timed_watch::never) continue;
    const std::int64_t left = std::max<std::int64_t>(w->due_ - static_cast<std::int64_t>(nanoseconds_now()), 1);
    pause = pause == timed_watch::never ? left : std::min(pause, left);
  }
  return pause;
}

void signal_registry::serve() noexcept {
  const passive_thread here;
  pthread_setname_np(pthread_self(), "stretto watch");
  while (!ends.load(std::memory_order_seq_cst)) {
    const std::uint32_t seen = calls.load(std::memory_order_seq_cst);
    run_signal_callbacks();
    const std::int64_t pause = run_timed_callbacks();
    if (ends.load(std::memory_order_seq_cst)) return;
    if (pause == timed_watch::never) futex_wait(calls, seen);
    else futex_wait_for(calls, seen, pause);
  }
}

signal_watch::signal_watch(int number, std::function<void()> callback)
    : number_(number), callback_(std::move(callback)) {
  registry.add(*this);
}

signal_watch::~signal_watch() { registry.remove(*this); }

timed_watch::timed_watch(std::function<std::int64_t()> callback) : callback_(std::move(callback)) {
  registry.add(*this);
}

timed_watch::~timed_watch() { registry.remove(*this); }

void timed_watch::call() noexcept {
  is_called_.store(true, std::memory_order_seq_cst);
  registry.wake();
}

preserved_signal_handlers::preserved_signal_handlers() {
  registry.change_mutex.lock();
  for (std::size_t i = 0; i < kept.size(); ++i) sigaction(kept[i], nullptr, &before_[i]);
}

preserved_signal_handlers::~preserved_signal_handlers() {
  for (std::size_t i = 0; i < kept.size(); ++i) sigaction(kept[i], &before_[i], nullptr);
  registry.change_mutex.unlock();
}

}  // namespace stretto::base
