// holding.hpp - one reservation: whether it is held, who waits for it, and which releases are to be ignored.
//
// Local acquires that wait are event slots, linked by the waiter inside each; requests of other nodes are waiters that
// `dist` provides. Both queues are first in, first out; between them, `fairness` decides.
//
// Threads     any; grants are handed out by whoever releases, after the lock is given back.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/spin_lock.hpp"
#include "event/table.hpp"

namespace stretto::detail {

class holding {
 public:
  /// What to do next, outside the lock: grant to one of the two, or nothing.
  struct grant {
    slot* local = nullptr;
    waiter* remote = nullptr;
  };
  enum class released { given_back, ignored, not_held };

  std::atomic<std::uint32_t> generation{0};  // of object_table

  void start(std::size_t payload_bytes, std::uint32_t fairness, const std::source_location& where);

  bool try_acquire(const std::source_location& by) noexcept;
  /// True if it is held now; else `s` is granted later, by finish(s, null).
  bool acquire(slot& s) noexcept;
  /// The same for a request of another node: `w` is fired when granted.
  bool acquire_remote(waiter& w) noexcept;
  /// An acquire that never comes about: one release will be ignored.
  void skip_acquire(const failure& cause);
  /// A release takes effect; `cause` is its precondition's.
  released release(const failure* cause, grant& next) noexcept;
  /// The release that belongs to a skipped acquire takes effect.
  void release_skipped(const failure& cause) noexcept;

  /// Hands out what release decided.
  static void hand_out(const grant& g, event_cache& cache, base::thread_context& context) noexcept;
  /// Forgets everything; returns the lists of those that waited.
  struct waiting {
    waiter* local;  // each the `own` of a slot
    waiter* remote;
  };
  waiting stop() noexcept;

  void* payload() const noexcept { return payload_.get(); }
  std::size_t payload_bytes() const noexcept { return payload_bytes_; }
  const std::source_location& where() const noexcept { return where_; }
  /// For reports: where the acquire was called that holds it now; nothing if it is free.
  std::optional<std::source_location> holder() noexcept {
    const std::scoped_lock lock(lock_);
    return held_ ? std::optional(holder_) : std::nullopt;
  }

 private:
  struct skipped {
    failure_ref root;
    std::uint32_t count;
  };
  struct free_payload {
    void operator()(std::byte* p) const noexcept;
  };
  bool ignore(const failure* root) noexcept;  // requires the lock

  base::spin_lock lock_;
  bool held_ = false;
  std::uint32_t fairness_ = 0;
  std::uint32_t preferred_ = 0;  // local grants in a row while another node waited
  waiter* first_ = nullptr;      // local
  waiter* last_ = nullptr;
  waiter* first_remote_ = nullptr;
  waiter* last_remote_ = nullptr;
  std::vector<skipped> skipped_;
  std::size_t payload_bytes_ = 0;
  std::unique_ptr<std::byte, free_payload> payload_;
  std::source_location where_, holder_;
};

}  // namespace stretto::detail
