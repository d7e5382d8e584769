// poll_station.hpp - the pollers of one runtime, as pollers see it; what polls them stands on this.
//
// Threads     add: one thread at a time, also while others poll. The rest: any.
// Cost        any_pending: one load. poll_each: three loads per poller that has nothing to find.
// Invariants  (1) one thread at a time is inside a poller's poll. (2) pollers are added, never taken out, until
//             release(), after which none calls back.
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
  /// No thread polls any more: the pollers are on their own again.
  void release() noexcept;

  bool any_pending() const noexcept { return pending_pollers_.load(std::memory_order_seq_cst) > 0; }
  /// Whether nothing is pending but this poller's.
  bool is_only_pending(const poller& p) const noexcept {
    return pending_pollers_.load(std::memory_order_seq_cst) == 1 && p.pending() > 0;
  }
  /// Whether all that is pending, but this poller's, may never end.
  bool may_others_never_end(const poller& but) const noexcept;
  /// When the first poller that has something pending wants to be asked, in steady nanoseconds; `never` if none does.
  std::int64_t earliest_due() const noexcept;
  /// Nobody will ask for a while: leaves to themselves those that are due and will call. False: some of them have to be
  /// asked.
  bool all_will_call() noexcept;
  /// Something that is pending was left to itself, or is asked by a thread of its own.
  bool is_any_left() const noexcept;
  /// Asks all that have something pending and are due; how many operations ended.
  std::size_t poll_each() noexcept;

  static std::int64_t now() noexcept;

 protected:
  ~poll_station() = default;

  /// A poller has something to find from `due` on, which may be sooner than was known; and it may be urgent.
  enum class urgency : std::uint8_t { normal, at_once };
  virtual void sooner(std::int64_t due, urgency how) noexcept = 0;
  /// The last pending operation of all has ended.
  virtual void none_pending() noexcept = 0;

 private:
  friend class stretto::poller;
  void poller_became_pending(const poller& p) noexcept;
  void poller_became_idle() noexcept;
  void forget(poller& removed) noexcept;
  std::size_t give_up(poller& p, const char* why) noexcept;

  std::atomic<poller*> first_{nullptr};
  std::atomic<std::int64_t> pending_pollers_{0};
};

}  // namespace stretto::detail
