// object_load.hpp - what an object has cost since who last asked: the same count, read by rounds of balancing of it and of others.
//
// Threads     none of its own: whoever has locked the object's place in the table.
#pragma once

#include <cstdint>
#include <utility>

namespace stretto::mobiles {

/// Seconds of one kind.
class load_count {
 public:
  void add(double seconds) noexcept { seconds_ += seconds; }

  /// Since the last round that the object took part in, and since the last one that it did not: it was background then.
  double since_balanced() noexcept { return seconds_ - std::exchange(balanced_, seconds_); }
  double since_background() noexcept { return seconds_ - std::exchange(background_, seconds_); }
  /// Since the beginning of the window before this one.
  double since_last_window() const noexcept { return seconds_ - balanced_; }
  void next_window() noexcept { balanced_ = std::exchange(background_, seconds_); }

  /// What goes along when the object moves: none of it has been looked at where it comes to.
  double unreported() const noexcept { return seconds_ - balanced_; }

 private:
  double seconds_ = 0, balanced_ = 0, background_ = 0;
};

struct object_load {
  load_count workers, devices;  // where that is measured: of its handlers, and of what they launch
  double hint = 1;              // what it said of itself last
  std::uint64_t bytes = 0;      // that it took when it last moved
};

}  // namespace stretto::mobiles
