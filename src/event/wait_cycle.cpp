#include "event/wait_cycle.hpp"

namespace stretto::detail {
namespace {

constexpr unsigned most_visited = 1000;   // events
constexpr unsigned most_inputs = 10'000;  // of one merge, many of which may be the same

/// The events yet to be visited, each once: merges of merges would otherwise be visited once for each path.
class search_state {
 public:
  explicit search_state(wait_cycle_search& memory) : memory_(memory) { memory_.seen.resize(slots); }
  search_state(const search_state&) = delete;
  ~search_state() {
    for (const auto at : memory_.places) memory_.seen[at] = 0;
    memory_.places.clear();
    memory_.to_visit.clear();
  }

  void add(std::uint64_t bits) {
    if (!bits || memory_.to_visit.size() >= most_visited) return;
    std::uint32_t at = static_cast<std::uint32_t>(bits * 0x9e3779b97f4a7c15 >> (64 - slot_count_bits));
    for (; memory_.seen[at]; at = (at + 1) % slots)
      if (memory_.seen[at] == bits) return;
    memory_.seen[at] = bits;
    memory_.places.push_back(at);
    memory_.to_visit.push_back(bits);
  }

 private:
  static constexpr unsigned slot_count_bits = 11;
  static constexpr std::uint32_t slots = 1u << slot_count_bits;
  static_assert(slots > most_visited);
  wait_cycle_search& memory_;
};

/// Data read from a slot is valid only if the slot's generation is still the same afterwards, since a slot may be
/// recycled at any time. Stores to these fields are releases and loads acquires: a reader of a later event's value also
/// sees the later generation.
bool is_still(const slot& s, std::uint32_t generation) { return s.generation_now() == generation; }

/// Adds the inputs that a merge still waits for; false if the merge advanced meanwhile.
bool add_inputs(slot& s, std::uint32_t generation, std::vector<std::uint64_t>& found) {
  const auto head = s.link[0].load(std::memory_order_acquire);
  auto left = s.link[1].load(std::memory_order_acquire);
  if (!is_still(s, generation)) return false;  // `head` may be something else
  // A block may be recycled during the walk, but its memory stays a block. If the first block is unchanged afterwards,
  // all were valid.
  unsigned added = 0;
  for (auto* block = reinterpret_cast<merge_block*>(head); block && added < most_inputs;
       block = block->next.load(std::memory_order_acquire), left = merge_block::capacity)
    for (unsigned i = 0; i < left && i < merge_block::capacity; ++i, ++added)
      found.push_back(block->inputs[i].load(std::memory_order_acquire));
  return s.link[0].load(std::memory_order_relaxed) == head;
}

}  // namespace

void add_awaited(event e, const event_table& table, std::vector<std::uint64_t>& found) {
  slot& s = table.at(e);
  const auto generation = generation_of(e);
  if (s.generation_now() != generation) return;
  const auto claim = s.claim.load(std::memory_order_acquire);
  if (slot::generation_claimed_in(claim) != generation) return;
  bool valid = true;
  switch (static_cast<role>(claim & 7)) {
    case role::none:
    case role::taken: return;
    case role::all: valid = add_inputs(s, generation, found); break;
    case role::both: found.push_back(s.link[1].load(std::memory_order_acquire)); [[fallthrough]];
    default: found.push_back(s.link[0].load(std::memory_order_acquire));
  }
  if (!valid || !is_still(s, generation)) found.clear();
}

bool leads_to(dependency from, event target, event_cache& cache) {
  search_state search(cache.search);
  auto& found = cache.search.found;
  search.add(bits_of(from));
  for (std::size_t i = 0; i < cache.search.to_visit.size(); ++i) {
    const dependency d = from_bits(cache.search.to_visit[i]);
    if (bits_of(d) == target.raw()) return true;
    if (d.task() || !cache.is_local(d.as_event())) continue;
    found.clear();
    add_awaited(d.as_event(), *cache.table, found);
    for (const auto bits : found) search.add(bits);
  }
  return false;
}

}  // namespace stretto::detail
