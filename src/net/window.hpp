// window.hpp - a window of one-sided memory: every node provides the same number of bytes, which all nodes may read and
// write.
//
// The target node's program takes no part: no handler and no worker runs there. (messages_window, for transports
// without a better way, needs the target's poll.)
//
// Threads     any.
// Memory      every get that begins after the completion of a put sees its data, and so does every thread that is
//             notified after it.
// Invariants  (1) a completion that a call took runs exactly once, inside poll() or before the call returns. (2)
//             nothing blocks. (3) once a node has failed, every access to or from it fails with N05, and so does every
//             later one.
// Source      put and get: Nieplocha, Harrison, Littlefield, "Global Arrays", J. Supercomputing 10, 1996; windows as in
//             MPI-3.
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

  /// Bytes of each node; they start as zeros.
  virtual std::uint64_t bytes() const noexcept = 0;
  /// `from` is lent until `done` runs. Requires offset + from.size() <= bytes().
  virtual void put(node_number to, std::uint64_t offset, std::span<const std::byte> from, places::completion& done) = 0;
  virtual void get(node_number from, std::uint64_t offset, std::span<std::byte> into, places::completion& done) = 0;
};

}  // namespace stretto::net
