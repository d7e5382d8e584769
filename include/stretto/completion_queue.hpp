// completion_queue.hpp - which of many events have ended: asked in bulk, without waiting for each.
//
// Threads     every member from any thread that belongs to the runtime. Handles share one queue; the last one lets it
//             go, and events still added to it are forgotten once they have ended.
// Memory      what happened before an event ended is visible after pop has returned it.
// Cost        add and pop: a short lock and a recycled record per event. Unbounded.
// Invariants  (1) each add is popped once. (2) in the order in which they ended, as far as there is one.
#pragma once

#include <stretto/event.hpp>

#include <memory>
#include <vector>

STRETTO_API_BEGIN

namespace stretto {

class completion_queue {
 public:
  /// An event that has ended, and how.
  struct entry {
    event which;
    wait_result how;
  };

  static completion_queue create();

  /// `e` will be popped once it has ended; at once, if it has. The same event may be added many times.
  void add(event e, std::source_location where = std::source_location::current()) const;
  /// Up to out.size() entries, oldest first; how many. Never waits.
  std::size_t pop(std::span<entry> out) const;
  std::vector<entry> pop(std::size_t at_most) const;
  /// Happens when there is something to pop: the default event if there is now. Someone else may pop it first.
  event nonempty(std::source_location where = std::source_location::current()) const;
  /// Added and not yet popped: {ended, pending}.
  struct sizes {
    std::size_t ended, pending;
  };
  sizes size() const;

 private:
  struct state;
  explicit completion_queue(std::shared_ptr<state> s) noexcept : state_(std::move(s)) {}
  std::shared_ptr<state> state_;
};

}  // namespace stretto

STRETTO_API_END
