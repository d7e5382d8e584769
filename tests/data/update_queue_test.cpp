#include <doctest/doctest.h>

#include <deque>
#include <random>
#include <vector>

#include "data/update_queue.hpp"

using namespace stretto;
using data::update_queue;

namespace {

base::thread_context* const nowhere = nullptr;

struct noted : update_queue::turn {
  noted(const box& b, std::vector<int>& o, int n)
      : turn(b,
             [](turn& self, base::thread_context&) noexcept {
               auto& mine = static_cast<noted&>(self);
               mine.order.push_back(mine.number);
             }),
        order(o),
        number(n) {}
  std::vector<int>& order;
  int number;
};

}  // namespace

TEST_CASE("turns on boxes that meet begin one after another, those on others at once") {
  update_queue queue;
  std::vector<int> order;
  noted a(box(0, 10), order, 0), b(box(5, 15), order, 1), c(box(12, 20), order, 2), d(box(20, 30), order, 3);
  CHECK(queue.begin(a));
  CHECK_FALSE(queue.begin(b));
  CHECK_FALSE(queue.begin(c));  // behind b
  CHECK(queue.begin(d));
  CHECK_FALSE(queue.try_begin(c));
  queue.end(a, *nowhere);
  CHECK(order == std::vector{1});
  queue.end(d, *nowhere);
  CHECK(order == std::vector{1});
  queue.end(b, *nowhere);
  CHECK(order == std::vector{1, 2});
  queue.end(c, *nowhere);
  CHECK(queue.try_begin(a));
}

TEST_CASE("any turns all begin once, in their order where they meet, and never two at once where they do") {
  constexpr std::size_t turns = 50;  // each step checks all pairs
  std::mt19937 random(3);
  for (int round = 0; round < 50; ++round) {
    update_queue queue;
    std::vector<int> granted;
    std::deque<noted> all;
    std::vector<bool> begun, over;
    const auto begin_granted = [&] {
      for (const int n : granted) begun[static_cast<std::size_t>(n)] = true;
      granted.clear();
    };
    std::size_t ended = 0;
    while (ended < turns) {
      if (all.size() < turns && random() % 2) {
        const auto from = static_cast<coordinate>(random() % 40);
        const int n = static_cast<int>(all.size());
        all.emplace_back(box(from, from + 1 + static_cast<coordinate>(random() % 20)), granted, n);
        begun.push_back(queue.begin(all.back()));
        over.push_back(false);
      } else {
        const std::size_t n = random() % turns;
        if (n >= all.size() || !begun[n] || over[n]) continue;
        over[n] = true;
        ++ended;
        queue.end(all[n], *nowhere);
      }
      begin_granted();
      bool right = true;
      for (std::size_t i = 0; i < all.size(); ++i)
        for (std::size_t k = i + 1; k < all.size(); ++k)
          if (all[i].where.meets(all[k].where)) right = right && !(begun[k] && !over[i]);
      REQUIRE(right);
    }
  }
}

TEST_CASE("turns that wait for a destroyed instance are granted") {
  update_queue queue;
  std::vector<int> order;
  noted a(box(0, 10), order, 0), b(box(5, 15), order, 1), c(box(5, 15), order, 2);
  queue.begin(a), queue.begin(b), queue.begin(c);
  queue.dissolve(*nowhere);
  CHECK(order == std::vector{1, 2});
  queue.end(b, *nowhere);
  queue.end(a, *nowhere);
  CHECK(queue.try_begin(c));
}
