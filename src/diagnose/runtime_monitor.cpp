#include "diagnose/runtime_monitor.hpp"

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
#include "base/passive_thread.hpp"
#include "base/process_wide.hpp"
#include "base/signal_watch.hpp"
#include "base/terminal_text.hpp"
#include "base/thread_stack.hpp"
#include "diagnose/hang_report.hpp"
#include "diagnose/job_hang_detector.hpp"
#include "diagnose/rank_hang_report.hpp"
#include "dist/job_member.hpp"
#include "event/event_floor.hpp"
#include "ranks/process/rank_waits.hpp"
#include "sched/wait_graph.hpp"

namespace stretto::diagnose {
namespace {

// At the end of a runtime, if no limit is set: seconds until a proven hang, or an unproven stall, is reported.
constexpr double limit_at_end = 1, unproven_limit_at_end = 10;
constexpr double shortest_pause = 0.01, longest_pause = 0.5;  // seconds between two checks
constexpr std::int64_t job_timeout_ns = 3'000'000'000;        // after which a node reports alone what it knows
constexpr unsigned max_samples_for_job = 40;
constexpr std::int64_t rest_per_check = 4;  // the thread rests so many times the processor time of the last check

std::int64_t now() noexcept { return static_cast<std::int64_t>(base::nanoseconds_now()); }

/// "1 thread", "2 threads (program, reader)": the number of threads beyond `known`, and the names of those that are
/// not in `ours`.
std::string unknown_threads(const std::vector<int>& all, std::size_t known, const std::vector<int>& ours) {
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

/// Why this node may still act: it handles a message, of the kind "tasks.run".
std::string handled_message(const dist::job_member& m) {
  const char* const kind = m.handled_kind();
  return std::string("a message ") + (kind ? '"' + std::string(kind) + "\" " : "") + "of another node is being handled";
}

}  // namespace

std::uint64_t progress_now(const sched::scheduler& s) {
  const auto events = detail::event_statistics_of(s.runtime);
  return sched::progress_of(s) + events.created - events.untriggered;
}

class runtime_monitor {
 public:
  static runtime_monitor& of_process() {
    // A runtime may outlive the static objects of main.
    static runtime_monitor& one = base::make_process_wide<runtime_monitor>();
    return one;
  }

  void add(monitored_runtime& w) {
    const std::scoped_lock turn(turn_);
    {
      const std::scoped_lock lock(mutex_);
      w.progress_ = progress_now(w.runtime_);
      w.last_progress_ns_ = now();
      all_.push_back(&w);
    }
    if (timer_) return timer_->call();
    on_signal_.emplace(SIGUSR1, [this] { on_signal(); });
    timer_.emplace([this] { return check_all(); });
  }

  void remove(monitored_runtime& w) noexcept {
    const std::scoped_lock turn(turn_);
    {
      const std::scoped_lock lock(mutex_);
      std::erase(all_, &w);
      if (!all_.empty()) return timer_->call();  // another thread may have missed its call meanwhile
    }
    on_signal_.reset();
    timer_.reset();
  }

  void call() noexcept {
    const std::scoped_lock turn(turn_);
    if (timer_) timer_->call();
  }
  /// Does not wait: the call is lost if a runtime is being added or removed.
  void call_if_free() noexcept {
    const std::unique_lock turn(turn_, std::try_to_lock);
    if (turn && timer_) timer_->call();
  }

 private:
  void on_signal() {
    const std::scoped_lock lock(mutex_);
    report_all();
    timer_->call();  // for the report of all nodes together
  }

  /// Returns the time until the next check. However often it is called, checks take a fifth of a core at most.
  std::int64_t check_all() noexcept {
    const std::scoped_lock lock(mutex_);
    if (const std::int64_t left = rests_until_ns_ - now(); left > 0) return left;
    const std::uint64_t before = base::processor_nanoseconds();
    std::int64_t pause = base::timed_watch::never;
    for (monitored_runtime* w : all_) pause = sooner(pause, check(*w));
    rests_until_ns_ = now() + rest_per_check * static_cast<std::int64_t>(base::processor_nanoseconds() - before);
    return pause;
  }

  // With the lock held.

  std::int64_t check(monitored_runtime& w) {
    const double limit = w.limit();
    if (const auto progress = progress_now(w.runtime_); progress != w.progress_) {
      w.progress_ = progress;
      w.last_progress_ns_ = now();
      w.reported_unproven_ = w.reported_proven_ = false;
      w.samples_ = 0;
      w.spent_ns_ = 0;
      w.first_request_ns_ = 0;
      w.verdict_requests_ = 0;
      if (w.settings_.job) w.settings_.job->forget();
    } else if (limit > 0 && !w.reported_proven_) {
      const double seconds = seconds_without_progress(w);
      if (seconds >= limit) {
        const std::uint64_t before = base::processor_nanoseconds();
        ++w.samples_;
        report_stall(w, seconds, before);
        w.spent_ns_ += base::processor_nanoseconds() - before;
      }
    }
    if (advance_job(w)) return static_cast<std::int64_t>(shortest_pause * 1e9);
    const std::int64_t pause =
        limit <= 0 ? base::timed_watch::never
                   : static_cast<std::int64_t>(std::clamp(limit / 4, shortest_pause, longest_pause) * 1e9);
    return sooner(pause, w.blocked_ranks_.check(w.runtime_, now(), warning_of(w)));
  }

  static blocked_rank_watch::warning warning_of(const monitored_runtime& w) {
    if (w.limit() <= 0) return blocked_rank_watch::warning::none;
    return w.settings_.errors == base::error_form::json ? blocked_rank_watch::warning::json
                                                        : blocked_rank_watch::warning::text;
  }
  static std::int64_t sooner(std::int64_t a, std::int64_t b) {
    if (a == base::timed_watch::never || b == base::timed_watch::never) return a == base::timed_watch::never ? b : a;
    return std::min(a, b);
  }

  /// Seconds without progress after which an unproven stall is reported; infinite if only proofs are reported.
  static double unproven_limit_of(const monitored_runtime& w) {
    if (!w.settings_.reports_unproven && !w.is_near_end()) return std::numeric_limits<double>::infinity();
    return w.settings_.limit > 0 ? w.settings_.limit : unproven_limit_at_end;
  }
  static double seconds_without_progress(const monitored_runtime& w) {
    return static_cast<double>(now() - w.last_progress_ns_) * 1e-9;
  }

  /// Other nodes may end what waits here: requests a verdict. Returns true if the coordinator reports.
  static bool delegate_to_job(monitored_runtime& w, double seconds) {
    job_hang_detector& all = *w.settings_.job;
    const auto last_verdict = all.last_verdict();
    if (last_verdict == job_hang_detector::verdict::proven) w.reported_proven_ = true;
    const auto pause = static_cast<std::int64_t>(std::max(w.limit(), shortest_pause) * 1e9);
    // Requests become rarer while another node makes progress.
    if (!w.reported_proven_ &&
        (!w.first_request_ns_ || now() - w.last_request_ns_ >= std::max(pause, (now() - w.first_request_ns_) / 4))) {
      w.last_request_ns_ = now();
      ++w.verdict_requests_;
      if (!w.first_request_ns_) w.first_request_ns_ = now();
      // An unproven stall is reported once.
      const bool wants_proof = w.reported_unproven_ || last_verdict == job_hang_detector::verdict::reported ||
                               seconds < unproven_limit_of(w);
      all.request_verdict(wants_proof ? job_hang_detector::verdict_request::proven_only
                                      : job_hang_detector::verdict_request::any);
    }
    if (last_verdict != job_hang_detector::verdict::none || now() - w.first_request_ns_ < job_timeout_ns) return true;
    if (all.is_deciding(job_hang_detector::clock::now() - std::chrono::nanoseconds(job_timeout_ns))) return true;
    // This node reports an unproven stall itself.
    all.request_verdict(job_hang_detector::verdict_request::proven_only);
    return false;
  }

  /// Replies to other nodes, and prints a verdict. Returns true if another call is needed soon.
  bool advance_job(monitored_runtime& w) {
    if (!w.settings_.job) return false;
    const auto own_state = [&]() -> job_hang_detector::node_state {
      const auto progress = progress_now(w.runtime_);
      base::wait_snapshot s;
      // A poll that happens to be running does not disprove a hang: sample again.
      for (unsigned tries = 0; tries < max_samples_for_job; ++tries) {
        s = take_snapshot(w, seconds_without_progress(w), scope::job);
        if (s.is_proven) break;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      if (!s.is_proven) add_stacks(s);
      return {std::move(s), progress};
    };
    if (auto verdict =
            w.settings_.job->advance(own_state, w.settings_.limit > 0 ? w.settings_.limit : unproven_limit_at_end,
                                     job_hang_detector::clock::now())) {
      if (has_work(*verdict)) print_report({&*verdict, 1}, w.settings_);
      verdict->detection = {std::max(w.verdict_requests_, 1u), longest_pause, static_cast<double>(w.spent_ns_) * 1e-9};
      write_report_file({&*verdict, 1}, w.settings_);
      if (verdict->is_proven && has_waiting_rank(*verdict)) ranks::end_hanging_job();
    }
    return w.settings_.job->needs_advance();
  }

  void report_stall(monitored_runtime& w, double seconds, std::uint64_t begun) {
    base::wait_snapshot s = take_snapshot(w, seconds);
    if (progress_now(w.runtime_) != w.progress_ || !has_work(s)) return;
    if (is_of_several(w) && delegate_to_job(w, seconds)) return;
    if (!s.is_proven && seconds < unproven_limit_of(w)) return;
    if (s.is_proven) w.reported_proven_ = true;
    else if (std::exchange(w.reported_unproven_, true)) return;  // reported once; a proof is reported later
    else add_stacks(s);
    print_report({&s, 1}, w.settings_);
    s.detection = {w.samples_, longest_pause,
                   static_cast<double>(w.spent_ns_ + base::processor_nanoseconds() - begun) * 1e-9};
    write_report_file({&s, 1}, w.settings_);
    if (s.is_proven && has_waiting_rank(s)) ranks::end_hanging_job();
  }

  void report_all() {
    std::vector<base::wait_snapshot> every;
    monitor_settings settings;
    for (monitored_runtime* w : all_) {
      every.push_back(take_snapshot(*w, static_cast<double>(now() - w->last_progress_ns_) * 1e-9));
      add_stacks(every.back());
      settings.errors = w->settings_.errors;
      if (!w->settings_.file.empty()) settings.file = w->settings_.file;
      if (is_of_several(*w)) w->settings_.job->request_verdict(job_hang_detector::verdict_request::at_once);
    }
    print_report(every, settings);
    write_report_file(every, settings);
  }

  static void print_report(std::span<const base::wait_snapshot> runtimes, const monitor_settings& settings) {
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

  static void write_report_file(std::span<const base::wait_snapshot> runtimes, const monitor_settings& settings) {
    if (settings.file.empty()) return;
    std::ofstream out(settings.file, std::ios::binary);
    out << to_json(runtimes) << std::flush;
    if (!out) std::fprintf(stderr, "the hang report could not be written to %s\n", settings.file.c_str());
  }

  /// Adds the stacks of running tasks.
  static void add_stacks(base::wait_snapshot& s) {
    for (auto& w : s.workers) {
      if (w.is_idle || w.runs.empty() || !w.kernel_thread) continue;
      w.stack = base::names_of_code(base::stack_of_thread(w.kernel_thread));
      const auto looks_for_work = [](const std::string& frame) {
        return frame.find("sched::wait_for_work(") != frame.npos;
      };
      if (!std::ranges::any_of(w.stack, looks_for_work)) continue;
      w.runs.clear();  // the task has ended meanwhile
      w.stack.clear();
    }
  }

  /// The current activities of all runtimes of the process.
  std::vector<sched::activity> activities() const {
    std::vector<sched::activity> found;
    for (const monitored_runtime* w : all_) found.push_back(sched::activity_of(w->runtime_, w->settings_.member));
    return found;
  }

  static bool is_of_several(const monitored_runtime& w) { return w.settings_.job && !w.settings_.job->is_alone(); }

  /// The node numbers of jobs are unique within the process.
  static bool are_of_one_job(const monitored_runtime& a, const monitored_runtime& b) {
    const dist::job_member *const one = a.settings_.member, *const other = b.settings_.member;
    return one && other && one->of().rank_of(other->of().node());
  }

  /// job: the coordinator decides. The snapshot is proven if only a message can cause anything here.
  enum class scope : std::uint8_t { process, job };
  base::wait_snapshot take_snapshot(monitored_runtime& w, double seconds, scope decided_by = scope::process) {
    // Everything that happens is done by some thread. If each thread of the process is a worker that sleeps, a worker
    // that polls while nothing is pending, or a passive thread, then no thread is left to act, nor to start one that
    // would. A worker that was awake between the two snapshots would have counted that when it went to sleep again.
    auto before = activities();
    const auto process = std::ranges::all_of(before, &sched::activity::is_quiet) ? base::process_activity::sleeps
                                                                                 : base::process_activity::runs;
    base::wait_snapshot s = snapshot_of(w.runtime_, seconds, process);
    const auto again = snapshot_of(w.runtime_, seconds, process);
    const std::vector<int> threads = base::threads_of_process();
    const auto after = activities();
    std::size_t known = base::passive_thread::count() + base::thread_sanitizer;  // the sanitizer's thread
    bool all_sleep = true, with_modules = false;
    std::vector<int> ours;
    for (std::size_t i = 0; i < after.size(); ++i) {
      const auto& a = after[i];
      known += a.threads;
      ours.insert(ours.end(), a.numbers.begin(), a.numbers.end());
      if (decided_by == scope::job && all_[i] != &w && are_of_one_job(w, *all_[i])) {  // it reports its own state
        before[i] = a;
        continue;
      }
      all_sleep = all_sleep && a.is_quiet;
      with_modules = with_modules || a.waits_for_modules;
    }
    // A driver's threads carry out operations of modules and devices, which are pending there.
    for (const int number : base::driver_threads::among(threads))
      if (std::ranges::find(ours, number) == ours.end()) {
        ++known;
        ours.push_back(number);
      }
    if (decided_by == scope::process && is_of_several(w)) s.unproven.push_back("other nodes may act");
    if (w.settings_.member && w.settings_.member->has_incoming_data())
      s.unproven.push_back("elements of other nodes are on their way");
    if (!all_sleep) s.unproven.push_back("a worker or an attached thread is running");
    if (w.settings_.member && w.settings_.member->is_handling_messages())
      s.unproven.push_back(handled_message(*w.settings_.member));
    if (with_modules) s.unproven.push_back("operations are pending at a module");
    if (threads.empty()) s.unproven.push_back("the threads of this process cannot be counted");
    else if (threads.size() > known)
      s.unproven.push_back(unknown_threads(threads, known, ours) + " of this process that no runtime runs may act");
    // A list that is read while a thread ends may lack others, and a count may include a thread that began after it.
    else if (threads.size() < known || threads != base::threads_of_process())
      s.unproven.push_back("threads are starting or ending");
    if (s.unproven.empty() && (before != after || !(s == again))) s.unproven.push_back("something ran meanwhile");
    for (auto& worker : s.workers) worker.seconds = seconds;
    s.is_proven = s.unproven.empty();
    return s;
  }

  std::mutex turn_;  // serializes add and remove
  std::mutex mutex_;
  std::vector<monitored_runtime*> all_;
  std::int64_t rests_until_ns_ = 0;
  std::optional<base::signal_watch> on_signal_;
  std::optional<base::timed_watch> timer_;
};

monitored_runtime::monitored_runtime(sched::scheduler& runtime, monitor_settings settings)
    : runtime_(runtime), settings_(std::move(settings)) {
  runtime_monitor::of_process().add(*this);
  if (settings_.job) settings_.job->wakes([] { runtime_monitor::of_process().call_if_free(); });
}

monitored_runtime::~monitored_runtime() {
  if (settings_.job) settings_.job->wakes(nullptr);
  runtime_monitor::of_process().remove(*this);
}

void monitored_runtime::draining() noexcept {
  draining_.store(true, std::memory_order_seq_cst);
  runtime_monitor::of_process().call();
}

// After a failure the limit at the end applies: work that depends on the failed run cannot continue.
bool monitored_runtime::is_near_end() const noexcept {
  return draining_.load(std::memory_order_seq_cst) || (settings_.job && settings_.job->is_failure_known());
}

double monitored_runtime::limit() const noexcept {
  if (!is_near_end()) return settings_.limit;
  return settings_.limit > 0 ? std::min(settings_.limit, limit_at_end) : limit_at_end;
}

}  // namespace stretto::diagnose
