// The table of pending replies without a network: records of a runtime, and messages that are not sent.
#include "mobile/pending_replies.hpp"

#include <stretto/finish.hpp>
#include <stretto/runtime.hpp>
#include <stretto/task.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <source_location>
#include <vector>

#include "event/event_floor.hpp"
#include "sched/scope_counting.hpp"

namespace stretto::mobiles {
namespace {

base::thread_context& context() { return base::require_current("a test"); }

/// A call that the caller's scope counts.
sched::task_record& new_call() {
  sched::count_spawned(static_cast<sched::thread_state&>(context()));
  return static_cast<sched::task_record&>(
      *detail::make_task(0, detail::value_type<void>, std::source_location::current(), {}).record);
}

struct asked {
  pending_replies all;
  std::uint64_t add(std::uint64_t object) {
    sched::task_record& r = new_call();
    const auto msg = make_remote_message();
    msg->object = object_id{object};
    msg->number = next++;
    all.add(r, nullptr, msg);
    r.release();  // its future is not used
    return msg->request;
  }
  std::shared_ptr<const remote_message> complete(reply_stage what, std::uint64_t request, rank by = 1) {
    return all.complete(what, request, by, {}, {}, context());
  }
  std::vector<std::uint64_t> numbers(object_id of = {}) {
    std::vector<std::uint64_t> found;
    for (const auto& msg : all.unanswered(of)) found.push_back(msg->number);
    return found;
  }
  std::uint64_t next = 0;
};

template <class F>
void inside(F&& f) {
  runtime rt({.workers = 1});
  rt.run([&] { finish([&] { f(); }); });
}

using numbers = std::vector<std::uint64_t>;

TEST_CASE("unanswered messages are listed in the order of sending, for all objects or for one") {
  inside([] {
    asked a;
    std::vector<std::uint64_t> requests;
    for (const std::uint64_t o : {7u, 8u, 7u, 7u, 8u, 7u}) requests.push_back(a.add(o));
    CHECK(a.numbers() == numbers{0, 1, 2, 3, 4, 5});
    CHECK(a.numbers(object_id{7}) == numbers{0, 2, 3, 5});
    for (const int i : {0, 3, 4}) {
      const auto msg = a.complete(reply_stage::value_and_end, requests[static_cast<std::size_t>(i)]);
      REQUIRE(msg);
      CHECK(msg->number == static_cast<std::uint64_t>(i));
    }
    requests.push_back(a.add(7));  // in a slot that was used before
    CHECK(a.numbers() == numbers{1, 2, 5, 6});
    CHECK(a.numbers(object_id{8}) == numbers{1});
    for (const std::size_t i : {1u, 2u, 5u, 6u}) CHECK(a.complete(reply_stage::value_and_end, requests[i]));
    CHECK(a.numbers().empty());
  });
}

TEST_CASE("a reply ends its request once, and no later request in the same slot") {
  inside([] {
    asked a;
    const auto first = a.add(1);
    CHECK(a.complete(reply_stage::value_and_end, first));
    CHECK_FALSE(a.complete(reply_stage::value_and_end, first));
    const auto second = a.add(1);
    CHECK(second != first);
    CHECK_FALSE(a.complete(reply_stage::value_and_end, first));
    CHECK_FALSE(a.complete(reply_stage::end, first));
    CHECK(a.numbers() == numbers{1});
    CHECK(a.complete(reply_stage::value_and_end, second));
    CHECK_FALSE(a.complete(reply_stage::value_and_end, 0));
  });
}

TEST_CASE("value and end arrive in either order: the value completes the message, both the scope") {
  inside([] {
    asked a;
    const auto one = a.add(1), other = a.add(1);
    CHECK(a.complete(reply_stage::value, one));
    CHECK(a.numbers() == numbers{1});
    CHECK_FALSE(a.complete(reply_stage::value, one));  // it was resent, and answered twice
    CHECK_FALSE(a.complete(reply_stage::end, one));
    CHECK_FALSE(a.complete(reply_stage::end, other));
    CHECK(a.numbers() == numbers{1});
    CHECK(a.complete(reply_stage::value, other));
    CHECK(a.numbers().empty());
    CHECK_FALSE(a.complete(reply_stage::end, other));
  });  // it ends, as all that the scope has counted has ended
}

TEST_CASE("a node failure ends the requests whose value that node has sent, and no others") {
  inside([] {
    asked a;
    const auto given = a.add(1), waits = a.add(1), by_another = a.add(1);
    CHECK(a.complete(reply_stage::value, given, 1));
    CHECK(a.complete(reply_stage::value, by_another, 2));
    a.all.on_node_failed(1, {}, context());
    CHECK(a.numbers() == numbers{1});
    CHECK_FALSE(a.complete(reply_stage::end, given, 1));
    CHECK_FALSE(a.complete(reply_stage::end, by_another, 2));  // the first such reply
    CHECK(a.complete(reply_stage::value_and_end, waits, 2));
  });
}

}  // namespace
}  // namespace stretto::mobiles
