// Instances of other nodes, each node a runtime with threads of its own on a simulated network.
#include <stretto/copy.hpp>
#include <stretto/error.hpp>
#include <stretto/finish.hpp>
#include <stretto/job.hpp>
#include <stretto/launch.hpp>
#include <stretto/platform.hpp>
#include <stretto/platform_of.hpp>
#include <stretto/reduce.hpp>
#include <stretto/remote.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "dist/simulated.hpp"
#include "thrown_by.hpp"
#include "with_variable.hpp"

namespace stretto {
namespace {

using test::error_of;
using test::on_all_nodes;
using test::thrown_by;

using grid = instance<double, 2>;

double value_at(coordinate i, coordinate j) { return double(1000 * i + j); }
void fill_grid(const grid& g) {
  auto v = g.view();
  for (coordinate i = v.min(0); i < v.max(0); ++i)
    for (coordinate j = v.min(1); j < v.max(1); ++j) v(i, j) = value_at(i, j);
}
/// The number of elements of `part` that differ from the shifted value_at.
int wrong_in(const grid& g, const box& part, const point& shift) {
  auto v = g.view();
  int wrong = 0;
  for (coordinate i = part.min()[0]; i < part.max()[0]; ++i)
    for (coordinate j = part.min()[1]; j < part.max()[1]; ++j) wrong += v(i, j) != value_at(i + shift[0], j + shift[1]);
  return wrong;
}
double total_of(const grid& g) {
  auto v = g.view();
  double sum = 0;
  for (coordinate i = v.min(0); i < v.max(0); ++i)
    for (coordinate j = v.min(1); j < v.max(1); ++j) sum += v(i, j);
  return sum;
}
std::uint64_t used_of(std::uint32_t memory) { return usage_of(place{memory}).used; }

TEST_CASE("an instance is made on another node, filled there, copied here and destroyed") {
  for (const std::uint32_t nodes : {1u, 2u, 4u})
    on_all_nodes({.nodes = nodes, .seed = nodes}, 1, [&](runtime& rt) {
      const std::uint32_t there = (this_node() + 1) % nodes;
      const auto [u, ready] = grid::create(at_node(there), {{0, 0}, {40, 30}}, {.name = "u"});
      CHECK(u.node() == there);
      const event filled = fill(u, 2.5);  // runs after the creation without a precondition
      const auto here = grid::create(at(rt.machine().memories().front()), {{0, 0}, {40, 30}}).made;
      wait(copy(u, here, after(filled)));
      CHECK(total_of(here) == 2.5 * 1200);
      wait(ready);
      CHECK(async(at_node(there), call<&total_of>(u)).get() ==
            2.5 * 1200);  // that node knows it by the name that it has here
      const event gone = u.destroy(after(filled));
      wait(gone);
      CHECK(thrown_by([&] { wait(fill(u, 1.0)); }).find("D01") != std::string::npos);
      here.destroy();
    });
}

TEST_CASE("elements are copied between any two nodes on request of a third, for any layout") {
  for (const bool checked : {false, true}) {
    const test::with_variable check("STRETTO_CHECK", checked ? "1" : "0");
    on_all_nodes({.nodes = 3, .seed = 5, .jitter_seconds = 1e-5}, 1, [](runtime&) {
      if (this_node() != 0) return;
      const std::vector<std::int64_t> gaps{70, 2};
      const instance_options strided{.strides = gaps}, fortran{.order = axis_order::fortran};
      for (const instance_options& from_layout : {instance_options{}, strided, fortran})
        for (const instance_options& to_layout : {instance_options{}, strided, fortran}) {
          const grid a = grid::create(at_node(1), {{0, 0}, {20, 30}}, from_layout).made;
          const auto [b, ready] = grid::create(at_node(2), {{5, 5}, {40, 40}}, to_layout);
          const event written = async(at_node(1), after(a.ready()), call<&fill_grid>(a));
          const event cleared = fill(b, -1.0);
          const box part{{6, 7}, {20, 30}};
          const event copied = copy(a, b, part, after(written, cleared));
          CHECK(async(at_node(2), after(copied), call<&wrong_in>(b, part, point(0, 0))).get() == 0);
          // Shifted boxes, several at once, and none.
          const event moved = copy(a, box{{0, 0}, {3, 4}}, b, point(30, 31), after(copied));
          CHECK(async(at_node(2), after(moved), call<&wrong_in>(b, box{{30, 31}, {33, 35}}, point(-30, -31))).get() ==
                0);
          const event again = fill(b, 0.0, after(moved));
          const std::vector<box> parts{{{5, 5}, {7, 9}}, {{8, 20}, {20, 21}}, {{10, 5}, {11, 6}}};
          const event several = copy(a, b, parts, after(again));
          for (const box& p : parts)
            CHECK(async(at_node(2), after(several), call<&wrong_in>(b, p, point(0, 0))).get() == 0);
          wait(copy(a, b, box{}, after(several)));
          wait(merge(a.destroy(), b.destroy()));
        }
    });
  }
}

void send_large_instances() {
  on_all_nodes({.nodes = 2, .seed = 3}, 2, [](runtime& rt) {
    if (this_node() != 0) return;
    const box whole{{0, 0}, {1000, 700}};  // 5.6 MB
    place device;
    for (const place p : rt.machine().memories())
      if (rt.machine().kind(p) == place_kind::gpu_memory) device = p;
    REQUIRE(device);
    const grid here = grid::create(at(rt.machine().memories().front()), whole).made;
    fill_grid(here);
    const grid there = grid::create(at_node(1), at(device), whole).made;
    const grid host_there = grid::create(at_node(1), whole).made;
    const grid device_here = grid::create(at(device), whole).made;
    event done = copy(here, there);
    done = copy(there, device_here, after(done));
    done = copy(device_here, host_there, after(done));
    CHECK(async(at_node(1), after(done), call<&wrong_in>(host_there, whole, point(0, 0))).get() == 0);
    done = copy(there, host_there, box{{3, 3}, {900, 600}}, after(done));  // only on the other node
    wait(done);
    for (const grid& g : {here, there, host_there, device_here}) g.destroy(after(done));
  });
}

TEST_CASE("large instances are sent in pieces, also to and from device memory") {
  for (const char* device : {"sim:1", "sim:1(messages)", "sim:1(in_place)", "sim:1(exports)", "sim:1(pageable=1G)"}) {
    const test::with_variable devices("STRETTO_DEVICES", device);
    send_large_instances();
  }
}

/// 4 MB between devices of two nodes, whose simulated links would take an hour for them.
void copy_between_devices() {
  on_all_nodes({.nodes = 2, .seed = 4}, 2, [&](runtime& rt) {
    if (this_node() != 0) return;
    const box all(0, 1 << 20);
    const place device = rt.machine().places(place_kind::gpu_memory).front();
    const auto here = instance<float>::create(at(device), all),
               there = instance<float>::create(at_node(1), at(device), all);
    wait(merge(fill(here.made, 2.0f, after(here.ready)), fill(there.made, 1.0f, after(there.ready))));
    wait(copy(here.made, there.made));
    wait(copy(there.made, here.made, box(5, 6)));  // a message of a few bytes
    const auto back = instance<float>::create(at(rt.machine().memories().front()), box(0, 3));
    wait(copy(there.made, back.made, box(0, 3), after(back.ready)));
    for (coordinate i = 0; i < 3; ++i) CHECK(back.made.view()(i) == 2.0f);
  });
}

TEST_CASE("elements of devices are sent directly if messages can access device memory") {
  const test::with_variable devices("STRETTO_DEVICES", "sim:1(messages,bandwidth=1k)");
  copy_between_devices();
}

STRETTO_KERNEL(seven_each, (out<float> all), { all(global_id(0)) = 7; })

TEST_CASE("elements of a lost device do not reach another node, also if messages access device memory directly") {
  for (const char* device : {"sim:1(lose=2)", "sim:1(messages,lose=2)", "sim:1(in_place,lose=2)"}) {
    INFO(std::string(device));
    const test::with_variable devices("STRETTO_DEVICES", device), quiet("STRETTO_LOG", "off");
    on_all_nodes({.nodes = 2, .seed = 4}, 2, [&](runtime& rt) {
      if (this_node() != 0) return;
      const box all(0, 1 << 16);
      const place gpu = rt.machine().places(place_kind::gpu).front();
      const auto here = instance<float>::create(at(rt.machine().places(place_kind::gpu_memory).front()), all);
      const auto there = instance<float>::create(at_node(1), all);
      wait(launch(on(gpu), after(here.ready), seven_each, all, here.made));
      wait(copy(here.made, there.made, after(there.ready)));
      const std::string of_launch = thrown_by([&] { wait(launch(on(gpu), seven_each, all, here.made)); });
      CHECK_MESSAGE(of_launch.find("K31") != of_launch.npos, of_launch);
      const std::string of_copy = thrown_by([&] { wait(copy(here.made, there.made)); });
      CHECK_MESSAGE(of_copy.find("K31") != of_copy.npos, of_copy);
    });
  }
}

TEST_CASE("consecutive contributions of several nodes to the same elements are ordered for the race checker, too") {
  const test::with_variable check("STRETTO_CHECK", "1");
  for (const reduction_style style : {reduction_style::fold, reduction_style::list})
    on_all_nodes({.nodes = 3, .seed = 8}, 1, [&](runtime&) {
      if (this_node() != 0) return;
      const box all{0, 8};
      const auto to = instance<double>::create(at_node(2), all).made;
      event done = fill(to, 0.0);
      for (int round = 0; round < 3; ++round)
        for (std::uint32_t n = 0; n < 3; ++n) {
          const auto r = reduction_instance<sum<double>>::create(at_node(n), all, {.style = style});
          const event contributed = async(at_node(n), call(
                                                          [](const reduction_instance<sum<double>>& mine) {
                                                            auto c = mine.contribute();
                                                            for (coordinate i = 0; i < 8; ++i) c(i) << double(i);
                                                          },
                                                          r));
          done = reduce(r, to, after(contributed, done));
          r.destroy(after(done));
        }
      const auto total = [](const instance<double>& sums) {
        double t = 0;
        for (coordinate i = 0; i < 8; ++i) t += sums.view()(i);
        return t;
      };
      CHECK(async(at_node(2), after(done), call(total, to)).get() == 9 * 28);
      wait(to.destroy(after(done)));
    });
}

struct concatenate {  // does not commute: digits in the order of contributors
  using lhs_type = std::uint64_t;
  using rhs_type = std::uint64_t;
  static std::uint64_t identity() { return 0; }
  static void apply(std::uint64_t& l, std::uint64_t r) {
    if (r) l = l * (r < 10 ? 10 : r < 100 ? 100 : 1000) + r;
  }
  static void fold(std::uint64_t& l, const std::uint64_t& r) { apply(l, r); }
  static constexpr bool is_commutative = false;
};

TEST_CASE("values and contributions are reduced into instances of other nodes") {
  on_all_nodes({.nodes = 3, .seed = 11}, 2, [](runtime&) {
    if (this_node() != 0) return;
    const box all{0, 1000};
    const auto totals = instance<double>::create(at_node(2), all).made;
    const auto ones = instance<double>::create(at_node(1), all).made;
    const event ready = merge(fill(totals, 1.0), fill(ones, 0.5));
    event done = reduce<sum<double>>(ones, totals, after(ready));
    done = reduce<sum<double>>(ones, totals, box{10, 20}, after(done));

    // A reduction instance on node 1, to which its own tasks contribute.
    const auto r = reduction_instance<sum<double>>::create(at_node(1), all);
    const event contributed = async(at_node(1), call(
                                                    [](const reduction_instance<sum<double>>& mine) {
                                                      auto c = mine.contribute();
                                                      for (coordinate i = 0; i < 1000; i += 3) c(i) << 2.0;
                                                    },
                                                    r));
    done = reduce(r, totals, after(done, contributed));
    // Folded into one of node 0, and reduced from there into the totals.
    const auto mine = reduction_instance<sum<double>>::create(at_node(0), all);
    const event folded = fold_into(r, mine, detail::any_contributor, after(contributed));
    done = reduce(mine, totals, after(done, folded));
    wait(clear(r, after(done)));
    done = reduce(r, totals, after(done));  // nothing is left to reduce
    const double sum_there = async(at_node(2), after(done),
                                   call(
                                       [](const instance<double>& t) {
                                         auto v = t.view();
                                         double sum = 0;
                                         for (coordinate i = 0; i < 1000; ++i) sum += v(i);
                                         return sum;
                                       },
                                       totals))
                                 .get();
    CHECK(sum_there == 1000 * 1.5 + 10 * 0.5 + 2 * 334 * 2.0);
    wait(merge({totals.destroy(), ones.destroy(), r.destroy(), mine.destroy()}));
  });
}

TEST_CASE("contributions keep their order over nodes") {
  on_all_nodes({.nodes = 2, .seed = 2}, 1, [](runtime& rt) {
    if (this_node() != 0) return;
    const auto r = reduction_instance<concatenate>::create(at_node(1), {0, 4});
    const event contributed = async(at_node(1), call(
                                                    [](const reduction_instance<concatenate>& mine) {
                                                      for (const std::uint32_t n : {2u, 0u, 1u}) {
                                                        auto c = mine.contribute(n);
                                                        for (coordinate i = 0; i < 4; ++i) c(i) << n + 1;
                                                      }
                                                    },
                                                    r));
    const auto digits = instance<std::uint64_t>::create(at(rt.machine().memories().front()), {0, 4}).made;
    wait(reduce(r, digits, after(contributed, fill(digits, 7))));
    for (coordinate i = 0; i < 4; ++i) CHECK(digits.view()(i) == 7123);
    wait(merge(r.destroy(), digits.destroy()));
  });
}

TEST_CASE("an operation on a handle waits for the creation that it has overtaken") {
  // Node 0 requests an instance of node 1, which learns of it from node 2 as well.
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    on_all_nodes({.nodes = 3, .seed = seed, .jitter_seconds = 1e-4}, 1, [](runtime&) {
      if (this_node() != 0) return;
      const grid u = grid::create(at_node(1), {{0, 0}, {4, 4}}).made;
      const double sum = async(at_node(2), call(
                                               [](const grid& g) {
                                                 const event filled = fill(g, 3.0);
                                                 const grid mine = grid::create(at_node(2), {{0, 0}, {4, 4}}).made;
                                                 wait(copy(g, mine, after(filled)));
                                                 const double total = total_of(mine);
                                                 mine.destroy();
                                                 return total;
                                               },
                                               u))
                             .get();
      CHECK(sum == 48);
      wait(u.destroy());
    });
}

TEST_CASE("operations wait for preconditions of other nodes, and are skipped if these fail") {
  on_all_nodes({.nodes = 3}, 1, [](runtime&) {
    if (this_node() != 0) return;
    const grid a = grid::create(at_node(1), {{0, 0}, {3, 3}}).made, b = grid::create(at_node(2), {{0, 0}, {3, 3}}).made;
    const auto begin = user_event::create();
    const event set = fill(a, 1.0, after(begin));
    const event copied = copy(a, b, after(set));
    CHECK_FALSE(copied.has_triggered());
    begin.trigger();
    wait(copied);

    const auto never = user_event::create();
    const event skipped = fill(a, 9.0, after(never));
    const event behind = copy(a, b, after(skipped));
    never.poison(std::make_exception_ptr(std::runtime_error("the tide is out")));
    const std::string why = thrown_by([&] { wait(behind); });
    CHECK(why.find("the tide is out") != std::string::npos);
    CHECK(why.find("copy from node") != std::string::npos);
    CHECK(async(at_node(2), call<&total_of>(b)).get() == 9.0);  // copied before
    // A destruction runs even if its precondition has failed.
    wait(a.destroy(after(ignore_failure(behind))));
    wait(b.destroy());
  });
}

TEST_CASE("errors with an instance of another node are reported on the requesting node") {
  on_all_nodes({.nodes = 3}, 1, [](runtime& rt) {
    if (this_node() != 0) return;
    const grid a = grid::create(at_node(1), {{0, 0}, {4, 4}}, {.name = "a"}).made;
    const grid b = grid::create(at_node(2), {{0, 0}, {5, 5}}, {.name = "b"}).made;
    const event zero = fill(b, 0.0);
    const auto told = [](event e) { return thrown_by([&] { wait(e); }); };
    CHECK(told(copy(a, b, after(zero))).find("D06") != std::string::npos);
    CHECK(told(copy(a, b, box{{0, 0}, {5, 5}})).find("D06") != std::string::npos);
    CHECK(told(copy(b, a, box{{0, 0}, {5, 5}})).find("D06") != std::string::npos);
    CHECK(told(copy(b, a, box{{0, 0}, {5, 5}})).find("\"a\"") != std::string::npos);
    CHECK(told(grid::create(at_node(1), at(place{999}), {{0, 0}, {1, 1}}).ready).find("D04") != std::string::npos);
    const auto huge = grid::create(at_node(1), {{0, 0}, {1 << 20, 1 << 20}}, {.name = "huge"});
    CHECK(told(huge.ready).find("D03") != std::string::npos);
    CHECK(told(fill(huge.made, 0.0)).find("D03") != std::string::npos);
    CHECK(async(at_node(2), call<&total_of>(b)).get() == 0);  // nothing was written

    CHECK(error_of([&] { a.view(); }).code() == "D24");
    CHECK(error_of([&] { a.data(); }).code() == "D24");
    CHECK(error_of([&] { grid().elements(); }).code() == "D13");
    CHECK(told(huge.ready).find("D03") != std::string::npos);
    CHECK(error_of([&] { grid::create(at_node(1), at(place{999}), {{0, 0}, {1, 1}}).made.elements(); }).code() ==
          "D04");
    CHECK(error_of([&] { grid::create(at_node(3), {{0, 0}, {1, 1}}); }).code() == "N02");
    const auto where = instance<std::int64_t, 2>::create(at_node(2), {{0, 0}, {4, 4}}).made;
    CHECK(error_of([&] { gather(instance<double>::create(at_node(1), {0, 4}).made, where, a); }).code() == "D24");
    CHECK(error_of([&] { fill(grid(), 1.0); }).code() == "D13");
    CHECK(error_of([&] { copy(a, grid()); }).code() == "D13");
    wait(merge({a.destroy(), b.destroy(), where.destroy(), ignore_failure(huge.made.destroy())}));
    CHECK(rt.node() == 0);
  });
}

box box_of(grid u) { return u.elements(); }

TEST_CASE("a handle gives the facts of its instance on every node, whether it exists yet or not") {
  for (std::uint64_t seed = 1; seed <= 4; ++seed)
    on_all_nodes({.nodes = 3, .seed = seed}, 2, [](runtime& rt) {
      if (this_node() != 0) return;
      const auto gate = user_event::create();
      const grid near = grid::create(at_node(0), {{2, 3}, {10, 20}}, {.name = "near"}).made;
      const grid far = grid::create(at_node(1), {{-1, 0}, {4, 5}}, {.name = "far"}, after(gate)).made;  // not made yet
      CHECK(near.elements() == box({2, 3}, {10, 20}));
      CHECK(far.elements() == box({-1, 0}, {4, 5}));
      CHECK(far.name() == "far");
      CHECK(near.name() == "near");
      CHECK(far.element_bytes() == sizeof(double));
      CHECK(far.memory() == platform_of(at_node(1)).get().memories().front());
      for (std::uint32_t n = 0; n < 3; ++n) {  // also through a third node, whose message may overtake the creation
        CHECK(async(at_node(n), call<&box_of>(near)).get() == near.elements());
        CHECK(async(at_node(n), call<&box_of>(far)).get() == far.elements());
        const grid third = grid::create(at_node(1), {{0, 0}, {1 + n, 2}}).made;
        CHECK(async(at_node(2), call<&box_of>(third)).get() == box({0, 0}, {1 + n, 2}));
        CHECK(third.name() == "");
        third.destroy();
      }
      gate.trigger();
      wait(far.destroy());
      CHECK(error_of([&] { far.elements(); }).code() == "D01");
      wait(near.destroy());
      CHECK(rt.node() == 0);
    });
}

TEST_CASE("facts of a remote instance are requested once: the cached reply outlives the node") {
  const simulated_job job({.nodes = 2});
  on_all_nodes(
      {.nodes = 2}, 1,
      [&](runtime&) {
        if (this_node() != 0) return;
        const grid u = grid::create(at_node(1), {{0, 0}, {4, 5}}, {.name = "kept"}).made;
        u.elements();
        job.kill(1);
        CHECK(u.elements().volume() == 20);
        CHECK(u.memory());
        CHECK(u.name() == "kept");
      },
      &job);
}

TEST_CASE("a query for the facts of an instance of a lost node fails") {
  const simulated_job job({.nodes = 2});
  on_all_nodes(
      {.nodes = 2}, 1,
      [&](runtime&) {
        if (this_node() != 0) return;
        const grid u = grid::create(at_node(1), {{0, 0}, {4, 5}}).made;
        job.kill(1);
        CHECK(thrown_by([&] { u.elements(); }).find("N05") != std::string::npos);
      },
      &job);
}

TEST_CASE("gather and scatter run on the node of the three instances") {
  on_all_nodes({.nodes = 2}, 1, [](runtime& rt) {
    if (this_node() != 0) return;
    const auto here = instance<std::int64_t>::create(at(rt.machine().memories().front()), {0, 8}).made;
    std::iota(here.data(), here.data() + 8, 0);
    std::reverse(here.data(), here.data() + 8);
    const auto indices = instance<std::int64_t>::create(at_node(1), {0, 8}).made;
    const auto table = instance<std::int64_t>::create(at_node(1), {0, 8}).made;
    const auto picked = instance<std::int64_t>::create(at_node(1), {0, 8}).made;
    const event filled = merge(copy(here, indices), copy(here, table));
    wait(copy(picked, here, after(gather(table, indices, picked, after(filled)))));
    for (coordinate i = 0; i < 8; ++i) CHECK(here.view()(i) == i);
    wait(scatter(picked, indices, table, after(filled)));
    wait(merge({here.destroy(), indices.destroy(), table.destroy(), picked.destroy()}));
  });
}

TEST_CASE("once a node is lost, operations in which it takes part end, and the others continue") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const simulated_job job({.nodes = 3, .seed = seed});
    on_all_nodes(
        {}, 1,
        [&](runtime&) {
          if (this_node() != 0) return;
          const grid a = grid::create(at_node(1), {{0, 0}, {300, 300}}).made,
                     b = grid::create(at_node(2), {{0, 0}, {300, 300}}).made;
          const event filled = merge(fill(a, 1.0), fill(b, 2.0));
          wait(filled);
          std::vector<event> all;
          for (int i = 0; i < 5; ++i) all.push_back(i % 2 ? copy(a, b) : copy(b, a));
          job.kill(2);
          for (const event e : all) {
            const std::string why = thrown_by([&] { wait(e); });
            CHECK((why == "nothing was thrown" || why.find("N05") != std::string::npos));
          }
          CHECK(thrown_by([&] { wait(copy(b, a)); }).find("N05") != std::string::npos);
          CHECK(thrown_by([&] { wait(grid::create(at_node(2), {{0, 0}, {3, 3}}).ready); }).find("N05") !=
                std::string::npos);
          wait(fill(a, 4.0));
          CHECK(async(at_node(1), call<&total_of>(a)).get() == 4.0 * 90'000);
          wait(a.destroy());
        },
        &job);
  }
}

TEST_CASE("no records of destroyed instances are kept") {
  on_all_nodes({.nodes = 2}, 1, [](runtime& rt) {
    if (this_node() != 0) return;
    const place memory = rt.machine().memories().front();
    const std::uint64_t before = async(at_node(1), call<&used_of>(memory.index)).get();
    for (int i = 0; i < 500; ++i) {
      const grid u = grid::create(at_node(1), {{0, 0}, {8, 8}}).made;
      wait(u.destroy(after(fill(u, 1.0))));
    }
    CHECK(async(at_node(1), call<&used_of>(memory.index)).get() == before);
  });
}

}  // namespace
}  // namespace stretto
