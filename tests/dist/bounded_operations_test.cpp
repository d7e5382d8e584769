// Back pressure of operations on other nodes: a task that requests them faster than they complete is suspended, so that
// the number in flight is bounded. Operations that wait for events do not count.
#include <stretto/copy.hpp>
#include <stretto/finish.hpp>
#include <stretto/global_object.hpp>
#include <stretto/job.hpp>
#include <stretto/launch.hpp>
#include <stretto/object.hpp>
#include <stretto/platform.hpp>
#include <stretto/received_buffer.hpp>
#include <stretto/reduce.hpp>
#include <stretto/remote.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "campaign.hpp"
#include "dist/simulated.hpp"
#include "dist/stuck_sends.hpp"
#include "with_variable.hpp"

namespace stretto {
namespace {

constexpr long operations = 1000, elements = 16;
/// How many operations of at least 1 KiB fit into 64 KiB, and three times as many for those that end out of order.
constexpr long bound = 4 * 64;

/// Requests that many operations; returns the largest number in flight, without those that a stopped receiver allows.
long most_under_way(const std::function<event(long)>& ask_for) {
  const test::stuck_sends stuck;
  std::vector<event> all;
  long most = 0, ended = 0;
  for (long i = 0; i < operations; ++i) {
    all.push_back(ask_for(i));
    while (ended < i && all[std::size_t(ended)].has_triggered()) ++ended;
    most = std::max(most, i + 1 - ended - stuck.most());
  }
  for (const event e : all) wait(e);
  return most;
}

template <class F>
void on_first_of_two(F&& program) {
  const test::with_variable room("STRETTO_MESSAGE_MEMORY", "64K");
  for (std::uint64_t seed = 1; seed <= test::scaled<std::uint64_t>(4, 100); ++seed) {
    CAPTURE(seed);
    test::on_all_nodes({.nodes = 2, .seed = seed}, 1, [&](runtime&) {
      if (this_node() == 0) program();
    });
  }
}

TEST_CASE("a task that requests operations on remote instances faster than they complete is suspended") {
  on_first_of_two([] {
    const auto here = instance<int>::create(at_node(0), box(0, elements)).made;
    const auto [there, made] = instance<int>::create(at_node(1), box(0, elements));
    wait(merge(fill(here, 1), fill(there, 0, after(made))));
    CHECK(most_under_way([&](long i) { return fill(there, static_cast<int>(i)); }) <= bound);
    CHECK(most_under_way([&](long) { return copy(here, there); }) <= bound);
    CHECK(most_under_way([&](long) { return copy(there, here); }) <= bound);
    wait(fill(there, 0));
    CHECK(most_under_way([&](long) { return reduce<sum<int>>(here, there); }) <= bound);
    std::vector<int> seen(elements);
    const auto to = instance<int>::external(seen.data(), box(0, elements));
    wait(copy(there, to));
    CHECK(seen == std::vector<int>(elements, static_cast<int>(operations)));
    CHECK(most_under_way([&](long) {
            const auto [one, is_there] = instance<char>::create(at_node(1), box(0, 1));
            one.destroy();
            return is_there;
          }) <= bound);
    to.destroy();
    here.destroy();
    there.destroy();
  });
}

TEST_CASE("a task that requests copies of global memory faster than they complete is suspended") {
  const test::with_variable lent("STRETTO_GLOBAL_MEMORY", "1M");
  on_first_of_two([] {
    const auto make = call([] {
      const place shared = this_machine().places(place_kind::global_memory).front();
      const auto made = instance<int>::create(at(shared), box(0, elements)).made;
      wait(fill(made, 0));
      return made;
    });
    const auto here = instance<int>::create(at_node(0), box(0, elements)).made;
    wait(fill(here, 1));
    for (std::uint32_t node = 0; node < 2; ++node) {
      const auto there = async(at_node(node), make).get();
      wait(copy(there, here));  // from now on this node fills by itself
      CHECK(most_under_way([&](long i) { return fill(there, static_cast<int>(i)); }) <= bound);
      CHECK(most_under_way([&](long) { return copy(here, there); }) <= bound);
      CHECK(most_under_way([&](long) { return copy(there, here); }) <= bound);
      const auto start = user_event::create();
      std::vector<event> all;
      for (long i = 0; i < operations; ++i) all.push_back(fill(there, 7, after(start)));
      CHECK(std::ranges::none_of(all, [](event e) { return e.has_triggered(); }));
      start.trigger();
      for (const event e : all) wait(e);
      wait(copy(there, here));
      CHECK(here.view()(elements - 1) == 7);
      there.destroy();
    }
    here.destroy();
  });
}

TEST_CASE("a task that puts, gets and sends buffers faster than they arrive is suspended") {
  on_first_of_two([] {
    object<int> mine(box(0, elements));
    const std::vector<int> ones(elements, 1);
    wait(mine.copy_from(ones.data()));
    const auto there = async(at_node(1), call(
                                             [](coordinate n) {
                                               object<int> theirs(box(0, n));
                                               const std::vector<int> zeros(std::size_t(n), 0);
                                               wait(theirs.copy_from(zeros.data()));
                                               return share(theirs);
                                             },
                                             coordinate(elements)))
                           .get();
    CHECK(most_under_way([&](long) { return event(put(mine, there)); }) <= bound);
    std::vector<int> seen(elements);
    CHECK(most_under_way([&](long) { return event(put(std::span(ones), there)); }) <= bound);
    CHECK(most_under_way([&](long) { return event(get(there, std::span(seen))); }) <= bound);
    CHECK(seen == ones);
    CHECK(most_under_way([&](long) {
            return event(send_buffer(at_node(1), std::span(ones), call([](const received_buffer<int>&) {})));
          }) <= bound);
    unshare(there).get();
  });
}

TEST_CASE("operations that wait for an event of the program are requested without suspension") {
  on_first_of_two([] {
    const auto [there, made] = instance<int>::create(at_node(1), box(0, elements));
    wait(made);
    const auto start = user_event::create();
    std::vector<event> all;
    bool has_waited = false;  // while the task is suspended, its worker runs another one
    const auto other = async(on(worker(0)), [&] { has_waited = true; });
    for (long i = 0; i < operations; ++i) all.push_back(fill(there, 3, after(start)));
    CHECK(!has_waited);
    other.get();
    // For an event of another node it waits only until the subscribing messages have been handled.
    const auto far = async(at_node(1), call([] { return user_event::create(); })).get();
    for (long i = 0; i < operations; ++i) all.push_back(fill(there, 3, after(far)));
    CHECK(std::ranges::none_of(all, [](event e) { return e.has_triggered(); }));
    start.trigger();
    far.trigger();
    for (const event e : all) wait(e);
    there.destroy();
  });
}

}  // namespace
}  // namespace stretto
