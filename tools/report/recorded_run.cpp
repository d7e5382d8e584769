#include "report/recorded_run.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

namespace stretto::report {

const char* name(kind k) noexcept {
  static constexpr const char* names[kind_count] = {"task",         "suspended",       "copy", "fill", "reduce",
                                                    "kernel",       "message",         "wait", "user", "message wait",
                                                    "receive wait", "collective wait", "other"};
  return names[static_cast<unsigned>(k)];
}

namespace {

bool earlier(const record& a, const record& b) { return a.start != b.start ? a.start < b.start : a.end > b.end; }

void sort_records(run& r) {
  if (std::is_sorted(r.records.begin(), r.records.end(), earlier)) return;
  struct key {
    nanoseconds start, end;
    std::uint32_t record;
  };
  std::vector<key> order(r.records.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = {r.records[i].start, r.records[i].end, i};
  std::sort(order.begin(), order.end(), [](const key& a, const key& b) {
    return a.start != b.start ? a.start < b.start : a.end != b.end ? a.end > b.end : a.record < b.record;
  });
  std::vector<std::uint32_t> place_of(r.records.size());
  std::vector<record> sorted;
  sorted.reserve(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    place_of[order[i].record] = i;
    sorted.push_back(r.records[order[i].record]);
  }
  r.records = std::move(sorted);
  for (edge& e : r.edges) e = {place_of[e.from], place_of[e.to]};
}

// A task that was suspended goes on where it left off: its parts follow one another.
void join_parts(run& r) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> parts;
  for (std::uint32_t i = 0; i < r.records.size(); ++i)
    if (r.records[i].id != 0 && is_work(r.records[i].kind)) parts.emplace_back(r.records[i].id, i);
  if (!std::is_sorted(parts.begin(), parts.end())) std::sort(parts.begin(), parts.end());
  for (std::size_t i = 1; i < parts.size(); ++i)
    if (parts[i].first == parts[i - 1].first) r.edges.push_back({parts[i - 1].second, parts[i].second});
}

void sort_edges(run& r) {
  std::erase_if(r.edges, [](const edge& e) { return e.from >= e.to; });
  const auto by_end = [](const edge& a, const edge& b) { return std::tie(a.to, a.from) < std::tie(b.to, b.from); };
  // Counting by `to` keeps a million edges linear; within one record there are few.
  r.first_edge.assign(r.records.size() + 1, 0);
  for (const edge& e : r.edges) ++r.first_edge[e.to + 1];
  std::partial_sum(r.first_edge.begin(), r.first_edge.end(), r.first_edge.begin());
  std::vector<edge> sorted(r.edges.size());
  auto next = r.first_edge;
  for (const edge& e : r.edges) sorted[next[e.to]++] = e;
  for (std::size_t i = 0; i + 1 < r.first_edge.size(); ++i)
    std::sort(sorted.begin() + r.first_edge[i], sorted.begin() + r.first_edge[i + 1], by_end);
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  r.edges = std::move(sorted);
  std::fill(r.first_edge.begin(), r.first_edge.end(), 0);
  for (const edge& e : r.edges) ++r.first_edge[e.to + 1];
  std::partial_sum(r.first_edge.begin(), r.first_edge.end(), r.first_edge.begin());
}

void subtract_nested(run& r) {
  std::vector<std::vector<std::uint32_t>> open(r.lanes.size());
  for (std::uint32_t i = 0; i < r.records.size(); ++i) {
    record& one = r.records[i];
    one.self = one.length();
    if (!is_work(one.kind) && !is_wait(one.kind)) continue;
    auto& around = open[one.lane];
    while (!around.empty() && r.records[around.back()].end <= one.start) around.pop_back();
    if (!around.empty()) {
      record& outer = r.records[around.back()];
      outer.self = std::max<nanoseconds>(0, outer.self - (std::min(one.end, outer.end) - one.start));
    }
    around.push_back(i);
  }
}

}  // namespace

namespace {

/// Behind "node 2 ", where there are several nodes.
std::string_view name_on_node(std::string_view track) {
  if (!track.starts_with("node ")) return track;
  const auto space = track.find(' ', 5);
  return space == track.npos ? track : track.substr(space + 1);
}

}  // namespace

bool is_rank_track(std::string_view name) { return name_on_node(name).starts_with("rank "); }

std::vector<bool> worker_tracks(const run& r) {
  std::vector<bool> named(r.tracks.size()), used(r.tracks.size()), both(r.tracks.size());
  bool any = false;
  for (std::uint32_t i = 0; i < r.records.size(); ++i)
    if (r.records[i].kind == kind::task || r.records[i].kind == kind::kernel) used[r.track_of(i)] = true;
  const bool has_ranks = std::any_of(r.tracks.begin(), r.tracks.end(), is_rank_track);
  for (std::size_t t = 0; t < named.size(); ++t) {
    named[t] = has_ranks ? is_rank_track(r.tracks[t]) : name_on_node(r.tracks[t]).starts_with("worker ");
    both[t] = named[t] && used[t];
    any |= both[t];
  }
  return any ? both : used;
}

void put_in_order(run& r) {
  if (!r.records.empty()) {
    nanoseconds first = std::numeric_limits<nanoseconds>::max();
    for (const record& one : r.records) first = std::min(first, one.start);
    r.length = 0;
    for (record& one : r.records) {
      one.start -= first;
      one.end = std::max(one.end - first, one.start);
      r.length = std::max(r.length, one.end);
    }
    for (delivery& one : r.deliveries) one.at -= first;
    r.begin_ns += first;
  }
  sort_records(r);
  join_parts(r);
  sort_edges(r);
  subtract_nested(r);
}

}  // namespace stretto::report
