// run_requests.hpp - the requests for a run of the simulation in addition to its result.
//
// Threads     values; the functions are called by tasks.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "demo/wave/field.hpp"

namespace stretto::wave {

/// Where a test wants a task to throw.
struct planned_failure {
  std::size_t tile = 0;
  int step = 0;
};

struct run_requests {
  std::vector<int> frame_steps = {};                             // rising numbers of steps
  std::function<void(field_view<const float>)> paint = nullptr;  // called with each of those fields, in order
  std::function<void(int steps)> on_progress = nullptr;          // now and then, with the steps that are done
  const std::atomic<bool>* stop = nullptr;  // once true, no further step is submitted; of one node only
  std::optional<planned_failure> failure = std::nullopt;
  bool on_devices_alone = false;  // run_objects: the host computes no tile
};

}  // namespace stretto::wave
