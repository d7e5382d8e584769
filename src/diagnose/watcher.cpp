#include "diagnose/watcher.hpp"

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "base/clock.hpp"
#include "base/config.hpp"
#include "base/driver_threads.hpp"
#include "base/fork_reset.hpp"
#include "base/onlooker.hpp"
#include "base/signal_watch.hpp"
#include "base/terminal_text.hpp"
#include "base/thread_stack.hpp"
#include "base/unwatched.hpp"
#include "diagnose/job_watch.hpp"
#include "diagnose/report.hpp"
#include "dist/member.hpp"
#include "event/event_floor.hpp"
#include "sched/wait_graph.hpp"

namespace stretto::diagnose {
namespace {

// Seconds, where nothing else is asked for: until it is told what never ends, and what has not ended yet.
constexpr double limit_at_end = 1, patience_at_end = 10;
constexpr double shortest_pause = 0.01, longest_pause = 0.5;  // between two looks
constexpr std::int64_t patience_with_job = 3'000'000'000;  // until a node tells what it knows alone
constexpr unsigned most_looks_for_job = 40;

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

}  // namespace

std::uint64_t progress_now(const sched::scheduler& s) {
  const auto events = detail::event_statistics_of(s.runtime);
  return sched::progress_of(s) + events.created - events.untriggered;
}

class watcher {
 public:
  static watcher& of_process() {
    // Never destroyed: a runtime may live longer than what main destroys.
    static watcher* const one = &base::made_unwatched<watcher>();
    static const base::fork_reset in_child(base::construct_anew<watcher>, one);
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
      if (!all_.empty()) return looks_->call();  // for who could not call meanwhile
    }
    on_signal_.reset();
    looks_.reset();
  }

  void call() noexcept {
    const std::scoped_lock turn(turn_);
    if (looks_) looks_->call();
  }
  /// The same for who must not wait for others: lost where a runtime comes or goes at the moment.
  void call_if_free() noexcept {
    const std::unique_lock turn(turn_, std::try_to_lock);
    if (turn && looks_) looks_->call();
  }

 private:
  void answer() {
    const std::scoped_lock lock(mutex_);
    tell_all();
    looks_->call();  // for what all nodes together know
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
    if (const auto progress = progress_now(w.runtime_); progress != w.progress_) {
      w.progress_ = progress;
      w.since_ = now();
      w.told_ = w.accused_ = false;
      w.looks_ = 0;
      w.spent_ = 0;
      w.complained_ = 0;
      w.complaints_ = 0;
      if (w.settings_.job) w.settings_.job->forget();
    } else if (limit > 0 && !w.accused_) {
      const double seconds = seconds_of(w);
      if (seconds >= limit) {
        const std::uint64_t before = base::processor_nanoseconds();
        ++w.looks_;
        tell_stuck(w, seconds, before);
        w.spent_ += base::processor_nanoseconds() - before;
      }
    }
    if (hear_job(w)) return static_cast<std::int64_t>(shortest_pause * 1e9);
    if (limit <= 0) return base::timed_watch::never;
    return static_cast<std::int64_t>(std::clamp(limit / 4, shortest_pause, longest_pause) * 1e9);
  }

  /// What is not proven is not told before, however near the end is.
  static double patience_of(const watched& w) {
    if (!w.settings_.tells_unproven && !w.is_near_end()) return std::numeric_limits<double>::infinity();
    return w.settings_.limit > 0 ? w.settings_.limit : patience_at_end;
  }
  static double seconds_of(const watched& w) { return static_cast<double>(now() - w.since_) * 1e-9; }

  /// Other nodes may end what waits here: all together find out. Whether it is theirs to tell.
  static bool leave_to_job(watched& w, double seconds) {
    job_watch& all = *w.settings_.job;
    const auto heard = all.heard();
    if (heard == job_watch::answer::proven) w.accused_ = true;
    const auto pause = static_cast<std::int64_t>(std::max(w.limit(), shortest_pause) * 1e9);
    // Ever more rarely, where it goes on elsewhere.
    if (!w.accused_ && (!w.complained_ || now() - w.complained_last_ >= std::max(pause, (now() - w.complained_) / 4))) {
      w.complained_last_ = now();
      ++w.complaints_;
      if (!w.complained_) w.complained_ = now();
      // What is not proven is told once.
      const bool wants_proof = w.told_ || heard == job_watch::answer::told || seconds < patience_of(w);
      all.complain(wants_proof ? job_watch::wish::proof : job_watch::wish::any);
    }
    if (heard != job_watch::answer::none || now() - w.complained_ < patience_with_job) return true;
    if (all.is_judging(job_watch::clock::now() - std::chrono::nanoseconds(patience_with_job))) return true;
    all.complain(job_watch::wish::proof);  // this node tells of itself now what is not proven
    return false;
  }

  /// Answers other nodes, and tells what all together have found. Whether more is to come soon.
  bool hear_job(watched& w) {
    if (!w.settings_.job) return false;
    const auto mine = [&]() -> job_watch::standing {
      const auto progress = progress_now(w.runtime_);
      base::wait_snapshot s;
      // A poll for messages that happens to be under way is no sign of anything.
      for (unsigned tries = 0; tries < most_looks_for_job; ++tries) {
        s = look(w, seconds_of(w), judged_by::job);
        if (s.is_proven) break;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      if (!s.is_proven) add_stacks(s);
      return {std::move(s), progress};
    };
    if (auto told = w.settings_.job->advance(mine, w.settings_.limit > 0 ? w.settings_.limit : patience_at_end,
                                             job_watch::clock::now())) {
      if (has_work(*told)) tell({&*told, 1}, w.settings_);
      told->told = {std::max(w.complaints_, 1u), longest_pause, static_cast<double>(w.spent_) * 1e-9};
      keep({&*told, 1}, w.settings_);
    }
    return w.settings_.job->is_under_way();
  }

  void tell_stuck(watched& w, double seconds, std::uint64_t begun) {
    base::wait_snapshot s = look(w, seconds);
    if (progress_now(w.runtime_) != w.progress_ || !has_work(s)) return;
    if (is_of_several(w) && leave_to_job(w, seconds)) return;
    if (!s.is_proven && seconds < patience_of(w)) return;
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
      if (is_of_several(*w)) w->settings_.job->complain(job_watch::wish::at_once);
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
    const std::string safe = base::terminal_text(text);
    std::fwrite(safe.data(), 1, safe.size(), stderr);
  }

  static void keep(std::span<const base::wait_snapshot> runtimes, const watch_settings& settings) {
    if (settings.file.empty()) return;
    std::ofstream out(settings.file, std::ios::binary);
    out << to_json(runtimes) << std::flush;
    if (!out) std::fprintf(stderr, "the hang report could not be written to %s\n", settings.file.c_str());
  }

  /// Of tasks that run, where they are.
  static void add_stacks(base::wait_snapshot& s) {
    for (auto& w : s.workers) {
      if (w.is_idle || w.runs.empty() || !w.kernel_thread) continue;
      w.stack = base::names_of_code(base::stack_of_thread(w.kernel_thread));
      const auto looks_for_work = [](const std::string& frame) { return frame.find("sched::wait_for_work(") != frame.npos; };
      if (!std::ranges::any_of(w.stack, looks_for_work)) continue;
      w.runs.clear();  // as it happens
      w.stack.clear();
    }
  }

  /// What all runtimes of the process do.
  std::vector<sched::activity> activities() const {
    std::vector<sched::activity> found;
    for (const watched* w : all_) found.push_back(sched::activity_of(w->runtime_, w->settings_.member));
    return found;
  }

  static bool is_of_several(const watched& w) { return w.settings_.job && !w.settings_.job->is_alone(); }

  /// Where the job judges, a snapshot is proven if nothing can happen but by messages.
  enum class judged_by : std::uint8_t { us, job };
  base::wait_snapshot look(watched& w, double seconds, judged_by judge = judged_by::us) {
    // Whatever happens, some thread does it. If each thread of the process is a worker that sleeps, one that polls while
    // nothing is pending, or one that only looks, then nobody is left to do anything, and nobody to start a thread that would.
    // Had one been awake between the two looks, it would have counted when it went to sleep again.
    auto before = activities();
    base::wait_snapshot s = look_at(w.runtime_, seconds);
    const auto again = look_at(w.runtime_, seconds);
    const std::vector<int> threads = base::threads_of_process();
    const auto after = activities();
    std::size_t known = base::onlooker::count() + base::thread_sanitizer;  // that of the sanitizer
    bool all_sleep = true, with_modules = false;
    std::vector<int> ours;
    for (std::size_t i = 0; i < after.size(); ++i) {
      const auto& a = after[i];
      known += a.threads;
      ours.insert(ours.end(), a.numbers.begin(), a.numbers.end());
      if (judge == judged_by::job && all_[i] != &w && all_[i]->settings_.job) {  // a node that says itself how it stands
        before[i] = a;
        continue;
      }
      all_sleep = all_sleep && a.is_quiet;
      with_modules = with_modules || a.waits_for_modules;
    }
    // A driver's threads do what a module or a device gave them, and that is pending there.
    for (const int number : base::driver_threads::among(threads))
      if (std::ranges::find(ours, number) == ours.end()) {
        ++known;
        ours.push_back(number);
      }
    if (judge == judged_by::us && is_of_several(w)) s.unproven.push_back("other nodes may act");
    if (w.settings_.member && w.settings_.member->is_landing()) s.unproven.push_back("elements of other nodes are on their way");
    if (!all_sleep) s.unproven.push_back("a worker or an attached thread is running");
    if (w.settings_.member && w.settings_.member->acts()) s.unproven.push_back("a message of another node is being handled");
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
  if (settings_.job) settings_.job->wakes([] { watcher::of_process().call_if_free(); });
}

watched::~watched() {
  if (settings_.job) settings_.job->wakes(nullptr);
  watcher::of_process().remove(*this);
}

void watched::draining() noexcept {
  draining_.store(true, std::memory_order_seq_cst);
  watcher::of_process().call();
}

// Where something has gone wrong, nobody is to wait for what does not come.
bool watched::is_near_end() const noexcept {
  return draining_.load(std::memory_order_seq_cst) || (settings_.job && settings_.job->are_faults_known());
}

double watched::limit() const noexcept {
  if (!is_near_end()) return settings_.limit;
  return settings_.limit > 0 ? std::min(settings_.limit, limit_at_end) : limit_at_end;
}

}  // namespace stretto::diagnose
