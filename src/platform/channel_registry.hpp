// channel_registry.hpp - which channel copies from one kind of memory to another.
//
// Threads     add while the runtime is being built, by one thread; find afterwards, from any thread.
// Cost        find: two loads.
// Invariants  at most one channel per ordered pair of kinds.
#pragma once

#include <stretto/place.hpp>

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "platform/channel.hpp"

namespace stretto::places {

class channel_registry {
 public:
  /// Registers a channel for copies from one kind to another, in this direction. Throws P18 if there is one already.
  void add(place_kind from, place_kind to, std::shared_ptr<channel> by);

  /// The channel, or null: then copies pass through a third memory.
  channel* find(place_kind from, place_kind to) const noexcept { return table_[index(from, to)].get(); }

  /// All pairs that have a channel, by kind.
  std::vector<std::pair<place_kind, place_kind>> pairs() const;

 private:
  static constexpr std::size_t index(place_kind from, place_kind to) {
    return static_cast<std::size_t>(from) * place_kind_count + static_cast<std::size_t>(to);
  }
  std::array<std::shared_ptr<channel>, place_kind_count * place_kind_count> table_;
};

}  // namespace stretto::places
