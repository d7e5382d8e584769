// completion_queue.hpp - a queue of events that have ended: collects many completions without waiting for each.
//
//     int collect(std::span<const future<int>> results) {
//       const auto done = completion_queue::create();
//       for (const event e : results) done.add(e);
//       int failures = 0;
//       for (std::size_t left = results.size(); left > 0;) {
//         wait(done.nonempty());
//         for (const auto& [which, how] : done.pop(64)) failures += !how.ok(), --left;
//       }
//       return failures;
//     }
//
// A handle can be sent to other nodes of the job, as an argument or in an object. The queue stays on the node that made
// it; calls from other nodes run there.
//
// Threads     every member from any thread that belongs to the runtime, on any node. Handles of one node share the
//             queue. The last handle frees it, and events still added to it are dropped once they have ended. A queue
//             that was sent to other nodes lives until destroy(), or until its runtime ends.
// Memory      writes before an event ended are visible after pop has returned it.
// Cost        add and pop: a short lock and a recycled record per event. The queue is unbounded. A call from another
//             node suspends the caller for one message there and one back.
// Invariants  (1) each added event is popped once. (2) events are popped in the order in which they ended, if they are
//             ordered. (3) the event has been added when add returns, on whatever node it is popped.
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

/// A queue that returns the events added to it in the order in which they end. A handle: copies name the same queue.
/// Members throw B20 on a thread of no runtime, E27 for a handle that names no queue, E03 for a queue of another,
/// independent runtime, and N05 if its node cannot be reached.
class completion_queue {
 public:
  /// An event that has ended, and its result.
  struct entry {
    event which;      // an event that was added
    wait_result how;  // its result
  };

  /// Creates an empty queue on this node. Throws B20.
  static completion_queue create();

  /// A handle that names no queue.
  completion_queue() noexcept = default;

  /// Adds an event: pop returns it once it has ended. The same event may be added several times. Throws E27, E03, N05.
  void add(event e, std::source_location where = std::source_location::current()) const;
  /// Removes up to out.size() entries, oldest first, and returns their number. Never waits for an event. Throws E27,
  /// E03, N05.
  std::size_t pop(std::span<entry> out, std::source_location where = std::source_location::current()) const;
  std::vector<entry> pop(std::size_t at_most, std::source_location where = std::source_location::current()) const;
  /// An event that triggers when the queue has an entry: the default event if it has one now. Another task may pop the
  /// entry first. Throws E27, E03, N05.
  event nonempty(std::source_location where = std::source_location::current()) const;
  /// The numbers of added events that have ended and wait to be popped, and of those that have not ended.
  struct sizes {
    std::size_t ended, pending;  // waiting for pop; not yet ended
  };
  /// How many events the queue holds. Throws E27, E03, N05.
  sizes size(std::source_location where = std::source_location::current()) const;

  /// Ends the queue for other nodes: their handles then name none. Handles on its own node keep it. Throws E27, E03,
  /// N05.
  void destroy(std::source_location where = std::source_location::current()) const;

  /// Whether they name the same queue.
  friend bool operator==(const completion_queue& a, const completion_queue& b) noexcept {
    return a.state_ == b.state_ && (a.state_ || a.name_ == b.name_);
  }
  /// Serialises the handle, for messages to other nodes. Reading throws B40 if too few bytes are left.
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
  /// The name for other nodes. From the first call on, the runtime keeps the queue alive.
  std::uint64_t name_elsewhere() const;
  static completion_queue named(std::uint64_t name);

  std::shared_ptr<state> state_;  // null: of another node, or of none
  std::uint64_t name_ = 0;        // of those, as what was sent says
};

}  // namespace stretto

STRETTO_API_END
