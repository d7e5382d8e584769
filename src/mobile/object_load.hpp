// object_load.hpp - the cost of an object since the last report. Reports of rounds with this object and of rounds over
// other objects read the same count.
//
// Threads     None of its own: the thread that has locked the object's shard.
#pragma once

#include <cstdint>
#include <utility>

namespace stretto::mobiles {

/// Seconds on workers, or on devices.
class load_count {
 public:
  void add(double seconds) noexcept { seconds_ += seconds; }

  /// Since the last round with the object, and since the last round without it, in which it counted as background.
  double since_balanced() noexcept { return seconds_ - std::exchange(balanced_, seconds_); }
  double since_background() noexcept { return seconds_ - std::exchange(background_, seconds_); }
  /// Since the beginning of the window before the current one.
  double since_last_window() const noexcept { return seconds_ - balanced_; }
  void next_window() noexcept { balanced_ = std::exchange(background_, seconds_); }

  /// Sent along when the object moves; the destination has reported none of it.
  double unreported() const noexcept { return seconds_ - balanced_; }

 private:
  double seconds_ = 0, balanced_ = 0, background_ = 0;
};

struct object_load {
  load_count workers, devices;  // if measured: of its handlers, and of the kernels that these launch
  double hint = 1;              // the last load_hint() of the object
  std::uint64_t bytes = 0;      // of its last move
};

}  // namespace stretto::mobiles
