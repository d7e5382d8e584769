#include "report/region_activity.hpp"

#include <algorithm>
#include <map>

namespace stretto::report {
namespace {

bool is_wait_of_rank(activity a) { return a == activity::device_wait || a == activity::message_wait; }

/// Ranks wait for messages in calls of MPI, and for their regions elsewhere.
activity activity_of_rank(const run& r, std::uint32_t i) {
  const kind is = r.records[i].kind;
  if (!is_wait(is)) return activity::host;
  const bool is_for_message = is != kind::wait || r.label_of(i).name.starts_with("MPI_");
  return is_for_message ? activity::message_wait : activity::device_wait;
}

bool runs_on_device(kind k) { return k == kind::kernel || k == kind::copy || k == kind::fill; }

struct interval {
  nanoseconds start, end;
};

/// Without those parts that are before or behind `within`.
std::vector<interval> parts_of(const activity_row& row, const interval& within, bool (*is_counted)(activity)) {
  std::vector<interval> all;
  for (const activity_span& one : row.spans) {
    const interval part{std::max(one.start, within.start), std::min(one.end, within.end)};
    if (is_counted(one.is) && part.start < part.end) all.push_back(part);
  }
  return all;
}

/// The time that is in any of them.
nanoseconds united_length(std::vector<interval> all) {
  std::ranges::sort(all, {}, &interval::start);
  nanoseconds total = 0, last = 0;
  for (const interval& one : all) {
    total += std::max<nanoseconds>(0, one.end - std::max(one.start, last));
    last = std::max(last, one.end);
  }
  return total;
}

std::vector<activity_row> rows_of(const run& r) {
  std::map<std::uint32_t, activity_row> ranks, devices;  // by their track
  for (std::uint32_t i = 0; i < r.records.size(); ++i) {
    const record& one = r.records[i];
    const std::uint32_t track = r.track_of(i);
    const bool is_rank = is_rank_track(r.tracks[track]);
    if (is_rank) ranks[track].spans.push_back({one.start, one.end, activity_of_rank(r, i)});
    else if (runs_on_device(one.kind))
      devices[track].spans.push_back(
          {one.start, one.end, one.kind == kind::kernel ? activity::kernel : activity::copy});
  }
  std::vector<activity_row> all;
  for (auto* const group : {&ranks, &devices})
    for (auto& [track, row] : *group) {
      row.name = r.tracks[track];
      all.push_back(std::move(row));
    }
  return all;
}

}  // namespace

const char* name(activity a) noexcept {
  constexpr const char* names[] = {"host", "wait for the device", "wait for a message", "kernel", "copy"};
  return names[static_cast<unsigned>(a)];
}

region_activity region_activity_of(const run& r) {
  region_activity result{.begin = r.length, .end = 0, .rows = rows_of(r)};
  std::vector<nanoseconds> starts;
  for (const activity_row& row : result.rows)
    for (const activity_span& one : row.spans)
      if (one.is == activity::kernel) starts.push_back(one.start), result.end = std::max(result.end, one.end);
  std::ranges::sort(starts);
  if (starts.empty()) result.begin = 0, result.middle = r.length / 2, result.end = r.length;
  else result.begin = starts.front(), result.middle = starts[starts.size() / 2];
  const interval whole{result.begin, result.end};
  const auto time = static_cast<double>(std::max<nanoseconds>(1, whole.end - whole.start));
  std::vector<interval> kernels;
  unsigned ranks = 0;
  for (const activity_row& row : result.rows) {
    const auto waits = parts_of(row, whole, is_wait_of_rank);
    result.waits += waits.size();
    result.waiting += static_cast<double>(united_length(waits)) / time;
    if (is_rank_track(row.name)) ++ranks;
    const auto run = parts_of(row, whole, [](activity a) { return a == activity::kernel; });
    kernels.insert(kernels.end(), run.begin(), run.end());
  }
  if (ranks > 0) result.waiting /= ranks;
  result.computing = static_cast<double>(united_length(std::move(kernels))) / time;
  return result;
}

}  // namespace stretto::report
