// instance_record.hpp - what the runtime knows of one instance.
//
// Threads     key and live: any. The rest is written before the handle, or the ready event, reaches other threads.
// Invariants  (1) records are recycled but never given back to the system while the runtime exists, so that a stale
//             handle can be recognised. (2) a key is never used twice by one runtime.
#pragma once

#include <stretto/instance.hpp>

#include <atomic>
#include <source_location>
#include <string>

#include "base/block_pool.hpp"
#include "data/memory_space.hpp"
#include "data/loop_nest.hpp"
#include "data/update_queue.hpp"

namespace stretto::detail {

class reduction_record;

struct instance_record {
  base::free_block while_free;            // the pool's, so that it leaves the key alone
  std::atomic<std::uint64_t> key{0};      // what handles hold; 0 from destroy() on
  std::atomic<std::uint64_t> live{0};     // the same, until the destruction takes effect
  std::byte* first = nullptr;             // null until it exists
  data::layout shape;
  std::uint8_t dimensions = 1;
  data::memory_space* space = nullptr;    // null for memory of the host that the program owns
  data::block* held = nullptr;
  reduction_record* reduction = nullptr;  // the state's, of a reduction instance: it has no elements of its own
  event ready;                            // the default event if it existed at once
  std::source_location created, destroyed;
  std::uint64_t destruction_order = 0;    // the check's name for it, if checks are made
  std::uint32_t number = 0;               // I12
  bool is_borrowed = false;               // in the space of a device, but the program has it from the driver: the device gives it back
  data::update_queue updates;             // reductions into its elements
  bool is_bare = false;                   // bytes at an address, one end of an async_copy; no handle reaches the program
  std::array<char, 32> name{};            // what did not fit is left out, so that a record never owns memory
};

/// `instance "u"`, or `instance I12` if it has no name; `bytes at "disk"` of bare ones.
std::string describe(const instance_record& r);

}  // namespace stretto::detail
