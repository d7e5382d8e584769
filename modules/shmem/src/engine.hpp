// engine.hpp - what polls do for OpenSHMEM: the library's progress, conditions, locks, and collective calls.
//
// A collective call of the library blocks its thread until all PEs have entered it. So each first waits, without
// blocking, until all PEs have made the call: in round k a PE writes the number of the call to PE + 2^k, and goes on
// once PE - 2^k has written as much to it. Then all enter the library at about the same time.
//
// Threads     add: any thread of the runtime. poll: one at a time.
// Invariants  (1) library calls are made while `library` is held. (2) events end outside of all locks. (3) one
//             collective call at a time is under way, in the order of add.
// Source      the dissemination barrier: Hensgen, Finkel, Manber, 1988.
#pragma once

#include <stretto/future.hpp>
#include <stretto/mpi_mutex.hpp>
#include <stretto/poller.hpp>
#include <stretto/statistics.hpp>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <vector>

#include "watched_elements.hpp"

namespace stretto::shmem {

/// Calls that have ended, with the time that they were pending.
struct counted_ends {
  statistic conditions, collectives;
};

class engine final : public poller {
 public:
  /// `arrivals`: symmetric, one for each round of log2(pes), 0 at first.
  void begin(int pe, int pes, unsigned long* arrivals, const counted_ends& counts);

  future<void> add_condition(const condition& c, const std::source_location& where);
  /// Counts one that held when it was asked for.
  void count_condition(const condition& c) noexcept { counts_.conditions.add(1, {}, c.bytes); }
  future<void> add_lock(long* symmetric, const std::source_location& where);
  future<void> add_collective(std::function<void()> call, const std::source_location& where);

  /// Held by each thread that is inside the library: Stretto's for MPI, whose progress Open MPI's OpenSHMEM shares.
  std::mutex& library = mpi_mutex();

  /// Poisons what is pending. Polling has stopped.
  void fail(std::exception_ptr why) noexcept override;

 private:
  struct wanted_lock {
    long* at;
    promise<void> done;
  };
  struct collective_call {
    std::function<void()> enter;
    promise<void> done;
    std::chrono::steady_clock::time_point since;
  };

  std::size_t poll() override;
  void test_conditions();
  std::size_t elements_to_check();
  void test_locks();
  void go_on_with_collectives();
  bool all_have_arrived();
  void write_arrival(int round);

  int pe_ = 0, pes_ = 1, rounds_ = 0;
  unsigned long* arrivals_ = nullptr;
  counted_ends counts_;

  std::mutex pending_;  // guards what follows
  watched_elements conditions_;
  std::deque<wanted_lock> locks_;
  std::deque<collective_call> collectives_;

  // Of polls.
  std::vector<promise<void>> ended_;
  std::vector<pending_condition> met_;
  std::chrono::steady_clock::time_point last_check_;
  unsigned long number_ = 0;  // of the collective call under way
  int round_ = 0;             // of that: rounds before it have ended
  bool is_under_way_ = false;
  bool has_left_out_progress_ = false;
  unsigned long never_ = 0;
};

}  // namespace stretto::shmem
