// channel.hpp - a way to copy bytes between two kinds of memory, as the floors that use it see it.
//
// The public stretto::channel, which modules derive from, is wrapped in one of these (src/module); floors that register
// channels of their own derive from this, which costs no handle and no counting.
//
// Threads     start may be called from any thread; done runs on any thread of the runtime.
// Invariants  (1) done runs exactly once for each start that returns. (2) the bytes of source and target are touched
//             only between start and done.
// Source      Realm's direct memory access channels, one per pair of kinds of memory.
#pragma once

#include <stretto/channel.hpp>

#include "platform/work_item.hpp"

namespace stretto::places {

using stretto::copy_end;
using copy_shape = stretto::copy_extent;

class channel {
 public:
  virtual ~channel() = default;

  /// Copies from source to target, now; `done` runs when the target holds the bytes, perhaps before this returns.
  /// Throws, with `done` never run, if the copy cannot be started.
  virtual void start(const copy_end& source, const copy_end& target, copy_shape shape, completion& done) = 0;

  /// Bytes per second that a large copy between these memories would run at: for choosing routes and sources; 0 where
  /// the channel does not lead from one to the other.
  virtual double bandwidth_bytes_per_second(place source, place target) const = 0;

  /// Seconds before the first byte of a copy arrives.
  virtual double latency_seconds(place source, place target) const = 0;
};

}  // namespace stretto::places
