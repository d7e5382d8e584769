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
  future<void> last_of(int queue);

  std::mutex mutex_;
  std::map<int, future<void>> last_;  // the latest operation of each
};

}  // namespace stretto::acc
