#include "diagnose/blocked_rank_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/code_location.hpp"
#include "base/error_output.hpp"
#include "base/signal_watch.hpp"
#include "sched/spare_workers.hpp"
#include "sched/worker_observation.hpp"

namespace stretto::diagnose {
namespace {

constexpr std::int64_t pause_ns = 250'000'000, pause_with_spares_ns = 10'000'000;  // between two checks
constexpr std::int64_t reported_after_ns = 1'000'000'000;
constexpr std::int64_t replaced_after_ns = 20'000'000;  // by a spare worker

std::vector<worker_sample> samples_of(const std::vector<sched::observed_worker>& workers) {
  std::vector<worker_sample> all;
  for (const auto& w : workers) {
    worker_sample s{.worker = w.index, .task = w.task, .progress = w.progress, .ready = w.ready};
    if (s.task) {
      s.is_asleep = base::read_sleep(w.kernel_thread).has_value();
      s.used_ns = base::used_by_thread(w.kernel_thread).value_or(0);
    }
    all.push_back(s);
  }
  return all;
}

}  // namespace

error blocked_rank_report(const ranks::blocked_rank& rank, const blocked_worker& worker) {
  const std::string line = base::location_of_call(rank.return_address);
  error e("R19", fmt::format("rank {} blocks its worker in {}", static_cast<int>(rank.number), rank.call));
  if (!line.empty()) e.fact("at", line);
  e.fact("for", fmt::format("{:.1f} s so far", static_cast<double>(worker.blocked_ns) * 1e-9));
  e.fact("waiting", fmt::format("{} on worker {}, ready to run",
                                worker.ready == 1 ? "1 rank or task" : fmt::format("{} ranks or tasks", worker.ready),
                                worker.worker));
  return std::move(e)
      .because("ranks of one worker take turns at calls of MPI, and a system call that waits gives no turn")
      .remedy("stretto run --ranks-spare 1, or STRETTO_RANKS_SPARE=1: then another thread runs ranks that are ready");
}

std::int64_t blocked_rank_watch::check(sched::scheduler& runtime, std::int64_t now_ns, warning form) {
  const bool has_spares = !runtime.spares.empty();
  if (!has_spares && (form == warning::none || !ranks::has_ranks())) return base::timed_watch::never;
  const auto workers = sched::observe_workers(runtime);
  std::uint32_t replaced = 0;
  for (const blocked_worker& one : blocked_.observe(samples_of(workers), now_ns)) {
    replaced += one.blocked_ns >= replaced_after_ns ? 1 : 0;
    if (form == warning::none || one.blocked_ns < reported_after_ns || one.ready == 0) continue;
    const auto at = std::ranges::find(workers, one.worker, &sched::observed_worker::index);
    report(one, at->kernel_thread, form);
  }
  sched::want_spares(runtime, replaced);
  return has_spares ? pause_with_spares_ns : pause_ns;
}

void blocked_rank_watch::report(const blocked_worker& worker, int kernel_thread, warning form) {
  const auto sleep = base::read_sleep(kernel_thread);
  if (!sleep) return;
  const auto rank = ranks::find_blocked_rank(worker.task, *sleep);
  if (!rank || !reported_.emplace(static_cast<int>(rank->number), rank->return_address).second) return;
  base::print_warning(blocked_rank_report(*rank, worker),
                      form == warning::json ? base::error_form::json : base::error_form::text);
}

}  // namespace stretto::diagnose
