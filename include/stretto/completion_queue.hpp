// completion_queue.hpp - which of many events have ended: asked in bulk, without waiting for each.
//
// A handle can be sent to other nodes of the job, as an argument or in an object: the queue stays on the node that made
// it, and the verbs called elsewhere are done there.
//
// Threads     every member from any thread that belongs to the runtime, on any node. Handles of one node share the
//             queue; the last one lets it go, and events still added to it are forgotten once they have ended. A
//             queue that has been sent to other nodes stays until destroy, or the end of its runtime.
// Memory      what happened before an event ended is visible after pop has returned it.
// Cost        add and pop: a short lock and a recycled record per event. Unbounded. On another node each verb suspends
//             the caller for a message there and one back.
// Invariants  (1) each add is popped once. (2) in the order in which they ended, as far as there is one. (3) an event
//             has been added when add returns, whoever pops it.
#pragma once

#include <stretto/event.hpp>
#include <stretto/fields.hpp>

#include <memory>
#include <vector>

STRETTO_API_BEGIN

namespace stretto {

namespace detail {
struct queues_by_name;
}

/// Reports which of the events added to it have ended. A handle: copies name the same queue.
class completion_queue {
 public:
  /// An event that has ended, and how.
  struct entry {
    event which;
    wait_result how;
  };

  static completion_queue create();

  /// Names no queue, as one does that has been destroyed: the verbs throw E27. On a node that cannot be reached, N05.
  completion_queue() noexcept = default;

  /// `e` will be popped once it has ended; at once, if it has. The same event may be added many times.
  void add(event e, std::source_location where = std::source_location::current()) const;
  /// Up to out.size() entries, oldest first; how many. Never waits.
  std::size_t pop(std::span<entry> out, std::source_location where = std::source_location::current()) const;
  std::vector<entry> pop(std::size_t at_most, std::source_location where = std::source_location::current()) const;
  /// Happens when there is something to pop: the default event if there is now. Someone else may pop it first.
  event nonempty(std::source_location where = std::source_location::current()) const;
  /// Added and not yet popped: {ended, pending}.
  struct sizes {
    std::size_t ended, pending;
  };
  sizes size(std::source_location where = std::source_location::current()) const;

  /// Handles on other nodes name no queue from now on. Those of its own node keep it.
  void destroy(std::source_location where = std::source_location::current()) const;

  /// Whether they name the same queue.
  friend bool operator==(const completion_queue& a, const completion_queue& b) noexcept {
    return a.state_ == b.state_ && (a.state_ || a.name_ == b.name_);
  }
  template <class Archive>
  friend void fields(Archive& a, archived<completion_queue, Archive>& q) {
    std::uint64_t name = 0;
    if constexpr (!Archive::is_reading) name = q.name_elsewhere();
    a(name);
    if constexpr (Archive::is_reading) q = named(name);
  }

 private:
  struct state;
  friend struct detail::queues_by_name;
  explicit completion_queue(std::shared_ptr<state> s) noexcept : state_(std::move(s)) {}
  /// From the first call on, the runtime keeps the queue.
  std::uint64_t name_elsewhere() const;
  static completion_queue named(std::uint64_t name);

  std::shared_ptr<state> state_;  // null: of another node, or of none
  std::uint64_t name_ = 0;        // of those, as what was sent says
};

}  // namespace stretto

STRETTO_API_END
