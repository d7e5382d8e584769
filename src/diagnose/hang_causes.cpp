#include "diagnose/hang_causes.hpp"

#include <algorithm>
#include <deque>

namespace stretto::diagnose {
namespace {

using base::wait_kind;
using base::wait_node;
using links = std::vector<std::vector<std::uint32_t>>;

constexpr std::uint32_t none = ~0u;

bool is_work(const wait_node& n) {
  return n.kind == wait_kind::body || n.kind == wait_kind::task || n.kind == wait_kind::coroutine ||
         n.kind == wait_kind::thread || n.kind == wait_kind::finish || n.kind == wait_kind::rank;
}

bool waits(const wait_node& n) { return is_work(n) && !n.waits_for.empty(); }

bool is_reachable(const links& edges, std::uint32_t start, std::uint32_t target) {
  std::vector<bool> seen(edges.size());
  std::vector<std::uint32_t> to_visit{start};
  while (!to_visit.empty()) {
    const auto n = to_visit.back();
    to_visit.pop_back();
    if (n == target) return true;
    if (seen[n]) continue;
    seen[n] = true;
    to_visit.insert(to_visit.end(), edges[n].begin(), edges[n].end());
  }
  return false;
}

/// The edges between described nodes: from each node to those for which it waits. A reservation waits only for releases
/// that do not themselves wait for it.
links useful_links(const base::wait_snapshot& s) {
  links out(s.nodes.size());
  for (std::uint32_t n = 0; n < s.nodes.size(); ++n)
    for (const auto to : s.nodes[n].waits_for)
      if (to < s.nodes.size() && s.nodes[to].kind != wait_kind::unknown) out[n].push_back(to);
  for (std::uint32_t n = 0; n < s.nodes.size(); ++n)
    if (s.nodes[n].kind == wait_kind::reservation)
      std::erase_if(out[n], [&](std::uint32_t release) { return is_reachable(out, release, n); });
  return out;
}

/// Tarjan's strongly connected components, without recursion: the component of each node.
class components {
 public:
  explicit components(const links& to) : to_(to), of(to.size(), none), index_(to.size(), none), low_(to.size()) {
    for (std::uint32_t n = 0; n < to.size(); ++n)
      if (index_[n] == none) visit(n);
  }

 private:
  const links& to_;

 public:
  std::vector<std::uint32_t> of;
  std::uint32_t count = 0;

 private:
  void visit(std::uint32_t root) {
    struct frame {
      std::uint32_t node;
      std::size_t next;
    };
    std::vector<frame> calls{{root, 0}};
    while (!calls.empty()) {
      const auto n = calls.back().node;
      if (calls.back().next == 0) {
        index_[n] = low_[n] = time_++;
        path_.push_back(n);
      }
      bool deeper = false;
      while (!deeper && calls.back().next < to_[n].size()) {
        const auto m = to_[n][calls.back().next++];
        if (index_[m] == none) {
          calls.push_back({m, 0});
          deeper = true;
        } else if (of[m] == none) {
          low_[n] = std::min(low_[n], index_[m]);
        }
      }
      if (deeper) continue;
      if (to_[n].empty()) calls.back().next = 1;
      if (low_[n] == index_[n]) {
        std::uint32_t m;
        do {
          m = path_.back();
          path_.pop_back();
          of[m] = count;
        } while (m != n);
        ++count;
      }
      calls.pop_back();
      if (!calls.empty()) low_[calls.back().node] = std::min(low_[calls.back().node], low_[n]);
    }
  }

  std::vector<std::uint32_t> index_, low_, path_;
  std::uint32_t time_ = 0;
};

/// The shortest path from `start` to `target` through nodes that `allowed` accepts, with both ends; empty if there is
/// none.
template <class Allowed>
std::vector<std::uint32_t> shortest_path(const links& to, std::uint32_t start, std::uint32_t target,
                                         Allowed&& allowed) {
  std::vector<std::uint32_t> before(to.size(), none);
  std::deque<std::uint32_t> to_visit{start};
  while (!to_visit.empty()) {
    const auto n = to_visit.front();
    to_visit.pop_front();
    for (const auto m : to[n]) {
      if (!allowed(m) || before[m] != none || (m == start && m != target)) continue;
      before[m] = n;
      if (m == target) {
        std::vector<std::uint32_t> found{m};
        for (auto k = n; k != start; k = before[k]) found.push_back(k);
        found.push_back(start);
        return {found.rbegin(), found.rend()};
      }
      to_visit.push_back(m);
    }
  }
  return {};
}

cause_kind kind_of(const wait_node& n) {
  switch (n.kind) {
    case wait_kind::event: return n.is_promised && n.held_by.empty() ? cause_kind::unknown : cause_kind::event;
    case wait_kind::reservation: return cause_kind::reservation;
    case wait_kind::barrier: return cause_kind::barrier;
    case wait_kind::promise: return cause_kind::promise;
    case wait_kind::place: return cause_kind::place;
    default: return cause_kind::unknown;
  }
}

}  // namespace

bool has_work(const base::wait_snapshot& s) {
  return std::ranges::any_of(
      s.nodes, [](const wait_node& n) { return waits(n) || (n.is_running && n.kind == wait_kind::task); });
}

std::vector<hang_cause> causes_of(const base::wait_snapshot& s) {
  const links to = useful_links(s);
  const components scc(to);
  std::vector<std::vector<std::uint32_t>> members(scc.count);
  std::vector<bool> has_no_exit(scc.count, true), has_cycle(scc.count, false);
  links waiters_of(s.nodes.size());
  for (std::uint32_t n = 0; n < to.size(); ++n) {
    members[scc.of[n]].push_back(n);
    for (const auto m : to[n]) {
      waiters_of[m].push_back(n);
      if (scc.of[m] != scc.of[n]) has_no_exit[scc.of[n]] = false;
      else has_cycle[scc.of[n]] = true;
    }
  }
  std::vector<hang_cause> causes;
  for (std::uint32_t c = 0; c < scc.count; ++c) {
    if (!has_no_exit[c]) continue;
    hang_cause cause;
    const auto inside = [&](std::uint32_t n) { return scc.of[n] == c; };
    // Report a cycle from its first task or thread on.
    const auto first = std::ranges::find_if(members[c], [&](std::uint32_t n) { return is_work(s.nodes[n]); });
    const auto root = first == members[c].end() ? members[c].front() : *first;
    if (has_cycle[c]) {
      cause.kind = cause_kind::cycle;
      cause.nodes = shortest_path(to, root, root, inside);
      cause.nodes.pop_back();
    } else {
      cause.kind = kind_of(s.nodes[root]);
      cause.nodes = {root};
      if (waiters_of[root].empty()) continue;  // nothing waits for it
    }
    // Count the work that waits for the cause, and find the work node farthest from it, where the chain begins.
    std::vector<std::uint32_t> before(s.nodes.size(), none);
    std::deque<std::uint32_t> to_visit(cause.nodes.begin(), cause.nodes.end());
    for (const auto n : cause.nodes) before[n] = n;
    std::uint32_t start = none;
    while (!to_visit.empty()) {
      const auto n = to_visit.front();
      to_visit.pop_front();
      if (is_work(s.nodes[n])) {
        ++cause.waiting;
        // In a job, idle nodes wait at the end of their run all the time.
        if (start == none || s.of_nodes == 1 || !s.nodes[n].is_end) start = n;
      }
      for (const auto m : waiters_of[n])
        if (before[m] == none) before[m] = n, to_visit.push_back(m);
    }
    if (start == none) continue;  // only internal events wait
    for (auto n = start;; n = before[n]) {
      cause.chain.push_back(n);
      if (before[n] == n) break;
    }
    if (cause.kind == cause_kind::cycle) {
      // Report the cycle from where the chain enters it.
      const auto entry = std::ranges::find(cause.nodes, cause.chain.back());
      if (entry != cause.nodes.end()) std::ranges::rotate(cause.nodes, entry);
    }
    causes.push_back(std::move(cause));
  }
  if (std::ranges::any_of(causes, [](const hang_cause& c) { return c.kind != cause_kind::unknown; }))
    std::erase_if(causes, [](const hang_cause& c) { return c.kind == cause_kind::unknown; });
  std::ranges::stable_sort(causes, std::greater{}, &hang_cause::waiting);
  return causes;
}

}  // namespace stretto::diagnose
