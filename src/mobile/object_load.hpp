// object_load.hpp - what an object has cost since who last asked: the same count, read by rounds of balancing of it and of others.
//
// Threads     none of its own: whoever has locked the object's place in the table.
#pragma once

#include <cstdint>
#include <utility>

namespace stretto::mobiles {

struct object_load {
  double seconds = 0;       // of its handlers on workers, ever, where that is measured
  double hint = 1;          // what it said of itself last
  std::uint64_t bytes = 0;  // that it took when it last moved

  /// Since the last round that it took part in, and since the last one that it did not: it was background then.
  double since_balanced() noexcept { return seconds - std::exchange(balanced_, seconds); }
  double since_background() noexcept { return seconds - std::exchange(background_, seconds); }
  /// Since the beginning of the window before this one.
  double in_windows() const noexcept { return seconds - balanced_; }
  void next_window() noexcept { balanced_ = std::exchange(background_, seconds); }

  /// What goes along when it moves: none of it has been looked at where it comes to.
  double left() const noexcept { return seconds - balanced_; }

 private:
  double balanced_ = 0, background_ = 0;
};

}  // namespace stretto::mobiles
