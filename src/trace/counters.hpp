// counters.hpp - counts and durations per module and place: always on, summed on demand.
//
// Threads     declare, add_slab, add_from_anywhere, read: any thread. slab::add: the slab's one owner.
// Cost        slab::add: three plain loads and stores; add_from_anywhere: three atomic additions; read: all slabs.
// Invariants  counts are exact once their writers have stopped; before that, a read may miss the newest.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "trace/clock.hpp"

namespace stretto::trace {

/// Identifies a counted operation of a module at a place.
using counter_id = std::uint32_t;

/// One line of statistics.
struct counter_value {
  std::string module;  // "sched", "mpi"
  std::string what;    // "tasks run", "copies"
  std::string place;   // "L2_0"; empty: not at one place
  std::uint64_t count = 0;
  ticks time = 0;            // an estimate if the owner samples
  std::uint64_t amount = 0;  // bytes, if the operation moves data
};

class counters {
  struct cell {
    std::atomic<std::uint64_t> count{0}, time{0}, amount{0};
  };

 public:
  static constexpr std::size_t block_cells = 64;
  static constexpr std::size_t most_counters = 64 * block_cells;

  /// The counters of one thread.
  class slab {
   public:
    slab() = default;
    ~slab();
    slab(const slab&) = delete;
    slab& operator=(const slab&) = delete;

    void add(counter_id id, std::uint64_t count = 1, ticks time = 0, std::uint64_t amount = 0) {
      cell& c = at(id);
      increase(c.count, count);
      increase(c.time, time);
      increase(c.amount, amount);
    }

   private:
    friend class counters;
    using block = std::array<cell, block_cells>;
    static void increase(std::atomic<std::uint64_t>& to, std::uint64_t n) noexcept {
      to.store(to.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);  // one writer
    }
    cell& at(counter_id id) {
      block* const b = blocks_[id / block_cells].load(std::memory_order_acquire);
      return (*(b ? b : make_block(id / block_cells)))[id % block_cells];
    }
    block* make_block(std::size_t i);

    std::array<std::atomic<block*>, most_counters / block_cells> blocks_{};
  };

  counters() = default;
  counters(const counters&) = delete;
  counters& operator=(const counters&) = delete;

  /// The same names give the same id. Throws error T03 beyond most_counters.
  counter_id declare(std::string_view module, std::string_view what, std::string_view place = {});

  /// A slab for a new thread; it lives as long as this.
  slab& add_slab();

  /// For threads without a slab.
  void add_from_anywhere(counter_id id, std::uint64_t count = 1, ticks time = 0, std::uint64_t amount = 0);

  /// All counters in the order of their declaration.
  std::vector<counter_value> read() const;

 private:
  mutable std::mutex lock_;  // guards the members below, not the cells of the slabs
  std::deque<counter_value> declared_;
  std::deque<slab> slabs_;
  slab shared_;
};

}  // namespace stretto::trace
