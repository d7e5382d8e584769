// poll_station.hpp - the list of a runtime's pollers: which have operations pending, when each is due, and one round of
// polls. sched/poll_coordinator derives from it and decides which thread polls.
//
// A poller is pending while it has operations in progress. It chooses the time from which it is due
// (poller::next_poll). A poller that has promised to call poll_now() is not due until it calls.
//
// Threads     add: one thread at a time, also while others poll. The rest: any.
// Cost        any_pending: one load. poll_each: three loads for each poller that is not due.
// Invariants  (1) at most one thread at a time is inside the poll of a poller. (2) once threads poll, no poller leaves
//             the list before release(). After release() no poller calls this object.
#pragma once

#include <stretto/poller.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace stretto::detail {

class poll_station {
 public:
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

  poll_station() = default;
  poll_station(const poll_station&) = delete;

  /// Throws M11 if the poller belongs to a runtime already.
  void add(poller& p);
  /// Empties the list, so that the pollers may join another runtime. No thread may poll any more.
  void release() noexcept;

  bool any_pending() const noexcept { return pending_pollers_.load(std::memory_order_seq_cst) > 0; }
  /// True if this poller is pending and no other is.
  bool is_only_pending(const poller& p) const noexcept {
    return pending_pollers_.load(std::memory_order_seq_cst) == 1 && p.pending() > 0;
  }
  /// True if each other pending poller says that its operations may never end (poller::may_never_end).
  bool may_others_never_end(const poller& but) const noexcept;
  /// The earliest time at which a pending poller is due, in nanoseconds of the steady clock; `never` if none is.
  std::int64_t earliest_due() const noexcept;
  /// To be called before all threads stop polling for a while. Asks each pending poller that is due to call poll_now()
  /// by itself; a poller that promises it is no longer due. Returns false if a poller does not promise it: some thread
  /// must go on polling.
  bool all_will_call() noexcept;
  /// True if a pending poller is not due before it calls: it has promised a call, or a dedicated thread polls it.
  bool is_any_left() const noexcept;
  /// Polls each pending poller that is due, unless another thread is polling it. Returns how many operations ended.
  std::size_t poll_each() noexcept;

  static std::int64_t now() noexcept;

 protected:
  ~poll_station() = default;

  /// Called when a pending poller becomes due at `due`, which may be earlier than earliest_due() was. normal: its first
  /// operation has begun. at_once: the poller asks for a poll.
  enum class urgency : std::uint8_t { normal, at_once };
  virtual void sooner(std::int64_t due, urgency how) noexcept = 0;
  /// Called when no poller is pending any more.
  virtual void none_pending() noexcept = 0;

 private:
  friend class stretto::poller;
  // Called by pollers: the first operation begins, the last one has ended, the poller is destroyed.
  void poller_became_pending(const poller& p) noexcept;
  void poller_became_idle() noexcept;
  void forget(poller& removed) noexcept;
  /// poll() has thrown: never polls `p` again, and fails its operations with M05.
  std::size_t give_up(poller& p, const char* why) noexcept;

  std::atomic<poller*> first_{nullptr};
  std::atomic<std::int64_t> pending_pollers_{0};
};

}  // namespace stretto::detail
