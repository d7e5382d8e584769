#include "report/arrows.hpp"

#include <algorithm>

namespace stretto::report {
namespace {

bool is_drawn(const record& r) { return is_work(r.kind) || r.kind == kind::wait || r.kind == kind::user; }

struct lane_index {
  std::vector<std::pair<nanoseconds, std::uint32_t>> starts;

  std::uint32_t starting_at(nanoseconds at) const {
    const auto found = std::lower_bound(starts.begin(), starts.end(), std::pair(at, 0u));
    return found != starts.end() && found->first == at ? found->second : no_record;
  }
  std::uint32_t open_at(const run& r, nanoseconds at) const {
    constexpr int deepest = 1000;  // spans nest as deep as tasks run within tasks
    auto next = std::upper_bound(starts.begin(), starts.end(), std::pair(at, no_record));
    for (int i = 0; i < deepest && next != starts.begin(); ++i) {
      const record& one = r.records[(--next)->second];
      if (one.end > at || (one.start == at && one.end == at)) return next->second;
    }
    return no_record;
  }
};

}  // namespace

std::vector<edge> edges_of(const run& r, const std::vector<drawn_arrow>& arrows) {
  std::vector<lane_index> lanes(r.lanes.size());
  for (std::uint32_t i = 0; i < r.records.size(); ++i)
    if (is_drawn(r.records[i])) lanes[r.records[i].lane].starts.emplace_back(r.records[i].start, i);
  for (lane_index& one : lanes)
    if (!std::is_sorted(one.starts.begin(), one.starts.end())) std::sort(one.starts.begin(), one.starts.end());
  std::vector<edge> edges;
  edges.reserve(arrows.size());
  for (const drawn_arrow& a : arrows) {
    const std::uint32_t from = lanes[a.from.lane].open_at(r, a.from.at), to = lanes[a.to.lane].starting_at(a.to.at);
    if (from != no_record && to != no_record && from != to) edges.push_back({from, to});
  }
  return edges;
}

std::vector<edge> edges_of_causes(const run& r) {
  struct part {
    std::uint64_t id;
    nanoseconds start;
    std::uint32_t record;
    auto operator<=>(const part&) const = default;
  };
  std::vector<part> parts;
  for (std::uint32_t i = 0; i < r.records.size(); ++i)
    if (r.records[i].id != 0 && is_work(r.records[i].kind)) parts.push_back({r.records[i].id, r.records[i].start, i});
  std::sort(parts.begin(), parts.end());
  std::vector<edge> edges;
  for (std::uint32_t i = 0; i < r.records.size(); ++i) {
    const record& one = r.records[i];
    if (one.cause == 0 || !is_work(one.kind)) continue;
    const auto next = std::upper_bound(parts.begin(), parts.end(), part{one.cause, one.start, no_record});
    if (next == parts.begin() || std::prev(next)->id != one.cause || std::prev(next)->record == i) continue;
    edges.push_back({std::prev(next)->record, i});
  }
  return edges;
}

}  // namespace stretto::report
