// window.hpp - memory that every node of a job lends to all, so much each: any of them reads and writes it by itself.
//
// The program of the node whose memory it is has no part in it: no handler runs there, and no worker. (Where a transport has no better
// way, it asks that node's poll; it says so then.)
//
// Threads     any.
// Memory      what a put wrote is seen by every get that begins after the put's completion, and by whoever is told after it.
// Invariants  (1) a completion that a call took runs exactly once, inside poll() or before the call returns. (2) nothing blocks.
//             (3) once a node is lost, what is under way to or from it fails with N05, and so does what is asked of it later.
// Source      put and get: Nieplocha, Harrison, Littlefield, "Global Arrays", J. Supercomputing 10, 1996; windows as in MPI-3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "net/handlers.hpp"
#include "platform/work_item.hpp"

namespace stretto::net {

class window {
 public:
  virtual ~window() = default;

  /// Of each node; they begin as zeros.
  virtual std::uint64_t bytes() const noexcept = 0;
  /// `from` is lent until `done` runs. Requires offset + from.size() <= bytes().
  virtual void put(node_number to, std::uint64_t offset, std::span<const std::byte> from, places::completion& done) = 0;
  virtual void get(node_number from, std::uint64_t offset, std::span<std::byte> into, places::completion& done) = 0;
};

}  // namespace stretto::net
