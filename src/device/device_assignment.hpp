// device_assignment.hpp - which devices of a host are whose, where several processes of one job use them.
//
// Every process writes on a card what it sees and how much of that it asks for. With the cards of all, each finds the same deal by itself.
//
// Threads     pure.
// Invariants  (1) processes that see the same devices of a kind are dealt these: no device has two takers more than another. (2) who sees
//             other devices than the rest was given them by somebody else, and keeps all. (3) the cards alone decide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "device/backend.hpp"

namespace stretto::device {

/// What one process sees of the devices that it asks for, as it goes to the others: of the same size for all.
struct device_inventory {
  static constexpr std::size_t most = 64;
  static constexpr std::uint32_t all = ~0u;
  struct entry {
    std::uint64_t device = 0;  // the same number in each process that sees it
    std::uint64_t kind = 0;    // devices of one kind do for one another
    std::uint32_t request = 0;    // of the option devices: all that it asks for by one
    std::uint32_t requested = all;  // by that word: so many devices, of kinds in the order of the card
    std::uint32_t is_near = 1;   // to the cores that the process may use, as far as anybody knows
    std::uint32_t unused = 0;
  };
  std::uint64_t count = 0;
  entry entries[most] = {};
};
static_assert(std::is_trivially_copyable_v<device_inventory>);

/// A device that this process is to open, and why.
struct assigned_device {
  std::size_t entry = 0;  // of its card
  device_share share = {};
};

struct device_assignment {
  std::vector<assigned_device> own;  // in the order of the card
  bool has_shared = false;  // a device of the host, by whomever
};

/// The deal of process `self`, where cards lie in the order of the processes of a host.
///
/// Who gave no number gets its part of the devices, in a row: the first ones one more where they do not go up, and one each where there
/// are fewer than processes, in turn. Who gave one gets as many, or all. Near devices come first, to who has fewest of them.
device_assignment assign_devices(std::span<const device_inventory> inventories, std::size_t self);

}  // namespace stretto::device
