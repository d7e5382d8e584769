// held.hpp - who holds something until an event: hang reports name it beside the event that others wait for.
//
// For floors that give the program things to keep for a while, such as a view of elements, whose return ends an event. A
// reservation knows its holder by itself.
//
// Threads     any; a mark may end on another thread than it began on.
// Cost        a lock each, and a short text: for what the program holds, not for each operation of the runtime.
// Invariants  a mark ends before the runtime does.
#pragma once

#include <list>
#include <source_location>
#include <string>

#include "event/holder_list.hpp"

namespace stretto::base {
struct runtime_context;
class wait_walk;
}

namespace stretto::detail {

/// From when something is held until it is given back.
class holder_record {
 public:
  holder_record() = default;
  /// `what` others wait for, in the user's words; `who` holds it, or the calling thread where that is empty; until the
  /// event; since that line.
  holder_record(const base::runtime_context& runtime, event until, std::string what, std::string who,
            const std::source_location& since);
  holder_record(holder_record&& other) noexcept;
  holder_record& operator=(holder_record&& other) noexcept;
  ~holder_record() { end(); }

 private:
  void end() noexcept;

  holder_list* in_ = nullptr;
  std::list<holder_list::entry>::iterator at_;
};

/// What waits for such an event is told what that is, and who holds it.
void add_holders(holder_list& list, base::wait_walk& walk);

}  // namespace stretto::detail
