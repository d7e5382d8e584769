#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <random>
#include <stretto/stretto.hpp>
#include <thread>
#include <vector>

#include "campaign.hpp"
#include "ranks/windows/window_lock.hpp"

using namespace stretto;
using ranks::lock_mode;

namespace {

/// The rules: in order of arrival, and shared ones together.
struct lock_model {
  struct waiting_rank {
    int rank;
    lock_mode mode;
  };
  std::deque<waiting_rank> waiting;
  std::vector<waiting_rank> holders;

  void acquire(int rank, lock_mode mode) {
    waiting.push_back({rank, mode});
    grant();
  }
  void release(int rank) {
    std::erase_if(holders, [&](const waiting_rank& w) { return w.rank == rank; });
    grant();
  }
  void grant() {
    while (!waiting.empty()) {
      const bool is_shared = waiting.front().mode == lock_mode::shared;
      const bool is_possible = holders.empty() || (is_shared && holders.front().mode == lock_mode::shared);
      if (!is_possible) return;
      holders.push_back(waiting.front());
      waiting.pop_front();
    }
  }
  bool holds(int rank) const {
    return std::ranges::any_of(holders, [&](const waiting_rank& w) { return w.rank == rank; });
  }
};

}  // namespace

TEST_CASE("random requests get the lock of a window in the order of the rules") {
  constexpr int ranks_count = 6;
  for (std::uint64_t seed = 0; seed < test::scaled<std::uint64_t>(300, 20'000); ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    ranks::window_lock lock;
    lock_model model;
    std::vector<std::unique_ptr<ranks::lock_request>> requests(ranks_count);
    for (int step = 0; step < 60; ++step) {
      const int rank = static_cast<int>(random() % ranks_count);
      auto& own = requests[static_cast<std::size_t>(rank)];
      if (!own) {
        const lock_mode mode = random() % 2 ? lock_mode::shared : lock_mode::exclusive;
        own = std::make_unique<ranks::lock_request>(mode, ranks::world_rank{rank});
        lock.acquire(*own);
        model.acquire(rank, mode);
      } else if (own->is_done()) {
        own.reset();
        lock.release(ranks::world_rank{rank});
        model.release(rank);
      }
      for (int other = 0; other < ranks_count; ++other)
        if (const auto& one = requests[static_cast<std::size_t>(other)]) REQUIRE(one->is_done() == model.holds(other));
      REQUIRE(
          std::ranges::all_of(lock.holders(), [&](ranks::world_rank r) { return model.holds(static_cast<int>(r)); }));
      REQUIRE(lock.holders().size() == model.holders.size());
    }
  }
}

TEST_CASE("an exclusive lock of a window excludes other threads") {
  ranks::window_lock lock;
  int sum = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, number = ranks::world_rank{thread}] {
      for (int i = 0; i < 500; ++i) {
        ranks::lock_request request(lock_mode::exclusive, number);
        lock.acquire(request);
        while (!request.is_done()) std::this_thread::yield();
        ++sum;
        lock.release(number);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(sum == 2000);
}

namespace {

/// Releases the lock once it has it.
struct passing_waiter : waiter {
  explicit passing_waiter(ranks::window_lock& of) : lock(of) {
    fire = [](waiter& link, const failure*, base::thread_context&) noexcept {
      auto& self = static_cast<passing_waiter&>(link);
      self.has_had_it = true;
      self.lock.release(self.request.rank);
    };
  }
  ranks::window_lock& lock;
  ranks::lock_request request{lock_mode::exclusive, ranks::world_rank{1}};
  bool has_had_it = false;
};

}  // namespace

TEST_CASE("any number of waiting requests that each release the lock at once take no more stack than one") {
  ranks::window_lock lock;
  ranks::lock_request first(lock_mode::exclusive, ranks::world_rank{0});
  lock.acquire(first);
  std::deque<passing_waiter> others;
  for (int i = 0; i < 300'000; ++i) {
    passing_waiter& one = others.emplace_back(lock);
    lock.acquire(one.request);
    REQUIRE(one.request.subscribe(one));
  }
  runtime_options options;
  options.workers = 1;
  runtime(options).run([&] { lock.release(first.rank); });  // waiters need a runtime's thread
  CHECK(std::ranges::all_of(others, &passing_waiter::has_had_it));
}
