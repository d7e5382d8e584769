// device_discovery.hpp - what a process sees of the devices that it asks for, and of these, those that it is to open.
//
// Threads     the thread that makes the runtime. Asks drivers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "device/backend.hpp"
#include "device/device_assignment.hpp"

namespace stretto::device {

struct visible_devices {
  struct entry {
    std::size_t request;  // of those asked for
    visible_device device;
  };
  device_inventory inventory;
  std::vector<entry> entries;  // as on the card
};

/// Of backends that can be looked at, by as many devices as a card has room for.
visible_devices discover_devices(std::span<const device_request> which, const std::vector<backend>& known, const open_options& how);

/// Restricts the words to what was dealt.
void apply_assignment(std::vector<device_request>& which, const visible_devices& visible, const device_assignment& made);

/// What is free of the memory of devices, as it goes to the other processes.
struct free_memory {
  struct entry {
    std::uint64_t device = 0, bytes = 0;
  };
  std::uint64_t count = 0;
  entry entries[device_inventory::most] = {};
};
static_assert(std::is_trivially_copyable_v<free_memory>);

/// Of those that were chosen; where that cannot be asked, nothing. Being open takes memory, too: `held` keeps them so.
free_memory measure_free_memory(std::span<const device_request> which, const std::vector<backend>& known, const visible_devices& visible,
                    std::vector<std::shared_ptr<void>>& held);
/// Of each device that was chosen, the least that any process says: that of who asked last, behind all that were being opened.
void apply_least_free_memory(std::vector<device_request>& which, const visible_devices& visible, std::span<const free_memory> of_each);

}  // namespace stretto::device
