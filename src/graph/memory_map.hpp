// memory_map.hpp - address map of one bounded memory: where the allocations of a node lie, in the order of its
// instructions.
//
// The graph assigns addresses in a bounded memory: only the graph knows the order of all allocations, and so whether
// the next one fits. An allocation follows the releases of the allocations that had its addresses before.
//
// Threads     one owner.
// Cost        find, take and release: O(pieces of the memory). There are at most two pieces for each allocation, and
//             one for each release since the horizon before the last, up to 256.
// Invariants  (1) pieces tile [0, bytes). (2) an allocation follows the releases of what lay at its addresses before.
// Source      eviction of the least recently used; choosing victims that lie next to each other is ours.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "graph/ids.hpp"
#include "graph/node_shape.hpp"
#include "graph/sequence.hpp"

namespace stretto::graph {

class memory_map {
 public:
  explicit memory_map(const memory_bounds& b);

  std::uint64_t capacity() const noexcept { return capacity_; }
  /// The bytes of the memory that an allocation of `bytes` takes.
  std::uint64_t taken_by(std::uint64_t bytes) const noexcept;

  struct hole {
    std::uint64_t offset = 0;
    std::vector<allocation_id> evicted;  // allocations that lie there now and must be evicted first
  };
  /// Finds addresses for `bytes`. Prefers free addresses that were not released since `applied`, then other free ones,
  /// then addresses whose allocations can be evicted. None: not even evicting all candidates is enough.
  ///
  ///   must_leave  allocations that are evicted in any case
  ///   evictable   allocations that may be evicted, in order of preference; none is evicted in vain
  std::optional<hole> find(std::uint64_t bytes, std::uint64_t applied, std::span<const allocation_id> must_leave = {},
                           std::span<const allocation_id> evictable = {}) const;

  /// Places `a` at `offset`; appends its predecessors. Allocations that lay there have been released.
  void take(allocation_id a, std::uint64_t offset, std::uint64_t bytes, dependencies& follows, std::uint64_t applied);
  /// `released`: the instruction that releases it.
  void release(allocation_id a, std::uint64_t released, std::uint64_t applied);

  std::size_t pieces() const noexcept { return pieces_.size(); }
  std::uint64_t used() const noexcept { return used_; }

 private:
  struct piece {
    std::uint64_t offset = 0, bytes = 0;
    allocation_id is;            // number 0: free
    std::uint64_t released = 0;  // the instruction that released it; 0: never used
  };
  void join_free(std::uint64_t applied);

  std::uint64_t capacity_, grain_, used_ = 0;
  std::vector<piece> pieces_;
};

}  // namespace stretto::graph
