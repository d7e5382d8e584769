// memory_space.hpp - one memory of the host or of a device: its addresses, who holds which, and who waits for what.
//
// A creation that does not fit waits, but only for destructions that were submitted before it; if none of those is
// left it is refused. So the outcome depends on what the program asked before, never on what it may ask later.
//
// Threads     any.
// Cost        create and destroy: one lock and a constant amount of work; with creations waiting, a scan of those.
// Invariants  (1) creations are granted in the order of their tickets, except that a later one may go first where
//             what the earlier ones were promised remains. (2) a refused creation holds nothing. (3) a creation whose
//             addresses are planned waits until they are free, if all that lies there is about to leave, and nothing
//             else gets them meanwhile.
// Source      deferred allocation: Realm's documentation; the ordering rule is Stretto's.
#pragma once

#include <atomic>
#include <exception>
#include <mutex>
#include <optional>
#include <stretto/instance.hpp>
#include <string>
#include <vector>

#include "base/context.hpp"
#include "data/address_range.hpp"
#include "data/block_allocator.hpp"
#include "data/locked_pages.hpp"
#include "device/device.hpp"

namespace stretto::data {

/// Where in a memory something is to lie, if nothing else stays there: of who knows what there will be.
struct placement_hint {
  std::optional<std::uint64_t> offset = {};  // a multiple of what one byte takes
  bool is_at_end = false;  // of a device's memory: the host's becomes real from its front on
};

/// A creation on its way. Owned by the caller, who keeps it alive until it is granted or refused.
struct creation {
  std::uint64_t bytes = 0;
  placement_hint at = {};
  const void* instance = nullptr;   // of which it is the storage; needed where addresses are planned
  std::uint64_t ticket = 0;
  enum class outcome : std::uint8_t { granted, waiting, refused } is = outcome::waiting;
  block* held = nullptr;            // granted
  bool is_planned = false;          // waiting: only for the addresses that it wishes for,
  std::vector<block*> reserved = {};  // of which it has these
  std::uint64_t free_bytes = 0;     // refused: what was left
  std::uint64_t largest_block = 0;  // refused: the longest piece of that
  creation* next = nullptr;         // in the waiting list, or in a list of resolved ones
  /// What its owner does once it is granted or refused after waiting; it may free the object.
  void (*on_resolved)(creation& self, base::thread_context& context) noexcept = nullptr;
};

/// Tells the creations that a destruction has granted or refused, outside of any lock.
inline void notify_resolved(creation* resolved, base::thread_context& context) noexcept {
  while (creation* c = resolved) {
    resolved = c->next;
    c->on_resolved(*c, context);
  }
}

/// A destruction that was submitted and has yet to take effect.
struct destruction {
  std::uint64_t ticket = 0;
  std::uint64_t bytes = 0;
  const void* instance = nullptr;  // as that of its creation
  destruction* next = nullptr;
  destruction* previous = nullptr;
};

class memory_space {
 public:
  /// Sets aside `capacity` bytes of addresses (fewer where the system has not so many); takes no page.
  memory_space(place where, std::string name, place_kind kind, std::uint64_t capacity);
  /// Memory that is there already: of the host, or addresses of global memory.
  memory_space(place where, std::string name, place_kind kind, std::byte* first, std::uint64_t bytes);
  /// A file in this folder, as memory of the host. Throws D23.
  memory_space(place where, std::string name, place_kind kind, const std::filesystem::path& folder);
  /// The memory of a device, which is told what is in use.
  memory_space(place where, std::string name, place_kind kind, device::device& of);
  memory_space(const memory_space&) = delete;

  /// Memory of the host, empty still: its front, up to so many bytes, is page-locked for these devices as it comes into use.
  void lock_pages_for(std::vector<device::device*> who, std::uint64_t most);

  /// The order of submission, for creations and destructions whose preconditions have not ended.
  std::uint64_t ticket() noexcept { return tickets_.fetch_add(1, std::memory_order_relaxed); }

  /// A block, if it can be had at once and is not promised to those who wait; else null and nothing happened.
  block* try_create(std::uint64_t bytes, const placement_hint& at = {});
  /// Where it is wished for; elsewhere if somebody is there. Grants or refuses, or keeps `c` in the waiting list. `c.ticket` and `c.bytes` are set.
  creation::outcome create(creation& c);
  /// `d.ticket` and `d.bytes` are set; `held` null if the instance does not exist yet. Until it takes effect, later
  /// creations may wait for it.
  void announce(destruction& d, block* held);
  /// Returns a block; `announced` null if the destruction takes effect in the call that submits it. The answer is
  /// the list of creations that this granted or refused, for the caller to tell.
  [[nodiscard]] creation* destroy(block* held, destruction* announced) noexcept;

  /// Of a device: memory that its driver gave to the program (device::borrow), which is no part of what is counted here.
  std::byte* borrow(const native_memory& from, std::uint64_t bytes) { return device_->borrow(from, bytes); }
  void give_back(std::byte* borrowed) noexcept { device_->give_back(borrowed); }

  /// What is free is in as few pieces as can be: several blocks that only just fit find their places.
  void join_free() noexcept;

  memory_usage usage();
  /// Whether nothing lies at these addresses.
  bool is_free(std::uint64_t offset, std::uint64_t bytes);
  /// What the device's driver said, where it was its doing that the last creation was not granted: others use the same device. Null where it was not.
  std::exception_ptr refusal();
  /// What an instance of so many bytes takes of it.
  std::uint64_t taken_by(std::uint64_t bytes) const noexcept { return blocks_.taken_by(bytes); }
  std::byte* address_of(const block& b) const noexcept { return range_.base() + b.offset; }

  place where() const noexcept { return where_; }
  place_kind kind() const noexcept { return kind_; }
  /// Null: of the host.
  const device::device* of() const noexcept { return device_; }
  const std::string& name() const noexcept { return name_; }
  std::uint64_t capacity() const noexcept { return blocks_.capacity(); }

 private:
  bool grant(creation& c);
  bool grant_anywhere(creation& c);
  bool grant_planned(creation& c);
  bool grant_ahead_of_waiting(creation& c, const creation& first);
  bool use(creation& c, block* b);
  void note_planned(const creation& c) noexcept;
  void give_up_reserved(creation& c) noexcept;
  const creation* first_waiting_anywhere(std::uint64_t before) const noexcept;
  void give_back(block& held) noexcept;
  creation::outcome give_up_waiting(creation& c) noexcept;
  void refuse(creation& c) noexcept;
  std::uint64_t still_needed(const creation& c) const noexcept;
  bool is_promised_away(const creation& c) const noexcept;
  creation* resolve_waiting() noexcept;

  const place where_;
  const place_kind kind_;
  const std::string name_;
  device::device* const device_ = nullptr;  // null: memory of the host
  std::atomic<std::uint64_t> tickets_{1};

  std::mutex mutex_;  // guards what follows
  address_range range_;
  block_allocator blocks_;
  std::optional<locked_pages> locked_;
  creation* waiting_ = nullptr;  // ascending tickets
  destruction announced_;        // ring of the pending ones, ascending tickets
  std::vector<std::pair<const void*, block*>> planned_;  // by instance: granted at planned addresses, not at once
  std::uint64_t peak_ = 0;
  std::exception_ptr refusal_;
};

}  // namespace stretto::data
