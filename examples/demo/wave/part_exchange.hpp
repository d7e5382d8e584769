// part_exchange.hpp - messages between the parts of a run: once, the addresses of their fields; then in each step, the
// events to wait for.
//
// Threads     any. An address is valid only on the node where it was taken.
// Why         a part can submit a copy from its neighbour's tile ahead of time only if it knows the event of that
//             tile's step. The event exists as soon as the step is submitted, long before it triggers. The copy
//             therefore waits at its source, and only one message lies between the step and the arrival of its cells.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <stretto/event.hpp>
#include <stretto/fields.hpp>
#include <stretto/future.hpp>
#include <stretto/instance.hpp>
#include <utility>
#include <vector>

namespace stretto::wave {

using pressure = instance<float, 2>;

/// A part to the others.
struct introduction {
  std::uint32_t node = 0;
  std::uint64_t mailbox = 0;                   // its address there
  std::vector<std::array<pressure, 2>> tiles;  // by tile: the two that take turns
  template <class Archive>
  friend void fields(Archive& a, archived<introduction, Archive>& i) {
    a(i.node, i.mailbox, i.tiles);
  }
};

/// Where all parts meet, on one node.
class introductions {
 public:
  explicit introductions(std::uint32_t parts) : present_(parts), missing_(parts) {}
  std::uint64_t address() const { return reinterpret_cast<std::uintptr_t>(this); }

  /// Called by each part, once, from any node. Returns those of all, by node, as soon as all are there; throws if one
  /// cannot come.
  static std::vector<introduction> introduce(std::uint32_t node, std::uint64_t introductions, introduction&& self);
  /// Reports that this part cannot take part, to all that wait for it.
  static void stay_away(std::uint32_t node, std::uint64_t introductions);

 private:
  std::mutex mutex_;
  std::vector<introduction> present_;
  std::size_t missing_;
  bool is_cancelled_ = false;
  user_event all_here_ = user_event::create();
};

/// The messages of neighbours that this part has not received yet.
class mailbox {
 public:
  std::uint64_t address() const { return reinterpret_cast<std::uintptr_t>(this); }

  /// The ends of a step of one's tiles that the other needs, in the order of halo_copies(); none: there will be no more
  /// steps.
  static future<void> send(std::uint32_t node, std::uint64_t mailbox, std::uint32_t from, int step,
                           std::vector<event>&& ends);
  /// Waits for what `from` sends of that step.
  std::vector<event> take(std::uint32_t from, int step);

 private:
  struct letter {
    std::vector<event> ends;
    user_event has_come = user_event::create();
  };
  void put(std::uint32_t from, int step, std::vector<event>&& ends);

  std::mutex mutex_;
  std::map<std::pair<std::uint32_t, int>, letter> letters_;
};

}  // namespace stretto::wave
