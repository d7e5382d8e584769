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
