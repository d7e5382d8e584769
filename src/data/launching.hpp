// launching.hpp - who computes a launch, and a launch on the workers; of launches that are recorded, too.
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

/// A launch, looked at: its items by handles by which their arrays go here, and the device that computes it, null for the host.
struct placed_launch {
  std::vector<detail::launch_item> renamed;  // what `items` views, where some go by other handles
  std::span<const detail::launch_item> items;
  device::attached_device* on = nullptr;
};

/// `asked`: where it is to be, nowhere if that follows from the arrays. `given` lasts. Throws what launch() says.
void place_launch(placed_launch& l, const kernel_code& code, const kernel_range& range, std::span<const detail::launch_item> given,
                  const detail::placing_request& asked, base::thread_context& context);

/// What a kernel touches of an array is its body's matter: where the order of operations is checked, its arrays are not, from now on.
void note_opened(std::span<const detail::launch_item> items, base::thread_context& context);

/// A launch on the workers, from within a task.
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
