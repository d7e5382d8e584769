// reduction_record.hpp - the contributions of one reduction instance: a share per contributor, each a log or an array.
//
// Threads     shares are found and opened under the lock; an open share belongs to the task that opened it. Sweeps read
//             closed shares only: events order them.
// Invariants  a share is a log or an array, not both. All memory is allocated from the space.
#pragma once

#include <stretto/reduce.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/context.hpp"
#include "data/loop_nest.hpp"
#include "data/memory_space.hpp"

namespace stretto::detail {

/// A log is converted to an array once it has as many entries as the box has elements, divided by this.
///
/// Measured (bench/micro/data_micro.cpp, reductions by density) with doubles, contributions and sweep together: list
/// and array cost the same at one entry per two to three elements, in arrays of 0.5 MB and of 32 MB.
inline constexpr std::uint64_t elements_per_entry = 2;

struct log_chunk {
  data::block* held;
  std::uint64_t entries;
  std::uint64_t capacity;
};

struct contribution {
  bool is_open = false;
  std::vector<log_chunk> log;
  std::uint64_t logged = 0;  // entries in all chunks but the last one
  data::block* array = nullptr;
};

class reduction_record {
 public:
  reduction_record(data::memory_space& space, const box& elements, const reduction_kind& kind, reduction_style style);
  reduction_record(const reduction_record&) = delete;

  /// False if the share is in use. `alone`: excludes the shared share, which takes one element at a time.
  bool open(std::uint32_t number, open_contribution& c, base::thread_context& context, bool alone = false);
  void refill(open_contribution& c, base::thread_context& context);
  void close(open_contribution& c) noexcept;
  /// The array to which all contribute atomically, for any style.
  std::byte* shared_array(base::thread_context& context);
  void clear(base::thread_context& context) noexcept;

  /// Applies part `part` of `parts` of all contributions to `to` (of left-hand sides).
  void apply_to(const data::operand& to, unsigned part, unsigned parts) const;
  /// Folds all right-hand sides of `array` into a share that the caller has opened alone.
  void fold_array(open_contribution& c, const std::byte* array, base::thread_context& context);
  /// Folds all contributions into a share of `to` that the caller has opened alone.
  void fold_to(reduction_record& to, open_contribution& c, base::thread_context& context) const;

  /// All contributions as bytes; take_bytes restores them in an empty record of the same box and operator. Each share
  /// keeps its number and its form, log or array.
  std::vector<std::byte> to_bytes() const;
  void take_bytes(std::span<const std::byte> held, base::thread_context& context);
  /// Encodes one array that all share; the caller copies its elements to the returned address.
  std::byte* frame_array(std::vector<std::byte>& bytes) const;

  /// Bytes held now, also while contributors work: for deciding where a sweep runs.
  std::uint64_t held_bytes() const noexcept { return held_bytes_.load(std::memory_order_relaxed); }

  const reduction_kind& kind;
  const box elements;
  /// In device memory: the array that kernels contribute to, the only contribution. The program has no handle of it.
  /// Not set on the host.
  instance_handle on_device;

 private:
  std::byte* address_of(const data::block& b) const noexcept { return space_.address_of(b); }
  std::byte* new_array(contribution& share, base::thread_context& context);
  data::block* take(std::uint64_t bytes, std::uint64_t at_least);
  void free(data::block& b, base::thread_context& context) noexcept;
  void become_array(contribution& share, base::thread_context& context);
  void give_back(contribution& share, base::thread_context& context) noexcept;
  log_target whole(std::byte* array) const noexcept;

  data::memory_space& space_;
  const reduction_style style_;
  std::atomic<std::uint64_t> held_bytes_{0};
  mutable std::mutex mutex_;                           // guards what follows
  std::vector<std::unique_ptr<contribution>> shares_;  // by contributor number
  contribution all_;                                   // of a shared fold, and of kernels
};

}  // namespace stretto::detail
