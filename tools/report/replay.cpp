#include "report/replay.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>

#include "report/index_set.hpp"

namespace stretto::report {
namespace {

using entry = std::pair<nanoseconds, std::uint32_t>;
using earliest_first = std::priority_queue<entry, std::vector<entry>, std::greater<>>;  // the top is the earliest

class simulation {
 public:
  simulation(const replayer& r, const change& c)
      : g_(r.graph()),
        replayer_(r),
        waits_(r.waits()),
        ready_at_(g_.operations.size()),
        speed_(c.speed),
        ready_(std::max<std::size_t>(1, g_.operations.size())) {
    if (c.are_faster) {
      is_faster_.resize(g_.operations.size());
      for (std::size_t i = 0; i < is_faster_.size(); ++i) is_faster_[i] = c.are_faster(g_.operations[i]);
    }
    std::uint32_t tracks = 0;
    for (const operation& o : g_.operations)
      if (o.runs_on != any_worker) tracks = std::max(tracks, o.runs_on + 1);
    track_free_.resize(tracks);
    for (unsigned i = 0; i < std::max(1u, c.workers ? c.workers : g_.workers); ++i) workers_.push(0);
  }

  nanoseconds run() {
    for (std::uint32_t i = 0; i < g_.operations.size(); ++i) {
      ready_at_[i] = g_.operations[i].released;
      if (waits_[i] == 0) will_be_ready(i);
    }
    for (;;) {
      nanoseconds now = workers_.top();
      become_ready(now);
      while (ready_.is_empty() && !soon_.empty()) become_ready(now = soon_.top().first);
      if (ready_.is_empty()) return end_;
      workers_.pop();
      workers_.push(run_at(now, static_cast<std::uint32_t>(ready_.take_least())));
    }
  }

 private:
  void will_be_ready(std::uint32_t i) {
    if (ready_at_[i] <= now_ && g_.operations[i].runs_on == any_worker) ready_.insert(i);
    else soon_.emplace(ready_at_[i], i);
  }

  void become_ready(nanoseconds now) {
    now_ = now;
    while (!soon_.empty() && soon_.top().first <= now) {
      const auto [at, i] = soon_.top();
      soon_.pop();
      const std::uint32_t track = g_.operations[i].runs_on;
      if (track == any_worker) ready_.insert(i);
      else track_free_[track] = run_at(std::max(at, track_free_[track]), i);
    }
  }

  nanoseconds run_at(nanoseconds at, std::uint32_t i) {
    const operation& o = g_.operations[i];
    const bool is_faster = !is_faster_.empty() && is_faster_[i];
    const nanoseconds length = is_faster ? scaled(o.length) : o.length;
    const nanoseconds start = std::max(at, ready_at_[i]) + o.delay, ended = start + length;
    end_ = std::max(end_, ended);
    for (const dependency& d : replayer_.followers(i)) {
      const nanoseconds offset = is_faster ? scaled(d.offset) : d.offset;
      const nanoseconds lets_go = d.offset < 0 ? ended : start + std::min(offset, length);
      ready_at_[d.to] = std::max(ready_at_[d.to], lets_go + d.lag);
      if (--waits_[d.to] == 0) will_be_ready(d.to);
    }
    return ended;
  }

  nanoseconds scaled(nanoseconds t) const { return static_cast<nanoseconds>(static_cast<double>(t) / speed_); }

  const replay_graph& g_;
  const replayer& replayer_;
  std::vector<std::uint32_t> waits_;
  std::vector<nanoseconds> ready_at_;
  const double speed_;
  std::vector<bool> is_faster_;
  index_set ready_;      // for any worker
  earliest_first soon_;  // all that it depends on has begun
  std::vector<nanoseconds> track_free_;
  std::priority_queue<nanoseconds, std::vector<nanoseconds>, std::greater<>> workers_;  // when each is free
  nanoseconds now_ = 0, end_ = 0;
};

bool may_be_cut(const operation& o) {
  return (o.kind == kind::task || o.kind == kind::kernel) && o.runs_on == any_worker;
}

}  // namespace

replayer::replayer(const replay_graph& g)
    : graph_(g), first_(g.operations.size() + 1), followers_(g.dependencies.size()), waits_(g.operations.size()) {
  for (const dependency& d : g.dependencies) {
    ++waits_[d.to];
    ++first_[d.from + 1];
  }
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  auto next = first_;
  for (std::uint32_t i = 0; i < g.dependencies.size(); ++i)
    followers_[next[g.dependencies[i].from]++] = g.dependencies[i];
}

nanoseconds replayer::run(const change& c) const { return simulation(*this, c).run(); }

replay_graph with_finer_grain(const replay_graph& g) {
  replay_graph finer;
  finer.families = g.families;
  finer.workers = g.workers;
  nanoseconds total = 0, count = 0;
  for (const operation& o : g.operations)
    if (may_be_cut(o)) total += o.length, ++count;
  const nanoseconds mean = count == 0 ? 0 : total / count;
  finer.operations.reserve(2 * g.operations.size());
  finer.dependencies.reserve(2 * g.dependencies.size());
  // The second half stands behind the first, so that it is as old.
  std::vector<std::uint32_t> number(g.operations.size());
  const auto is_cut = [&](std::uint32_t i) { return may_be_cut(g.operations[i]) && g.operations[i].length > mean; };
  for (std::uint32_t i = 0; i < g.operations.size(); ++i) {
    number[i] = static_cast<std::uint32_t>(finer.operations.size());
    finer.operations.push_back(g.operations[i]);
    if (!is_cut(i)) continue;
    finer.operations.push_back(g.operations[i]);
    finer.operations.back().length /= 2;
    finer.operations[number[i]].length -= finer.operations.back().length;
  }
  for (const dependency& d : g.dependencies) {
    const std::uint32_t from = number[d.from], to = number[d.to];
    const bool cut_from = is_cut(d.from), cut_to = is_cut(d.to);
    const nanoseconds offset = d.offset > 0 && cut_from ? d.offset / 2 : d.offset;
    for (std::uint32_t second = 0; second <= (cut_to ? 1u : 0u); ++second) {
      finer.dependencies.push_back({from, to + second, offset, d.lag});
      if (cut_from && d.offset < 0) finer.dependencies.push_back({from + 1, to + second, -1, d.lag});
    }
  }
  return finer;
}

// The second may be joined to the first only if all it depended on had let it go on when the first
// began: then nothing can lie between the two. For the same reason no cycle arises: a joined
// operation depends only on ones whose first half began earlier.
replay_graph with_coarser_grain(const replay_graph& g) {
  std::uint32_t tracks = 0;
  for (const operation& o : g.operations) tracks = std::max(tracks, o.track + 1);
  std::vector<std::uint32_t> into(g.operations.size()), latest(tracks, no_record);
  std::iota(into.begin(), into.end(), 0u);
  for (std::uint32_t i = 0; i < g.operations.size(); ++i) {
    const operation& o = g.operations[i];
    std::uint32_t& before = latest[o.track];
    if (!may_be_cut(o)) {
      before = no_record;
    } else if (before != no_record && g.operations[before].family == o.family &&
               std::max(o.ready, o.released) <= g.operations[before].start) {
      into[i] = before;
      before = no_record;
    } else {
      before = i;
    }
  }
  replay_graph coarser;
  coarser.families = g.families;
  coarser.workers = g.workers;
  coarser.operations.reserve(g.operations.size());
  coarser.dependencies.reserve(g.dependencies.size());
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
      coarser.dependencies.push_back(
          {number[d.from], number[d.to], d.offset < 0 ? -1 : d.offset + shift[d.from], d.lag});
  return coarser;
}

}  // namespace stretto::report
