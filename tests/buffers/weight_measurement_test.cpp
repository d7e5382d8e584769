// Weights set by hand and by measurement: results are unchanged, and shares approach the speeds.
#include <stretto/buffer.hpp>
#include <stretto/error.hpp>
#include <stretto/job.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "buffers/buffers_state.hpp"
#include "buffers/weight_measurement.hpp"
#include "nodes_with_devices.hpp"
#include "thrown_by.hpp"
#include "with_variable.hpp"

namespace stretto {
namespace {

using buffers::weight_measurement;
using test::with_variable;

STRETTO_KERNEL(from_place, (out<long long> x), { x(global_id(0)) = global_id(0); })
STRETTO_KERNEL(add_neighbours, (in<long long> x, out<long long> y, int n), {
  const int i = global_id(0);
  y(i) = (x(i) + (i > 0 ? x(i - 1) : 0) + (i + 1 < n ? x(i + 1) : 0)) % 1009;
})
STRETTO_KERNEL(add_up, (in<long long> x, reduce<sum<long long>> s), { s(0) << x(global_id(0)); })

buffers::buffers_state& buffers_here() { return *buffers::state_of(*base::current()->runtime); }

/// Steps after which a program whose weights do not approach the speeds of its processors gives up: some minutes.
/// Speeds are measured by the clock, so a busy machine spoils measurements, and more of them are needed.
constexpr int most_steps = 60'000;

/// A stencil of so many steps, or until `is_enough`; returns the sum of the array and the number of steps.
struct outcome_of_stencil {
  long long sum = 0;
  int steps = 0;
};
template <class Enough>
outcome_of_stencil stencil(int n, int most, Enough is_enough) {
  buffer<long long> x(box(0, n)), y(box(0, n)), s(box(0, 1));
  launch(from_place, x.elements(), x(one_to_one));
  int step = 0;
  for (; step < most && !is_enough(step); ++step) {
    launch(add_neighbours, x.elements(), x(neighborhood(1)), y(one_to_one), n);
    std::swap(x, y);
  }
  launch(add_up, x.elements(), x(one_to_one), s.from_identity());
  return {s.read().get().view()(0), step};
}

long long sum_by_loop(int n, int steps) {
  std::vector<long long> x(static_cast<std::size_t>(n)), y(x);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<long long>(i);
  for (int s = 0; s < steps; ++s) {
    for (std::size_t i = 0; i < x.size(); ++i)
      y[i] = (x[i] + (i > 0 ? x[i - 1] : 0) + (i + 1 < x.size() ? x[i + 1] : 0)) % 1009;
    std::swap(x, y);
  }
  long long all = 0;
  for (const long long e : x) all += e;
  return all;
}

bool is_near(const std::vector<double>& shares, const std::vector<double>& ideal, double by) {
  return shares.size() == ideal.size() &&
         std::ranges::equal(shares, ideal, [&](double a, double b) { return std::abs(a - b) < by; });
}

/// Each node, and each device, weighs one more than the one before.
weight_settings weights_by_number() {
  weight_settings w;
  for (std::uint32_t n = 0; n < job_nodes(); ++n) w.nodes.push_back(n + 1);
  for (std::size_t d = 0; d < buffers_here().instructions.shape().devices.size(); ++d)
    w.devices.push_back(static_cast<double>(d + 1 + this_node()));
  return w;
}

TEST_CASE("weights set by hand say how many rows nodes and devices get, and the result is the same") {
  test::on_nodes_with_devices([] {
    weight_settings w = weights_by_number();
    set_weights(w);
    const long long expected = sum_by_loop(203, 10);
    CHECK(stencil(203, 10, [](int) { return false; }).sum == expected);
    box mine;
    wait(host_task(box(0, 100), [&mine](const box& rows) { mine = rows; }));
    const double due = 100.0 * (this_node() + 1) * 2 / (job_nodes() * (job_nodes() + 1));
    CHECK(std::abs(static_cast<double>(mine.length(0)) - due) <= job_nodes());
    if (!w.devices.empty()) w.devices.push_back(2);  // a weight for the host
    set_weights(w);
    CHECK(stencil(203, 10, [](int) { return false; }).sum == expected);
    set_weights({});
    CHECK(stencil(203, 10, [](int) { return false; }).sum == expected);
    CHECK(buffers_here().commands.weights().are_none());
  });
}

TEST_CASE(
    "weights that do not fit the nodes or devices there are, or are not above 0, are refused and nothing changes") {
  runtime rt({.workers = 1, .devices = "sim:2"});
  rt.run([] {
    set_weights({.devices = {1, 3}});
    const auto refused = [](const weight_settings& w) { return test::thrown_by([&] { set_weights(w); }); };
    CHECK(refused({.nodes = {1, 1}}).find("error B22: set_weights was given 2 weights of nodes, and there are 1") !=
          std::string::npos);
    CHECK(refused({.devices = {1}}).find("error B22: set_weights was given 1 weight of devices, and there are 2") !=
          std::string::npos);
    CHECK(refused({.devices = {1, 1, 1, 1}}).find("B22") != std::string::npos);
    CHECK(refused({.devices = {1, 0}}).find("a weight of devices that is not above 0") != std::string::npos);
    CHECK(refused({.devices = {1, std::nan("")}}).find("B22") != std::string::npos);
    CHECK(refused({.nodes = {INFINITY}}).find("a weight of nodes that is not above 0") != std::string::npos);
    CHECK(is_near(buffers_here().instructions.weights().shares(), {0.25, 0.75}, 1e-5));
  });
  runtime alone({.workers = 1, .devices = "none"});
  alone.run([] {
    CHECK(test::thrown_by([] { set_weights({.devices = {1}}); }).find("of devices, and there are none") !=
          std::string::npos);
  });
}

TEST_CASE("a processor is busy from when a part began or the one before ended, and the first is not counted") {
  const auto loads =
      buffers::loads_of({{0, 10, 0, 1}, {1, 5, 0.5, 4}, {0, 10, 0.5, 3}, {0, 20, 5, 7}, {1, 5, 4, 5}}, 3);
  CHECK(loads[0].items == 30);
  CHECK(loads[0].seconds == doctest::Approx(2 + 2));
  CHECK(loads[1].items == 5);
  CHECK(loads[1].seconds == doctest::Approx(1));
  CHECK(loads[2].items == 0);
  const graph::measured_load node = buffers::together(loads);
  CHECK(node.items == 35);
  CHECK(node.items / node.seconds == doctest::Approx(30.0 / 4 + 5));
  CHECK(buffers::together({{}, {}}).items == 0);
}

TEST_CASE("launches are measured for some horizons, then weights are decided about, and rests grow while they stay") {
  weight_measurement w({.devices = false, .nodes = true}, 1, 2, 5);
  std::vector<int> asked, measured;
  for (int horizon = 1; horizon < 60; ++horizon) {
    (void)w.passed_horizon({});
    if (w.open()) measured.push_back(horizon);
    if (w.pending_request() == weight_measurement::request::exchange) asked.push_back(horizon), w.exchanged();
    if (w.pending_request() == weight_measurement::request::apply) asked.push_back(-horizon), w.applied(horizon > 30);
  }
  CHECK(measured == std::vector<int>{2, 3, 4, 5, 15, 16, 17, 18, 32, 33, 34, 35, 43, 44, 45, 46, 54, 55, 56, 57});
  CHECK(asked == std::vector<int>{6, -11, 19, -24, 36, -41, 47, -52, 58});
  w.begin({});
  for (int horizon = 0; horizon < 100; ++horizon) {
    (void)w.passed_horizon({});
    CHECK(!w.open());
  }
  CHECK(weight_measurement({.devices = true, .nodes = true}, 1, 1, 5).levels() == buffers::measured_levels());
}

TEST_CASE("devices of different speeds get shares of launches in proportion to their speeds") {
  runtime rt({.workers = 1, .devices = "sim(rate=2M),sim(rate=6M)"});
  rt.run([] {
    std::vector<double> shares;
    const outcome_of_stencil was = stencil(20'000, most_steps, [&](int) {
      shares = buffers_here().instructions.weights().shares();
      return is_near(shares, {0.25, 0.75}, 0.1);
    });
    CAPTURE(was.steps);
    CHECK(is_near(shares, {0.25, 0.75}, 0.1));
    CHECK(was.sum == sum_by_loop(20'000, was.steps));
  });
}

STRETTO_KERNEL(from_place_2, (out<long long, 2> x),
               { x(global_id(0), global_id(1)) = global_id(0) * 7 + global_id(1); })
STRETTO_KERNEL(add_cross, (in<long long, 2> x, out<long long, 2> y, int n), {
  const int i = global_id(0);
  const int j = global_id(1);
  y(i, j) = (x(i, j) + (i > 0 ? x(i - 1, j) : 0) + (i + 1 < n ? x(i + 1, j) : 0) + (j > 0 ? x(i, j - 1) : 0) +
             (j + 1 < n ? x(i, j + 1) : 0)) %
            1009;
})

/// The same in two axes, cut in tiles; the sum weighs each element by its index.
template <class Enough>
outcome_of_stencil stencil_in_tiles(int n, int most, Enough is_enough) {
  const box whole({0, 0}, {n, n});
  buffer<long long, 2> x(whole), y(whole);
  launch(in_tiles, from_place_2, whole, x(one_to_one));
  int step = 0;
  for (; step < most && !is_enough(step); ++step) {
    launch(in_tiles, add_cross, whole, x(star(1)), y(one_to_one), n);
    std::swap(x, y);
  }
  outcome_of_stencil is{0, step};
  const auto seen = x.read().get();
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) is.sum += seen.view()(i, j) * (i * n + j + 1);
  return is;
}

long long weighed_sum_by_loop(int n, int steps) {
  std::vector<long long> x(static_cast<std::size_t>(n * n)), y(x);
  const auto at = [n](int i, int j) { return static_cast<std::size_t>(i * n + j); };
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) x[at(i, j)] = i * 7 + j;
  for (int s = 0; s < steps; ++s, std::swap(x, y))
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        y[at(i, j)] = (x[at(i, j)] + (i > 0 ? x[at(i - 1, j)] : 0) + (i + 1 < n ? x[at(i + 1, j)] : 0) +
                       (j > 0 ? x[at(i, j - 1)] : 0) + (j + 1 < n ? x[at(i, j + 1)] : 0)) %
                      1009;
  long long all = 0;
  for (std::size_t k = 0; k < x.size(); ++k) all += x[k] * static_cast<long long>(k + 1);
  return all;
}

TEST_CASE("weights set by hand say how large the tiles of nodes and devices are, and the result is the same") {
  test::on_nodes_with_devices([] {
    set_weights(weights_by_number());
    const long long expected = weighed_sum_by_loop(61, 6);
    CHECK(stencil_in_tiles(61, 6, [](int) { return false; }).sum == expected);
    box mine;
    wait(host_task(in_tiles, box({0, 0}, {200, 200}), [&mine](const box& tile) { mine = tile; }));
    const double due = 200.0 * 200 * (this_node() + 1) * 2 / (job_nodes() * (job_nodes() + 1));
    CHECK(std::abs(static_cast<double>(mine.volume()) - due) <= 200.0 * 2 * job_nodes());
    set_weights({});
    CHECK(stencil_in_tiles(61, 6, [](int) { return false; }).sum == expected);
  });
}

TEST_CASE("devices of different speeds get tiles in proportion to their speeds") {
  for (const auto& [devices, ideal] :
       {std::pair<std::string, std::vector<double>>{"sim(rate=2M),sim(rate=6M)", {0.25, 0.75}},
        {"sim(rate=2M),sim(rate=2M),sim(rate=2M),sim(rate=6M)", {1.0 / 6, 1.0 / 6, 1.0 / 6, 0.5}}}) {
    runtime rt({.workers = 1, .devices = devices});
    rt.run([&] {
      std::vector<double> shares;
      const outcome_of_stencil was = stencil_in_tiles(180, most_steps, [&](int) {
        shares = buffers_here().instructions.weights().shares();
        return is_near(shares, ideal, 0.1);
      });
      CAPTURE(was.steps);
      CHECK(is_near(shares, ideal, 0.1));
      CHECK(was.sum == weighed_sum_by_loop(180, was.steps));
    });
  }
}

TEST_CASE(
    "nothing is measured where the option weights is off, where weights are set by hand, or where the runtime is "
    "stepped") {
  {
    const with_variable off("STRETTO_WEIGHTS", "off");
    runtime rt({.workers = 1, .devices = "sim:2"});
    rt.run([] {
      CHECK(buffers_here().weights.levels() == buffers::measured_levels());
      set_weights({});
      CHECK(buffers_here().weights.levels() == buffers::measured_levels());
    });
  }
  runtime rt({.workers = 1, .devices = "sim:2"});
  rt.run([] {
    CHECK(buffers_here().weights.levels() == buffers::measured_levels{.devices = true});
    set_weights({.devices = {1, 1}});
    CHECK(buffers_here().weights.levels() == buffers::measured_levels());
    set_weights({});
    CHECK(buffers_here().weights.levels() == buffers::measured_levels{.devices = true});
  });
  runtime stepped({.devices = "sim:2", .stepped = true});
  stepped.run([] { CHECK(buffers_here().weights.levels() == buffers::measured_levels()); });
}

/// Nodes with these devices, in one job.
template <class Body>
void on_nodes_with(const std::vector<std::string>& devices, Body body) {
  const simulated_job job({.nodes = static_cast<std::uint32_t>(devices.size()), .seed = 5});
  std::vector<std::thread> all;
  std::mutex lock;
  std::exception_ptr first;
  for (std::uint32_t n = 0; n < devices.size(); ++n)
    all.emplace_back([&, n] {
      try {
        runtime rt({.workers = 1, .devices = devices[n], .job = job.endpoint(n)});
        rt.run([&] { body(); });
      } catch (...) {
        const std::scoped_lock hold(lock);
        if (!first) first = std::current_exception();
      }
    });
  for (std::thread& t : all) t.join();
  if (first) std::rethrow_exception(first);
}

TEST_CASE("nodes of different speeds get shares of launches in proportion to their speeds, from the same task on") {
  const with_variable on("STRETTO_WEIGHTS", "nodes");
  constexpr int n = 20'000;
  std::mutex lock;
  std::vector<std::vector<std::vector<double>>> seen(2);  // by node: the sequence of weights
  std::vector<std::vector<int>> when(2);
  std::vector<long long> sums;
  int steps = 0;
  on_nodes_with({"sim(rate=2M)", "sim(rate=4M),sim(rate=2M)"}, [&] {
    const std::uint32_t self = this_node();
    const outcome_of_stencil was = stencil(n, most_steps, [&](int step) {
      const std::vector<double> now = buffers_here().commands.weights().shares();
      if (!seen[self].empty() ? now != seen[self].back() : !now.empty())
        seen[self].push_back(now), when[self].push_back(step);
      return is_near(now, {0.25, 0.75}, 0.1);
    });
    const std::scoped_lock hold(lock);
    sums.push_back(was.sum);
    steps = was.steps;
  });
  CAPTURE(steps);
  REQUIRE(!seen[0].empty());
  CHECK(is_near(seen[0].back(), {0.25, 0.75}, 0.1));
  CHECK(seen[0] == seen[1]);
  CHECK(when[0] == when[1]);
  for (const long long s : sums) CHECK(s == sum_by_loop(n, steps));
}

TEST_CASE("a program that ends while nodes exchange what they measured ends, at whatever launch that is") {
  const with_variable on("STRETTO_WEIGHTS", "nodes");
  for (int launches = 22; launches < 120; launches += 19)
    on_nodes_with({"sim:2", "none", "sim"},
                  [&] { CHECK(stencil(100, launches, [](int) { return false; }).sum == sum_by_loop(100, launches)); });
}

TEST_CASE("launches that fail where they are measured change no weights, and fail what they would") {
  const with_variable on("STRETTO_WEIGHTS", "nodes");
  on_nodes_with({"sim:2(fail_launch=12)", "sim"}, [] {
    CHECK(test::thrown_by([] { (void)stencil(100, 60, [](int) { return false; }); }).find("K30") != std::string::npos);
    CHECK(buffers_here().commands.weights().are_none());
  });
}

}  // namespace
}  // namespace stretto
