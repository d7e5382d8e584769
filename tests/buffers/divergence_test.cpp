// Programs on buffers that diverge on one node: all nodes end with a report of the place.
#include <stretto/buffer.hpp>
#include <stretto/error.hpp>
#include <stretto/job.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <functional>
#include <random>
#include <vector>

#include "buffers/node_reports.hpp"
#include "campaign.hpp"
#include "dist/simulated.hpp"
#include "with_variable.hpp"

namespace stretto {
namespace {

using test::node_reports;
using test::run_on_nodes;
using test::with_variable;

STRETTO_KERNEL(one_more, (inout<int> x), { x(global_id(0)) += 1; })
STRETTO_KERNEL(twice, (inout<int> x), { x(global_id(0)) *= 2; })
STRETTO_KERNEL(place_of, (out<int> x), { x(global_id(0)) = global_id(0); })
STRETTO_KERNEL(add_left, (in<int> x, inout<int> y), { y(global_id(0)) += x(global_id(0) > 0 ? global_id(0) - 1 : 0); })
STRETTO_KERNEL(add_same, (in<int> x, inout<int> y), { y(global_id(0)) += x(global_id(0)); })
STRETTO_KERNEL(sum_up, (in<int> x, reduce<sum<int>> s), { s(0) << x(global_id(0)); })

/// The steps of a program.
struct step {
  enum class verb { more, twice, left, same, each, one, read, fresh, horizons, sum } what = verb::more;
  int buffer = 0, other = 1;
  coordinate last = 0;  // of the range
  int mapper = 0;
  friend bool operator==(const step&, const step&) = default;
};

class steps {
 public:
  static constexpr int buffers = 3;

  explicit steps(coordinate n) : n_(n) {
    for (int b = 0; b < buffers; ++b) {
      all_.emplace_back(box(0, n));
      launch(place_of, box(0, n), all_.back()(one_to_one));
    }
  }
  void run(const step& s) {
    using enum step::verb;
    buffer<int>&u = all_[static_cast<std::size_t>(s.buffer)], &v = all_[static_cast<std::size_t>(s.other)];
    const box range(0, s.last);
    switch (s.what) {
      case more: launch(one_more, range, u(one_to_one)); break;
      case step::verb::twice: launch(stretto::twice, range, u(one_to_one)); break;
      case left:
        if (s.mapper == 0) launch(add_left, range, u(neighborhood(1)), v(one_to_one));
        else launch(add_left, range, u(all), v(one_to_one));
        break;
      case same: launch(add_same, range, u(one_to_one), v(one_to_one)); break;
      case each: host_task(on_each_node, [](view<const int>) {}, u.in(all)); break;
      case one: host_task(on_one_node, [](view<int> x) { x(0) += 3; }, u.inout(all)); break;
      case read: u.read(range).get(); break;
      case fresh:
        u = buffer<int>(box(0, s.last)), u = buffer<int>(box(0, n_)), launch(place_of, box(0, n_), u(one_to_one));
        break;
      case horizons: set_horizons({.step = static_cast<std::uint64_t>(s.last)}); break;
      case sum: {
        const buffer<int> total(box(0, 1));
        launch(sum_up, range, u(one_to_one), total.from_identity());
        total.read().get();
      }
    }
  }

 private:
  const coordinate n_;
  std::vector<buffer<int>> all_;
};

/// Clears the fields that do not affect the call of a step.
step plain(step s, coordinate n) {
  using enum step::verb;
  if (s.what != left) s.mapper = 0;
  if (s.what == horizons || s.what == fresh) s.buffer = 0;  // the replaced buffer is not part of the call
  if (s.what != left && s.what != same) s.other = 0;
  if (s.what == each || s.what == one) s.last = n;
  return s;
}

std::vector<step> any_program(std::mt19937& random, coordinate n) {
  std::vector<step> all;
  for (std::size_t i = 3 + random() % 30; i > 0; --i) {
    step s;
    s.what = static_cast<step::verb>(random() % 10);
    s.buffer = static_cast<int>(random() % steps::buffers);
    s.other = (s.buffer + 1 + static_cast<int>(random() % (steps::buffers - 1))) % steps::buffers;
    s.last = 1 + static_cast<coordinate>(random()) % n;
    s.mapper = static_cast<int>(random() % 2);
    all.push_back(plain(s, n));
  }
  return all;
}

/// The same program with one step changed.
std::vector<step> another(const std::vector<step>& usual, std::mt19937& random, coordinate n) {
  std::vector<step> all = usual;
  while (all == usual) {
    const auto at = all.begin() + static_cast<std::ptrdiff_t>(random() % all.size());
    step s = *at;
    switch (random() % 6) {
      case 0: all.erase(at); continue;
      case 1: all.insert(at, step{.other = 0, .last = n}); continue;
      case 2:
        s = {.what = s.what == step::verb::more ? step::verb::twice : step::verb::more,
             .buffer = s.buffer,
             .last = s.last};
        break;
      case 3: s.last = 1 + static_cast<coordinate>(random()) % n; break;
      case 4: s.buffer = (s.buffer + 1) % steps::buffers, s.other = (s.buffer + 1) % steps::buffers; break;
      default: s.mapper ^= 1; break;
    }
    *at = plain(s, n);
  }
  return all;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++n;
  return n;
}

/// Each node gets the error from its run, or at the end if the run had ended; and no other error.
void check_all_are_told(const node_reports& told, const std::string& which) {
  std::size_t thrown = 0;
  for (const auto& [node, text] : told.thrown) {
    CAPTURE(node);
    INFO(text);
    if (text == "nothing was thrown") continue;
    ++thrown;
    CHECK(text.starts_with("error B23: "));
    CHECK(text.find(which) != text.npos);
  }
  INFO(told.written);
  CHECK(count(told.written, "error ") == told.thrown.size() - thrown);
  CHECK(count(told.written, "error B23: ") == told.thrown.size() - thrown);
}

std::string as_group(std::uint32_t node) { return "\n  node " + std::to_string(node) + " "; }

}  // namespace

TEST_CASE("a program that diverges on one node ends on all nodes, which report that node") {
  const std::uint32_t programs = test::scaled(60u, 3000u);
  for (std::uint32_t seed = 0; seed < programs; ++seed) {
    std::mt19937 random(seed);
    const std::uint32_t nodes = 2 + seed % 3;
    const coordinate n = 1 + static_cast<coordinate>(random()) % 40;
    const std::vector<step> usual = any_program(random, n), other = another(usual, random, n);
    const std::uint32_t which = random() % nodes;
    CAPTURE(seed);
    CAPTURE(which);
    const node_reports told =
        run_on_nodes(simulated_job({.nodes = nodes, .seed = seed}),
                     {.workers = seed % 2 + 1, .devices = seed % 3 ? "none" : "sim"}, [&](runtime& rt) {
                       steps all(n);
                       for (const step& s : rt.node() == which ? other : usual) all.run(s);
                     });
    check_all_are_told(told, as_group(which));
  }
}

TEST_CASE("a program that is the same everywhere is not accused, though it fails on one node") {
  for (std::uint32_t seed = 0; seed < test::scaled(10u, 200u); ++seed) {
    std::mt19937 random(seed);
    const std::vector<step> program = any_program(random, 20);
    CAPTURE(seed);
    const node_reports told =
        run_on_nodes(simulated_job({.nodes = 3, .seed = seed}), {.workers = 1, .devices = "none"}, [&](runtime& rt) {
          steps all(20);
          for (const step& s : program) all.run(s);
          const buffer<int> x(box(0, 3));
          const std::uint32_t self = rt.node();
          host_task(
              box(0, 3),
              [self](view<int> v) {
                if (self == 1) throw std::runtime_error("no paper");
                v(self) = 1;
              },
              x.out(one_to_one));
          x.read().get();
        });
    for (const auto& [node, text] : told.thrown) CHECK(text.find("no paper") != text.npos);
    CHECK(told.written.find("B23") == told.written.npos);
  }
}

TEST_CASE("a read, launch or creation on one node only is reported when others have ended, with both lines") {
  const node_reports told =
      run_on_nodes(simulated_job({.nodes = 3}), {.workers = 1, .devices = "none"}, [](runtime& rt) {
        buffer<int> u(box(0, 30), {.name = "u"});
        launch(place_of, box(0, 30), u(one_to_one));
        if (rt.node() == 2) u.read().get();
      });
  check_all_are_told(told, "error B23: node 2 makes a different buffer call than nodes 0 and 1\n");
  const std::string all = told.thrown.at(2) + told.written;
  CHECK(all.find("T2, read of [0,30) of B0 (divergence_test.cpp:") != all.npos);
  CHECK(all.find("end of the program\n") != all.npos);
  CHECK(told.thrown.at(2).starts_with("error B23"));  // this node would wait for ever
}

TEST_CASE("sizes and types of buffers, and settings, are compared, too") {
  const auto of_two = [](const std::function<void(bool)>& program) {
    const node_reports told = run_on_nodes(simulated_job({.nodes = 2}), {.workers = 1, .devices = "none"},
                                           [&](runtime& rt) { program(rt.node() == 1); });
    check_all_are_told(told, "node 1 makes a different buffer call than node 0");
    return told.thrown.at(0) + told.written;
  };
  CHECK(of_two([](bool odd) { buffer<int>(box(0, odd ? 9 : 8)); }).find("buffer B0 of [0,9), 4 bytes an element") !=
        std::string::npos);
  CHECK(of_two([](bool odd) {
          if (odd) buffer<double>(box(0, 8));
          else buffer<int>(box(0, 8));
        }).find("buffer B0 of [0,8), 8 bytes an element") != std::string::npos);
  CHECK(of_two([](bool odd) {
          const buffer<int> u(box(0, 8));
          set_horizons({.step = odd ? 2u : 3u});
        }).find("set_horizons({.step = 2, .most_parallel = 256})") != std::string::npos);
  CHECK(of_two([](bool odd) { set_weights({.nodes = {1, odd ? 2.0 : 3.0}}); }).find("set_weights({.nodes = {1, 2}})") !=
        std::string::npos);
  // A macro has one line only.
  const std::string of_host_tasks = of_two([](bool odd) {
    const buffer<int> u(box(0, 8), [](coordinate) { return 1; });
    if (odd) host_task(on_each_node, [](view<const int>) {}, u.in(all));
    else host_task(on_each_node, [](view<const int> x) { CHECK(x(0) == 1); }, u.in(all));
  });
  CHECK(of_host_tasks.find("host task on each node: reads B0 by all") != std::string::npos);
  const std::string of_groups = of_two([](bool odd) { host_task(collective{odd ? 1u : 0u}, [] {}); });
  CHECK(of_groups.find("host task on all nodes together, group 0") != std::string::npos);
  CHECK(of_groups.find("host task on all nodes together, group 1") != std::string::npos);
}

TEST_CASE("the job ends with a divergence report if elements of different sizes meet under one tag") {
  const node_reports told =
      run_on_nodes(simulated_job({.nodes = 2}), {.workers = 1, .devices = "none"}, [](runtime& rt) {
        if (rt.node() == 0) {
          const buffer<int> u(box(0, 100));
          launch(place_of, box(0, 100), u(one_to_one));
          u.read().get();
        } else {
          const buffer<double> u(box(0, 100), [](coordinate) { return 1.0; });
          u.read().get();
        }
      });
  check_all_are_told(told, "node 1 makes a different buffer call than node 0");
}

TEST_CASE("values, names, weights of devices and lines of launches are not compared between nodes") {
  test::on_nodes_of(simulated_job({.nodes = 3}), {.workers = 1, .devices = "sim:2"}, [](runtime& rt) {
    const buffer<int> u(box(0, 30), {.name = rt.node() == 1 ? "odd" : "even"});
    if (rt.node() == 1) launch(name("here"), place_of, box(0, 30), u(one_to_one));
    else launch(name("there"), priority(1), place_of, box(0, 30), u(one_to_one));
    set_weights({.devices = {1.0 + rt.node(), 2}});
    launch(one_more, box(0, 30), u(one_to_one));
    CHECK(u.read().get().view()(7) == 8);
  });
}

TEST_CASE("divergence is not reported if the option compare_nodes is off") {
  const with_variable off("STRETTO_COMPARE_NODES", "0");
  const node_reports told =
      run_on_nodes(simulated_job({.nodes = 2}), {.workers = 1, .devices = "none"}, [](runtime& rt) {
        const buffer<int> u(box(0, 8));
        if (rt.node() == 1) set_horizons({.step = 9});
      });
  for (const auto& [node, text] : told.thrown) CHECK(text == "nothing was thrown");
  CHECK(told.written == "");
}

}  // namespace stretto
