// device_assignment.hpp - assigns the devices of a host to the processes of a job that share the host.
//
// Every process publishes an inventory: the devices that it sees and how many of them it requests. All processes
// compute the same assignment from all inventories.
//
// Threads     pure.
// Invariants  (1) processes that see the same devices of a kind share these evenly: no device has two openers more
//             than another one. (2) a process that sees other devices than the rest keeps all of its own: a launcher
//             has selected them already. (3) the result depends on the inventories alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "device/backend.hpp"

namespace stretto::device {

/// The devices that one process sees and requests. It is sent to the other processes, so its size is fixed.
struct device_inventory {
  static constexpr std::size_t most = 64;
  static constexpr std::uint32_t all = ~0u;
  struct entry {
    std::uint64_t device = 0;  // hash of its identity, equal in all processes that see it
    std::uint64_t kind = 0;    // devices of one kind are interchangeable
    // the request of the option `devices` that names it: the backend's hash and a number, equal in all processes
    std::uint32_t request = 0;
    std::uint32_t requested = all;  // limit of that request, over all kinds in the order of the inventory
    std::uint32_t is_near = 1;      // 1: near the cores of the process, or its location is unknown
    std::uint32_t unused = 0;
  };
  std::uint64_t count = 0;
  entry entries[most] = {};
};
static_assert(std::is_trivially_copyable_v<device_inventory>);

/// A device that this process opens, and with how many others it shares it.
struct assigned_device {
  std::size_t entry = 0;  // index into the inventory of this process
  device_share share = {};
};

struct device_assignment {
  std::vector<assigned_device> own;  // in the order of the inventory
  bool has_shared = false;           // some device of the host is opened by more than one process
};

/// The assignment of process `self`. The inventories are in the order of the processes of the host.
///
/// Processes that request no number of devices get equal, consecutive parts; a remainder goes to the first processes.
/// If there are fewer devices than processes, each process gets one, so that all devices have about equally many
/// openers. A process that requests a number gets that many, or all. Devices near the process are assigned first, to
/// the processes with the fewest near devices first.
device_assignment assign_devices(std::span<const device_inventory> inventories, std::size_t self);

}  // namespace stretto::device
