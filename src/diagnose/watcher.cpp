#include "diagnose/watcher.hpp"

#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <mutex>
#include <optional>

#include "base/clock.hpp"
#include "base/config.hpp"
#include "base/driver_threads.hpp"
#include "base/onlooker.hpp"
#include "base/signal_watch.hpp"
#include "base/thread_stack.hpp"
#include "diagnose/report.hpp"
#include "event/event_floor.hpp"
#include "event/table.hpp"
#include "sched/telling.hpp"

namespace stretto::diagnose {
namespace {

// Seconds, where nothing else is asked for: until it is told what never ends, and what has not ended yet.
constexpr double limit_at_end = 1, patience_at_end = 10;
constexpr double shortest_pause = 0.01, longest_pause = 0.5;  // between two looks

std::int64_t now() noexcept { return static_cast<std::int64_t>(base::nanoseconds_now()); }

/// "1 thread", "2 threads (program, reader)": how many more there are than `known`, and what those are called that are
/// not among `ours`.
std::string strangers(const std::vector<int>& all, std::size_t known, const std::vector<int>& ours) {
  std::string names;
  for (const int number : all) {
    if (std::ranges::find(ours, number) != ours.end()) continue;
    if (const std::string name = base::name_of_thread(number);
        !name.empty() && !name.starts_with("stretto ") && names.size() < 200)
      names += (names.empty() ? "\"" : ", \"") + name + "\"";
  }
  const auto count = all.size() - known;
  return std::to_string(count) + (count == 1 ? " thread" : " threads") + (names.empty() ? "" : " (" + names + ")");
}

std::uint64_t progress_now(const sched::scheduler& s) {
  const auto events = detail::event_statistics_of(s.runtime);
  return sched::progress_of(s) + events.created - events.untriggered;
}

}  // namespace

class watcher {
 public:
  static watcher& of_process() {
    static watcher* const one = new watcher;  // never destroyed: a runtime may live longer than what main destroys
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
    if (looks_) return looks_->call();
    on_signal_.emplace(SIGUSR1, [this] { answer(); });
    looks_.emplace([this] { return look_at_all(); });
  }

  void remove(watched& w) noexcept {
    const std::scoped_lock turn(turn_);
    {
      const std::scoped_lock lock(mutex_);
      std::erase(all_, &w);
      if (!all_.empty()) return;
    }
    on_signal_.reset();
    looks_.reset();
  }

  void call() noexcept {
    const std::scoped_lock turn(turn_);
    if (looks_) looks_->call();
  }

 private:
  void answer() {
    const std::scoped_lock lock(mutex_);
    tell_all();
  }

  /// Until the next look.
  std::int64_t look_at_all() noexcept {
    const std::scoped_lock lock(mutex_);
    std::int64_t pause = base::timed_watch::never;
    for (watched* w : all_)
      if (const auto wanted = tick(*w); wanted != base::timed_watch::never)
        pause = pause == base::timed_watch::never ? wanted : std::min(pause, wanted);
    return pause;
  }

  // These require the lock.

  std::int64_t tick(watched& w) {
    const double limit = w.limit();
    if (limit <= 0) return base::timed_watch::never;
    const auto pause = static_cast<std::int64_t>(std::clamp(limit / 4, shortest_pause, longest_pause) * 1e9);
    const auto progress = progress_now(w.runtime_);
    if (progress != w.progress_) {
      w.progress_ = progress;
      w.since_ = now();
      w.told_ = w.accused_ = false;
      w.looks_ = 0;
      w.spent_ = 0;
    } else if (!w.accused_) {
      const double seconds = static_cast<double>(now() - w.since_) * 1e-9;
      if (seconds >= limit) {
        const std::uint64_t before = base::processor_nanoseconds();
        ++w.looks_;
        tell_stuck(w, seconds, before);
        w.spent_ += base::processor_nanoseconds() - before;
      }
    }
    return pause;
  }

  void tell_stuck(watched& w, double seconds, std::uint64_t begun) {
    base::wait_snapshot s = look(w, seconds);
    if (progress_now(w.runtime_) != w.progress_ || !has_work(s)) return;
    // Nobody asked for more than certainty at the end.
    if (!s.is_proven && w.settings_.limit <= 0 && seconds < patience_at_end) return;
    if (s.is_proven)
      w.accused_ = true;
    else if (std::exchange(w.told_, true))
      return;  // once; if it gets proven, that is told
    else
      add_stacks(s);
    tell({&s, 1}, w.settings_);
    s.told = {w.looks_, longest_pause, static_cast<double>(w.spent_ + base::processor_nanoseconds() - begun) * 1e-9};
    keep({&s, 1}, w.settings_);
  }

  void tell_all() {
    std::vector<base::wait_snapshot> every;
    watch_settings settings;
    for (watched* w : all_) {
      every.push_back(look(*w, static_cast<double>(now() - w->since_) * 1e-9));
      add_stacks(every.back());
      settings.errors = w->settings_.errors;
      if (!w->settings_.file.empty()) settings.file = w->settings_.file;
    }
    tell(every, settings);
    keep(every, settings);
  }

  static void tell(std::span<const base::wait_snapshot> runtimes, const watch_settings& settings) {
    std::string text;
    for (const auto& s : runtimes) {
      if (settings.errors == base::error_form::json) {
        if (has_work(s))
          for (const auto& e : report_of(s)) text += e.to_json() + "\n";
        continue;
      }
      if (runtimes.size() > 1) text += "runtime N" + std::to_string(s.node) + ":\n";
      text += (has_work(s) || runtimes.size() > 1 ? report_text(s) : "nothing waits") + "\n";
    }
    std::fwrite(text.data(), 1, text.size(), stderr);
  }

  static void keep(std::span<const base::wait_snapshot> runtimes, const watch_settings& settings) {
    if (settings.file.empty()) return;
    std::ofstream out(settings.file, std::ios::binary);
    out << to_json(runtimes) << std::flush;
    if (!out) std::fprintf(stderr, "the hang report could not be written to %s\n", settings.file.c_str());
  }

  /// Of tasks that run, where they are.
  static void add_stacks(base::wait_snapshot& s) {
    for (auto& w : s.workers)
      if (!w.is_idle && !w.runs.empty() && w.kernel_thread)
        w.stack = base::names_of_code(base::stack_of_thread(w.kernel_thread));
  }

  /// What all runtimes of the process do.
  std::vector<sched::activity> activities() const {
    std::vector<sched::activity> found;
    for (const watched* w : all_) found.push_back(sched::activity_of(w->runtime_));
    return found;
  }

  base::wait_snapshot look(watched& w, double seconds) {
    // Whatever happens, some thread does it. If each thread of the process is a worker that sleeps, one that polls while
    // nothing is pending, or one that only looks, then nobody is left to do anything, and nobody to start a thread that would.
    // Had one been awake between the two looks, it would have counted when it went to sleep again.
    const auto before = activities();
    base::wait_snapshot s = look_at(w.runtime_, seconds);
    const auto again = look_at(w.runtime_, seconds);
    const std::vector<int> threads = base::threads_of_process();
    const auto after = activities();
    std::size_t known = base::onlooker::count() + base::thread_sanitizer;  // that of the sanitizer
    bool all_sleep = true, with_modules = false;
    std::vector<int> ours;
    for (const auto& a : after) {
      known += a.threads;
      ours.insert(ours.end(), a.numbers.begin(), a.numbers.end());
      all_sleep = all_sleep && a.is_quiet;
      with_modules = with_modules || a.waits_for_modules;
    }
    // A driver's threads do what a module or a device gave them, and that is pending there.
    for (const int number : base::driver_threads::among(threads))
      if (std::ranges::find(ours, number) == ours.end()) {
        ++known;
        ours.push_back(number);
      }
    if (w.runtime_.runtime.get<detail::event_table>(base::floor_slot::event)->remote.load())
      s.unproven.push_back("other nodes may act");
    if (!all_sleep) s.unproven.push_back("a worker or an attached thread is running");
    if (with_modules) s.unproven.push_back("operations are pending at a module");
    if (threads.empty())
      s.unproven.push_back("the threads of this process cannot be counted");
    else if (threads.size() > known)
      s.unproven.push_back(strangers(threads, known, ours) + " of this process that no runtime runs may act");
    else if (threads.size() < known)
      s.unproven.push_back("threads are starting or ending");
    if (s.unproven.empty() && (before != after || !(s == again))) s.unproven.push_back("something ran meanwhile");
    for (auto& worker : s.workers) worker.seconds = seconds;
    s.is_proven = s.unproven.empty();
    return s;
  }

  std::mutex turn_;  // of those that add and remove
  std::mutex mutex_;
  std::vector<watched*> all_;
  std::optional<base::signal_watch> on_signal_;
  std::optional<base::timed_watch> looks_;
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
