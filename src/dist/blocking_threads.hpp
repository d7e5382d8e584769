// blocking_threads.hpp - threads for functions that may block in a library: the worker of the task that calls one does
// something else.
//
// Threads     run: tasks of the runtime.
// Cost        two switches between threads for each function; a thread for as many as run at once, kept until the
//             runtime ends.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <source_location>
#include <vector>

namespace stretto::dist {

class blocking_threads {
 public:
  blocking_threads();
  ~blocking_threads();  // no function runs any more
  blocking_threads(const blocking_threads&) = delete;

  /// Calls `f` on a thread that is no worker and may use the runtime; the calling task is suspended until it has
  /// returned, and throws what it threw.
  void run(const std::function<void()>& f, const std::source_location& where);

 private:
  struct helper_thread;
  helper_thread& acquire();

  std::mutex mutex_;
  std::deque<std::unique_ptr<helper_thread>> all_;
  std::vector<helper_thread*> idle_;
};

}  // namespace stretto::dist
