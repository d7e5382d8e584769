// requests.hpp - what this node has sent to objects elsewhere and waits for: the futures, and the letters, to be sent again.
//
// Threads     any. The lock is the last that is taken: add() may be called with an object's place locked.
// Invariants  (1) each request ends once: by its answer, or by a loss. (2) the number of one that has ended is nobody's, though another
//             has its slot.
// Source      answers in two steps, the value and the end of all that it has spawned: dist/remote_tasks.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/slot_map.hpp"
#include "base/spin_lock.hpp"
#include "base/wait_snapshot.hpp"
#include "dist/pending_call.hpp"
#include "mobile/letters.hpp"

namespace stretto::mobiles {

enum class outcome : std::uint8_t { value, value_and_end, end };

class requests {
 public:
  /// Waits for the answer to `l` in `record`, whose body is gone; names it. The scope of the record has counted it.
  void add(sched::task_record& record, detail::value_reader read, const std::shared_ptr<far_letter>& l);

  /// An answer of node `by`. Returns the letter if this was the first: it has been handled, or never will be.
  std::shared_ptr<const far_letter> take(outcome what, std::uint64_t request, rank by, failure_ref cause, std::span<const std::byte> value,
                                base::thread_context& context);

  /// Those that have no answer yet, of that object, or of all (0), in the order in which they were added.
  std::vector<std::shared_ptr<const far_letter>> unanswered(object_id of = 0);
  /// Those to whose end something is subscribed.
  std::vector<std::shared_ptr<const far_letter>> waited();
  /// Node `by` is lost, and will not say that what it was asked for has ended.
  void lost(rank by, const failure_ref& loss, base::thread_context& context);
  /// For reports: what waits for answers to node `self`.
  void tell_waits(rank self, base::wait_walk& walk);

 private:
  struct request : dist::pending_call {
    std::shared_ptr<const far_letter> sent;
    rank by = nobody;  // who gave the value
    bool is_over = false;  // that came before the value
    failure_ref end_cause = {};
  };

  base::spin_lock lock_;
  base::slot_map<request> all_;
};

}  // namespace stretto::mobiles
