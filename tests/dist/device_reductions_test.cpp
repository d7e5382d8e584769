// Reductions in the memory of other nodes' devices, each node a runtime with threads and a simulated device of its own.
#include <stretto/copy.hpp>
#include <stretto/job.hpp>
#include <stretto/launch.hpp>
#include <stretto/platform.hpp>
#include <stretto/reduce.hpp>
#include <stretto/remote.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include "dist/simulated.hpp"
#include "with_variable.hpp"

namespace stretto::reductions_on_devices {
namespace {

using sums = reduction_instance<sum<int>>;

constexpr int elements = 1000;

STRETTO_KERNEL(adds_to_third, (reduce<sum<int>> s, int by), { s(global_id(0) / 3) << by; })

/// Launches on a device of the node that calls it.
event contribute(const sums& s, int by) { return launch(adds_to_third, box(0, elements), s, by); }

TEST_CASE("kernels contribute on other nodes' devices, and their contributions are reduced and folded between nodes") {
  const test::with_variable devices("STRETTO_DEVICES", "sim:1");
  for (const bool on_devices : {true, false})
    for (const std::uint64_t seed : {3u, 4u})
      test::on_all_nodes({.nodes = 3, .seed = seed}, 2, [&](runtime& rt) {
        if (this_node() != 0) return;
        const place ram = rt.machine().memories().front(), device_memory = rt.machine().at("sim_0_memory");
        const box all{0, elements};
        const auto first = sums::create(at_node(1), at(device_memory), all),
                   second = sums::create(at_node(2), at(device_memory), all);
        const auto together = sums::create(at_node(0), at(on_devices ? device_memory : ram), all);
        const auto total = instance<int>::create(at_node(2), at(on_devices ? device_memory : ram), all).made;
        const event begun = fill(total, 1);
        const auto contributed = [](std::uint32_t node, const sums& s, int by) {
          return async(at_node(node), call([](const sums& mine, int much) { wait(contribute(mine, much)); }, s, by));
        };
        const event one = contributed(1, first, 5), two = contributed(2, second, 70);
        event done = fold_into(first, together, detail::any_contributor, after(one));
        done = fold_into(second, together, detail::any_contributor, after(two, done));
        done = reduce(together, total, after(begun, done));
        done = reduce(first, total, after(done));  // between devices of two nodes
        wait(clear(first, after(done)));
        done = reduce(first, total);  // nothing is left to reduce
        const auto seen = instance<int>::create(at(ram), all).made;
        wait(copy(total, seen, after(done)));
        const auto v = seen.view();
        int wrong = 0;
        for (int i = 0; i < elements; ++i) {
          const int times = i < 333 ? 3 : i == 333 ? 1 : 0;
          wrong += v(i) != 1 + times * (5 + 70 + 5);
        }
        CHECK(wrong == 0);
        first.destroy(), second.destroy(), together.destroy(), total.destroy(), seen.destroy();
      });
}

}  // namespace
}  // namespace stretto::reductions_on_devices
