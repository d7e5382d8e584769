// event_table.hpp - all event slots of one runtime, and each thread's cache of free ones.
//
// Threads     event_table: any. event_cache: its owner thread only, except for the counters.
// Cost        at(): two loads in all, up to and including the slot's word. create(): a pop from the thread's list.
// Invariants  (1) slots never move: each chunk doubles the number of slots and is kept until the table is destroyed, so
//             reading needs no lock. (2) the number of slots follows the peak of untriggered events, plus two batches
//             per thread.
#pragma once

#include <array>
#include <bit>
#include <memory>
#include <mutex>
#include <vector>

#include "base/block_pool.hpp"
#include "event/free_list.hpp"
#include "event/holder_list.hpp"
#include "event/remote_owner.hpp"
#include "event/slot.hpp"

namespace stretto {
class remote_barriers;
class remote_queues;
class remote_reservations;
}  // namespace stretto

namespace stretto::detail {

struct event_cache;

class event_table {
 public:
  /// Slot 0 exists from the start: it shows the default event (generation 0) on node 0 as triggered.
  explicit event_table(std::uint16_t node) : node(node) { slots.give(carve_slots()); }
  event_table(const event_table&) = delete;
  ~event_table();

  slot& at(std::uint32_t index) const noexcept {
    const std::uint32_t biased = index + first_chunk;
    const unsigned chunk = std::bit_width(biased) - 1 - std::countr_zero(first_chunk);
    // Each entry is lowered by the biased index of its first slot, which spares a subtraction per look-up.
    return *reinterpret_cast<slot*>(chunks_[chunk].load(std::memory_order_acquire) + std::uint64_t{biased} * 64);
  }
  slot& at(event e) const noexcept { return at(slot_of(e)); }

  /// Called with the stock's lock held: 64 new slots as a list.
  slot* carve_slots();
  merge_block* carve_blocks();

  /// Adds a record for a generation that is about to end. Requires `poison_lock`.
  poison_record* remember(slot& s, std::uint32_t generation, failure_ref cause);

  event_statistics statistics() const;
  /// Slots that exist: at(0) to at(carved() - 1).
  std::uint32_t carved() const noexcept { return carved_.load(std::memory_order_acquire); }

  const std::uint16_t node;
  std::atomic<remote_owner*> remote{nullptr};
  std::atomic<remote_reservations*> reservations_elsewhere{nullptr};
  std::atomic<remote_barriers*> barriers_elsewhere{nullptr};
  std::atomic<remote_queues*> queues_elsewhere{nullptr};
  node_stock<slot> slots;
  node_stock<merge_block> blocks;
  base::block_pool records{record_bytes};  // deferred arrivals and releases, entries of completion queues, forwarders
  static constexpr std::size_t record_bytes = 128;
  std::mutex poison_lock;

  // Barriers, reservations, and completion queues that have been sent to other nodes; made on first use.
  std::once_flag barriers_once, reservations_once, queues_once;
  std::shared_ptr<void> barriers, reservations, queues;
  holder_list holders;

  /// The receiver of failures of operations without a task.
  std::atomic<void (*)(void* receiver, failure_ref)> unobserved{nullptr};
  void* unobserved_receiver = nullptr;
  void report(const failure_ref& f) noexcept {
    if (auto tell = unobserved.load(std::memory_order_acquire)) tell(unobserved_receiver, f);
  }

  void enter(event_cache& cache);
  void leave(event_cache& cache) noexcept;

 private:
  static constexpr std::uint32_t first_chunk = 1024;  // 64 KiB: what an idle runtime pays
  static constexpr unsigned most_chunks = slot_bits - 10 + 1;

  std::array<std::atomic<std::uintptr_t>, most_chunks> chunks_{};
  std::vector<void*> chunk_memory_, block_memory_;
  std::atomic<std::uint32_t> carved_{0};
  std::atomic<std::uint64_t> blocks_carved_{0}, poisons_{0};
  std::vector<poison_record*> records_;

  mutable std::mutex caches_lock_;
  std::vector<event_cache*> caches_;
  event_statistics departed_;  // counters of threads that have left
  std::uint64_t departed_ended_ = 0;
};

/// A waiter list whose firing is deferred, because this thread is firing another one.
struct deferred_list {
  waiter* list;
  const failure* cause;    // a counted reference
  std::uint64_t ended_by;  // trace id of the operation that ended the event
};

/// Memory that searches for wait cycles reuse.
struct wait_cycle_search {
  std::vector<std::uint64_t> to_visit, found, seen;
  std::vector<std::uint32_t> places;
};

struct event_cache {
  explicit event_cache(event_table& t) : table(&t), slots(t.slots), blocks(t.blocks), records(t.records), node(t.node) {
    deferred.reserve(64);
  }

  static event_cache& of(base::thread_context& context) noexcept {
    return *context.get<event_cache>(base::floor_slot::event);
  }

  event_table* table;
  node_cache<slot> slots;
  node_cache<merge_block> blocks;
  base::block_cache records;
  std::uint16_t node;
  bool firing = false;
  std::vector<deferred_list> deferred;
  wait_cycle_search search;

  // Written by the owner, read by statistics.
  std::atomic<std::uint64_t> created{0}, ended{0}, retired{0};

  static void count(std::atomic<std::uint64_t>& n) noexcept {
    n.store(n.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  bool is_local(event e) const noexcept { return e.raw() >> node_shift == node; }

  slot& create(const std::source_location& where) {
    slot& s = *slots.pop([this] { return table->carve_slots(); });
    s.where.store(where, std::memory_order_relaxed);
    s.unmark();
    s.claim.store(slot::claim_of(slot::generation_in(s.word.load(std::memory_order_relaxed)), role::none),
                  std::memory_order_relaxed);
    count(created);
    return s;
  }
  merge_block& create_block() {
    return *blocks.pop([this] { return table->carve_blocks(); });
  }
  event handle(const slot& s) const noexcept {
    return handle_of(node, s.index(), slot::generation_in(s.word.load(std::memory_order_relaxed)));
  }
};

/// An event that the program ends, by any verb.
inline event make_program_event(base::thread_context& context, const std::source_location& where) {
  auto& cache = event_cache::of(context);
  return cache.handle(cache.create(where));
}

}  // namespace stretto::detail
