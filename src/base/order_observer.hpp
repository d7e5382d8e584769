// order_observer.hpp - the interface by which the checks of STRETTO_CHECK=1 learn what tasks, waits and merges order.
//
// Threads     any, at the same time.
// Cost        without an observer: one load and one test per task, wait or merge.
#pragma once

#include <cstdint>

namespace stretto::base {

struct thread_context;

/// Something that can be waited for: the record of a task, or an event.
struct awaited {
  const void* task = nullptr;
  std::uint64_t event = 0;
};

class order_observer {
 public:
  virtual ~order_observer() = default;

  /// The calling thread spawns a task; follows() names each of its preconditions before it can run.
  virtual void spawned(const void* task, thread_context& by) noexcept = 0;
  virtual void follows(const void* task, awaited precondition) noexcept = 0;
  /// A promise uses the memory of the record from now on: forget the task that had it.
  virtual void reused(const void* record) noexcept = 0;
  /// The task or body on the calling thread has waited for it.
  virtual void waited(awaited what, thread_context& by) noexcept = 0;
  /// The task or body on the calling thread has waited in a way that is not observed: it may follow all that has
  /// happened.
  virtual void synchronised(thread_context& by) noexcept = 0;
  /// `merged` happens after this, among others.
  virtual void merges(std::uint64_t merged, awaited input) noexcept = 0;
};

/// While it lives, what the thread does is not observed.
template <class Thread>
class unobserved {
 public:
  explicit unobserved(Thread& t) noexcept : thread_(t), observer_(t.observer) { t.observer = nullptr; }
  unobserved(const unobserved&) = delete;
  ~unobserved() { thread_.observer = observer_; }

 private:
  Thread& thread_;
  order_observer* const observer_;
};

}  // namespace stretto::base
