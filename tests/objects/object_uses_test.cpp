// Mappers of launches on objects are checked in the call, whether the launch is divided or not.
#include <stretto/error.hpp>
#include <stretto/launch_graph.hpp>
#include <stretto/object.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "thrown_by.hpp"

namespace stretto {
namespace {

// clang-format off
STRETTO_KERNEL(uses_smooth, (in<int> u, out<int> v, int n), {
  int i = global_id(0);
  v(i) = (i > 0 ? u(i - 1) : 0) + (i + 1 < n ? u(i + 1) : 0);
})
STRETTO_KERNEL(uses_smooth_in_place, (inout<int> u), { u(global_id(0)) += 1; })
STRETTO_KERNEL(uses_double, (in<int> u, out<int> v), { v(global_id(0)) = 2 * u(global_id(0)); })
STRETTO_KERNEL(uses_first, (in<int, 2> u, out<int, 2> v), { v(global_id(0), 0) = u(global_id(0), 0); })
STRETTO_KERNEL(uses_rows, (inout<int, 2> u), { u(global_id(0), 1) += u(global_id(0), 0); })
// clang-format on

template <class F>
std::string code_of_uses(F&& f) {
  return std::string(test::error_of(f).code());
}

}  // namespace

TEST_CASE(
    "a launch on objects that reads what other items of it write is refused, on any devices, and nothing is computed") {
  for (const char* devices : {"none", "sim", "sim:2"}) {
    CAPTURE(devices);
    runtime rt({.workers = 1, .devices = devices});
    rt.run([] {
      const std::vector<int> ones(12, 1), many(48, 1);
      const object<int> u(box(0, 12), ones.data(), {.name = "u"}), v(box(0, 12), ones.data());
      const object<int, 2> w(box({0, 0}, {12, 4}), many.data());
      const std::string words =
          test::thrown_by([&] { launch(uses_smooth, u.elements(), u(neighborhood(1)), u(one_to_one), 12); });
      CHECK(
          words.starts_with("error B31: launch \"uses_smooth\" reads elements of object \"u\" that other items of it "
                            "write\n  submitted   object_uses_test.cpp:"));
      CHECK(words.find("  read by     argument 1 \"u\" (in): items [0,6) may read [0,7)\n") != words.npos);
      CHECK(words.find("  written by  argument 2 \"v\" (out): items [6,12) may write [6,12)\n") != words.npos);
      CHECK(code_of_uses([&] { launch(uses_smooth, u.elements(), u, u(one_to_one), 12); }) == "B31");
      CHECK(code_of_uses([&] { launch(uses_smooth, u.elements(), u(box(0, 3)), u(one_to_one), 12); }) == "B31");
      CHECK(code_of_uses([&] { launch(uses_smooth_in_place, u.elements(), u(neighborhood(1))); }) == "B31");
      CHECK(code_of_uses([&] { launch(uses_rows, w.elements(), w(slice(1))); }) == "B31");
      CHECK(code_of_uses([&] { launch(uses_first, box(0, 12), w(one_to_one), w(one_to_one)); }) == "B32");
      CHECK(code_of_uses([&] { launch(uses_double, box(0, 16), u(one_to_one), v(one_to_one)); }) == "B33");
      launch_graph g;
      g.launch(uses_smooth_in_place, u.elements(), u(neighborhood(1)));
      CHECK(code_of_uses([&] { g.submit(); }) == "B31");
      CHECK(u.read().get().view()(5) == 1);
      launch(uses_smooth_in_place, u.elements(), u(one_to_one));
      launch(uses_double, u.elements(), u(one_to_one), u(one_to_one));
      launch(uses_double, u.elements(), u, u);  // without mappers
      launch(uses_double, box(0, 6), u(box(0, 6)), v(one_to_one));
      launch(uses_smooth, box(5, 6), u, u(one_to_one), 12);
      launch(uses_rows, box(0, 12), w(slice(1)));
      CHECK(u.read().get().view()(5) == 16);
      CHECK(w.read().get().view()(7, 1) == 2);
    });
  }
}

}  // namespace stretto
