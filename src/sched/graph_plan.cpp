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

graph_steps steps_of(std::span<const std::vector<std::uint32_t>> predecessors, std::span<const void* const> marks) {
  const auto count = static_cast<std::uint32_t>(predecessors.size());
  constexpr std::uint32_t none = ~0u;
  std::vector<std::uint32_t> out_degree(count), next(count, none), step_of(count, none);
  for (const std::vector<std::uint32_t>& before : predecessors)
    for (const std::uint32_t p : before) ++out_degree[p];
  std::vector<bool> goes_on(count);  // whether the operation belongs to its predecessor's step
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!marks[i] || predecessors[i].size() != 1) continue;
    const std::uint32_t before = predecessors[i].front();
    if (marks[before] != marks[i] || out_degree[before] != 1) continue;
    next[before] = i;
    goes_on[i] = true;
  }
  graph_steps steps;
  auto& [first, numbers] = steps.operations;
  numbers.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (goes_on[i]) continue;
    first.push_back(static_cast<std::uint32_t>(numbers.size()));
    for (std::uint32_t o = i; o != none; o = next[o]) {
      numbers.push_back(o);
      step_of[o] = static_cast<std::uint32_t>(first.size() - 1);
    }
  }
  const std::size_t made = first.size();
  first.push_back(static_cast<std::uint32_t>(numbers.size()));
  steps.predecessors.resize(made);
  for (std::size_t s = 0; s < made; ++s)
    for (const std::uint32_t p : predecessors[numbers[first[s]]]) steps.predecessors[s].push_back(step_of[p]);
  return steps;
}

std::vector<std::uint32_t> find_path(std::span<const std::vector<std::uint32_t>> predecessors, std::uint32_t from,
                                     std::uint32_t to) {
  if (from == to) return {from};
  // Searches backwards from `to`; leads_to[p] is the operation through which p was found.
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
