#include "dist/remote_calls.hpp"

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "campaign.hpp"
#include "event/event_floor.hpp"

namespace stretto::dist {
namespace {

struct waiting_caller {
  unsigned callee = 0;
  int value = 0;  // 0: its value was taken
  waiting_caller take_value() { return {callee, std::exchange(value, 0)}; }
};
using table_of_callers = remote_calls<waiting_caller>;

failure_ref some_failure(const char* text) {
  return detail::make_failure(std::make_exception_ptr(std::runtime_error(text)), "a test", {});
}

TEST_CASE("a reply returns its call once, and a late or repeated one nothing") {
  table_of_callers calls;
  const auto a = calls.add({1, 10}), b = calls.add({2, 20});
  CHECK(a != call_number{});
  CHECK(a != b);
  CHECK(calls.size() == 2);
  const auto first = calls.complete(b);
  REQUIRE(first);
  CHECK(first->value == 20);
  CHECK_FALSE(calls.complete(b));
  CHECK_FALSE(calls.complete(call_number{}));
  CHECK_FALSE(calls.complete(b, reply_stage::value));
  CHECK(calls.size() == 1);
  const auto c = calls.add({3, 30});  // takes the place of b, under another number
  CHECK(c != b);
  CHECK_FALSE(calls.complete(b));
  CHECK(calls.complete(c)->value == 30);
  CHECK(calls.complete(a)->value == 10);
  CHECK(calls.size() == 0);
}

TEST_CASE("a reply of one part ends the value and the call") {
  table_of_callers calls;
  const auto n = calls.add({1, 10});
  const auto got = calls.complete(n, reply_stage::value_and_end);
  REQUIRE(got);
  CHECK(got->call.value == 10);
  CHECK(got->ends_value);
  CHECK(got->ends_call);
  CHECK_FALSE(got->end_cause);
  CHECK_FALSE(calls.complete(n, reply_stage::value_and_end));
}

TEST_CASE("the value of a reply comes first, and the end later with its cause") {
  table_of_callers calls;
  const auto n = calls.add({1, 10});
  const auto value = calls.complete(n, reply_stage::value);
  REQUIRE(value);
  CHECK(value->call.value == 10);
  CHECK(value->ends_value);
  CHECK_FALSE(value->ends_call);
  CHECK_FALSE(calls.complete(n, reply_stage::value));          // repeated
  CHECK_FALSE(calls.complete(n, reply_stage::value_and_end));  // repeated by another node
  CHECK(calls.size() == 1);
  const failure_ref cause = some_failure("spawned");
  const auto end = calls.complete(n, reply_stage::end, cause);
  REQUIRE(end);
  CHECK(end->call.callee == 1);
  CHECK(end->call.value == 0);
  CHECK_FALSE(end->ends_value);
  CHECK(end->ends_call);
  CHECK(end->end_cause.get() == cause.get());
  CHECK_FALSE(calls.complete(n, reply_stage::end));
}

TEST_CASE("an end that overtakes its value waits for it, and keeps its cause") {
  table_of_callers calls;
  const auto n = calls.add({1, 10});
  const failure_ref cause = some_failure("spawned");
  CHECK_FALSE(calls.complete(n, reply_stage::end, cause));
  CHECK(calls.size() == 1);
  const auto value = calls.complete(n, reply_stage::value);
  REQUIRE(value);
  CHECK(value->call.value == 10);
  CHECK(value->ends_value);
  CHECK(value->ends_call);
  CHECK(value->end_cause.get() == cause.get());
  CHECK(calls.size() == 0);
}

TEST_CASE("a call knows its number before it can be found, and is told about its value") {
  struct numbered_call {
    int* value_of = nullptr;
    int by = 0;
    numbered_call take_value(int node) {
      by = node;
      return {std::exchange(value_of, nullptr), node};
    }
  };
  remote_calls<numbered_call> calls;
  int value = 0;
  call_number known{};
  const auto n = calls.add({&value}, [&](call_number number) { known = number; });
  CHECK(known == n);
  CHECK(calls.complete(n, reply_stage::value, {}, 3)->call.value_of == &value);
  CHECK_FALSE(calls.complete(n, reply_stage::value, {}, 4));  // repeated by another node
  const auto ends = calls.fail_if([](const numbered_call& call) { return call.by == 3; });
  REQUIRE(ends.size() == 1);
  CHECK_FALSE(ends[0].ends_value);
}

TEST_CASE("the failure of a node ends its calls, with and without value, in the order of adding") {
  table_of_callers calls;
  const auto a = calls.add({1, 10}), b = calls.add({2, 20}), c = calls.add({1, 30}), d = calls.add({1, 40});
  CHECK(calls.complete(c, reply_stage::value));
  CHECK_FALSE(calls.complete(d, reply_stage::end, some_failure("spawned")));
  const auto ends = calls.fail_if([](const waiting_caller& call) { return call.callee == 1; });
  REQUIRE(ends.size() == 3);
  CHECK(ends[0].call.value == 10);
  CHECK(ends[0].ends_value);
  CHECK_FALSE(ends[1].ends_value);  // its value has arrived
  CHECK(ends[2].call.value == 40);
  CHECK(ends[2].ends_value);
  for (const auto& one : ends) {
    CHECK(one.ends_call);
    CHECK_FALSE(one.end_cause);  // the failure of the node is the cause
  }
  for (const auto n : {a, c, d}) {
    CHECK_FALSE(calls.complete(n, reply_stage::value));
    CHECK_FALSE(calls.complete(n, reply_stage::end));
  }
  CHECK(calls.fail_if([](const waiting_caller& call) { return call.callee == 1; }).empty());
  CHECK(calls.complete(b)->value == 20);
}

TEST_CASE("a call can be changed and found while it waits") {
  table_of_callers calls;
  const auto a = calls.add({1, 10}), b = calls.add({2, 20});
  calls.change(a, [](waiting_caller& call) { call.value = 11; });
  std::vector<call_number> numbers;
  calls.for_each([&](call_number n, const waiting_caller&) { numbers.push_back(n); });
  CHECK(numbers == std::vector{a, b});
  CHECK(calls.complete(a)->value == 11);
  calls.change(a, [](waiting_caller&) { FAIL("it is over"); });
}

TEST_CASE("calls that replies and a failure race for end once") {
  const unsigned rounds = test::scaled(200u, 20'000u);
  constexpr unsigned each = 16;
  for (unsigned round = 0; round < rounds; ++round) {
    table_of_callers calls;
    std::array<call_number, each> numbers{};
    for (unsigned i = 0; i < each; ++i) numbers[i] = calls.add({i % 2, 1});
    std::array<std::atomic<unsigned>, 2> values{}, ends{};  // by callee
    const auto count = [&](const table_of_callers::ended& e) {
      if (e.ends_value) ++values[e.call.callee];
      if (e.ends_call) ++ends[e.call.callee];
    };
    std::thread replies([&] {
      for (const auto n : numbers)
        if (const auto e = calls.complete(n, reply_stage::value)) count(*e);
    });
    std::thread later([&] {
      for (const auto n : numbers)
        if (const auto e = calls.complete(n, reply_stage::end)) count(*e);
    });
    for (const auto& e : calls.fail_if([](const waiting_caller& call) { return call.callee == 1; })) count(e);
    replies.join();
    later.join();
    for (unsigned callee = 0; callee < 2; ++callee) {
      CHECK(values[callee] == each / 2);
      CHECK(ends[callee] == each / 2);
    }
    CHECK(calls.size() == 0);
  }
}

}  // namespace
}  // namespace stretto::dist
