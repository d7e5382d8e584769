// node_talk.hpp - words from a floor above to the same floor on other nodes: what is heard, and when there is time to
// speak.
//
// Threads     on the thread that polls, one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/context.hpp"

namespace stretto::data {

class listener {
 public:
  virtual ~listener() = default;
  /// Handles a message of another node (other_nodes::say). Messages of one node arrive in order, but long ones may be
  /// overtaken. Returns false if the message is of an unknown kind.
  virtual bool heard(std::uint32_t from, std::span<const std::byte> words, base::thread_context& context) = 0;
  /// Nothing comes from that node any more.
  virtual void lost(std::uint32_t node, base::thread_context& context) noexcept = 0;
  /// At each poll, behind what has come: now and then, all the time where this node has nothing else to do.
  virtual void polled(base::thread_context& context) = 0;
};

}  // namespace stretto::data
