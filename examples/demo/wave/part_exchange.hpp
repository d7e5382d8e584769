// part_exchange.hpp - what the parts of a run tell one another: once, where their fields lie; then step by step, which
// events to wait for.
//
// Threads     any. Functions named by an address are to be called on the node where it was taken.
// Why         a part can order a copy from its neighbour's tile ahead of time only if it knows the event of that tile's
//             step. A step's event exists as soon as it is submitted, long before it happens; so what the copy waits
//             for is waited for there, and between the step and the arrival of its cells lies one message.
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
  /// This part cannot come: to whoever waits for it.
  static void stay_away(std::uint32_t node, std::uint64_t introductions);

 private:
  std::mutex mutex_;
  std::vector<introduction> present_;
  std::size_t missing_;
  bool is_cancelled_ = false;
  user_event all_here_ = user_event::create();
};

/// What neighbours have sent and this part has not asked for yet.
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
