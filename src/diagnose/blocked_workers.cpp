#include "diagnose/blocked_workers.hpp"

namespace stretto::diagnose {
namespace {

/// Of the time of a row of samples, a worker that blocks uses at most this part of a core.
constexpr std::uint64_t largest_part = 10;

}  // namespace

std::vector<blocked_worker> blocked_workers::observe(std::span<const worker_sample> samples, std::int64_t now_ns) {
  std::map<std::uint32_t, row_of_samples> rows;
  std::vector<blocked_worker> found;
  for (const worker_sample& s : samples) {
    if (!s.task || !s.is_asleep) continue;
    const auto before = rows_.find(s.worker);
    const bool goes_on = before != rows_.end() && before->second.task == s.task &&
                         before->second.progress == s.progress &&
                         (s.used_ns - before->second.used_ns) * largest_part <=
                             static_cast<std::uint64_t>(now_ns - before->second.begun_ns);
    if (!goes_on && s.ready == 0) continue;
    const row_of_samples& row = rows[s.worker] =
        goes_on ? before->second : row_of_samples{s.task, s.progress, s.used_ns, now_ns};
    if (goes_on) found.push_back({s.worker, s.task, now_ns - row.begun_ns, s.ready});
  }
  rows_ = std::move(rows);
  return found;
}

}  // namespace stretto::diagnose
