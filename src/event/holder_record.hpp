// holder_record.hpp - records who holds a thing whose return ends an event: hang reports name the holder next to the
// event.
//
// For floors that lend things to the program, such as a view of elements. A reservation records its holder by itself.
//
// Threads     any; a record may end on another thread than it began on.
// Cost        a lock each, and a short text: for things that the program holds, not for each operation of the runtime.
// Invariants  a record ends before the runtime does.
#pragma once

#include <list>
#include <source_location>
#include <string>

#include "event/holder_list.hpp"

namespace stretto::base {
struct runtime_context;
class wait_walk;
}  // namespace stretto::base

namespace stretto::detail {

/// Lives from when a thing is lent until it is given back.
class holder_record {
 public:
  holder_record() = default;
  /// `until`: the event of the return. `what`: the thing, in the user's terms. `who`: its holder; if empty, the calling
  /// thread. `since`: the line that took it.
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

/// Adds the thing and its holder to the events of the wait graph that something waits for.
void add_holders(holder_list& list, base::wait_walk& walk);

}  // namespace stretto::detail
