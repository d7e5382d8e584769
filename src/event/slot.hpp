// slot.hpp - the storage of one untriggered event, of all its ended predecessors, and of what the event waits for.
//
// The word holds the generation of the slot's present event and the head of its waiter list. An event of an older
// generation has ended, which one load shows. Ending is one compare-and-swap that raises the generation and takes the
// list; then the slot serves the next event. Nothing counts references.
//
// Threads     `word`, `poisons` and `claim`: all; the rest: the thread that may end the event (see claim). Fields that
//             a search for wait cycles reads are atomic, and valid if `word` has the same generation before and after.
// Invariants  (1) a slot is 64 bytes, one cache line. (2) it never moves and is never given back before stop.
//             (3) `own` is linked in at most one list: that of the event or task that the slot's event waits for.
// Source      generational events: Treichler, Bauer, Aiken, "Realm", PACT 2014, section 5. Ours keeps generation and
//             list head in one word, and one waiter node inside the slot for what the event itself waits for.
#pragma once

#include <atomic>
#include <cstddef>

#include "base/sanitizers.hpp"
#include "event/handle.hpp"
#include "event/waiter.hpp"

namespace stretto::detail {

inline constexpr std::uint32_t void_record = ~0u;

/// One poisoned generation of a slot. Immutable once the slot's generation has passed; kept until stop, because handles
/// may be queried at any time.
struct poison_record {
  std::atomic<std::uint32_t> generation;  // void_record: the event ended otherwise meanwhile
  std::uint32_t depth;                    // length of the list from here on
  failure_ref cause;
  poison_record* next;
};
/// A slot is retired after so many poisons, so that the search among them stays short.
inline constexpr std::uint32_t most_poisons = 16;

/// How a slot's event will end; none: the program ends it. `taken` is `follow` before its link is stored.
enum class role : std::uint32_t { none, follow, both, all, survive, acquire, release, taken };

/// Inputs of a merge, six at a time, last ones first. Type-stable: a block is only ever a block or in a free list,
/// linked by `next` both times, so a search may read one that is being recycled.
struct alignas(64) merge_block {
  static constexpr unsigned capacity = 6;
  std::atomic<merge_block*> next{nullptr};
  const failure* cause = nullptr;  // of the inputs checked so far; a counted reference. Only in the first block.
  std::atomic<std::uint64_t> inputs[capacity]{};

  merge_block* next_free() const noexcept { return next.load(std::memory_order_relaxed); }
  void set_next_free(merge_block* b) noexcept { next.store(b, std::memory_order_release); }
  merge_block* next_batch() const noexcept {
    return reinterpret_cast<merge_block*>(inputs[0].load(std::memory_order_relaxed));
  }
  void set_next_batch(merge_block* b) noexcept {
    inputs[0].store(reinterpret_cast<std::uintptr_t>(b), std::memory_order_release);
  }
};

struct alignas(64) slot {
  std::atomic<std::uint64_t> word;            // generation 21 | first waiter / 16, 43
  std::atomic<std::source_location> where;    // of the creation of the present event
  waiter own;                                 // linked into the list of what the event waits for
  std::atomic<std::uint64_t> link[2];         // by role: see derived_event.hpp. Free slots: next in list, next batch
  std::atomic<poison_record*> poisons;        // newest first
  std::atomic<std::uint32_t> index_and_mark;  // index 27 (constant) | mark 1: see mark()
  // generation * 8 + role, perhaps + of_operation: of the last event created here
  std::atomic<std::uint32_t> claim;

  static constexpr std::uint32_t marked = 1u << slot_bits;
  static constexpr std::uint32_t of_operation = 1u << 31;  // an operation of the runtime will end it, not the program
  static constexpr unsigned list_bits = 64 - generation_bits;

  static constexpr std::uint64_t word_of(std::uint32_t generation) noexcept {
    return std::uint64_t{generation} << list_bits;
  }
  static constexpr std::uint32_t generation_in(std::uint64_t word) noexcept {
    return static_cast<std::uint32_t>(word >> list_bits);
  }
  static waiter* list_in(std::uint64_t word) noexcept {
    return reinterpret_cast<waiter*>((word << generation_bits) >> (generation_bits - 4));
  }
  static slot& of(waiter& own) noexcept { return *reinterpret_cast<slot*>(reinterpret_cast<std::byte*>(&own) - 16); }
  static constexpr std::uint32_t claim_of(std::uint32_t generation, role r) noexcept {
    return generation << 3 | static_cast<std::uint32_t>(r);
  }

  std::uint32_t generation_now() const noexcept { return generation_in(word.load(std::memory_order_acquire)); }
  bool has_ended(std::uint32_t generation) const noexcept {
    const bool has = generation_in(word.load(std::memory_order_acquire)) > generation;
    if (has) base::announce_acquire(this);
    return has;
  }
  /// Whether something other than the program will end that generation.
  bool is_claimed(std::uint32_t generation, std::memory_order order = std::memory_order_relaxed) const noexcept {
    return (claim.load(order) ^ generation << 3) - 1 < 7;
  }
  /// Whether no later event has been created here.
  bool is_latest(std::uint32_t generation) const noexcept { return claimed_generation() == generation; }
  std::uint32_t index() const noexcept {
    return index_and_mark.load(std::memory_order_relaxed) & ((1u << slot_bits) - 1);
  }
  /// Notes that a merge which is not in the list waits for the present event: it has yet to subscribe. A hint for the
  /// search for wait cycles: a mark that is left on a later event costs a needless search.
  void mark() noexcept { index_and_mark.store(index() | marked, std::memory_order_relaxed); }
  bool is_marked() const noexcept { return index_and_mark.load(std::memory_order_relaxed) & marked; }
  void unmark() noexcept {
    if (is_marked()) index_and_mark.store(index(), std::memory_order_relaxed);
  }
  std::uint32_t claimed_generation() const noexcept {
    return generation_claimed_in(claim.load(std::memory_order_relaxed));
  }
  static constexpr std::uint32_t generation_claimed_in(std::uint32_t claim) noexcept {
    return (claim & ~of_operation) >> 3;
  }
  bool is_of_operation(std::uint32_t generation) const noexcept {
    return claim.load(std::memory_order_relaxed) == (claim_of(generation, role::none) | of_operation);
  }

  /// Links `w`, or returns false and leaves `w` alone if that generation has ended.
  bool subscribe(std::uint32_t generation, waiter& w) noexcept {
    base::announce_release(&w);
    auto before = word.load(std::memory_order_acquire);
    do {
      if (generation_in(before) > generation) {
        base::announce_acquire(this);
        return false;
      }
      w.next = list_in(before);
    } while (!word.compare_exchange_weak(before, word_of(generation) | reinterpret_cast<std::uintptr_t>(&w) >> 4,
                                         std::memory_order_release, std::memory_order_acquire));
    return true;
  }

  /// Null unless that generation is poisoned. Requires that it has ended.
  const failure* cause(std::uint32_t generation) const noexcept {
    base::announce_acquire(this);
    for (auto* p = poisons.load(std::memory_order_acquire); p; p = p->next)
      if (p->generation.load(std::memory_order_relaxed) == generation) return p->cause.get();
    return nullptr;
  }

  slot* next_free() const noexcept { return reinterpret_cast<slot*>(link[0].load(std::memory_order_relaxed)); }
  slot* next_batch() const noexcept { return reinterpret_cast<slot*>(link[1].load(std::memory_order_relaxed)); }
  void set_next_free(slot* s) noexcept { store(0, s); }
  void set_next_batch(slot* s) noexcept { store(1, s); }

 private:
  void store(unsigned i, slot* s) noexcept {
    link[i].store(reinterpret_cast<std::uintptr_t>(s), std::memory_order_release);
  }
};
static_assert(sizeof(slot) == 64 && offsetof(slot, own) == 16 && sizeof(merge_block) == 64);

}  // namespace stretto::detail
