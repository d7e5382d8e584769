#include "data/eviction.hpp"

#include <algorithm>
#include <tuple>

namespace stretto::data {

eviction choose_victims(std::span<const eviction_candidate> candidates, std::uint64_t needed, std::uint64_t free,
                        const std::function<std::uint64_t(std::size_t)>& write_back_bytes) {
  eviction e;
  e.needed = needed;
  e.free = free;
  std::vector<std::size_t> evictable;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    (candidates[i].in_use ? e.in_use : e.could_free) += candidates[i].bytes;
    if (!candidates[i].in_use && candidates[i].bytes != 0) evictable.push_back(i);
  }
  e.possible = needed <= free + e.could_free;
  if (!e.possible || needed <= free) return e;

  // A heap, since few candidates leave; its top leaves first.
  const auto rank = [&](std::size_t i) {
    const eviction_candidate& r = candidates[i];
    return std::tuple(~r.next_use, r.last_use, r.transfer_seconds, i);
  };
  const auto leaves_later = [&](std::size_t a, std::size_t b) { return rank(a) > rank(b); };
  std::make_heap(evictable.begin(), evictable.end(), leaves_later);
  std::uint64_t room = free;
  std::vector<std::size_t> equals;
  while (room < needed) {
    equals.clear();
    std::uint64_t bytes = 0;
    do {
      std::pop_heap(evictable.begin(), evictable.end(), leaves_later);
      equals.push_back(evictable.back());
      bytes += candidates[evictable.back()].bytes;
      evictable.pop_back();
    } while (equals.size() < 32 && !evictable.empty() &&
             candidates[evictable.front()].next_use == candidates[equals.front()].next_use);
    if (room + bytes > needed && equals.size() > 1)  // some may stay: those that are expensive to move
      std::stable_partition(equals.begin(), equals.end(), [&](std::size_t i) { return write_back_bytes(i) == 0; });
    for (std::size_t i = 0; i < equals.size() && room < needed; ++i) {
      e.victims.push_back(equals[i]);
      room += candidates[equals[i]].bytes;
    }
  }
  // A large victim may have made earlier, smaller ones unnecessary. Those needed soonest stay first.
  for (std::size_t v = e.victims.size(); v-- > 0;) {
    const std::uint64_t bytes = candidates[e.victims[v]].bytes;
    if (room - bytes < needed) continue;
    room -= bytes;
    e.victims.erase(e.victims.begin() + static_cast<std::ptrdiff_t>(v));
  }
  for (const std::size_t i : e.victims) {
    e.freed += candidates[i].bytes;
    e.write_back_bytes += write_back_bytes(i);
  }
  return e;
}

}  // namespace stretto::data
