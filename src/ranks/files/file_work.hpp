// file_work.hpp - a system call's worth of work on files that may block its thread, and who performs it.
//
// Threads     as each function says.
#pragma once

#include <memory>

namespace stretto::ranks {

class file_work {
 public:
  virtual ~file_work() = default;
  /// On a thread that may block.
  virtual void perform() noexcept = 0;
  /// Afterwards, on a thread of the runtime: it may complete requests.
  virtual void finish() noexcept = 0;
};

class file_workers {
 public:
  /// Any thread. Returns at once, or after the work is finished.
  virtual void submit(std::unique_ptr<file_work> work) = 0;
  /// How much is performed at once.
  virtual int threads() const = 0;

 protected:
  ~file_workers() = default;
};

}  // namespace stretto::ranks
