#include <doctest/doctest.h>

#include <stdexcept>
#include <vector>

#include <stretto/stretto.hpp>

#include "data/data_runtime.hpp"

using namespace stretto;
using namespace stretto::data;

TEST_CASE("recorded copies, fills, gathers, scatters and reductions do what they do without a graph, each time") {
  for (const std::uint64_t inline_bytes : {std::uint64_t{16} << 10, std::uint64_t{0}}) {
    with_data(
        [] {
          const box all{0, 100};
          const auto a = instance<int>::create(at(ram), all).made, b = instance<int>::create(at(other), all).made;
          const auto index = instance<int>::create(at(ram), all).made, mixed = instance<int>::create(at(ram), all).made;
          const auto back = instance<int>::create(at(ram), all).made, total = instance<int>::create(at(ram), all).made;
          for (int i = 0; i < 100; ++i) index.view()(i) = (i * 7) % 100;
          const auto held = reduction_instance<sum<int>>::create(at(ram), all);
          const auto twice = reduction_instance<sum<int>>::create(at(ram), all);

          recorded_graph<int> g(name("all verbs"));
          const auto zero = fill(g, a, 0);
          const auto part = fill(g, a, box{10, 20}, 5, {after(zero), name("ten")});
          const auto add = g.add(after(part), [&](int round) { a.view()(50) = round; });
          const auto whole = copy(g, a, b, after(add));
          const auto gathered = gather(g, b, index, mixed, after(whole));
          const auto scattered = scatter(g, mixed, index, back, after(gathered));
          const auto contributed = g.add([&](int round) { held.contribute()(3) << round; });
          const auto cleared = clear(g, twice);
          const auto folded = fold_into(g, held, twice, detail::any_contributor, after(contributed, cleared));
          const auto reset = fill(g, total, 0);
          const auto reduced = reduce(g, twice, total, after(folded, reset));
          const auto valued = reduce<sum<int>>(g, back, total, after(reduced, scattered));
          const auto moved = copy(g, total, box{0, 10}, b, point{90}, after(valued));
          copy(g, total, b, box{50, 51}, after(moved));
          copy(g, total, b, std::vector<box>{{0, 1}, {3, 4}}, after(moved));
          int sum_of_rounds = 0;
          for (int round = 1; round <= 5; ++round) {
            sum_of_rounds += round;
            wait(g.replay(round));
            const auto t = total.view(), seen = b.view();
            CHECK(t(3) == sum_of_rounds);
            CHECK(t(15) == 5);
            CHECK(t(50) == round);
            CHECK(t(70) == 0);
            CHECK(seen(93) == sum_of_rounds);
            CHECK(seen(50) == round);
            CHECK(seen(3) == sum_of_rounds);
            CHECK(mixed.view()(1) == b.view()(7));
          }
          CHECK(g.statistics().states == 1);
        },
        {.inline_bytes = inline_bytes});
  }
}

TEST_CASE("errors of a recorded data operation that are known at once are thrown by the recording") {
  with_data([] {
    const auto a = instance<int>::create(at(ram), {0, 10}).made, b = instance<int>::create(at(ram), {0, 5}).made;
    recorded_graph g;
    CHECK_THROWS_AS(copy(g, a, b), error);
    CHECK_THROWS_AS(copy(g, a, b, box{3, 8}), error);
    CHECK_THROWS_AS(fill(g, b, box{3, 8}, 1), error);
    CHECK(g.statistics().operations == 0);
  });
}

TEST_CASE("a recorded operation on an instance that was destroyed fails, and says so") {
  with_data([] {
    const auto a = instance<int>::create(at(ram), {0, 10}).made;
    recorded_graph g(name("late"));
    fill(g, a, 1, name("clear"));
    wait(g.replay());
    wait(a.destroy());
    CHECK(without_lines(thrown_by([&] { wait(g.replay()); })) ==
          "error E10: the end of graph \"late\" was skipped because fill \"clear\" failed\n"
          "  skipped     the end of graph \"late\", recorded_data_test.cpp:\n"
          "  failed      fill \"clear\", recorded_data_test.cpp:\n"
          "  waited at   recorded_data_test.cpp:\n"
          "  because     error D08: fill started after an instance that it uses was destroyed\n"
          "  submitted   recorded_data_test.cpp:\n"
          "  instance    the one that it writes\n"
          "  because     the destruction did not wait for it\n"
          "  try         pass the operation's event to destroy: x.destroy(after(event))");
  });
}

TEST_CASE("a recorded operation waits until its instance exists") {
  with_data([] {
    const auto gate = user_event::create();
    const auto late = instance<int>::create(at(ram), {0, 10}, after(gate));
    recorded_graph g;
    fill(g, late.made, 3);
    const event done = g.replay();
    CHECK_FALSE(done.has_triggered());
    gate.trigger();
    wait(done);
    CHECK(late.made.view()(9) == 3);
  });
}
