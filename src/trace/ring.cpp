#include "trace/ring.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace stretto::trace {

bool memory_budget::take(std::size_t bytes) noexcept {
  std::size_t left = left_.load(std::memory_order_relaxed);
  while (left >= bytes)
    if (left_.compare_exchange_weak(left, left - bytes, std::memory_order_relaxed)) return true;
  return false;
}

ring::ring(std::size_t records, memory_budget& budget)
    : budget_(budget),
      most_chunks_(std::max<std::size_t>(1, (records + chunk_records - 1) / chunk_records)),
      chunks_(new std::atomic<chunk*>[most_chunks_]()) {
  if (!add_chunk(true)) throw std::bad_alloc();
}

ring::~ring() {
  for (std::size_t i = 0; i < chunk_count_.load(std::memory_order_relaxed); ++i)
    ::munmap(chunks_[i].load(std::memory_order_relaxed), chunk_bytes);
  budget_.give_back(charged_);
}

bool ring::add_chunk(bool even_if_over_budget) noexcept {
  const std::size_t n = chunk_count_.load(std::memory_order_relaxed);
  if (n == most_chunks_) return false;
  const std::size_t charge = budget_.take(chunk_bytes) ? chunk_bytes : 0;
  if (charge == 0 && !even_if_over_budget) return false;
  // Map with all pages present: one system call instead of a page fault for every 85 records.
  void* const pages =
      ::mmap(nullptr, chunk_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (pages == MAP_FAILED) {  // no reason to stop the program: overwrite from here on
    budget_.give_back(charge);
    return false;
  }
  charged_ += charge;
  chunk* const fresh = static_cast<chunk*>(pages);
  chunks_[n].store(fresh, std::memory_order_relaxed);
  chunk_count_.store(n + 1, std::memory_order_release);
  current_ = n;
  cursor_ = fresh->cells.data();
  end_ = cursor_ + chunk_records;
  return true;
}

// Adds a chunk while that is allowed; after the first refusal, reuses the oldest.
void ring::next_chunk() noexcept {
  if (!wrapped_ && add_chunk(false)) return;
  wrapped_ = true;
  current_ = (current_ + 1) % chunk_count_.load(std::memory_order_relaxed);
  cursor_ = chunks_[current_].load(std::memory_order_relaxed)->cells.data();
  end_ = cursor_ + chunk_records;
}

record ring::unpack(cell& words) noexcept {
  const auto word = [&](int i) { return std::atomic_ref(words[i]).load(std::memory_order_acquire); };
  record r;
  r.start = word(0);
  r.end = word(1);
  r.id = word(2);
  r.cause = word(3);
  r.amount = word(4);
  const std::uint64_t last = word(5);
  r.name = static_cast<name_id>(last);
  r.place = static_cast<std::uint16_t>(last >> 32);
  r.kind = static_cast<trace::kind>(static_cast<std::uint8_t>(last >> 48));
  r.reserved = static_cast<std::uint8_t>(last >> 56);
  return r;
}

ring::contents ring::read() const {
  // The oldest record that is intact when the writer has finished `head` records.
  const auto oldest_whole = [this](std::uint64_t head) {
    const std::uint64_t capacity = chunk_count_.load(std::memory_order_acquire) * chunk_records;
    return head >= capacity ? head - capacity + 1 : 0;
  };
  contents result;
  const std::uint64_t head = head_.load(std::memory_order_acquire);
  const std::size_t count = chunk_count_.load(std::memory_order_acquire);
  const std::uint64_t first = oldest_whole(head);
  result.records.reserve(head - std::min(first, head));
  for (std::uint64_t i = first; i < head; ++i) {
    chunk& c = *chunks_[(i / chunk_records) % count].load(std::memory_order_relaxed);
    result.records.push_back(unpack(c.cells[i % chunk_records]));
  }
  // Drop the records that were overwritten in the meantime.
  const std::uint64_t valid = std::min(head, oldest_whole(head_.load(std::memory_order_acquire)));
  if (valid > first)
    result.records.erase(result.records.begin(), result.records.begin() + static_cast<std::ptrdiff_t>(valid - first));
  result.overwritten = std::max(first, valid);
  return result;
}

}  // namespace stretto::trace
