// window_memory.hpp - the memory that a rank exposes in an MPI window, and checks that accesses stay within it.
//
// Threads     any; only the rank that exposes the memory calls attach and detach. MPI asks programs to detach a range
//             once accesses to it have ended.
// Cost        address_of: a few comparisons; of dynamic windows a lock and O(ranges attached), and the same for each
//             run of data if the gaps between runs are not attached.
// Errors      call_error: displacement if it is negative; rma_range for an access outside of the memory. Of attach and
//             detach: rma_flavor if the window is not dynamic; size, argument; rma_attach for an unknown address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "base/spin_lock.hpp"
#include "ranks/datatypes/datatype.hpp"

namespace stretto::ranks {

/// Where in the target's memory an operation reads or writes: `count` elements of a committed type.
struct target_place {
  std::int64_t displacement = 0;  // in displacement units of the target; in a dynamic window an address
  std::int64_t count = 0;
  const datatype* type = nullptr;

  std::int64_t bytes() const { return count * type->size(); }
};

/// The bytes from the first to the last that some elements touch, relative to the address of the first element.
struct byte_span {
  std::int64_t first = 0;
  std::int64_t end = 0;
};
byte_span span_of(const datatype& type, std::int64_t count);

/// The memory of a window that is not dynamic.
struct fixed_memory {
  std::byte* base = nullptr;
  std::int64_t size = 0;
  std::int64_t unit = 1;  // bytes of a displacement of 1
};

class window_memory {
 public:
  /// Makes the window one that is not dynamic. Before the first access.
  void set_fixed(const fixed_memory& fixed) { fixed_ = fixed; }
  /// None: the window is dynamic.
  const std::optional<fixed_memory>& fixed() const { return fixed_; }

  /// Attached ranges may overlap.
  void attach(std::byte* base, std::int64_t size);
  void detach(const std::byte* base);

  /// The address of the first element, after a check of all that the operation accesses.
  std::byte* address_of(const target_place& place) const;

 private:
  std::byte* dynamic_address(const target_place& place) const;
  bool is_attached(const std::byte* first, std::int64_t bytes) const;

  std::optional<fixed_memory> fixed_;
  mutable base::spin_lock lock_;
  std::multimap<const std::byte*, std::int64_t> attached_;  // sizes by base
};

}  // namespace stretto::ranks
