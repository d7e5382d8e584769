#include "diagnose/watcher.hpp"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <mutex>

#include "base/clock.hpp"
#include "base/config.hpp"
#include "base/futex.hpp"
#include "diagnose/report.hpp"
#include "event/event_floor.hpp"
#include "event/table.hpp"
#include "sched/telling.hpp"

namespace stretto::diagnose {
namespace {

constexpr double limit_at_end = 1;  // seconds, where nothing else is asked for

std::int64_t now() noexcept { return static_cast<std::int64_t>(base::nanoseconds_now()); }

/// Zero if it cannot be known.
std::size_t threads_of_process() noexcept {
  std::error_code failed;
  std::size_t count = 0;
  for (std::filesystem::directory_iterator i("/proc/self/task", failed), end; !failed && i != end; i.increment(failed)) ++count;
  return failed ? 0 : count;
}

std::uint64_t progress_now(const sched::scheduler& s) {
  const auto events = detail::event_statistics_of(s.runtime);
  return sched::progress_of(s) + events.created - events.untriggered;
}

}  // namespace

class watcher {
 public:
  static watcher& of_process() {
    static watcher* const one = new watcher;  // never destroyed: the handler may run until the very end
    return *one;
  }

  void add(watched& w) {
    const std::scoped_lock turn(turn_);
    {
      const std::scoped_lock lock(mutex_);
      w.progress_ = progress_now(w.runtime_);
      w.since_ = now();
      all_.push_back(&w);
    }
    if (thread_.joinable()) return call();
    ends_.store(false);
    sigset_t every, before;
    sigfillset(&every);
    pthread_sigmask(SIG_SETMASK, &every, &before);  // the program's handlers run elsewhere
    try {
      thread_ = std::thread([this] { watch(); });
    } catch (...) {
      // No thread to be had: there are no reports.
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (thread_.joinable()) take_signal();
  }

  void remove(watched& w) noexcept {
    const std::scoped_lock turn(turn_);
    bool is_last;
    {
      const std::scoped_lock lock(mutex_);
      std::erase(all_, &w);
      is_last = all_.empty();
    }
    if (!is_last || !thread_.joinable()) return;
    give_signal_back();
    ends_.store(true);
    call();
    thread_.join();
  }

  void call() noexcept {
    calls_.fetch_add(1, std::memory_order_seq_cst);
    base::futex_wake(calls_);
  }

 private:
  static void handle(int number, siginfo_t* info, void* context) noexcept {
    const int error_before = errno;
    watcher& self = of_process();
    self.asked_.fetch_add(1, std::memory_order_seq_cst);
    self.call();
    const struct sigaction& before = self.before_;
    if (before.sa_flags & SA_SIGINFO) {
      if (before.sa_sigaction) before.sa_sigaction(number, info, context);
    } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
      before.sa_handler(number);
    }
    errno = error_before;
  }

  void take_signal() noexcept {
    sigaction(SIGUSR1, nullptr, &before_);
    struct sigaction ours = {};
    ours.sa_sigaction = handle;
    ours.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    sigemptyset(&ours.sa_mask);
    sigaction(SIGUSR1, &ours, nullptr);
  }
  void give_signal_back() noexcept {
    struct sigaction present;
    sigaction(SIGUSR1, nullptr, &present);
    if (present.sa_flags & SA_SIGINFO && present.sa_sigaction == handle) sigaction(SIGUSR1, &before_, nullptr);
  }

  void watch() {
    pthread_setname_np(pthread_self(), "stretto watch");
    std::uint32_t answered = asked_.load();
    while (!ends_.load()) {
      const auto seen = calls_.load(std::memory_order_seq_cst);
      std::int64_t pause = 0;  // without end
      {
        const std::scoped_lock lock(mutex_);
        const auto asked = asked_.load(std::memory_order_seq_cst);
        if (asked != answered) tell_all();
        answered = asked;
        for (watched* w : all_) {
          if (const auto wanted = tick(*w)) pause = pause ? std::min(pause, wanted) : wanted;
        }
      }
      if (ends_.load()) break;
      if (pause)
        base::futex_wait_for(calls_, seen, pause);
      else
        base::futex_wait(calls_, seen);
    }
  }

  // These require the lock.

  /// How long until the next look, in nanoseconds; 0: none is needed.
  std::int64_t tick(watched& w) {
    const double limit = w.limit();
    if (limit <= 0) return 0;
    const auto pause = static_cast<std::int64_t>(std::clamp(limit / 4, 0.01, 0.5) * 1e9);
    const auto progress = progress_now(w.runtime_);
    if (progress != w.progress_) {
      w.progress_ = progress;
      w.since_ = now();
      w.told_ = w.accused_ = false;
    } else if (!w.accused_) {
      const double seconds = static_cast<double>(now() - w.since_) * 1e-9;
      if (seconds >= limit) tell_stuck(w, seconds);
    }
    return pause;
  }

  void tell_stuck(watched& w, double seconds) {
    const base::wait_snapshot s = look(w, seconds);
    if (progress_now(w.runtime_) != w.progress_ || !has_work(s)) return;
    if (s.is_proven)
      w.accused_ = true;
    else if (std::exchange(w.told_, true))
      return;  // once; if it gets proven, that is told
    tell({&s, 1}, w.settings_.file);
  }

  void tell_all() {
    std::vector<base::wait_snapshot> every;
    std::string file;
    for (watched* w : all_) {
      every.push_back(look(*w, static_cast<double>(now() - w->since_) * 1e-9));
      if (!w->settings_.file.empty()) file = w->settings_.file;
    }
    tell(every, file);
  }

  static void tell(std::span<const base::wait_snapshot> runtimes, const std::string& file) {
    std::string text;
    for (const auto& s : runtimes) {
      if (runtimes.size() > 1) text += "runtime N" + std::to_string(s.node) + ":\n";
      text += (has_work(s) || runtimes.size() > 1 ? report_text(s) : "nothing waits") + "\n";
    }
    std::fputs(text.c_str(), stderr);
    if (file.empty()) return;
    std::ofstream out(file, std::ios::binary);
    out << to_json(runtimes) << std::flush;
    if (!out) std::fprintf(stderr, "the hang report could not be written to %s\n", file.c_str());
  }

  /// What all runtimes of the process do.
  std::vector<sched::activity> activities() const {
    std::vector<sched::activity> found;
    for (const watched* w : all_) found.push_back(sched::activity_of(w->runtime_));
    return found;
  }

  base::wait_snapshot look(watched& w, double seconds) {
    // Whatever happens, some thread does it. If each thread of the process is a worker that sleeps, one that polls while
    // nothing is pending, or this one, then nobody is left to do anything, and nobody to start a thread that would.
    // Had one been awake between the two looks, it would have counted when it went to sleep again.
    const auto before = activities();
    base::wait_snapshot s = look_at(w.runtime_, seconds);
    const auto again = look_at(w.runtime_, seconds);
    const std::size_t threads = threads_of_process();
    const auto after = activities();
    std::size_t known = 1 + base::thread_sanitizer;  // this one; that of the sanitizer
    bool all_sleep = true, with_modules = false;
    for (const auto& a : after) {
      known += a.threads;
      all_sleep = all_sleep && a.is_quiet;
      with_modules = with_modules || a.waits_for_modules;
    }
    if (w.runtime_.runtime.get<detail::event_table>(base::floor_slot::event)->remote.load())
      s.unproven.push_back("other nodes may act");
    if (!all_sleep) s.unproven.push_back("a worker is running");
    if (with_modules) s.unproven.push_back("operations are pending at a module");
    if (!threads)
      s.unproven.push_back("the threads of this process cannot be counted");
    else if (threads > known)
      s.unproven.push_back(std::to_string(threads - known) + (threads - known == 1 ? " thread" : " threads") +
                           " of this process that no runtime runs may act");
    else if (threads < known)
      s.unproven.push_back("threads are starting or ending");
    if (s.unproven.empty() && (before != after || !(s == again))) s.unproven.push_back("something ran meanwhile");
    for (auto& worker : s.workers) worker.seconds = seconds;
    s.is_proven = s.unproven.empty();
    return s;
  }

  std::mutex turn_;  // of those that add and remove
  std::mutex mutex_;
  std::vector<watched*> all_;
  std::thread thread_;
  std::atomic<bool> ends_{false};
  std::atomic<std::uint32_t> calls_{0};  // futex
  std::atomic<std::uint32_t> asked_{0};  // by signal
  struct sigaction before_ = {};         // the handler
};

watched::watched(sched::scheduler& runtime, watch_settings settings) : runtime_(runtime), settings_(std::move(settings)) {
  watcher::of_process().add(*this);
}

watched::~watched() { watcher::of_process().remove(*this); }

void watched::draining() noexcept {
  draining_.store(true, std::memory_order_seq_cst);
  watcher::of_process().call();
}

double watched::limit() const noexcept {
  if (!draining_.load(std::memory_order_seq_cst)) return settings_.limit;
  return settings_.limit > 0 ? std::min(settings_.limit, limit_at_end) : limit_at_end;
}

}  // namespace stretto::diagnose
