#include "acc/host_accelerator.hpp"

#include <doctest/doctest.h>
#include <stretto/stretto.hpp>

#include <atomic>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "acc/program_calls.hpp"
#include "campaign.hpp"

using namespace stretto;

namespace {

/// How often each gang has run, and the number of gangs that it was given.
struct gang_record {
  std::vector<std::atomic<int>> runs;
  std::atomic<long> gangs{0};
};

void record(void** arguments, long gang, long gangs) {
  auto& all = *static_cast<gang_record*>(arguments[0]);
  all.gangs = gangs;
  ++all.runs[static_cast<std::size_t>(gang)];
}

void launch(gang_record& into, long gangs) {
  void* arguments[] = {&into};
  acc::host_accelerator::run(record, arguments, gangs, 0);
}

struct gang_threads {
  std::atomic<int> count = 0;
  std::mutex mutex;
  std::set<std::thread::id> threads;
  bool is_one_thread() const { return threads.size() == 1; }
};

void record_thread(void** arguments, long, long) {
  auto& all = *static_cast<gang_threads*>(arguments[0]);
  ++all.count;
  const std::scoped_lock lock(all.mutex);
  all.threads.insert(std::this_thread::get_id());
}

}  // namespace

TEST_CASE("each gang runs once, however many there are, and all have ended behind the launch") {
  for (const unsigned workers : {1u, 2u, 3u}) {
    runtime rt({.workers = workers});
    rt.run([&] {
      for (const long gangs : {1L, 2L, 3L, 7L, 1000L}) {
        gang_record all{.runs = std::vector<std::atomic<int>>(static_cast<std::size_t>(gangs))};
        launch(all, gangs);
        CHECK(all.gangs == gangs);
        for (const auto& one : all.runs) CHECK(one == 1);
      }
    });
  }
}

TEST_CASE("without a number there is a gang for each worker") {
  runtime rt({.workers = 3});
  rt.run([&] {
    gang_record all{.runs = std::vector<std::atomic<int>>(3)};
    launch(all, 0);
    CHECK(all.gangs == 3);
    for (const auto& one : all.runs) CHECK(one == 1);
  });
}

TEST_CASE("while all workers are busy, the caller runs all gangs") {
  runtime rt({.workers = 2});
  rt.run([] {
    std::atomic<bool> is_busy = false, is_over = false;
    async([&] {
      for (is_busy = true; !is_over;) {
      }
    });
    while (!is_busy) {  // does not suspend: the other worker runs the task
    }
    gang_threads all;
    void* arguments[] = {&all};
    acc::host_accelerator::run(record_thread, arguments, 8, 0);
    is_over = true;
    CHECK(all.count == 8);
    CHECK(all.is_one_thread());
  });
}

TEST_CASE("several tasks launch at once") {
  runtime rt({.workers = 2});
  rt.run([&] {
    finish([] {
      for (int n = 0; n < test::scaled(100, 10'000); ++n)
        async([] {
          gang_record all{.runs = std::vector<std::atomic<int>>(5)};
          launch(all, 5);
          for (const auto& one : all.runs) CHECK(one == 1);
        });
    });
  });
}

TEST_CASE("the lock excludes gangs of all kernels from one another") {
  runtime rt({.workers = 3});
  long sum = 0;  // guarded by the lock
  void* arguments[] = {&sum};
  const auto add = [](void** of, long, long) {
    for (int i = 0; i < 1000; ++i) {
      stretto_acc_lock();
      ++*static_cast<long*>(of[0]);
      stretto_acc_unlock();
    }
  };
  rt.run([&] {
    finish([&] {
      for (int n = 0; n < 4; ++n) async([&] { acc::host_accelerator::run(add, arguments, 6, 0); });
    });
  });
  CHECK(sum == 24'000);
}
