// From the records of a run to the graph that can be replayed.
#include <algorithm>
#include <functional>
#include <map>
#include <queue>

#include "report/idle_time.hpp"
#include "report/name_totals.hpp"
#include "report/replay.hpp"

namespace stretto::report {
namespace {

using entry = std::pair<nanoseconds, std::uint32_t>;

class reading {
 public:
  explicit reading(const run& r) : r_(r), is_worker_(worker_tracks(r)), latest_(r.records.size(), no_record) {}

  replay_graph graph() {
    name_families();
    g_.workers = std::max<unsigned>(1, static_cast<unsigned>(std::count(is_worker_.begin(), is_worker_.end(), true)));
    g_.operations.reserve(r_.records.size() + r_.records.size() / 2);  // untouched memory costs nothing
    g_.dependencies.reserve(r_.edges.size() + r_.records.size());
    open_.resize(r_.lanes.size());
    until_.resize(r_.tracks.size());
    for (std::uint32_t i = 0; i < r_.records.size(); ++i) {
      if (!is_work(r_.records[i].kind)) continue;
      close(r_.records[i].lane, r_.records[i].start);
      begin(i);
    }
    for (std::uint32_t lane = 0; lane < r_.lanes.size(); ++lane) close(lane, r_.length);
    sort();
    return std::move(g_);
  }

 private:
  struct open_record {
    std::uint32_t record;
    nanoseconds since;        // its latest part runs since then
    bool is_covered = false;  // and has ended, since nested work runs
  };

  void name_families() {
    std::map<std::string, std::uint32_t> known;
    for (const label& l : r_.labels) {
      const auto [row, is_new] = known.try_emplace(family_of(l.name), static_cast<std::uint32_t>(known.size()));
      if (is_new) g_.families.push_back(row->first);
      family_.push_back(row->second);
    }
  }

  // Ends what is over on a lane by then; what is around goes on as a further part.
  void close(std::uint32_t lane, nanoseconds now) {
    auto& open = open_[lane];
    while (!open.empty() && r_.records[open.back().record].end <= now) {
      const open_record done = open.back();
      const nanoseconds end = r_.records[done.record].end;
      if (!done.is_covered) g_.operations[latest_[done.record]].length = end - done.since;
      open.pop_back();
      if (open.empty() || r_.records[open.back().record].end <= end) continue;
      open_record& around = open.back();
      const std::uint32_t before = latest_[around.record], inner = latest_[done.record];
      const std::uint32_t part = add(around.record, end);
      depend(before, part, -1);
      depend(inner, part, -1);
      g_.operations[part].ready = end;
      around.since = end;
      around.is_covered = false;
    }
  }

  std::uint32_t add(std::uint32_t i, nanoseconds start) {
    const record& one = r_.records[i];
    const std::uint32_t track = r_.track_of(i);
    operation o;
    o.family = family_[one.label];
    o.kind = one.kind;
    o.track = track;
    o.start = start;
    if (!is_worker_[track]) o.runs_on = track;
    g_.operations.push_back(o);
    return latest_[i] = static_cast<std::uint32_t>(g_.operations.size() - 1);
  }
  void depend(std::uint32_t from, std::uint32_t to, nanoseconds offset, nanoseconds lag = 0) {
    g_.dependencies.push_back({from, to, offset, lag});
  }

  void begin(std::uint32_t i) {
    const record& one = r_.records[i];
    auto& open = open_[one.lane];
    const bool is_nested = !open.empty();
    std::uint32_t outer = no_record;
    if (is_nested) {  // the part of the outer one that ran until now is over
      outer = latest_[open.back().record];
      if (!open.back().is_covered) g_.operations[outer].length = one.start - open.back().since;
      open.back().is_covered = true;
    }
    const std::uint32_t number = add(i, one.start);
    nanoseconds ready = 0;
    bool is_caused = false;
    for (const edge& e : r_.into(i)) {
      const std::uint32_t cause = latest_[e.from];
      if (cause == no_record) continue;
      is_caused = true;
      const record& from = r_.records[e.from];
      if (from.end <= one.start || cause == outer) {
        depend(cause, number, -1);
        ready = std::max(ready, std::min(from.end, one.start));
      } else {
        depend(cause, number, std::max<nanoseconds>(0, one.start - g_.operations[cause].start));
        ready = one.start;
      }
    }
    if (!is_caused && is_nested) {  // asked for by what is around it, or in its time
      depend(outer, number, -1);
      is_caused = true;
      ready = one.start;
    }
    nanoseconds& until = until_[r_.track_of(i)];
    for (; !running_.empty() && running_.top().first <= one.start; running_.pop()) ended_ = running_.top();
    operation& o = g_.operations[number];
    if (!is_caused && one.start - until > longest_overhead) {
      if (ended_.second == no_record) o.released = one.start;
      else depend(latest_[ended_.second], number, -1, one.start - ended_.first);
      ready = one.start;
    }
    o.ready = ready;
    if (!is_nested) o.delay = std::max<nanoseconds>(0, one.start - std::max(ready, until));
    running_.emplace(one.end, i);
    open.push_back({i, one.start});
    until = std::max(until, one.end);
  }

  // By start: parts of outer records were added when they were known to follow.
  void sort() {
    const auto earlier = [](const operation& a, const operation& b) { return a.start < b.start; };
    if (std::is_sorted(g_.operations.begin(), g_.operations.end(), earlier)) return;
    std::vector<entry> order(g_.operations.size());
    std::vector<std::uint32_t> number(g_.operations.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = {g_.operations[i].start, i};
    std::sort(order.begin(), order.end());
    std::vector<operation> sorted;
    sorted.reserve(order.size());
    for (const auto& [start, i] : order) {
      number[i] = static_cast<std::uint32_t>(sorted.size());
      sorted.push_back(g_.operations[i]);
    }
    g_.operations = std::move(sorted);
    for (dependency& d : g_.dependencies) d.from = number[d.from], d.to = number[d.to];
  }

  const run& r_;
  replay_graph g_;
  const std::vector<bool> is_worker_;
  std::vector<std::uint32_t> family_, latest_;  // latest_: of each record, the operation of its latest part
  std::vector<std::vector<open_record>> open_;
  std::vector<nanoseconds> until_;
  std::priority_queue<entry, std::vector<entry>, std::greater<>> running_;
  entry ended_{0, no_record};  // of what had ended before the record at hand, the last
};

}  // namespace

replay_graph graph_of(const run& r) { return reading(r).graph(); }

}  // namespace stretto::report
