// activity_queues.hpp - the queues of a rank's accelerator: operations of one run in order, those of different ones at
// the same time.
//
// Threads     tasks of the rank.
// Cost        an operation starts behind the events of those before it: a task on the host, or what a device orders.
// Source      OpenACC 3.3, section 2.16: asynchronous behavior.
#pragma once

#include <stretto/event.hpp>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <source_location>
#include <span>
#include <string>
#include <vector>

#include "base/context.hpp"

namespace stretto::acc {

/// For reports: a region, a message, at its line.
struct operation_text {
  const char* what = "work";
  const char* where = "";  // "jacobi.c:23"; lives as long as the queues
};

class activity_queues {
 public:
  /// Starts an operation behind events, and returns its end.
  using starter = std::function<event(std::span<const event> behind)>;
  /// Calls `begin`, at once, with the ends of all that the queue has. A failure of an operation is the result of each
  /// wait for the queue until then, and the operations behind it do not run.
  void start(int queue, const operation_text& text, const starter& begin);
  /// Runs `work` as a task behind all that the queue has.
  void enqueue(int queue, const operation_text& text, std::function<void()> work);
  /// A message that ends later than its call. `begin` runs behind the queue's other operations, but not behind the end
  /// of the messages ahead of it: two ranks that send to each other first, and then receive, would wait for ever.
  /// Later operations that are no messages run behind `end`. It must trigger, too, if `begin` is destroyed without
  /// having run.
  void enqueue_message(int queue, const char* where, std::function<void()> begin, event end);
  /// Returns when all operations of the queue have ended. Throws what they have thrown.
  void wait_for(int queue);
  void wait_for_all();
  /// An event that triggers when all operations of the queue have ended that are there now.
  event end_of(int queue, std::source_location where);
  /// Later operations of `waiting` begin when those of `queues` have ended that are there now.
  void make_wait(int waiting, std::span<const int> queues);
  /// Later operations of the queue begin behind an event.
  void make_wait(int waiting, event until);
  bool has_ended(int queue);
  bool have_all_ended();
  /// Those that have had an operation.
  std::vector<int> numbers();
  /// "queue 1: message at jacobi.c:23, region at jacobi.c:25". For the monitor, while all threads of the rank sleep.
  std::string pending_text() const;

 private:
  struct named_operation {
    event end;
    operation_text text;
  };
  class message_batch;
  struct one_queue {
    std::vector<event> last;             // the latest operation, and what the next one waits for besides
    std::vector<event> messages;         // that may not have ended, behind the latest operation that is none
    std::weak_ptr<message_batch> batch;  // of its task, if the latest operation is a message
    std::deque<named_operation> named;   // those from the first on that has not ended
  };
  void note(one_queue& in, event end, const operation_text& text);
  /// Those that have to end for a queue to be empty.
  std::vector<event> pending_of(int queue);

  std::mutex mutex_;
  std::map<int, one_queue> queues_;
  base::thread_context* used_in_ = nullptr;  // by the latest operation: lets the monitor look at events
};

}  // namespace stretto::acc
