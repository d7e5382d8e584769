#include "data/eviction.hpp"

#include <algorithm>
#include <tuple>

namespace stretto::data {

eviction choose_victims(std::span<const resident> residents, std::uint64_t needed, std::uint64_t free) {
  eviction e;
  e.needed = needed;
  e.free = free;
  std::vector<std::size_t> candidates;
  for (std::size_t i = 0; i < residents.size(); ++i) {
    (residents[i].in_use ? e.in_use : e.could_free) += residents[i].bytes;
    if (!residents[i].in_use && residents[i].bytes != 0) candidates.push_back(i);
  }
  e.possible = needed <= free + e.could_free;
  if (!e.possible || needed <= free) return e;

  const auto rank = [&](std::size_t i) {
    const resident& r = residents[i];
    return std::tuple(~r.next_use, r.write_back_bytes != 0, r.last_use, r.transfer_seconds, i);
  };
  std::sort(candidates.begin(), candidates.end(), [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
  std::uint64_t room = free;
  for (const std::size_t i : candidates) {
    if (room >= needed) break;
    e.victims.push_back(i);
    room += residents[i].bytes;
  }
  // A large one may have made smaller ones before it needless; those needed soonest stay first.
  for (std::size_t v = e.victims.size(); v-- > 0;) {
    const std::uint64_t bytes = residents[e.victims[v]].bytes;
    if (room - bytes < needed) continue;
    room -= bytes;
    e.victims.erase(e.victims.begin() + static_cast<std::ptrdiff_t>(v));
  }
  for (const std::size_t i : e.victims) {
    e.freed += residents[i].bytes;
    e.write_back_bytes += residents[i].write_back_bytes;
  }
  return e;
}

void upcoming_uses::remove(std::uint64_t key, std::uint64_t position) {
  const auto found = uses_.find(key);
  if (found == uses_.end()) return;
  auto& positions = found->second;
  // Mostly the first: tasks leave the queue nearly in order.
  const auto at = std::lower_bound(positions.begin(), positions.end(), position);
  if (at == positions.end() || *at != position) return;
  positions.erase(at);
  if (positions.empty()) uses_.erase(found);
}

}  // namespace stretto::data
