// remote_queue.hpp - the interface to completion queues of other nodes.
//
// Threads     all from any thread of the runtime. Each verb returns when the other node has done it; it throws what the
//             queue throws there.
#pragma once

#include <stretto/event.hpp>

#include <source_location>
#include <utility>
#include <vector>

#include "base/context.hpp"

namespace stretto {

class completion_queue;

class remote_queues {
 public:
  virtual ~remote_queues() = default;

  virtual bool reaches(std::uint16_t node) const noexcept = 0;  // all others require it
  virtual void add(std::uint16_t node, const completion_queue& to, event e, const std::source_location& where) = 0;
  /// Returns the popped events; this node knows the result of each.
  virtual std::vector<event> pop(std::uint16_t node, const completion_queue& from, std::size_t at_most,
                                 const std::source_location& where) = 0;
  virtual event nonempty(std::uint16_t node, const completion_queue& of, const std::source_location& where) = 0;
  /// {ended, pending}
  virtual std::pair<std::size_t, std::size_t> size(std::uint16_t node, const completion_queue& of,
                                                   const std::source_location& where) = 0;
  virtual void destroy(std::uint16_t node, const completion_queue& that, const std::source_location& where) = 0;
};

namespace detail {

/// Registers `others` for queues of other nodes. Before the runtime's threads use queues.
void set_remote_queues(base::runtime_context& runtime, remote_queues* others) noexcept;

}  // namespace detail
}  // namespace stretto
