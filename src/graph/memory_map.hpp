// memory_map.hpp - where in one memory of bounded size the allocations of a node lie, as of the order of its instructions.
//
// Addresses are a matter of the graph where memory is scarce: only who knows which allocations there will be, in their order, knows that
// the next one fits. Whoever gets an address follows the releases of those that had it.
//
// Threads     one owner.
// Cost        find, take and give_back: O(pieces of the memory), of which there are two for each allocation at most, and one for each release
//             since the horizon before the last, up to 256.
// Invariants  (1) pieces tile [0, bytes). (2) what lies at an address follows the release of what lay there before.
// Source      eviction of the least recently used; that those which leave lie beside each other is ours.
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
  /// What an allocation of so many bytes takes of it.
  std::uint64_t taken_by(std::uint64_t bytes) const noexcept;

  struct hole {
    std::uint64_t offset = 0;
    std::vector<allocation_id> evicted;  // who lies there now, and leaves first
  };
  /// Where so many bytes could lie: at free addresses which nobody has given back since `applied`, at free ones that somebody has, or where
  /// some leave. None: not even if all of those leave.
  ///
  ///   goes      leave in any case
  ///   evictable    leave if needed, the first first; none of these does in vain
  std::optional<hole> find(std::uint64_t bytes, std::uint64_t applied, std::span<const allocation_id> must_leave = {},
                           std::span<const allocation_id> evictable = {}) const;

  /// `a` lies there; appends whom it follows. Who lay there has been given back.
  void take(allocation_id a, std::uint64_t offset, std::uint64_t bytes, dependencies& follows, std::uint64_t applied);
  /// `released` is the instruction that ends it.
  void release(allocation_id a, std::uint64_t released, std::uint64_t applied);

  std::size_t pieces() const noexcept { return pieces_.size(); }
  std::uint64_t used() const noexcept { return used_; }

 private:
  struct piece {
    std::uint64_t offset = 0, bytes = 0;
    allocation_id is;             // number 0: free,
    std::uint64_t released = 0;   // by this; 0: always
  };
  void join_free(std::uint64_t applied);

  std::uint64_t capacity_, grain_, used_ = 0;
  std::vector<piece> pieces_;
};

}  // namespace stretto::graph
