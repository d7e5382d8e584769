// ring.hpp - the newest records of one thread: written without a lock, read while being written.
//
// Threads     push: one thread, the ring's writer. Everything else: any thread, at any time.
// Memory      a reader gets records that were pushed, never a mixture of two.
// Cost        push: seven plain stores on x86-64, about 1.5 ns; every chunk_records pushes at most one memory mapping.
// Invariants  (1) record i lies in chunk i / chunk_records modulo the number of chunks, and that number no longer
//             changes once a record has been overwritten. (2) head_ counts finished records and only grows. (3) a
//             reader gets consecutive records, oldest first.
//
// A ring grows by a chunk at a time up to its own limit and while the shared budget lasts, then overwrites its oldest
// record. A small limit makes the ring of everyday tracing; a large limit keeps a whole run.
//
// Readers see no mixture, because the writer stores the words of a record with release after the head that precedes
// them. A reader that sees one word of record i + capacity in the place of record i therefore also reads, afterwards, a
// head of at least i + capacity, and discards record i. (This is a sequence lock whose sequence is the head; it has no
// fences, so ThreadSanitizer understands it.) The price: the oldest record of a full ring is never returned.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "trace/record.hpp"

namespace stretto::trace {

/// A memory limit that several rings share. Rings take it chunk by chunk; their destructors give it back.
class memory_budget {
 public:
  explicit memory_budget(std::size_t bytes) noexcept : left_(bytes), limit_(bytes) {}
  bool take(std::size_t bytes) noexcept;
  void give_back(std::size_t bytes) noexcept { left_.fetch_add(bytes, std::memory_order_relaxed); }
  std::size_t limit() const noexcept { return limit_; }
  std::size_t used() const noexcept { return limit_ - left_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::size_t> left_;
  const std::size_t limit_;
};

class ring {
 public:
  static constexpr std::size_t chunk_records = 1024;
  static constexpr std::size_t chunk_bytes = chunk_records * sizeof(record);

  /// Keeps the newest `records` (rounded up to whole chunks, at least one, which is allocated here; that one need
  /// not fit the budget). `budget` must outlive the ring.
  ring(std::size_t records, memory_budget& budget);
  ~ring();
  ring(const ring&) = delete;
  ring& operator=(const ring&) = delete;

  void push(const record& r) noexcept {
    if (cursor_ == end_) [[unlikely]]
      next_chunk();
    cell& words = *cursor_++;
    store(words[0], r.start);
    store(words[1], r.end);
    store(words[2], r.id);
    store(words[3], r.cause);
    store(words[4], r.amount);
    store(words[5], pack(r));
    head_.store(++pushed_, std::memory_order_release);
  }

  struct contents {
    std::vector<record> records;    // oldest first
    std::uint64_t overwritten = 0;  // number of older records that were overwritten
  };
  /// The current records.
  contents read() const;

  /// Records pushed so far, kept or not.
  std::uint64_t pushed() const noexcept { return head_.load(std::memory_order_acquire); }

 private:
  using cell = std::array<std::uint64_t, sizeof(record) / 8>;
  struct chunk {
    std::array<cell, chunk_records> cells;
  };
  static_assert(sizeof(chunk) == chunk_bytes);

  // release orders a word after the head before it; see the file comment
  static void store(std::uint64_t& word, std::uint64_t value) noexcept {
    std::atomic_ref(word).store(value, std::memory_order_release);
  }

  static std::uint64_t pack(const record& r) noexcept {
    return r.name | std::uint64_t{r.place} << 32 | std::uint64_t{static_cast<std::uint8_t>(r.kind)} << 48 |
           std::uint64_t{r.reserved} << 56;
  }
  static record unpack(cell& words) noexcept;
  void next_chunk() noexcept;
  bool add_chunk(bool even_if_over_budget) noexcept;

  // Immutable after construction.
  memory_budget& budget_;
  const std::size_t most_chunks_;
  const std::unique_ptr<std::atomic<chunk*>[]> chunks_;

  // Used by the writer only.
  cell* cursor_ = nullptr;
  cell* end_ = nullptr;
  std::uint64_t pushed_ = 0;
  std::size_t current_ = 0;  // the chunk of cursor_
  std::size_t charged_ = 0;  // bytes taken from the budget
  bool wrapped_ = false;

  // Written by the writer, read by all.
  std::atomic<std::size_t> chunk_count_{0};
  std::atomic<std::uint64_t> head_{0};
};

}  // namespace stretto::trace
