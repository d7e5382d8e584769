#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include "ranks/process/call_reading.hpp"

using stretto::ranks::call_reading;

TEST_CASE("a rank that resumes waits until its call has been read") {
  std::atomic<bool> has_begun = false, has_resumed = false;
  std::thread rank;
  {
    const call_reading reading;
    rank = std::thread([&] {
      has_begun = true;
      call_reading::wait_until_over();
      has_resumed = true;
    });
    while (!has_begun) std::this_thread::yield();
    for (int i = 0; i < 100; ++i) std::this_thread::yield();
    CHECK_FALSE(has_resumed);
  }
  rank.join();
  CHECK(has_resumed);
}

TEST_CASE("a rank never goes on with a call that a reader has found") {
  std::atomic<volatile int*> call = nullptr;
  std::atomic<bool> has_ended = false;
  std::thread rank([&] {
    for (int i = 0; i < 20'000; ++i) {
      volatile int on_stack = 1;
      call.store(&on_stack, std::memory_order_release);
      call.store(nullptr, std::memory_order_relaxed);
      call_reading::wait_until_over();
      on_stack = 2;
    }
    has_ended = true;
  });
  while (!has_ended) {
    const call_reading reading;
    const volatile int* const found = call.load(std::memory_order_acquire);
    if (found) REQUIRE(*found == 1);
  }
  rank.join();
}
