// replica_losses.cpp - replica_set: data that is discarded, gone with a memory, or never written after a failure.
#include "data/replica_set.hpp"

#include <utility>
#include <vector>

namespace stretto::data {

void replica_set::discard(const box& where) {
  ++changes_;
  written_ -= where;
  invalidate(where, no_replica);
  forget_accumulated(where);
}

void replica_set::spoil(const box& where) {
  discard(where);
  written_ |= where;
}

// If accumulated contributions are lost, data valid elsewhere is incomplete; if the data is lost, its contributions are
// useless.
region replica_set::lost_with(const region& accumulated, const region& valid) {
  for (const box& b : accumulated.boxes()) invalidate(b, no_replica);
  region gone = nowhere_valid(accumulated | valid);
  for (const box& b : gone.boxes()) forget_accumulated(b);
  return gone;
}

region replica_set::lose(memory_number memory) {
  ++changes_;
  region accumulated, valid;
  for (replica_id r = 0; r < replicas_.size(); ++r) {
    if (at(r).where.is_empty() || at(r).memory != memory) continue;
    (at(r).accumulates ? accumulated : valid) |= valid_in(at(r), at(r).where);
    forget(r);
  }
  return lost_with(accumulated, valid);
}

region replica_set::failed(token t) {
  ++changes_;
  std::vector<box> accumulated, valid;
  for (replica& r : replicas_)
    r.cells.each([&](const box& b, cell& c) {
      // The token has ended, so no one need wait for it, and later uses must not fail because of it.
      std::erase(c.readers, t);
      const bool contributed = std::erase_if(c.contributors, [&](const contribution& by) { return by.by == t; }) > 0;
      if (c.written != t && !contributed) return;
      if (c.written == t) c.written = 0;
      if (std::exchange(c.valid, false)) (r.accumulates ? accumulated : valid).push_back(b);
    });
  return lost_with(region(std::span<const box>(accumulated)), region(std::span<const box>(valid)));
}

}  // namespace stretto::data
