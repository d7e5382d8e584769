#include "sched/graph_plan.hpp"

namespace stretto::sched {

graph_plan plan_of(std::span<const std::vector<std::uint32_t>> predecessors) {
  const auto count = static_cast<std::uint32_t>(predecessors.size());
  graph_plan plan;
  auto& [first, numbers] = plan.predecessors;
  std::vector<std::uint32_t> out_degree(count);
  first.reserve(count + 1);
  first.push_back(0);
  for (std::uint32_t i = 0; i < count; ++i) {
    for (const std::uint32_t p : predecessors[i]) {
      numbers.push_back(p);
      ++out_degree[p];
    }
    first.push_back(static_cast<std::uint32_t>(numbers.size()));
    if (predecessors[i].empty()) plan.roots.push_back(i);
  }
  auto& next = plan.successors;
  next.first.resize(count + 1);
  for (std::uint32_t i = 0; i < count; ++i) {
    next.first[i + 1] = next.first[i] + out_degree[i];
    plan.sinks += out_degree[i] == 0;
  }
  next.numbers.resize(numbers.size());
  std::vector<std::uint32_t> at(next.first.begin(), next.first.end());
  for (std::uint32_t i = 0; i < count; ++i)
    for (const std::uint32_t p : predecessors[i]) next.numbers[at[p]++] = i;
  return plan;
}

std::vector<std::uint32_t> find_path(std::span<const std::vector<std::uint32_t>> predecessors, std::uint32_t from,
                                     std::uint32_t to) {
  if (from == to) return {from};
  // Backwards from `to`, each operation remembering which one led to it.
  constexpr std::uint32_t unseen = ~0u;
  std::vector<std::uint32_t> leads_to(predecessors.size(), unseen);
  std::vector<std::uint32_t> open{to};
  leads_to[to] = to;
  while (!open.empty()) {
    const std::uint32_t i = open.back();
    open.pop_back();
    for (const std::uint32_t p : predecessors[i]) {
      if (leads_to[p] != unseen) continue;
      leads_to[p] = i;
      if (p != from) {
        open.push_back(p);
        continue;
      }
      std::vector<std::uint32_t> path{from};
      while (path.back() != to) path.push_back(leads_to[path.back()]);
      return path;
    }
  }
  return {};
}

}  // namespace stretto::sched
