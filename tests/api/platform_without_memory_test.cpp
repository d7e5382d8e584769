#include <doctest/doctest.h>

#include <memory>
#include <vector>

#include <stretto/buffer.hpp>
#include <stretto/copy.hpp>
#include <stretto/kernel.hpp>
#include <stretto/launch.hpp>
#include <stretto/object.hpp>
#include <stretto/platform.hpp>
#include <stretto/runtime.hpp>

#include "temporary_folder.hpp"
#include "thrown_by.hpp"
#include "with_variable.hpp"

using namespace stretto;

namespace {

STRETTO_KERNEL(raised_without_memory, (inout<int> x), { x(global_id(0)) += 1; })

}  // namespace

TEST_CASE("a platform that names no memory, or one of no bytes, has that of the host: every floor works there") {
  for (const char* file : {R"json({"nworkers": 2, "declarations": ["L2_0", "L2_1"], "reachability": [["L2_0", "L2_1"]],
                             "pop_paths": {"default": ["L2_$(id)"]}, "steal_paths": {"default": ["L2_0", "L2_1"]}})json",
                           R"json({"nworkers": 1, "declarations": [{"name": "sysmem", "capacity_bytes": 0}],
                             "pop_paths": {"default": ["sysmem"]}, "steal_paths": {"default": ["sysmem"]}})json"}) {
    CAPTURE(file);
    runtime rt({.machine = std::make_shared<const platform>(platform::parse(file)), .devices = "none"});
    rt.run([&] {
      REQUIRE(!rt.machine().memories().empty());
      const auto u = instance<int>::create(at(rt.machine().memories().front()), {0, 10}).made;
      wait(fill(u, 3));
      CHECK(u.view()(9) == 3);
      buffer<int> b(box(0, 10), [](coordinate i) { return static_cast<int>(i); });
      launch(raised_without_memory, box(0, 10), b(one_to_one));
      CHECK(b.read().get().view()(9) == 10);
      const std::vector<int> ones(10, 1);
      object<int> o(box(0, 10), ones.data());
      launch(raised_without_memory, box(0, 10), o);
      CHECK(o.read().get().view()(0) == 2);
    });
  }
}

TEST_CASE("host allocations use host memory, even if the platform declares other memories first") {
  const test::temporary_folder folder;
  const test::with_variable global("STRETTO_GLOBAL_MEMORY", "1M"), spill("STRETTO_SPILL", folder.path.c_str()),
      shared("STRETTO_DEVICE_HOST_MEMORY", "64K");
  runtime rt({.machine = std::make_shared<const platform>(platform::parse(R"json({"nworkers": 1,
                "declarations": [{"name": "all", "kind": "global_memory"}, {"name": "spill", "kind": "system_memory"}, {"name": "sim_0_host_memory", "kind": "pinned_memory"}],
                "reachability": [["all", "spill"], ["all", "sim_0_host_memory"]],
                "pop_paths": {"default": ["all"]}})json")),
              .devices = "sim:1"});
  rt.run([&] {
    const auto far = instance<int>::create(at(rt.machine().at("all")), box(0, 10)).made;
    const auto near = instance<int>::create(at(rt.machine().at("host memory")), box(0, 10)).made;
    wait(fill(far, 5));  // by way of memory of the host
    wait(copy(far, near));
    CHECK(near.view()(9) == 5);
    // More than the memory that the host shares with the device has.
    const buffer<int> b(box(0, 100'000), [](coordinate i) { return static_cast<int>(i); });
    CHECK(b.read().get().view()(99'999) == 99'999);
    CHECK(instance<int>::create(at_node(0), box(0, 10)).made.memory() == rt.machine().at("host memory"));
  });
}

TEST_CASE(
    "a place of a platform file that has a name of the runtime's own and another kind is refused when the runtime "
    "starts") {
  const auto machine = std::make_shared<const platform>(
      platform::parse(R"json({"nworkers": 1, "declarations": ["sysmem", {"name": "sim_0", "kind": "l2"}],
                         "reachability": [["sysmem", "sim_0"]]})json"));
  runtime({.machine = machine, .devices = "none"});
  CHECK(test::thrown_by([&] { runtime({.machine = machine, .devices = "sim:1"}); }) ==
        "error P04: the platform has a place \"sim_0\", but the runtime adds a place with the same name\n"
        "  added       gpu\n"
        "  declared    l2\n"
        "  because     names of places are unique\n"
        "  try         give the place another name in the platform file");
}

TEST_CASE("of several places of global memory the first is the memory of all nodes, and the others hold nothing") {
  const test::with_variable global("STRETTO_GLOBAL_MEMORY", "1M");
  runtime rt({.machine = std::make_shared<const platform>(platform::parse(R"json({"nworkers": 1,
                "declarations": ["sysmem", {"name": "one", "kind": "global_memory"}, {"name": "other", "kind": "global_memory"}],
                "reachability": [["sysmem", "one"], ["sysmem", "other"]]})json")),
              .devices = "none"});
  rt.run([&] {
    const auto far = instance<int>::create(at(rt.machine().at("one")), box(0, 10)).made;
    const auto near = instance<int>::create(at(rt.machine().at("sysmem")), box(0, 10)).made;
    wait(fill(far, 5));
    wait(copy(far, near));
    CHECK(near.view()(9) == 5);
    CHECK(test::error_of([&] { instance<int>::create(at(rt.machine().at("other")), box(0, 10)); }).code() == "D04");
  });
}
