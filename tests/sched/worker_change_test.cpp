// worker_change_test.cpp - the state that stays with a task when it changes workers, the order of ready tasks, and the
// owner of a value.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <stretto/stretto.hpp>

#include "eventually.hpp"

using namespace stretto;

TEST_CASE("an exception that a task handles stays with it when it resumes on another worker") {
  runtime rt({.workers = 2});
  std::atomic<int> kept{0}, moved{0};
  int round = 0;
  const auto one_round = [&] {
    rt.run([&] {
      const user_event go = user_event::create();
      for (int i = 0; i < 8; ++i)
        async([&, i, go] {
          const auto before = this_worker();
          try {
            throw i;
          } catch (int) {
            wait(go);
            moved += this_worker() != before;
            try {
              throw;
            } catch (int same) {
              kept += same == i;
            }
          }
        });
      for (int i = 0; i < 8; ++i) yield();
      async(on(worker(round % 2)), [go] { go.trigger(); }).get();
    });
    ++round;
  };
  while (round < 50) one_round();
  CHECK(test::eventually([&] { return moved > 0; }, one_round));
  CHECK(kept == 8 * round);
}

TEST_CASE("a bound task stays on its worker when the task that it waits for suspends and resumes elsewhere") {
  runtime rt({.workers = 2});
  std::atomic<int> stayed{0};
  for (int round = 0; round < 50; ++round)
    rt.run([&] {
      const user_event inside = user_event::create(), gate = user_event::create();
      async(on(worker(1)), [&stayed, inside, gate] {
        auto child = async([inside, gate] {
          inside.trigger();
          wait(gate);
        });
        child.get();
        stayed += this_worker() == 1;
      });
      wait(inside);
      for (int i = 0; i < 100; ++i) yield();
      gate.trigger();
    });
  CHECK(stayed == 50);
}

TEST_CASE("among ready tasks on one worker the higher priority goes first, even at the end of a finish") {
  runtime rt({.workers = 1});
  std::string order;
  rt.run([&] {
    async(priority(-3), [&] { order += "d"; });
    async([&] { order += "c"; });
    async(priority(1), [&] { order += "b"; });
    async(priority(127), [&] { order += "a"; });
  });
  CHECK(order == "abcd");
}

TEST_CASE("among tasks bound to one worker the higher priority goes first, wherever they were spawned") {
  for (std::uint32_t from : {0u, 1u}) {
    runtime rt({.workers = 2});
    std::string order;
    rt.run([&] {
      async(on(worker(from)), [&] {
        const auto go = user_event::create();
        for (const auto& [level, letter] : {std::pair{-3, 'd'}, {0, 'c'}, {1, 'b'}, {127, 'a'}})
          async(on(worker(0)), after(go), priority(level), [&order, letter = letter] { order += letter; });
        // They become ready while worker 0 is busy with this.
        if (from == 0) return go.trigger();
        std::atomic<bool> busy{false}, done{false};
        auto holds = async(on(worker(0)), priority(127), [&] {
          busy = true;
          while (!done) std::this_thread::yield();
        });
        while (!busy) std::this_thread::yield();
        go.trigger();
        done = true;
        holds.get();
      });
    });
    CHECK(order == "abcd");
  }
}

TEST_CASE("among bound and unbound tasks on one worker the higher priority goes first") {
  runtime rt({.workers = 1});
  std::string order;
  rt.run([&] {
    async(priority(1), [&] { order += "c"; });
    async(on(worker(0)), priority(2), [&] { order += "b"; });
    async(priority(3), [&] { order += "a"; });
    async(on(worker(0)), priority(-1), [&] { order += "d"; });
    async(priority(-2), [&] { order += "e"; });
  });
  CHECK(order == "abcde");
}

namespace {
/// Spawns itself again until it is stopped; counts.
struct endless {
  std::atomic<bool>& stop;
  std::uint64_t& count;
  void operator()() const {
    ++count;
    if (!stop) async(*this);
  }
};
}  // namespace

TEST_CASE("a task that yields resumes after a bounded number of others, even if more keep coming") {
  for (bool inside_finish : {false, true}) {
    runtime rt({.workers = 1});
    std::atomic<bool> stop{false};
    std::uint64_t others = 0, most = 0;
    const auto go_on = [&] {
      for (int i = 0; i < 3; ++i) async(endless{stop, others});
    };
    rt.run([&] {
      async([&] {
        if (inside_finish) async([&] { finish(go_on); });
        else go_on();
        for (int i = 0; i < 100; ++i) {
          const auto before = others;
          yield();
          most = std::max(most, others - before);
        }
        stop = true;
      });
    });
    CHECK(others >= 100);
    CHECK(most <= 128);
  }
}

TEST_CASE("a finish in a bound task fails with an error if no stack is left") {
  for (const bool stepped : {false, true}) {
    setenv("STRETTO_MAX_SUSPENDED", "4", 1);
    runtime rt({.workers = 1, .stepped = stepped});
    unsetenv("STRETTO_MAX_SUSPENDED");
    std::string seen;
    int waited = 0;
    rt.run([&] {
      const auto go = user_event::create();
      for (int i = 0; i < 4; ++i)
        async(priority(1), [&, go] {
          wait(go);
          ++waited;
        });
      async(on(worker(0)), [&, go] {
        try {
          finish([&] { async(name("child"), [&] { seen += "child ran "; }); });
        } catch (const error& e) {
          seen += e.code();
        }
        go.trigger();
      });
    });
    CHECK(seen == "S11");
    CHECK(waited == 4);
  }
}

TEST_CASE("a task of an attached thread gets its turn while the tasks of the only worker only yield to one another") {
  runtime rt({.workers = 1});
  std::atomic<bool> is_ready = false, has_run = false;
  std::thread outside([&] {
    const attached_thread here(rt);
    const auto task = async([&] { has_run = true; });
    is_ready = true;
    wait(task);
  });
  long yields = 0;
  rt.run([&] {
    finish([&] {
      for (int i = 0; i < 3; ++i)
        async([&] {
          while (!has_run && yields < 20'000'000) yields += is_ready, yield();  // from when the task is ready
        });
    });
  });
  outside.join();
  CHECK(yields < 20'000'000);
}

TEST_CASE("a yield returns if no stack is left for other tasks") {
  setenv("STRETTO_MAX_SUSPENDED", "5", 1);
  runtime rt({.workers = 2});
  unsetenv("STRETTO_MAX_SUSPENDED");
  std::atomic<int> ended{0};
  rt.run([&] {
    for (int i = 0; i < 200; ++i)
      async([&] {
        yield();
        ++ended;
      });
    while (ended < 200) yield();
  });
  CHECK(ended == 200);
}

TEST_CASE("a future may be read and dropped outside of run, on a thread of no runtime") {
  runtime rt({.workers = 2});
  auto text = rt.run([] { return async([] { return std::string(100, 'x'); }); });
  CHECK(text.get().size() == 100);
  text = {};
  CHECK_FALSE(text.valid());
}

TEST_CASE("a value is moved out by the last future only") {
  runtime rt({.workers = 1});
  rt.run([] {
    auto one = async([] { return std::string(100, 'x'); });
    auto other = one;
    CHECK(std::move(one).get().size() == 100);
    one = {};
    CHECK(other.get().size() == 100);
    const void* where = other.get().data();
    CHECK(std::move(other).get().data() == where);
  });
}
