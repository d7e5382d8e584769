// activity_queues.hpp - the queues of a rank's accelerator: operations of one run in order, those of different ones at
// the same time.
//
// Threads     tasks of the rank.
// Cost        an operation is a task that waits for the one before it.
// Source      OpenACC 3.3, section 2.16: asynchronous behavior.
#pragma once

#include <stretto/future.hpp>

#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <vector>

namespace stretto::acc {

class activity_queues {
 public:
  /// Runs `work` behind all that the queue has. A failure of it is the result of each wait for the queue until then.
  void enqueue(int queue, std::function<void()> work);
  /// A message that ends later than its call. `begin` runs behind the queue's other operations, but not behind the end
  /// of the messages ahead of it: two ranks that send to each other first, and then receive, would wait for ever. `end`
  /// runs next, and later operations that are no messages run behind it.
  void enqueue_message(int queue, std::function<void()> begin, std::function<void()> end);
  /// Returns when all operations of the queue have ended. Throws what they have thrown.
  void wait_for(int queue);
  void wait_for_all();
  /// Later operations of `waiting` begin when those of `queues` have ended that are there now.
  void make_wait(int waiting, std::span<const int> queues);
  bool has_ended(int queue);
  bool have_all_ended();
  /// Those that have had an operation.
  std::vector<int> numbers();

 private:
  struct one_queue {
    future<void> last;                   // the latest operation
    std::vector<future<void>> messages;  // that may not have ended, behind the latest operation that is none
  };
  /// Those that have to end for a queue to be empty.
  std::vector<future<void>> pending_of(int queue);

  std::mutex mutex_;
  std::map<int, one_queue> queues_;
};

}  // namespace stretto::acc
