// The number of a stream's operations that one driver event covers.
#include <doctest/doctest.h>

#include <random>

#include "counting_completion.hpp"
#include "device/stream_completion_queue.hpp"

namespace stretto::device {
namespace {

using namespace std::chrono_literals;

using counted = test::counting_completion;

/// A stream whose operations take `each`, of which `n` are enqueued at once and which is polled every `pause`. Returns
/// how many events there were.
std::size_t events_of(std::size_t n, std::chrono::nanoseconds each, std::chrono::nanoseconds pause,
                      stream_completion_queue& ends) {
  std::vector<counted> all(n);
  std::deque<std::size_t> told;  // operations up to each event
  std::size_t events = 0;
  stream_completion_queue::time now{};
  for (std::size_t i = 0; i < n; ++i) {
    const bool own = ends.next_needs_event();
    CHECK(own >= (i == 0));
    ends.add(&all[i], own, now);
    if (own) told.push_back(i + 1), ++events;
  }
  std::vector<places::completion*> ended;
  while (ended.size() < n) {
    now += pause;
    const auto done = static_cast<std::size_t>(now.time_since_epoch() / each);
    while (!told.empty() && told.front() <= done) ends.complete_oldest(ended, {}), told.pop_front();
    ends.update_rate(now);
    if (ends.needs_event()) ends.add_event(), told.push_back(n), ++events;
  }
  for (std::size_t i = 0; i < n; ++i) CHECK(ended[i] == &all[i]);
  CHECK(ends.is_idle());
  CHECK_FALSE(ends.has_events());
  return events;
}

TEST_CASE("one event covers many short operations, and each long one has its own") {
  stream_completion_queue quick, slow;
  events_of(100, 1us, 10us, quick);  // measurements for the estimate
  events_of(100, 5ms, 1ms, slow);
  CHECK(quick.operations_per_event() >= 32);
  CHECK(events_of(1000, 1us, 10us, quick) <= 1000 / 32 + 3);
  CHECK(slow.operations_per_event() == 1);
  CHECK(events_of(100, 5ms, 1ms, slow) == 100);
  // It learns anew.
  for (int i = 0; i < 20; ++i) events_of(50, 5ms, 1ms, quick);
  CHECK(quick.operations_per_event() == 1);
}

TEST_CASE("every completion is reported once and in order, for any operations and polls") {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    stream_completion_queue ends;
    std::vector<counted> all(500);
    std::size_t added = 0, events = 0, happened = 0;
    std::vector<std::size_t> behind;  // how many each event tells of, in all
    std::vector<places::completion*> ended;
    stream_completion_queue::time now{};
    while (ended.size() < all.size()) {
      now += std::chrono::nanoseconds(random() % 100'000);
      if (added < all.size() && random() % 3) {
        const bool own = ends.next_needs_event();
        ends.add(&all[added++], own, now);
        if (own) behind.push_back(added), ++events;
        continue;
      }
      for (std::size_t n = random() % 3; n && happened < events; --n) ends.complete_oldest(ended, {}), ++happened;
      if (happened) CHECK(ended.size() == behind[happened - 1]);
      ends.update_rate(now);
      if (ends.needs_event()) ends.add_event(), behind.push_back(added), ++events;
    }
    for (std::size_t i = 0; i < all.size(); ++i) CHECK(ended[i] == &all[i]);
  }
}

TEST_CASE("the failure of an event is that of all operations that it covers, and of no other") {
  stream_completion_queue ends;
  counted a, b, c;
  std::vector<places::completion*> ended;
  const auto why = std::make_exception_ptr(1);
  ends.add(&a, true, {});
  ends.add(&b, false, {});
  ends.add(&c, true, {});
  ends.complete_oldest(ended, {});
  CHECK(ended.size() == 1);
  CHECK_FALSE(a.failure);
  ends.complete_oldest(ended, why);
  CHECK(b.failure == why);
  CHECK(c.failure == why);
}

}  // namespace
}  // namespace stretto::device
