// holder_record.hpp - records that the program holds something, such as a view of elements, until an event ends. If
// work waits for this event, hang reports name the holder.
//
// Used by floors that give such things to the program. A reservation records its holder by itself.
//
// Threads     any; a record may end on another thread than it began on.
// Cost        a lock at the begin and at the end, and a short text. Too much for each operation of the runtime.
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

/// Lives as long as the program holds the thing.
class holder_record {
 public:
  holder_record() = default;
  /// `until`: the event that ends when the program gives the thing back. `what`: the thing, in the user's terms. `who`:
  /// its holder; empty: the calling thread. `since`: the source line that took it.
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

/// Adds the things and their holders to those events of the wait graph for which something waits.
void add_holders(holder_list& list, base::wait_walk& walk);

}  // namespace stretto::detail
