#include "report/arrows.hpp"

#include <algorithm>

namespace stretto::report {
namespace {

bool is_drawn(const record& r) { return is_work(r.kind) || is_wait(r.kind) || r.kind == kind::user; }

struct begun {
  nanoseconds start;
  std::uint32_t record;
  auto operator<=>(const begun&) const = default;
};

class lane_index {
 public:
  void add(begun one) { starts_.push_back(one); }
  void reserve(std::size_t count) { starts_.reserve(count); }
  void put_in_order() {
    if (!std::is_sorted(starts_.begin(), starts_.end())) std::sort(starts_.begin(), starts_.end());
  }
  std::uint32_t starting_at(nanoseconds at) {
    const std::size_t i = first_not_before({at, 0}, near_start_);
    return i < starts_.size() && starts_[i].start == at ? starts_[i].record : no_record;
  }
  std::uint32_t open_at(const run& r, nanoseconds at) {
    constexpr int deepest = 1000;  // spans nest as deep as tasks run within tasks
    std::size_t next = first_not_before({at, no_record}, near_open_);
    for (int i = 0; i < deepest && next != 0; ++i) {
      const record& one = r.records[starts_[--next].record];
      if (one.end > at || (one.start == at && one.end == at)) return starts_[next].record;
    }
    return no_record;
  }

 private:
  // One arrow after the other is drawn, mostly by time: the search goes in strides from where the last one ended.
  std::size_t first_not_before(const begun& what, std::size_t& near) const {
    std::size_t low = 0, high = starts_.size(), stride = 1;
    near = std::min(near, high);
    if (near < high && starts_[near] < what) {
      for (low = near + 1; near + stride < high && starts_[near + stride] < what; stride *= 2) low = near + stride + 1;
      high = std::min(high, near + stride);
    } else {
      for (high = near; stride <= near && !(starts_[near - stride] < what); stride *= 2) high = near - stride;
      low = stride <= near ? near - stride : 0;
    }
    const auto first = starts_.begin();
    near = static_cast<std::size_t>(
        std::lower_bound(first + static_cast<std::ptrdiff_t>(low), first + static_cast<std::ptrdiff_t>(high), what) -
        first);
    return near;
  }

  std::vector<begun> starts_;
  std::size_t near_start_ = 0, near_open_ = 0;
};

}  // namespace

std::vector<edge> edges_of(const run& r, const std::vector<drawn_arrow>& arrows) {
  std::vector<lane_index> lanes(r.lanes.size());
  std::vector<std::size_t> counts(lanes.size());
  for (const record& one : r.records) ++counts[one.lane];
  for (std::size_t i = 0; i < lanes.size(); ++i) lanes[i].reserve(counts[i]);
  for (std::uint32_t i = 0; i < r.records.size(); ++i)
    if (is_drawn(r.records[i])) lanes[r.records[i].lane].add({r.records[i].start, i});
  for (lane_index& one : lanes) one.put_in_order();
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
