#include "device/completion_notifier.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include "campaign.hpp"

using namespace stretto::device;

TEST_CASE("a notification disarms the notifier until it is armed again") {
  int calls = 0;
  completion_notifier b([&] { ++calls; });
  CHECK_FALSE(b.is_armed());
  b.arm();
  CHECK(b.is_armed());
  b.notify();
  CHECK(calls == 1);
  CHECK_FALSE(b.is_armed());
  b.notify();
  CHECK(calls == 2);
}

TEST_CASE("the callback may arm the notifier again") {
  completion_notifier* it = nullptr;
  completion_notifier b([&] { it->arm(); });
  it = &b;
  b.notify();
  CHECK(b.is_armed());
}

TEST_CASE("after disconnect no callback starts or is still running") {
  for (int round = 0; round < stretto::test::scaled(12, 50); ++round) {
    std::atomic<bool> is_down{false}, late{false}, ends{false};
    completion_notifier b([&] { late = late || is_down; });
    std::thread rings([&] {
      while (!ends) b.notify();
    });
    b.disconnect();
    is_down = true;
    for (int i = 0; i < 100; ++i) std::this_thread::yield();
    ends = true;
    rings.join();
    CHECK_FALSE(late);
  }
}
