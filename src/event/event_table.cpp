#include "event/event_table.hpp"

#include <stretto/error.hpp>

#include <algorithm>
#include <new>

namespace stretto::detail {

namespace {
constexpr std::align_val_t line{64};
constexpr unsigned batch = node_stock<slot>::batch;

template <class Node>
Node* link(Node* first) {
  for (unsigned i = 0; i < batch; ++i) first[i].set_next_free(i + 1 < batch ? first + i + 1 : nullptr);
  return first;
}
}  // namespace

event_table::~event_table() {
  for (auto* record : records_) delete record;
  for (void* memory : chunk_memory_) ::operator delete(memory, line);
  for (void* memory : block_memory_) ::operator delete(memory, line);
}

slot* event_table::carve_slots() {
  const std::uint32_t index = carved_.load(std::memory_order_relaxed);
  if (index >= 1u << slot_bits)
    throw error("E09", "there are 134,217,728 untriggered events, as many as one runtime can hold")
        .remedy("trigger events before making more, or use fewer user_events per operation");
  const std::uint32_t biased = index + first_chunk;
  const unsigned chunk = std::bit_width(biased) - 1 - std::countr_zero(first_chunk);
  const std::uint32_t chunk_first = first_chunk << chunk;  // biased
  if (biased == chunk_first) {
    // Untouched pages cost nothing: a chunk is used from its start, a batch at a time.
    chunk_memory_.reserve(chunk_memory_.size() + 1);
    void* memory = ::operator new(std::size_t{chunk_first} * sizeof(slot), line);
    chunk_memory_.push_back(memory);
    chunks_[chunk].store(reinterpret_cast<std::uintptr_t>(memory) - std::uint64_t{chunk_first} * sizeof(slot),
                         std::memory_order_release);
  }
  slot* first = &at(index);
  for (unsigned i = 0; i < batch; ++i) {
    slot* s = new (first + i) slot{};
    s->word.store(slot::word_of(first_generation), std::memory_order_relaxed);
    s->index_and_mark.store(index + i, std::memory_order_relaxed);
  }
  link(first);
  carved_.store(index + batch, std::memory_order_release);  // event_wait_graph.cpp visits all slots that exist
  return first;
}

merge_block* event_table::carve_blocks() {
  block_memory_.reserve(block_memory_.size() + 1);
  auto* first = static_cast<merge_block*>(::operator new(batch * sizeof(merge_block), line));
  block_memory_.push_back(first);
  for (unsigned i = 0; i < batch; ++i) new (first + i) merge_block{};
  blocks_carved_.fetch_add(batch, std::memory_order_relaxed);
  return link(first);
}

poison_record* event_table::remember(slot& s, std::uint32_t generation, failure_ref cause) {
  auto* before = s.poisons.load(std::memory_order_relaxed);
  records_.reserve(records_.size() + 1 > records_.capacity() ? std::max<std::size_t>(16, 2 * records_.size()) : 0);
  auto* record = new poison_record{generation, before ? before->depth + 1 : 1, std::move(cause), before};
  records_.push_back(record);
  poisons_.fetch_add(1, std::memory_order_relaxed);
  s.poisons.store(record, std::memory_order_release);
  return record;
}

void event_table::enter(event_cache& cache) {
  std::scoped_lock lock(caches_lock_);
  caches_.push_back(&cache);
}

void event_table::leave(event_cache& cache) noexcept {
  std::scoped_lock lock(caches_lock_);
  std::erase(caches_, &cache);
  departed_.created += cache.created.load(std::memory_order_relaxed);
  departed_.retired += cache.retired.load(std::memory_order_relaxed);
  departed_ended_ += cache.ended.load(std::memory_order_relaxed);
}

event_statistics event_table::statistics() const {
  std::scoped_lock lock(caches_lock_);
  event_statistics sum = departed_;
  std::uint64_t ended = departed_ended_;
  for (auto* cache : caches_) ended += cache->ended.load(std::memory_order_relaxed);
  for (auto* cache : caches_) {
    sum.created += cache->created.load(std::memory_order_relaxed);
    sum.retired += cache->retired.load(std::memory_order_relaxed);
  }
  sum.untriggered = sum.created > ended ? sum.created - ended : 0;
  sum.slots = carved_.load(std::memory_order_relaxed);
  sum.bytes = sizeof *this + sum.slots * sizeof(slot) +
              blocks_carved_.load(std::memory_order_relaxed) * sizeof(merge_block) + records.footprint() +
              poisons_.load(std::memory_order_relaxed) * sizeof(poison_record) + caches_.size() * sizeof(event_cache);
  return sum;
}

}  // namespace stretto::detail
