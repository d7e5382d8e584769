// instance_record.hpp - the record of one instance.
//
// Threads     key and live: any. Other members are written before other threads get the handle, or see the ready event.
// Invariants  (1) records are pooled and not returned to the system while the runtime exists, so that stale handles are
//             recognised. (2) a runtime never uses a key twice.
#pragma once

#include <stretto/instance.hpp>

#include <atomic>
#include <source_location>
#include <string>

#include "base/block_pool.hpp"
#include "data/loop_nest.hpp"
#include "data/memory_space.hpp"
#include "data/update_queue.hpp"

namespace stretto::detail {

class reduction_record;

struct instance_record {
  base::free_block while_free;         // used by the pool, which leaves the key alone
  std::atomic<std::uint64_t> key{0};   // the key in handles; 0 from destroy() on
  std::atomic<std::uint64_t> live{0};  // the same, until the destruction takes effect
  std::byte* first = nullptr;          // null until the instance exists
  data::layout shape;
  std::uint8_t dimensions = 1;
  data::memory_space* space = nullptr;  // null for host memory that the program owns
  data::block* held = nullptr;
  // of a reduction instance, which has no elements of its own; owned by the state
  reduction_record* reduction = nullptr;
  event ready;  // the default event if it existed at once
  std::source_location created, destroyed;
  std::uint64_t destruction_order = 0;  // node in the order check, if accesses are checked
  std::uint32_t number = 0;             // the 12 of I12
  bool is_borrowed = false;             // memory of a device that the program got from the driver
  data::update_queue updates;           // reductions into its elements
  bool is_bare = false;                 // bytes at an address, one end of an async_copy; the program has no handle
  std::array<char, 32> name{};          // truncated, so that a record owns no memory
};

/// `instance "u"`, or `instance I12` if it has no name; `bytes at "disk"` of bare ones.
std::string describe(const instance_record& r);

}  // namespace stretto::detail
