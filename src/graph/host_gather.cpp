// host_gather.cpp - gathers small parts that lie in several memories, and that all of them read, through host memory.
//
// Direct copies of a part from each of n memories to each of the others are n (n - 1) copies. Gathering in host memory
// takes n copies, and one for each memory: fewer from n = 4 on, and no device sends its part more than once.
#include <algorithm>
#include <bit>

#include "graph/instruction_graph.hpp"

namespace stretto::graph {
namespace {

constexpr int fewest_memories = 4;
// Larger parts take longer to copy than a copy takes to begin: a direct copy moves them once, not twice.
constexpr std::uint64_t most_bytes = 1 << 20;

}  // namespace

void instruction_graph::find_shared(const task& t, plan& made) const {
  made.shared.clear();
  made.readers = 0;
  if (made.is_sequential || shape_.devices.size() < fewest_memories) return;
  for (const part_of_task& p : made.all()) made.readers |= only(shape_.memory_of(p.by));
  if (std::popcount(made.readers) < fewest_memories) return;
  for (std::uint32_t i = 0; i < t.accesses.size(); ++i)
    if (reads(t.accesses[i].how) && !made.parts[0].uses[i].empty() &&
        std::ranges::all_of(made.all(), [&](const part_of_task& p) { return p.uses[i] == made.parts[0].uses[i]; }))
      made.shared.push_back(i);
}

void instruction_graph::gather(task_id id, const task& t, const plan& p, std::vector<instruction>& out) {
  for (const std::uint32_t i : p.shared) {
    const buffer_id b = t.accesses[i].buffer;
    placement& is = at(b).is;
    std::vector<valid_part> apart;
    memory_set from = 0;
    std::uint64_t bytes = 0;
    box all;
    for (const box& used : p.parts[0].uses[i])
      for (const valid_part& part : is.valid(used)) {
        const auto& [elements, has] = part;
        if ((has & only(0)) || std::popcount(p.readers & ~has) < fewest_memories - 1) continue;
        apart.push_back(part);
        from |= only(nearest_of(has));
        bytes += bytes_of(b, elements);
        all = hull(all, elements);
      }
    if (std::popcount(from) < fewest_memories || bytes > apart.size() * most_bytes) continue;
    const allocation_id to = require_allocation(id, b, 0, all, out).is;
    std::vector<copy> copies;
    is.each_source(apart, [&](const placement::allocation& a, const box& piece) {
      auto found = std::ranges::find(copies, a.is, &copy::from);
      if (found == copies.end()) found = copies.insert(copies.end(), {b, a.is, to, {}});
      found->parts.push_back(piece);
    });
    for (copy& c : copies) append_copy(id, std::move(c), out);
    for (const valid_part& part : apart) is.copied(part.first, 0);
  }
}

}  // namespace stretto::graph
