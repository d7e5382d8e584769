// Balancing of objects whose work runs on devices: its measurement, and balancers that use it.
#include <doctest/doctest.h>

#include <stretto/balancing.hpp>
#include <stretto/launch.hpp>
#include <stretto/object.hpp>

#include <chrono>
#include <cstdlib>
#include <vector>

#include "mobile/all_on.hpp"
#include "mobile/device_job.hpp"

namespace stretto {
namespace {

using namespace test;

STRETTO_KERNEL(balance_begin, (out<float> x), { x(global_id(0)) = 3.0f; })
STRETTO_KERNEL(balance_turn, (inout<float> x, int rounds), {
  float v = x(global_id(0));
  for (int i = 0; i < rounds; ++i) v = v * 0.5f + 1.0f;
  x(global_id(0)) = v;
})

/// Its work runs on a device; a worker only launches it.
struct field_on_device {
  object<float> u;

  explicit field_on_device(std::size_t = 0) {}
  void begin() {
    u = object<float>(box(0, 20'000));
    launch(balance_begin, u.elements(), u);
  }
  void turn(int launches) {
    for (int i = 0; i < launches; ++i) launch(on(device_kind::device), balance_turn, u.elements(), u, 40);
  }
  template <class Archive>
  friend void fields(Archive& a, archived<field_on_device, Archive>& f) {
    a(f.u);
  }
};

/// The table of a round.
template <class Which>
load_table seen_by(const Which& which) {
  load_table seen;
  balance(which, [&seen](const load_table& t) {
    seen = t;
    return object_moves();
  }).get();
  return seen;
}

TEST_CASE("device time of an object is measured, is background of other rounds, and moves with the object") {
  if (std::getenv("STRETTO_TEST_RANDOM_MIGRATION")) return;
  constexpr double launch_seconds = 20'000 / 100e6;
  on_device_nodes(simulated_job({.nodes = 2}), "sim:2(rate=100M)", [] {
    if (this_node() != 0) return;
    measure_loads().get();
    const auto all = make_collection<field_on_device>(all_on(0), 3);
    const auto other = make_collection<field_on_device>(all_on(0), 1);
    const auto turn = [](mobile<field_on_device> m, int launches) {
      const auto since = std::chrono::steady_clock::now();
      finish([&] { send(m, call<&field_on_device::turn>(launches)); });
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
    };
    for (const auto& c : {all, other}) finish([&] { broadcast(c, call<&field_on_device::begin>()); });
    seen_by(all);
    seen_by(other);
    // One after the other: the host may see ends late, and then measures the time of one object for another.
    turn(all[0], 30);
    const double most = turn(all[1], 3);
    turn(other[0], 20);
    load_table t = seen_by(all);
    REQUIRE(t.nodes.size() == 2);
    for (const auto& n : t.nodes) CHECK(n.devices == 2);
    constexpr double exact = 0.999;  // times are measured in ticks of another clock
    CHECK(t.objects[0].device_seconds >= 30 * launch_seconds * exact);
    CHECK(t.objects[1].device_seconds >= 3 * launch_seconds * exact);
    CHECK(t.objects[1].device_seconds * exact <= 2 * most);  // on a busy machine the end of a launch is seen after the
                                                             // next one has begun on the other device
    CHECK(t.objects[2].device_seconds == 0);
    CHECK(t.nodes[0].device_background >= 20 * launch_seconds * exact);
    CHECK(t.nodes[1].device_background == 0);
    CHECK(scarcest(t) == scarce::devices);
    t = seen_by(all);
    for (const auto& o : t.objects) CHECK(o.device_seconds == 0);
    CHECK(t.nodes[0].device_background == 0);
    turn(all[2], 5);
    migrate(all[2], at_node(1)).get();
    t = seen_by(all);
    CHECK(t.objects[2].node == 1);
    CHECK(t.objects[2].device_seconds >= 5 * launch_seconds * exact);
  });
}

TEST_CASE("objects that keep one node's device busy are distributed over the devices of all nodes") {
  if (std::getenv("STRETTO_TEST_RANDOM_MIGRATION")) return;
  on_device_nodes(simulated_job({.nodes = 2}), "sim", [] {
    if (this_node() != 0) return;
    measure_loads().get();
    const auto all = make_collection<field_on_device>(all_on(1), 8);
    finish([&] { broadcast(all, call<&field_on_device::begin>()); });
    seen_by(all);
    for (int i = 0; i < 3; ++i) finish([&] { broadcast(all, call<&field_on_device::turn>(10)); });
    const balance_report r = balance(all, balancers::greedy{}).get();
    CHECK(r.before > 1.5);
    CHECK(r.after < r.before);
    CHECK(r.moved > 0);
    CHECK(r.seconds > 0);
    std::uint32_t here = 0;
    for (const auto& o : seen_by(all).objects) here += o.node == 0;
    CHECK(here == r.moved);
    finish([&] { broadcast(all, call<&field_on_device::turn>(1)); });
  });
}

}  // namespace
}  // namespace stretto
