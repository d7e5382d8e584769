#include "acc/activity_queues.hpp"

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <memory>
#include <stdexcept>
#include <stretto/stretto.hpp>
#include <string>
#include <vector>

#include "campaign.hpp"

using namespace stretto;

namespace {

/// Runs a body with queues, on two workers.
template <class Body>
void with_queues(Body body) {
  runtime rt({.workers = 2});
  rt.run([&] {
    acc::activity_queues queues;
    body(queues);
  });
}

constexpr acc::operation_text at_line{"region", "x.c:1"};

}  // namespace

TEST_CASE("operations of a queue run one after another, in their order") {
  with_queues([](acc::activity_queues& queues) {
    std::vector<int> order;  // no two operations run at the same time
    const int count = test::scaled(200, 20'000);
    for (int n = 0; n < count; ++n) queues.enqueue(1, at_line, [&, n] { order.push_back(n); });
    queues.wait_for(1);
    REQUIRE(static_cast<int>(order.size()) == count);
    for (int n = 0; n < count; ++n) CHECK(order[static_cast<std::size_t>(n)] == n);
  });
}

TEST_CASE("an operation of one queue may wait for one of another that comes later") {
  with_queues([](acc::activity_queues& queues) {
    promise<void> reached;
    const future<void> is_reached = reached.get_future();
    bool has_ended = false;
    queues.enqueue(1, at_line, [&] {
      wait(is_reached);
      has_ended = true;
    });
    queues.enqueue(2, at_line, [&] { reached.set(); });
    queues.wait_for(1);
    CHECK(has_ended);
    CHECK(queues.has_ended(2));
  });
}

TEST_CASE("a queue has ended when all of its operations have, and one without operations always has") {
  with_queues([](acc::activity_queues& queues) {
    CHECK(queues.has_ended(5));
    CHECK(queues.have_all_ended());
    queues.wait_for(5);
    queues.wait_for_all();
    CHECK(queues.numbers().empty());
    promise<void> reached;
    queues.enqueue(5, at_line, [is_reached = reached.get_future()] { wait(is_reached); });
    CHECK(!queues.has_ended(5));
    CHECK(!queues.have_all_ended());
    CHECK(queues.has_ended(6));
    reached.set();
    queues.wait_for(5);
    CHECK(queues.has_ended(5));
    CHECK(queues.have_all_ended());
    CHECK(queues.numbers() == std::vector<int>{5});
  });
}

TEST_CASE("a queue may wait for others, and the caller does not") {
  with_queues([](acc::activity_queues& queues) {
    std::array<promise<void>, 2> reached;
    std::atomic<int> passed = 0;
    for (int n = 0; n < 2; ++n)
      queues.enqueue(n, at_line, [&passed, until = reached[static_cast<std::size_t>(n)].get_future()] {
        wait(until);
        ++passed;
      });
    int seen = 0;
    queues.make_wait(2, std::array{0, 1, 2, 9});
    queues.enqueue(2, at_line, [&] { seen = passed; });
    promise<void> much_later;
    queues.enqueue(0, at_line, [until = much_later.get_future()] { wait(until); });  // queue 2 does not wait for it
    CHECK(!queues.has_ended(2));
    reached[0].set();
    CHECK(!queues.has_ended(2));
    reached[1].set();
    queues.wait_for(2);
    CHECK(seen == 2);
    CHECK(!queues.has_ended(0));
    much_later.set();
    queues.wait_for_all();
  });
}

TEST_CASE("a failed operation is the result of each wait for its queue, also by other queues") {
  with_queues([](acc::activity_queues& queues) {
    bool has_run = false;
    queues.enqueue(1, at_line, [] { throw std::runtime_error("overheated"); });
    queues.enqueue(1, at_line, [&] { has_run = true; });
    queues.make_wait(2, std::array{1});
    for (int n = 0; n < 2; ++n) {
      CHECK_THROWS(queues.wait_for(1));
      CHECK_THROWS(queues.wait_for(2));
      CHECK_THROWS(queues.wait_for_all());
    }
    CHECK(!has_run);
    CHECK(queues.has_ended(1));
    queues.enqueue(3, at_line, [] {});
    queues.wait_for(3);
  });
}

TEST_CASE("a queue waits for an event, and its end is one") {
  with_queues([](acc::activity_queues& queues) {
    const user_event ready = user_event::create();
    CHECK(queues.end_of(1, std::source_location::current()).has_triggered());
    std::atomic<int> runs{0};
    queues.make_wait(1, ready);
    queues.enqueue(1, at_line, [&] { ++runs; });
    const event end = queues.end_of(1, std::source_location::current());
    queues.enqueue(1, at_line, [&] { ++runs; });
    CHECK(!end.has_triggered());
    ready.trigger();
    wait(end);
    CHECK(runs >= 1);
    queues.wait_for(1);
    CHECK(runs == 2);
  });
}

TEST_CASE("a report names what queues have not ended, with its lines") {
  with_queues([](acc::activity_queues& queues) {
    const user_event ready = user_event::create(), sent = user_event::create();
    CHECK(queues.pending_text().empty());
    queues.enqueue(1, {"region", "x.c:1"}, [] {});
    queues.wait_for(1);
    queues.make_wait(1, ready);
    queues.enqueue(1, {"region", "x.c:5"}, [] {});
    queues.enqueue_message(1, "x.c:7", [&] { sent.trigger(); }, sent);
    CHECK(queues.pending_text() == "queue 1: region at x.c:5, message at x.c:7");
    queues.make_wait(3, ready);
    for (int n = 0; n < 5; ++n) queues.enqueue(3, {"data", "x.c:9"}, [] {});
    CHECK(queues.pending_text() ==
          "queue 1: region at x.c:5, message at x.c:7; "
          "queue 3: data at x.c:9, data at x.c:9, data at x.c:9, 2 more");
    ready.trigger();
    queues.wait_for_all();
    CHECK(queues.pending_text().empty());
  });
}

TEST_CASE("messages of a queue are under way together, and operations behind them wait for their ends") {
  with_queues([](acc::activity_queues& queues) {
    const user_event received = user_event::create();  // the end of both messages
    std::vector<std::string> order;                    // no two of these run at the same time
    queues.enqueue(1, at_line, [&] { order.push_back("kernel"); });
    queues.enqueue_message(1, "x.c:3", [&] { order.push_back("send"); }, received);
    queues.enqueue_message(
        1, "x.c:3",
        [&] {
          order.push_back("receive");
          received.trigger();
        },
        received);
    queues.enqueue(1, at_line, [&] { order.push_back("next"); });
    queues.wait_for(1);
    CHECK(order == std::vector<std::string>{"kernel", "send", "receive", "next"});
    CHECK(queues.has_ended(1));
  });
}

TEST_CASE("a queue has not ended, and others wait for it, until the ends of its messages") {
  with_queues([](acc::activity_queues& queues) {
    const user_event received = user_event::create();
    bool has_ended = false;
    queues.enqueue_message(1, "x.c:3", [] {}, received);
    bool was_ended = false;
    queues.make_wait(2, std::array{1});
    queues.enqueue(2, at_line, [&] { was_ended = has_ended; });
    CHECK(!queues.has_ended(1));
    CHECK(!queues.has_ended(2));
    has_ended = true;
    received.trigger();
    queues.wait_for(2);
    CHECK(was_ended);
    queues.wait_for(1);
    CHECK(queues.has_ended(1));
  });
}

TEST_CASE("messages that follow one another begin in their order, and not ahead of what their queue waits for") {
  with_queues([](acc::activity_queues& queues) {
    const user_event ready = user_event::create(), begun = user_event::create(), later = user_event::create();
    std::string order;  // no two of these run at the same time
    queues.make_wait(1, ready);
    for (const char one : {'a', 'b'}) queues.enqueue_message(1, "x.c:3", [&order, one] { order += one; }, {});
    queues.enqueue_message(1, "x.c:4", [&] { begun.trigger(); }, {});
    queues.make_wait(1, later);
    queues.enqueue_message(1, "x.c:5", [&] { order += 'c'; }, {});
    ready.trigger();
    wait(begun);
    CHECK(order == "ab");
    later.trigger();
    queues.wait_for(1);
    CHECK(order == "abc");
  });
}

TEST_CASE("a message behind a failed operation does not begin, and is destroyed") {
  with_queues([](acc::activity_queues& queues) {
    const user_event destroyed = user_event::create();
    bool has_begun = false;
    std::shared_ptr<void> kept(nullptr, [destroyed](void*) { destroyed.trigger(); });
    queues.enqueue(1, at_line, [] { throw std::runtime_error("no data"); });
    queues.enqueue_message(1, "x.c:3", [&has_begun, until = std::move(kept)] { has_begun = true; }, destroyed);
    CHECK_THROWS_AS(queues.wait_for(1), std::exception);
    CHECK(!has_begun);
  });
}

TEST_CASE("several tasks put operations into the same queues") {
  with_queues([](acc::activity_queues& queues) {
    std::array<int, 3> sums = {};  // each is changed by operations of one queue
    const int each = test::scaled(50, 5'000);
    finish([&] {
      for (int n = 0; n < 4; ++n)
        async([&] {
          for (int i = 0; i < each; ++i)
            for (int queue = 0; queue < 3; ++queue)
              queues.enqueue(queue, at_line, [&sums, queue] { ++sums[static_cast<std::size_t>(queue)]; });
        });
    });
    queues.wait_for_all();
    for (const int sum : sums) CHECK(sum == 4 * each);
  });
}
