#include "sched/near_worker.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include <stretto/error.hpp>
#include <stretto/finish.hpp>
#include <stretto/runtime.hpp>
#include <stretto/task.hpp>

#include "sched/with_runtimes.hpp"

using namespace stretto;

namespace {

/// A task that keeps a worker until it is let go.
class occupied_worker {
 public:
  explicit occupied_worker(std::uint32_t index) {
    task_ = async(on(worker(index)), [this] {
      is_there_ = true;
      while (!is_free_) std::this_thread::yield();
    });
    while (!is_there_) std::this_thread::yield();
  }
  occupied_worker(const occupied_worker&) = delete;
  ~occupied_worker() {
    is_free_ = true;
    wait(task_);
  }

 private:
  std::atomic<bool> is_there_{false}, is_free_{false};
  future<void> task_;
};

/// How many tasks of several chains run on the workers that `tag_of(chain)` names. Each is made ready by one of another
/// chain, as messages between ranks do.
template <class TagOf>
int count_on_preferred(TagOf tag_of) {
  constexpr std::uint32_t chains = 4, length = 100;
  int count = 0;  // one thread runs all tasks
  finish([&] {
    std::vector<event> before(chains);
    for (std::uint32_t n = 0; n < length; ++n) {
      std::vector<event> next(chains);
      for (std::uint32_t chain = 0; chain < chains; ++chain)
        next[chain] = async(tag_of(chain), after(before[(chain + 1) % chains]),
                            [&count, chain] { count += this_worker() == chain ? 1 : 0; });
      before = next;
    }
  });
  return count;
}

}  // namespace

TEST_CASE("tasks near workers run once, wherever they are made ready") {
  test::with_runtimes([] {
    const auto workers = static_cast<std::uint32_t>(sched::this_thread()->owner->workers.size());
    std::atomic<int> runs{0};
    const user_event gate = user_event::create();
    finish([&] {
      for (std::uint32_t n = 0; n < 200; ++n) {
        async(sched::near_worker(n % workers), [&] { ++runs; });
        async(sched::near_worker(n % workers), after(gate), [&] { ++runs; });
      }
      gate.trigger();
    });
    CHECK(runs == 400);
  });
}

TEST_CASE("most tasks near a worker run there, in chains that make each other ready") {
  runtime rt({.workers = 4, .stepped = true});
  rt.run([] {
    const int near = count_on_preferred([](std::uint32_t chain) { return sched::near_worker(chain); });
    const int usual = count_on_preferred([](std::uint32_t) { return name("usual"); });
    CHECK(near > 200);
    CHECK(usual < 200);
  });
}

TEST_CASE("another worker runs what is near a busy one") {
  runtime rt({.workers = 2});
  rt.run([] {
    async(on(worker(1)), [] {
      const occupied_worker busy(0);
      std::vector<std::uint32_t> ran_on;  // one after another
      for (int n = 0; n < 20; ++n) async(sched::near_worker(0), [&] { ran_on.push_back(this_worker()); }).get();
      CHECK(ran_on == std::vector<std::uint32_t>(20, 1));
    }).get();
  });
}

TEST_CASE("threads that are no workers start tasks near a worker") {
  for (const std::uint32_t workers : {1u, 3u}) {
    runtime rt({.workers = workers});
    std::atomic<int> sum{0};
    std::thread([&] {
      attached_thread here(rt);
      for (int n = 0; n < 100; ++n) sum += async(sched::near_worker(workers - 1), [] { return 1; }).get();
    }).join();
    CHECK(sum == 100);
  }
}

TEST_CASE("a task near a worker that does not exist is an error") {
  runtime rt({.workers = 2});
  rt.run([] {
    try {
      async(sched::near_worker(2), [] {});
      FAIL("no error");
    } catch (const error& e) {
      CHECK(e.code() == "S03");
    }
  });
}
