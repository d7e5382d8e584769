#include "event/event_wait_graph.hpp"

#include <stretto/error.hpp>

#include "base/snapshot_read.hpp"
#include "event/event_floor.hpp"
#include "event/holder_record.hpp"
#include "event/wait_cycle.hpp"

namespace stretto::detail {

using base::wait_kind;

std::uint32_t node_of_dependency(std::uint64_t bits, base::wait_walk& walk) {
  const bool is_task = bits >> 63;
  return walk.at(is_task ? wait_kind::task : wait_kind::event, bits);
}

void add_waiters(const waiter* list, std::uint32_t target, base::wait_walk& walk) {
  for (unsigned n = 0; list && n < 1000 && !walk.is_full(); ++n) {
    const base::snapshot_copy<waiter> one(list);
    if (!one) return;
    walk.linked.push_back({list, target});
    list = one->next;
  }
}

void add_wait_edges(const base::runtime_context& runtime, base::wait_walk& walk) {
  auto& table = *runtime.get<event_table>(base::floor_slot::event);
  std::vector<std::uint64_t> awaited;
  for (std::uint32_t i = 0; i < table.carved() && !walk.is_full(); ++i) {
    slot& s = table.at(i);
    const auto word = s.word.load(std::memory_order_acquire);
    const auto generation = slot::generation_in(word);
    const auto claim = s.claim.load(std::memory_order_acquire);
    if (slot::generation_claimed_in(claim) != generation) continue;  // free
    const auto what = static_cast<role>(claim & 7);
    if (!slot::list_in(word) && what == role::none) continue;
    const event e = handle_of(table.node, i, generation);
    awaited.clear();
    add_awaited(e, table, awaited);
    const auto where = s.where.load(std::memory_order_relaxed);
    const std::uint64_t reservation = s.link[1].load(std::memory_order_acquire);
    if (s.generation_now() != generation) continue;

    const std::uint32_t node = walk.at(wait_kind::event, e.raw());
    walk[node].kind = wait_kind::event;
    walk[node].name = what == role::acquire ? "acquire" : what == role::release ? "release" : "event";
    walk[node].created_at = short_location(where);
    walk[node].is_promised = what != role::none || claim & slot::of_operation;
    bool waits = false;
    for (const auto bits : awaited) {
      if (!bits ||
          (!(bits >> 63) && table.at(from_bits(bits).as_event()).has_ended(generation_of(from_bits(bits).as_event()))))
        continue;
      walk.link(node, node_of_dependency(bits, walk));
      waits = true;
    }
    if (what == role::acquire && !waits) walk.link(node, walk.at(wait_kind::reservation, reservation));
    if (what == role::release) walk.link(walk.at(wait_kind::reservation, reservation), node);
    add_waiters(slot::list_in(word), node, walk);
  }
  add_barriers(table, walk);
  add_reservations(table, walk);
  add_holders(table.holders, walk);
}

}  // namespace stretto::detail
