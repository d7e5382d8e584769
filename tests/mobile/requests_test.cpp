// What waits for answers, apart from who sends: records of a runtime's own, and letters that go nowhere.
#include "mobile/requests.hpp"

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

/// A call that is counted in the scope of whoever makes it.
sched::task_record& new_call() {
  sched::count_spawned(static_cast<sched::thread_state&>(context()));
  return static_cast<sched::task_record&>(*detail::make_task(0, detail::value_type<void>, std::source_location::current(), {}).record);
}

struct asked {
  requests all;
  std::uint64_t add(object_id object) {
    sched::task_record& r = new_call();
    const auto l = new_letter();
    l->object = object;
    l->number = next++;
    all.add(r, nullptr, l);
    r.release();  // nobody has its future
    return l->request;
  }
  std::shared_ptr<const far_letter> take(outcome what, std::uint64_t request, rank by = 1) { return all.take(what, request, by, {}, {}, context()); }
  std::vector<std::uint64_t> numbers(object_id of = 0) {
    std::vector<std::uint64_t> found;
    for (const auto& l : all.unanswered(of)) found.push_back(l->number);
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

TEST_CASE("what is not answered is told in the order of sending, of all objects or of one") {
  inside([] {
    asked a;
    std::vector<std::uint64_t> requests;
    for (const object_id o : {7, 8, 7, 7, 8, 7}) requests.push_back(a.add(o));
    CHECK(a.numbers() == numbers{0, 1, 2, 3, 4, 5});
    CHECK(a.numbers(7) == numbers{0, 2, 3, 5});
    for (const int i : {0, 3, 4}) {
      const auto l = a.take(outcome::value_and_end, requests[static_cast<std::size_t>(i)]);
      REQUIRE(l);
      CHECK(l->number == static_cast<std::uint64_t>(i));
    }
    requests.push_back(a.add(7));  // in a slot that has served before
    CHECK(a.numbers() == numbers{1, 2, 5, 6});
    CHECK(a.numbers(8) == numbers{1});
    for (const std::size_t i : {1u, 2u, 5u, 6u}) CHECK(a.take(outcome::value_and_end, requests[i]));
    CHECK(a.numbers().empty());
  });
}

TEST_CASE("an answer ends its request once, and none that has its slot later") {
  inside([] {
    asked a;
    const auto first = a.add(1);
    CHECK(a.take(outcome::value_and_end, first));
    CHECK_FALSE(a.take(outcome::value_and_end, first));
    const auto second = a.add(1);
    CHECK(second != first);
    CHECK_FALSE(a.take(outcome::value_and_end, first));
    CHECK_FALSE(a.take(outcome::end, first));
    CHECK(a.numbers() == numbers{1});
    CHECK(a.take(outcome::value_and_end, second));
    CHECK_FALSE(a.take(outcome::value_and_end, 0));
  });
}

TEST_CASE("a value and an end may come in either order; the letter is answered with the value, the scope with both") {
  inside([] {
    asked a;
    const auto one = a.add(1), other = a.add(1);
    CHECK(a.take(outcome::value, one));
    CHECK(a.numbers() == numbers{1});
    CHECK_FALSE(a.take(outcome::value, one));  // it was sent again, and answered twice
    CHECK_FALSE(a.take(outcome::end, one));
    CHECK_FALSE(a.take(outcome::end, other));
    CHECK(a.numbers() == numbers{1});
    CHECK(a.take(outcome::value, other));
    CHECK(a.numbers().empty());
    CHECK_FALSE(a.take(outcome::end, other));
  });  // which ends, as all that the scope has counted has
}

TEST_CASE("with a node end those that it has given the value of, and no others") {
  inside([] {
    asked a;
    const auto given = a.add(1), waits = a.add(1), by_another = a.add(1);
    CHECK(a.take(outcome::value, given, 1));
    CHECK(a.take(outcome::value, by_another, 2));
    a.all.lost(1, {}, context());
    CHECK(a.numbers() == numbers{1});
    CHECK_FALSE(a.take(outcome::end, given, 1));
    CHECK_FALSE(a.take(outcome::end, by_another, 2));  // the first
    CHECK(a.take(outcome::value_and_end, waits, 2));
  });
}

}  // namespace
}  // namespace stretto::mobiles
