// blocking_threads.hpp - helper threads for functions that may block in a library. The worker of the calling task runs
// other tasks meanwhile.
//
// Threads     run: tasks of the runtime.
// Cost        two thread switches per function. There are as many threads as functions have ever run at once; they are
//             kept until the runtime ends.
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
  ~blocking_threads();  // requires that no function is running
  blocking_threads(const blocking_threads&) = delete;

  /// Calls `f` on a helper thread, which may use the runtime. Suspends the calling task until `f` returns; rethrows
  /// what `f` throws.
  void run(const std::function<void()>& f, const std::source_location& where);

 private:
  struct helper_thread;
  helper_thread& acquire();

  std::mutex mutex_;
  std::deque<std::unique_ptr<helper_thread>> all_;
  std::vector<helper_thread*> idle_;
};

}  // namespace stretto::dist
