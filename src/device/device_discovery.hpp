// device_discovery.hpp - lists the devices that a process requests, and restricts the requests to the assigned
// devices.
//
// Threads     the thread that makes the runtime. Calls drivers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "device/backend.hpp"
#include "device/device_assignment.hpp"

namespace stretto::device {

struct visible_devices {
  struct entry {
    std::size_t request;  // index of the device_request
    visible_device device;
  };
  device_inventory inventory;
  std::vector<entry> entries;  // parallel to inventory.entries
};

/// Lists devices of all backends with list_visible, up to the capacity of an inventory.
visible_devices discover_devices(std::span<const device_request> which, const std::vector<backend>& known,
                                 const open_options& how);

/// Restricts the requests to the assigned devices.
void apply_assignment(std::vector<device_request>& which, const visible_devices& visible,
                      const device_assignment& made);

/// Free memory of devices, in the form in which it is sent to the other processes.
struct free_memory {
  struct entry {
    std::uint64_t device = 0, bytes = 0;
  };
  std::uint64_t count = 0;
  entry entries[device_inventory::most] = {};
};
static_assert(std::is_trivially_copyable_v<free_memory>);

/// Measures the free memory of the selected devices; devices of backends that cannot report it are left out. `held`
/// keeps the devices open, since being open takes memory too.
free_memory measure_free_memory(std::span<const device_request> which, const std::vector<backend>& known,
                                const visible_devices& visible, std::vector<std::shared_ptr<void>>& held);
/// Sets free_bytes of each selected device to the least value that any process measured: the last process to measure
/// did so while all others had the device open.
void apply_least_free_memory(std::vector<device_request>& which, const visible_devices& visible,
                             std::span<const free_memory> of_each);

}  // namespace stretto::device
