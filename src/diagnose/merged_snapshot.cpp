#include "diagnose/merged_snapshot.hpp"

#include <algorithm>
#include <unordered_map>

#include "base/node_numbers.hpp"

namespace stretto::diagnose {
namespace {

using base::wait_kind;
using base::wait_node;
using base::wait_snapshot;

/// How much a snapshot knows of a node; more is better.
int knowledge(const wait_node& n) {
  return (n.kind != wait_kind::unknown) * 4 + (n.is_running || !n.waits_at.empty()) * 2 + !n.waits_for.empty();
}

/// Merges `n` into `known`, which describes the same thing; both number their edges alike.
void add_to(wait_node& known, wait_node&& n) {
  if (knowledge(n) > knowledge(known)) std::swap(known, n);
  for (const auto to : n.waits_for)
    if (std::ranges::find(known.waits_for, to) == known.waits_for.end()) known.waits_for.push_back(to);
  known.is_promised |= n.is_promised;
  if (known.created_at.empty()) known.created_at = std::move(n.created_at);
  if (known.pending_on.empty()) known.pending_on = std::move(n.pending_on);
  if (known.held_by.empty() || (known.held_by == base::held_elsewhere && !n.held_by.empty())) {
    if (!n.held_by.empty()) known.on = n.on;
    known.held_by = std::move(n.held_by);
  }
}

}  // namespace

wait_snapshot merge_snapshots(std::span<const wait_snapshot> of_nodes) {
  wait_snapshot out;
  if (of_nodes.size() == 1) {
    out = of_nodes.front();
    out.nodes.clear();
  }
  const bool is_of_several = of_nodes.size() > 1;
  out.of_nodes = static_cast<std::uint32_t>(of_nodes.size());
  std::unordered_map<std::string, std::uint32_t> known;
  for (const wait_snapshot& s : of_nodes) {
    const std::string on = is_of_several ? base::node_name(static_cast<std::uint16_t>(s.node)) : std::string();
    std::vector<std::uint32_t> now(s.nodes.size());  // the index of each node in `out`
    auto next = static_cast<std::uint32_t>(out.nodes.size());
    for (std::size_t i = 0; i < s.nodes.size(); ++i) {
      const std::string& name = s.nodes[i].everywhere;
      const bool is_new = name.empty() || known.try_emplace(name, next).second;
      now[i] = is_new ? next++ : known.find(name)->second;
    }
    const std::size_t before = out.nodes.size();
    std::vector<bool> is_described(next - before);
    out.nodes.resize(next);
    for (std::size_t i = 0; i < s.nodes.size(); ++i) {
      wait_node n = s.nodes[i];
      n.on = on;
      for (auto& to : n.waits_for) to = now[to];
      if (now[i] >= before && !is_described[now[i] - before]) {
        is_described[now[i] - before] = true;
        out.nodes[now[i]] = std::move(n);
      } else {
        add_to(out.nodes[now[i]], std::move(n));
      }
    }
    if (!is_of_several) continue;
    out.seconds = &s == of_nodes.data() ? s.seconds : std::min(out.seconds, s.seconds);
    for (auto w : s.workers) {
      w.on = on;
      out.workers.push_back(std::move(w));
    }
    for (const auto& why : s.unproven) out.unproven.push_back(on + ": " + why);
  }
  return out;
}

}  // namespace stretto::diagnose
