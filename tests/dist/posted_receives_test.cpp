// Elements that nodes push to posted receives of others, each node a runtime with threads of its own on a simulated
// network.
#include <stretto/copy.hpp>
#include <stretto/error.hpp>
#include <stretto/job.hpp>
#include <stretto/platform.hpp>
#include <stretto/remote.hpp>
#include <stretto/runtime.hpp>
#include <stretto/task.hpp>

#include <doctest/doctest.h>

#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include "campaign.hpp"
#include "dist/posted_copies.hpp"
#include "dist/simulated.hpp"
#include "eventually.hpp"
#include "thrown_by.hpp"
#include "with_variable.hpp"

namespace stretto {
namespace {

using test::on_all_nodes;
using test::post;
using test::thrown_by;

using row = instance<double>;
using plane = instance<double, 2>;

row row_here(const box& elements, double first) {
  const row r = row::create(at(this_machine().memories().front()), elements, {.name = "r"}).made;
  const auto v = r.view();
  for (coordinate i = elements.min()[0]; i < elements.max()[0]; ++i) v(i) = first + double(i);
  return r;
}
/// Observes the failure on another node, so that this one does not report it when it ends.
event looked_at(event done) {
  async(after(ignore_failure(done)), [done] { static_cast<void>(done.result()); });
  return done;
}
/// On the node that has the elements: 100 times its number, plus the coordinate.
event push_row(std::uint32_t to, std::uint64_t number, coordinate min, coordinate max, event before) {
  const box all(min, max);
  const row r = row_here(all, 100.0 * this_node());
  const event done = test::push(r, to, number, std::array{all}, before);
  r.destroy(after(ignore_failure(done)));
  return looked_at(done);
}
event push_from(std::uint32_t node, std::uint64_t number, coordinate min, coordinate max, event before = {}) {
  return async(at_node(node), call<&push_row>(this_node(), number, min, max, before)).get();
}
/// Waits also for late messages, in which senders report elements that will not come.
void check_nothing_is_kept() {
  CHECK(test::eventually([] { return test::remote_instances_here().posted_receives_kept() == 0; },
                         [] { async([] {}).get(); }));
}
std::string told_of(event e) {
  return thrown_by([&] { wait(e); });
}

TEST_CASE("work on one part begins before the other parts have arrived") {
  on_all_nodes({.nodes = 3, .seed = 1}, 1, [](runtime&) {
    if (this_node() != 0) return;
    const row u = row_here({0, 30}, -1000);
    const std::array parts{box{0, 10}, box{10, 20}};
    const std::vector<event> done = post(7, u, parts);
    const auto late = user_event::create();
    const event first = push_from(1, 7, 0, 10), second = push_from(2, 7, 10, 20, late);
    const double seen = async(after(done[0]), [&] { return u.view()(9); }).get();
    CHECK(seen == 109);
    CHECK_FALSE(done[1].has_triggered());
    late.trigger();
    wait(done[1]);
    CHECK(u.view()(10) == 210);
    CHECK(u.view()(20) == -980);  // in no part
    wait(merge(first, second));
    check_nothing_is_kept();
    u.destroy();
  });
}

TEST_CASE("pushes wait until the receive is posted, and a box may straddle parts") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed)
    on_all_nodes({.nodes = 3, .seed = seed, .jitter_seconds = 1e-4}, 2, [](runtime&) {
      if (this_node() != 0) return;
      const event first = push_from(1, 1, 0, 15), second = push_from(2, 1, 15, 20);
      CHECK_FALSE(first.has_triggered());
      const row u = row_here({0, 20}, 0);
      const std::array parts{box{0, 10}, box{10, 20}};
      const auto begin = user_event::create();
      const std::vector<event> done = post(1, u, parts, begin);
      async([] {}).get();
      CHECK_FALSE(done[0].has_triggered());
      CHECK(u.view()(3) == 3);
      begin.trigger();
      wait(merge(done));
      for (coordinate i = 0; i < 20; ++i) CHECK(u.view()(i) == (i < 15 ? 100 : 200) + i);
      wait(merge(first, second));
      check_nothing_is_kept();
      u.destroy();
    });
}

double plane_value(coordinate i, coordinate j) { return double(1000 * i + j); }
/// Columns [from, upto), which are not contiguous, in two copies; from device memory if wanted.
event push_columns(std::uint32_t to, coordinate rows, coordinate from, coordinate upto, std::uint32_t device) {
  const box all{{0, from}, {rows, upto}};
  const plane here = plane::create(at(this_machine().memories().front()), all).made;
  const auto v = here.view();
  for (coordinate i = 0; i < rows; ++i)
    for (coordinate j = from; j < upto; ++j) v(i, j) = plane_value(i, j);
  plane source = here;
  event ready;
  if (device) {
    source = plane::create(at(this_machine().places(place_kind::gpu_memory).front()), all).made;
    ready = copy(here, source, after(source.ready()));
  }
  const event done = merge(test::push(source, to, 3, std::array{box{{0, from}, {rows / 3, upto}}}, ready),
                           test::push(source, to, 3, std::array{box{{rows / 3, from}, {rows, upto}}}, ready));
  here.destroy(after(ignore_failure(done)));
  if (device) source.destroy(after(ignore_failure(done)));
  return done;
}

TEST_CASE(
    "large pushes between device memories are sent in pieces, and wait at their sender until the receive is posted") {
  for (const char* devices : {"sim:1", "sim:1(messages)", "sim:1(in_place)", "sim:1(exports)", "sim:1(pageable=1G)"}) {
    const test::with_variable variable("STRETTO_DEVICES", devices);
    for (const bool is_late : {false, true})
      for (const std::uint32_t on_device : {0u, 1u})
        on_all_nodes({.nodes = 3, .seed = 3}, 2, [&](runtime& rt) {
          if (this_node() != 0) return;
          constexpr coordinate rows = 600, columns = 700;
          const place memory =
              on_device ? rt.machine().places(place_kind::gpu_memory).front() : rt.machine().memories().front();
          const box all{{0, 0}, {rows, columns}};
          const auto [u, there] = plane::create(at(memory), all);
          std::vector<box> parts;
          for (coordinate i = 0; i < rows; i += 100) parts.push_back(box{{i, 0}, {i + 100, columns}});
          std::vector<event> done;
          if (!is_late) done = post(3, u, parts);  // the receive need not be posted yet
          const event first = async(at_node(1), call<&push_columns>(0u, rows, 0, 301, on_device)).get();
          const event second = async(at_node(2), call<&push_columns>(0u, rows, 301, columns, 1 - on_device)).get();
          if (is_late) done = post(3, u, parts, there);
          const plane here = plane::create(at(rt.machine().memories().front()), all).made;
          std::vector<event> copied;
          for (std::size_t i = 0; i < parts.size(); ++i)
            copied.push_back(copy(u, here, parts[i], after(done[i], here.ready())));
          wait(merge(copied));
          int wrong = 0;
          for (coordinate i = 0; i < rows; ++i)
            for (coordinate j = 0; j < columns; ++j) wrong += here.view()(i, j) != plane_value(i, j);
          CHECK(wrong == 0);
          wait(merge(first, second));
          check_nothing_is_kept();
          wait(merge(u.destroy(), here.destroy()));
        });
  }
}

TEST_CASE("a push that fails is reported by the receive, and the other parts succeed") {
  on_all_nodes({.nodes = 3, .seed = 4}, 1, [](runtime&) {
    if (this_node() != 0) return;
    const row u = row_here({0, 20}, 0);
    const std::array parts{box{0, 10}, box{10, 20}};
    const std::vector<event> done = post(5, u, parts);
    const auto never = user_event::create();
    const event first = push_from(1, 5, 0, 12, never), second = push_from(2, 5, 12, 20);
    wait(second);
    CHECK_FALSE(done[1].has_triggered());
    never.poison(std::make_exception_ptr(std::runtime_error("the tide is out")));
    for (const event e : {done[0], done[1], first}) CHECK(told_of(e).find("the tide is out") != std::string::npos);
    CHECK(told_of(done[0]).find("elements [0,10) that other nodes send to instance \"r\"") != std::string::npos);
    check_nothing_is_kept();

    // Reported before the receive is posted.
    const event early = push_from(1, 6, 0, 10, never);
    CHECK(told_of(early).find("the tide is out") != std::string::npos);
    const event gone = async(at_node(2), call([] {
                               const row r = row_here({10, 15}, 0);  // does not have all of them
                               const box part{10, 20};
                               return looked_at(test::push(r, 0, 6, std::array{part}));
                             }))
                           .get();
    CHECK(told_of(gone).find("D06") != std::string::npos);
    const std::vector<event> second_time = post(6, u, parts);
    CHECK(told_of(second_time[0]).find("the tide is out") != std::string::npos);
    CHECK(told_of(second_time[1]).find("D06") != std::string::npos);
    check_nothing_is_kept();
    u.destroy();
  });
}

TEST_CASE("if the precondition of a posted receive fails, so do its parts and the pushes to it") {
  on_all_nodes({.nodes = 3, .seed = 5}, 1, [](runtime&) {
    if (this_node() != 0) return;
    const row u = row_here({0, 20}, 0);
    const std::array parts{box{0, 10}, box{10, 20}};
    const auto never = user_event::create();
    const std::vector<event> done = post(9, u, parts, never);
    const event first = push_from(1, 9, 0, 12);
    never.poison(std::make_exception_ptr(std::runtime_error("the tide is out")));
    const event second = push_from(2, 9, 12, 20);
    for (const event e : {done[0], done[1], first, second})
      CHECK(told_of(e).find("the tide is out") != std::string::npos);
    CHECK(u.view()(3) == 3);
    check_nothing_is_kept();
    // An instance that was destroyed before.
    u.destroy();
    const std::vector<event> of_nothing = post(10, u, std::array{box{0, 10}});
    CHECK(told_of(of_nothing[0]).find("D01") != std::string::npos);
    CHECK(told_of(push_from(1, 10, 0, 10)).find("D01") != std::string::npos);
    check_nothing_is_kept();
    // An instance that does not have the elements.
    const row small = row_here({0, 5}, 0);
    const std::vector<event> too_much = post(11, small, std::array{box{0, 10}});
    CHECK(told_of(too_much[0]).find("D06") != std::string::npos);
    CHECK(told_of(push_from(1, 11, 0, 10)).find("D06") != std::string::npos);
    check_nothing_is_kept();
    small.destroy();
  });
}

TEST_CASE("elements that no receive contains are refused, and none of them is written") {
  on_all_nodes({.nodes = 2, .seed = 6}, 1, [](runtime&) {
    if (this_node() != 0) return;
    const row u = row_here({0, 20}, 0);
    const std::array parts{box{0, 10}, box{12, 15}};
    const std::vector<event> done = post(1, u, parts);
    const std::string why = told_of(push_from(1, 1, 5, 13));
    CHECK(why.find("error D06: copy sends elements that no receive expects in instance \"r\"\n"
                   "  submitted   posted_receives_test.cpp:") != std::string::npos);
    CHECK(why.find("  box         [5,13)\n"
                   "  posted      posted_receives_test.cpp:") != std::string::npos);
    CHECK(why.find("  because     no receive from another node covers these elements") != std::string::npos);
    CHECK(u.view()(7) == 7);
    wait(merge(push_from(1, 1, 0, 5), push_from(1, 1, 13, 15)));
    for (const event e : done) CHECK(told_of(e).find("D06") != std::string::npos);
    check_nothing_is_kept();
    u.destroy();
  });
}

TEST_CASE("once a node is lost, posted receives fail, later ones included, and so do the pushes of other nodes") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const simulated_job job({.nodes = 3, .seed = seed});
    on_all_nodes(
        {}, 1,
        [&](runtime&) {
          if (this_node() != 0) return;
          const row u = row_here({0, 20}, 0);
          const std::array parts{box{0, 10}, box{10, 20}};
          const std::vector<event> done = post(1, u, parts);
          wait(push_from(1, 1, 0, 10));
          wait(instance<int>::create(at_node(2), box(0, 1))
                   .ready);  // node 2 has joined: else it would not notice the cut
          const event waiting = push_from(1, 2, 0, 10);
          job.kill(2);
          wait(done[0]);
          CHECK(told_of(done[1]).find("N05") != std::string::npos);
          CHECK(told_of(waiting).find("N05") != std::string::npos);
          CHECK(told_of(push_from(1, 1, 10, 20)).find("N05") != std::string::npos);
          const std::vector<event> later = post(2, u, parts);
          for (const event e : later) CHECK(told_of(e).find("N05") != std::string::npos);
          CHECK(test::remote_instances_here().posted_receives_kept() == 0);
          u.destroy();
        },
        &job);
  }
}

/// Each node pushes a few elements to every other node under a new number, again and again.
TEST_CASE("of millions of numbers only those in flight are kept") {
  const std::uint64_t rounds = test::scaled<std::uint64_t>(300, 1'000'000);
  on_all_nodes({.nodes = 3, .seed = 7}, 2, [&](runtime& rt) {
    const std::uint32_t self = this_node();
    const place memory = rt.machine().memories().front();
    const row mine = row_here({0, 6}, self), to = row_here({0, 6}, -1);
    const std::uint64_t before = usage_of(memory).used;
    std::size_t most = 0;
    for (std::uint64_t r = 0; r < rounds; ++r) {
      std::vector<event> all = post(r, to, std::array{box{0, 3}, box{3, 6}});
      // Each of the two others has a half.
      for (std::uint32_t n = 1; n < 3; ++n)
        all.push_back(test::push(mine, (self + n) % 3, r, std::array{n == 1 ? box{0, 3} : box{3, 6}}));
      most = std::max(most, test::remote_instances_here().posted_receives_kept());
      wait(merge(all));
      CHECK(to.view()(0) == (self + 2) % 3);
      CHECK(to.view()(5) == (self + 1) % 3 + 5);
    }
    CHECK(most <= 3);  // its own, and the next pushes of nodes that are ahead
    check_nothing_is_kept();
    CHECK(usage_of(memory).used == before);
    wait(merge(mine.destroy(), to.destroy()));
  });
}

TEST_CASE("a push may be requested by a third node, or by the node that has posted the receive") {
  on_all_nodes({.nodes = 3, .seed = 8}, 1, [](runtime&) {
    if (this_node() != 0) return;
    const row far = async(at_node(1), call([] { return row_here({0, 10}, 100); })).get();
    const row u = row_here({0, 10}, 0);
    const std::vector<event> done = post(4, u, std::array{box{0, 10}});
    const event mine = test::push(far, 0, 4, std::array{box{0, 4}});
    const event third =
        async(at_node(2), call([](const row& r) { return test::push(r, 0, 4, std::array{box{4, 10}}); }, far)).get();
    wait(done[0]);
    CHECK(u.view()(0) == 100);
    CHECK(u.view()(9) == 109);
    wait(merge(mine, third));
    // Their failures are reported, too, although the node with the elements may never get the request.
    const auto never = user_event::create();
    const std::vector<event> failing = post(5, u, std::array{box{0, 10}});
    const event skipped = test::push(far, 0, 5, std::array{box{0, 10}}, never);
    never.poison(std::make_exception_ptr(std::runtime_error("the tide is out")));
    CHECK(told_of(failing[0]).find("the tide is out") != std::string::npos);
    CHECK(told_of(skipped).find("the tide is out") != std::string::npos);
    wait(far.destroy());
    const std::vector<event> of_nothing = post(6, u, std::array{box{0, 10}});
    CHECK(told_of(test::push(far, 0, 6, std::array{box{0, 10}})).find("D01") != std::string::npos);
    CHECK(told_of(of_nothing[0]).find("D01") != std::string::npos);
    check_nothing_is_kept();
    u.destroy();
  });
}

}  // namespace
}  // namespace stretto
