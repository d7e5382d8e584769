// launch_placement.hpp - decides whether a device or the workers compute a launch, and runs launches on the workers.
//
// Threads     any thread of the runtime.
#pragma once

#include <stretto/launch.hpp>

#include <span>
#include <vector>

#include "base/context.hpp"
#include "data/host_launch.hpp"
#include "data/kernel_arguments.hpp"
#include "device/host_work.hpp"

namespace stretto::device {
class attached_device;
}

namespace stretto::data {

/// A launch with its items renamed to local handles, and the device that computes it; null for the host.
struct placed_launch {
  std::vector<detail::launch_item> renamed;  // storage of `items`, if some handles had to be replaced
  std::span<const detail::launch_item> items;
  device::attached_device* on = nullptr;
};

/// `asked`: the place asked for; none if it follows from the arrays. `given` must outlive `l`. Throws as launch() does.
void place_launch(placed_launch& l, const kernel_code& code, const kernel_range& range,
                  std::span<const detail::launch_item> given, const detail::placing_request& asked,
                  base::thread_context& context);

/// The race checker cannot see the accesses of a kernel: from now on it ignores these arrays.
void note_opened(std::span<const detail::launch_item> items, base::thread_context& context);

/// A launch on the workers, run within a task.
struct host_launch {
  host_launch(const kernel_code& code, const kernel_range& range, std::span<const detail::launch_item> items,
              const detail::placing_request& asked, base::thread_context& context);
  void run() const;

  const kernel_code& code;
  const kernel_range range;
  const kernel_arguments given;
  const device::index_checks check;
  const spread over;
};

}  // namespace stretto::data
