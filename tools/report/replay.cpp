#include "report/replay.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <queue>

#include "report/by_name.hpp"
#include "report/idle.hpp"

namespace stretto::report {
namespace {

using entry = std::pair<nanoseconds, std::uint32_t>;
using earliest_first = std::priority_queue<entry, std::vector<entry>, std::greater<>>;  // the top is the earliest

// The records of work among the first, in order: operation i is record work[i].
std::vector<std::uint32_t> work_of(const run& r, std::size_t most) {
  std::vector<std::uint32_t> work;
  for (std::uint32_t i = 0; i < r.records.size() && work.size() < most; ++i)
    if (is_work(r.records[i].kind)) work.push_back(i);
  return work;
}

bool may_be_cut(const operation& o) { return o.kind == kind::task || o.kind == kind::kernel; }

}  // namespace

replay_graph graph_of(const run& r, unsigned workers, nanoseconds overhead, std::size_t most) {
  replay_graph g;
  g.workers = std::max(1u, workers);
  g.overhead = overhead;
  const auto work = work_of(r, most);
  g.shortened = work.size() == most && !work.empty() && work.back() + 1 != r.records.size();

  std::map<std::string, std::uint32_t> families;
  std::vector<std::uint32_t> family(r.labels.size()), operation_of(r.records.size(), no_record);
  for (std::size_t i = 0; i < r.labels.size(); ++i) {
    const auto [row, is_new] = families.try_emplace(family_of(r.labels[i].name), static_cast<std::uint32_t>(families.size()));
    if (is_new) g.families.push_back(row->first);
    family[i] = row->second;
  }
  std::vector<nanoseconds> busy_until(r.tracks.size(), 0);
  std::vector<std::uint32_t> latest(r.lanes.size(), no_record);
  earliest_first running;
  entry ended{0, no_record};  // of what had ended before the record at hand, the last
  for (const std::uint32_t i : work) {
    const record& one = r.records[i];
    const auto number = operation_of[i] = static_cast<std::uint32_t>(g.operations.size());
    nanoseconds& until = busy_until[r.track_of(i)];
    bool caused = false;
    for (const edge& e : r.into(i)) {
      if (operation_of[e.from] == no_record) continue;
      const record& cause = r.records[e.from];
      g.dependencies.push_back({operation_of[e.from], number, cause.end <= one.start ? -1 : std::min(cause.self, one.start - cause.start)});
      caused = true;
    }
    // What ran within another was asked for by it, or in its time.
    const std::uint32_t around = latest[one.lane];
    if (!caused && around != no_record && r.records[around].end > one.start) {
      g.dependencies.push_back({operation_of[around], number, std::min(r.records[around].self, one.start - r.records[around].start)});
      caused = true;
    }
    for (; !running.empty() && running.top().first <= one.start; running.pop()) ended = running.top();
    nanoseconds released = 0;
    if (!caused && one.start - until > longest_overhead) {
      if (ended.second == no_record) released = one.start;
      else g.dependencies.push_back({ended.second, number, -1, one.start - ended.first});
    }
    running.emplace(one.end, number);
    g.operations.push_back({one.self, released, family[one.label], one.kind});
    if (around == no_record || one.end >= r.records[around].end || r.records[around].end <= one.start) latest[one.lane] = i;
    until = std::max(until, one.end);
  }
  return g;
}

nanoseconds replay(const replay_graph& g) {
  const auto n = static_cast<std::uint32_t>(g.operations.size());
  std::vector<std::uint32_t> waits(n, 0), first(n + 1, 0), behind(g.dependencies.size());
  for (const dependency& d : g.dependencies) {
    ++waits[d.to];
    ++first[d.from + 1];
  }
  std::partial_sum(first.begin(), first.end(), first.begin());
  auto next = first;
  for (std::uint32_t i = 0; i < g.dependencies.size(); ++i) behind[next[g.dependencies[i].from]++] = i;

  earliest_first ready;
  std::priority_queue<nanoseconds, std::vector<nanoseconds>, std::greater<>> workers;
  for (unsigned i = 0; i < g.workers; ++i) workers.push(0);
  std::vector<nanoseconds> ready_at(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    ready_at[i] = g.operations[i].released;
    if (waits[i] == 0) ready.emplace(ready_at[i], i);
  }
  nanoseconds end = 0;
  while (!ready.empty()) {
    const auto [at, i] = ready.top();
    ready.pop();
    const nanoseconds start = std::max(at, workers.top()) + g.overhead;
    const nanoseconds ended = start + g.operations[i].length;
    workers.pop();
    workers.push(ended);
    end = std::max(end, ended);
    for (std::uint32_t k = first[i]; k < first[i + 1]; ++k) {
      const dependency& d = g.dependencies[behind[k]];
      ready_at[d.to] = std::max(ready_at[d.to], (d.offset < 0 ? ended : start + std::min(d.offset, g.operations[i].length)) + d.lag);
      if (--waits[d.to] == 0) ready.emplace(ready_at[d.to], d.to);
    }
  }
  return end;
}

replay_graph with_finer_grain(const replay_graph& g) {
  replay_graph finer = g;
  nanoseconds total = 0, count = 0;
  for (const operation& o : g.operations)
    if (may_be_cut(o)) total += o.length, ++count;
  const nanoseconds mean = count == 0 ? 0 : total / count;
  std::vector<std::uint32_t> half(g.operations.size(), no_record);
  for (std::uint32_t i = 0; i < g.operations.size(); ++i) {
    if (!may_be_cut(g.operations[i]) || g.operations[i].length <= mean) continue;
    half[i] = static_cast<std::uint32_t>(finer.operations.size());
    finer.operations.push_back(g.operations[i]);
    finer.operations.back().length /= 2;
    finer.operations[i].length -= finer.operations.back().length;
  }
  for (std::size_t k = 0; k < g.dependencies.size(); ++k) {
    const dependency d = g.dependencies[k];
    const std::uint32_t from = half[d.from], to = half[d.to];
    if (from != no_record && d.offset >= 0) finer.dependencies[k].offset /= 2;
    const nanoseconds offset = finer.dependencies[k].offset;
    if (to != no_record) finer.dependencies.push_back({d.from, to, offset, d.lag});
    if (from != no_record && d.offset < 0) finer.dependencies.push_back({from, d.to, -1, d.lag});
    if (from != no_record && to != no_record && d.offset < 0) finer.dependencies.push_back({from, to, -1, d.lag});
  }
  return finer;
}

// The second may be joined to the first only if all it depended on had let it go on when the first began: then nothing can lie
// between the two. For the same reason no cycle arises: a joined operation depends only on ones whose first half began earlier.
replay_graph with_coarser_grain(const replay_graph& g, const run& r) {
  const auto work = work_of(r, g.operations.size());
  std::vector<nanoseconds> ready(g.operations.size(), 0);
  for (const dependency& d : g.dependencies)
    ready[d.to] = std::max(ready[d.to], d.offset < 0 ? r.records[work[d.from]].end : r.records[work[d.to]].start);
  std::vector<std::uint32_t> into(g.operations.size());
  std::iota(into.begin(), into.end(), 0u);
  std::vector<std::uint32_t> latest(r.tracks.size(), no_record);
  for (std::uint32_t i = 0; i < work.size(); ++i) {
    std::uint32_t& before = latest[r.track_of(work[i])];
    if (!may_be_cut(g.operations[i])) {
      before = no_record;
      continue;
    }
    if (before != no_record && g.operations[before].family == g.operations[i].family &&
        ready[i] <= r.records[work[before]].start && g.operations[i].released <= r.records[work[before]].start) {
      into[i] = before;
      before = no_record;
    } else {
      before = i;
    }
  }
  replay_graph coarser;
  coarser.families = g.families;
  coarser.workers = g.workers;
  coarser.overhead = g.overhead;
  coarser.shortened = g.shortened;
  std::vector<std::uint32_t> number(g.operations.size());
  std::vector<nanoseconds> shift(g.operations.size(), 0);
  for (std::uint32_t i = 0; i < g.operations.size(); ++i) {
    if (into[i] == i) {
      number[i] = static_cast<std::uint32_t>(coarser.operations.size());
      coarser.operations.push_back(g.operations[i]);
    } else {
      number[i] = number[into[i]];
      shift[i] = coarser.operations[number[i]].length;
      coarser.operations[number[i]].length += g.operations[i].length;
    }
  }
  for (const dependency& d : g.dependencies)
    if (number[d.from] != number[d.to])
      coarser.dependencies.push_back({number[d.from], number[d.to], d.offset < 0 ? -1 : d.offset + shift[d.from], d.lag});
  return coarser;
}

}  // namespace stretto::report
