// memory_space.hpp - one memory of the host or of a device: its allocations, and creations that wait for destructions.
//
// A creation that does not fit waits, but only for destructions that were submitted before it. If none of those is
// left, it is refused. The outcome thus depends on earlier calls of the program only, never on later ones.
//
// Threads     any.
// Cost        create and destroy: one lock and constant work; if creations wait, a scan of those.
// Invariants  (1) creations are granted in the order of their tickets. A later one may go first if it leaves the memory
//             that earlier ones were promised. (2) a refused creation holds nothing. (3) a creation with planned
//             addresses waits until they are free, if all blocks there are about to be destroyed. Nothing else gets
//             these addresses meanwhile.
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

/// Preferred addresses of a creation, used if nothing else stays there.
struct placement_hint {
  std::optional<std::uint64_t> offset = {};  // a multiple of taken_by(1)
  bool is_at_end = false;                    // of a device's memory: host memory is allocated from its front
};

/// A pending creation. The caller owns it and keeps it alive until it is granted or refused.
struct creation {
  std::uint64_t bytes = 0;
  placement_hint at = {};
  const void* instance = nullptr;  // the instance it stores; needed for planned addresses
  std::uint64_t ticket = 0;
  enum class outcome : std::uint8_t { granted, waiting, refused } is = outcome::waiting;
  block* held = nullptr;              // granted
  bool is_planned = false;            // waiting: only for its preferred addresses,
  std::vector<block*> reserved = {};  // of which it holds these
  std::uint64_t free_bytes = 0;       // refused: bytes that were free
  std::uint64_t largest_block = 0;    // refused: the longest free block
  creation* next = nullptr;           // in the waiting list, or in a list of resolved ones
  /// Called when it is granted or refused after waiting; may free the object.
  void (*on_resolved)(creation& self, base::thread_context& context) noexcept = nullptr;
};

/// Calls on_resolved of creations that a destruction has granted or refused. To be called without locks.
inline void notify_resolved(creation* resolved, base::thread_context& context) noexcept {
  while (creation* c = resolved) {
    resolved = c->next;
    c->on_resolved(*c, context);
  }
}

/// A destruction that was submitted and has not taken effect.
struct destruction {
  std::uint64_t ticket = 0;
  std::uint64_t bytes = 0;
  const void* instance = nullptr;  // as in its creation
  destruction* next = nullptr;
  destruction* previous = nullptr;
};

class memory_space {
 public:
  /// Reserves `capacity` bytes of addresses, or fewer if the system has not so many; allocates no page.
  memory_space(place where, std::string name, place_kind kind, std::uint64_t capacity);
  /// Memory that exists already: of the host, or addresses of global memory.
  memory_space(place where, std::string name, place_kind kind, std::byte* first, std::uint64_t bytes);
  /// A file in this folder, as host memory. Throws D23.
  memory_space(place where, std::string name, place_kind kind, const std::filesystem::path& folder);
  /// The memory of a device, which is informed of the blocks in use.
  memory_space(place where, std::string name, place_kind kind, device::device& of);
  memory_space(const memory_space&) = delete;

  /// Page-locks the front of a host memory, up to so many bytes, for these devices as it comes into use. The memory
  /// must be empty.
  void lock_pages_for(std::vector<device::device*> devices, std::uint64_t most);

  /// A number in the order of submission, for creations and destructions with pending preconditions.
  std::uint64_t ticket() noexcept { return tickets_.fetch_add(1, std::memory_order_relaxed); }

  /// A block, if one is free and not promised to waiting creations; else null, without effect.
  block* try_create(std::uint64_t bytes, const placement_hint& at = {});
  /// Creates at the preferred addresses, or elsewhere if they are taken. Grants, refuses, or keeps `c` in the waiting
  /// list. The caller sets `c.ticket` and `c.bytes`.
  creation::outcome create(creation& c);
  /// The caller sets `d.ticket` and `d.bytes`; `held` is null if the instance does not exist yet. Until `d` takes
  /// effect, later creations may wait for it.
  void announce(destruction& d, block* held);
  /// Frees a block; `announced` is null if the destruction takes effect in the submitting call. Returns the creations
  /// that this granted or refused, for notify_resolved.
  [[nodiscard]] creation* destroy(block* held, destruction* announced) noexcept;

  /// Of a device: memory that its driver gave to the program (device::borrow); not counted here.
  std::byte* borrow(const native_memory& from, std::uint64_t bytes) { return device_->borrow(from, bytes); }
  void give_back(std::byte* borrowed) noexcept { device_->give_back(borrowed); }

  /// Merges free blocks, so that several blocks that just fit find room.
  void join_free() noexcept;

  memory_usage usage();
  /// Whether all of these addresses are free.
  bool is_free(std::uint64_t offset, std::uint64_t bytes);
  /// The driver's error, if it refused the last creation because other processes use the device; else null.
  std::exception_ptr refusal();
  /// The memory that an instance of so many bytes takes.
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
  bool assign(creation& c, block* b);
  void record_planned(const creation& c) noexcept;
  void release_reserved(creation& c) noexcept;
  const creation* first_waiting_anywhere(std::uint64_t before) const noexcept;
  void free_block(block& held) noexcept;
  creation::outcome stop_waiting(creation& c) noexcept;
  void refuse(creation& c) noexcept;
  std::uint64_t still_needed(const creation& c) const noexcept;
  bool is_promised_to_others(const creation& c) const noexcept;
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
  creation* waiting_ = nullptr;                          // ascending tickets
  destruction announced_;                                // ring of the pending ones, ascending tickets
  std::vector<std::pair<const void*, block*>> planned_;  // by instance: granted later at planned addresses
  std::uint64_t peak_ = 0;
  std::exception_ptr refusal_;
};

}  // namespace stretto::data
