#include "device/completion_notifier.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include "campaign.hpp"

using namespace stretto::device;

TEST_CASE("a bell that was rung is not awaited before somebody relies on it again") {
  int calls = 0;
  bell b([&] { ++calls; });
  CHECK_FALSE(b.is_awaited());
  b.await();
  CHECK(b.is_awaited());
  b.ring();
  CHECK(calls == 1);
  CHECK_FALSE(b.is_awaited());
  b.ring();
  CHECK(calls == 2);
}

TEST_CASE("whoever is called may rely on the bell anew") {
  bell* it = nullptr;
  bell b([&] { it->await(); });
  it = &b;
  b.ring();
  CHECK(b.is_awaited());
}

TEST_CASE("once a bell is down nobody is called, nor inside a call") {
  for (int round = 0; round < stretto::test::scaled(12, 50); ++round) {
    std::atomic<bool> is_down{false}, late{false}, ends{false};
    bell b([&] { late = late || is_down; });
    std::thread rings([&] {
      while (!ends) b.ring();
    });
    b.take_down();
    is_down = true;
    for (int i = 0; i < 100; ++i) std::this_thread::yield();
    ends = true;
    rings.join();
    CHECK_FALSE(late);
  }
}
