// Tasks of threads without a worker run, however few workers there are and whatever these do.
#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include <stretto/stretto.hpp>

using namespace stretto;

namespace {

/// All the ways in which an attached thread can submit work and wait for it.
void work_of_attached_thread(runtime& rt) {
  attached_thread here(rt);
  CHECK(async([] { return 1; }).get() == 1);
  CHECK(async(priority(5), [] { return 2; }).get() == 2);
  CHECK(async(at(rt.machine().pop_path(0).front()), [] { return 3; }).get() == 3);
  const auto first = async([] { return 4; });
  CHECK(async(after(first), [first] { return first.get() + 1; }).get() == 5);
  std::atomic<int> sum{0};
  finish([&] {
    for (int i = 0; i < 100; ++i)
      async([&] {
        async([&] { ++sum; });
        yield();
        ++sum;
      });
  });
  CHECK(sum == 200);
  const auto gate = user_event::create();
  const auto waiting = async([gate] {
    wait(gate);
    return this_worker();
  });
  async([gate] { gate.trigger(); });
  CHECK(waiting.get() < rt.workers());
  forasync(box(0, 100), extent(1), [&](coordinate) { ++sum; }).get();
  CHECK(sum == 300);
  CHECK_THROWS_AS(async([] { throw 7; }).get(), int);
}

}  // namespace

TEST_CASE("tasks of an attached thread run while no thread is inside run") {
  for (const std::uint32_t workers : {1u, 2u}) {
    runtime rt({.workers = workers});
    std::thread([&] { work_of_attached_thread(rt); }).join();
    work_of_attached_thread(rt);  // on the thread that made the runtime
  }
}

TEST_CASE("tasks of an attached thread run while the body of run waits for that thread") {
  for (const std::uint32_t workers : {1u, 2u}) {
    runtime rt({.workers = workers});
    rt.run([&] { std::thread([&] { work_of_attached_thread(rt); }).join(); });
    rt.run([&] { async([&] { std::thread([&] { work_of_attached_thread(rt); }).join(); }).get(); });
  }
}

TEST_CASE("attached threads and runs with one worker come and go together") {
  runtime rt({.workers = 1});
  std::atomic<bool> over{false};
  std::thread other([&] {
    while (!over) work_of_attached_thread(rt);
  });
  std::atomic<int> ran{0};
  for (int i = 0; i < 50; ++i)
    rt.run([&] {
      async([&] {
        CHECK(this_worker() == 0);
        ++ran;
      }).get();
    });
  over = true;
  other.join();
  CHECK(ran == 50);
}

TEST_CASE("tasks that an attached thread leaves behind run before the runtime ends") {
  std::atomic<int> ran{0};
  {
    runtime rt({.workers = 1});
    attached_thread here(rt);
    for (int i = 0; i < 100; ++i) async([&] { async([&] { ++ran; }); });
  }
  CHECK(ran == 100);
}
