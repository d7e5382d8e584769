#include "sched/deque.hpp"

#include <doctest/doctest.h>

#include <random>
#include <thread>
#include <vector>

#include "campaign.hpp"

using stretto::sched::deque;
using stretto::sched::item;

namespace {

std::vector<item> taken(std::size_t n, const item* items) { return {items, items + n}; }

}  // namespace

TEST_CASE("the owner of a deque gets the newest item") {
  deque d(4);
  for (item i = 1; i <= 100; ++i) d.push(i);
  CHECK_FALSE(d.pop_if(99));
  CHECK(d.pop_if(100));
  for (item i = 99; i >= 1; --i) CHECK(d.pop() == i);
  CHECK(d.pop() == 0);
  CHECK_FALSE(d.pop_if(1));
  CHECK(d.size() == 0);
}

TEST_CASE("after a steal request the owner publishes all but the newest item at its next push") {
  deque d;
  item out[8];
  for (item i = 1; i <= 7; ++i) d.push(i);
  CHECK(d.take_offered(out, 8) == 0);
  d.request_steal();
  CHECK(d.take_offered(out, 8) == 0);
  CHECK(d.steal_replies() == 0);
  d.push(8);
  CHECK(d.steal_replies() == 1);
  CHECK(taken(d.take_offered(out, 8), out) == std::vector<item>{1, 2, 3, 4});
  CHECK(taken(d.take_offered(out, 1), out) == std::vector<item>{5});
  for (item i = 8; i >= 6; --i) CHECK(d.pop() == i);
  CHECK(d.pop() == 0);
}

TEST_CASE("after a steal request the owner publishes the remaining items at its next pop") {
  deque d;
  item out[8];
  for (item i = 1; i <= 2; ++i) d.push(i);
  d.request_steal();
  CHECK(d.pop() == 2);
  CHECK(taken(d.take_offered(out, 8), out) == std::vector<item>{1});
  CHECK(d.pop() == 0);
}

TEST_CASE("a steal request to an empty deque stays, and the first push that leaves two items replies to it") {
  deque d;
  item out[8];
  d.request_steal();
  CHECK(d.pop() == 0);
  d.push(1);
  CHECK(d.is_steal_requested());
  CHECK(d.take_offered(out, 8) == 0);  // the owner is about to run it
  d.push(2);
  d.push(3);
  CHECK(taken(d.take_offered(out, 8), out) == std::vector<item>{1});
  CHECK(d.pop() == 3);
  CHECK(taken(d.take_offered(out, 8), out) == std::vector<item>{2});
  CHECK(d.pop() == 0);
}

TEST_CASE("a steal request does not publish a single item that was just pushed") {
  deque d;
  item out[8];
  d.request_steal();
  d.push(1);
  CHECK(d.take_offered(out, 8) == 0);
  CHECK(d.pop() == 1);
  d.push(2);
  CHECK(d.pop_if(2));
  CHECK(d.pop() == 0);
}

TEST_CASE("the owner withdraws a steal request after enough replies") {
  deque d;
  item out[8];
  d.request_steal();
  item i = 0;
  while (d.is_steal_requested()) {
    d.push(++i);
    REQUIRE(i < 1000);
  }
  while (d.take_offered(out, 8)) {
  }
  const auto replies = d.steal_replies();
  d.push(++i);
  CHECK(d.steal_replies() == replies);
  CHECK(d.take_offered(out, 8) == 0);
  CHECK(d.pop() == i);
  CHECK(d.pop() == i - 1);
  CHECK(d.pop() == 0);
}

TEST_CASE("a forced steal takes half of the owner's private items") {
  stretto::base::asymmetric::prepare();
  deque d;
  item out[8];
  for (item i = 1; i <= 4; ++i) d.push(i);
  CHECK(taken(d.force_steal(out, 8), out) == std::vector<item>{1});
  CHECK(taken(d.force_steal(out, 8), out) == std::vector<item>{2});
  CHECK(d.pop() == 4);
  CHECK(taken(d.force_steal(out, 8), out) == std::vector<item>{3});
  CHECK(d.force_steal(out, 8) == 0);
  CHECK(d.pop() == 0);
}

TEST_CASE("every item leaves a deque exactly once, whoever takes it") {
  stretto::base::asymmetric::prepare();
  const int rounds = stretto::test::scaled(20, 1000);
  constexpr std::size_t items = 20000;
  constexpr int thieves = 3;
  for (int round = 0; round < rounds; ++round) {
    deque d(2);
    std::atomic<bool> over{false};
    std::vector<std::vector<item>> got(thieves + 1);
    std::vector<std::thread> threads;
    for (int n = 0; n < thieves; ++n)
      threads.emplace_back([&, n] {
        std::mt19937 random(static_cast<unsigned>(round * 10 + n));
        item out[64];
        while (!over.load(std::memory_order_acquire)) {
          const std::size_t most = 1 + random() % 64;
          std::size_t found = 0;
          switch (random() % 4) {
            case 0: d.request_steal(); break;
            case 1: found = d.force_steal(out, most); break;
            default: found = d.take_offered(out, most); break;
          }
          got[static_cast<std::size_t>(n)].insert(got[static_cast<std::size_t>(n)].end(), out, out + found);
          if (!found) std::this_thread::yield();
        }
      });
    std::mt19937 random(static_cast<unsigned>(round));
    auto& mine = got.back();
    for (item next = 1; next <= items;) {
      for (auto n = random() % 16; n-- && next <= items;) d.push(next++);
      for (auto n = random() % 16; n--;)
        if (const item i = d.pop()) mine.push_back(i);
      if (next <= items) {
        d.push(next);
        if (d.pop_if(next)) mine.push_back(next);
        ++next;
      }
    }
    while (const item i = d.pop()) mine.push_back(i);
    CHECK(d.size() == 0);
    over.store(true, std::memory_order_release);
    for (auto& t : threads) t.join();
    std::vector<int> seen(items + 1, 0);
    for (const auto& part : got)
      for (item i : part) ++seen[i];
    std::size_t wrong = 0;
    for (std::size_t i = 1; i <= items; ++i) wrong += seen[i] != 1;
    CHECK(wrong == 0);
  }
}
