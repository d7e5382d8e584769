// STRETTO_CHECK=1 on devices of every kind: a kernel that accesses an element outside its argument is reported, as on
// the host; other kernels compute the same as without.
#include <stretto/stretto.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "thrown_by.hpp"
#include "usable_devices.hpp"
#include "with_variable.hpp"

namespace stretto {
namespace {

using test::thrown_by;
using test::with_variable;

STRETTO_DEVICE_FUNCTION(int, looked_beside, (in<int, 2> u, int i, int j), { return u(i - 1, j) + u(i, j + 1); })
STRETTO_DEVICE_FUNCTION(void, looked_count, (reduce<sum<int>> counts, int which), { counts(which) << 1; })
STRETTO_DEVICE_FUNCTION(int, looked_larger, (int a, int b), { return a < b ? b : a; })
STRETTO_DEVICE_OPERATOR(looked_largest, int, looked_larger, {-1000000})

STRETTO_KERNEL(looked_plane, (in<int, 2> u, inout<int, 2> v, reduce<sum<int>> counts, reduce<looked_largest> most), {
  int i = global_id(0), j = global_id(1);
  v(i, j) = v(i, j) + looked_beside(u, i, j);
  looked_count(counts, (i + j) % 4);
  most(0) << v(i, j);
})
STRETTO_KERNEL(looked_line, (in<int> x, out<int> y, int distance), { y(global_id(0)) = x(global_id(0) + distance); })
STRETTO_KERNEL(looked_space, (out<int, 3> x, int further),
               { x(global_id(0), global_id(1), global_id(2) + further) = global_id(0); })
STRETTO_KERNEL(looked_atomically, (inout<int> x, int where), { atomic_add(&x(where), 1); })
STRETTO_KERNEL(looked_nowhere, (out<int> x, inout<int> y), {
  if (global_id(0) == 5) x(global_id(0)) = -1;
  y(global_id(0)) = 2;
})
STRETTO_GROUP_KERNEL(looked_turns, (in<int> x, out<int> y, local<int> kept, int distance), {
  each_item([&](item it) { kept(it.local_id(0)) = x(it.global_id(0) + distance); });
  each_item([&](item it) { y(it.global_id(0)) = kept((it.local_id(0) + 1) % group_size(0)); });
})

const std::vector<std::string>& checked_devices() {
  static const std::vector<std::string> all =
      test::usable_devices({"sim", "opencl:1"}, "kernels that look at their indices");
  return all;
}

/// Runs `body` on the host and on a device of each kind.
template <class Body>
void on_checked_devices(Body&& body) {
  const with_variable check("STRETTO_CHECK", "1"), quiet("STRETTO_LOG", "off");
  for (const std::string& kind : checked_devices()) {
    CAPTURE(kind);
    runtime rt({.workers = 2, .devices = kind});
    for (const device_kind by : {device_kind::host, device_kind::device}) {
      CAPTURE(by == device_kind::host);
      rt.run([&] { body(on(by)); });
    }
  }
}

std::string end_of_launch(const event& e) {
  return thrown_by([&] { wait(e); });
}
bool says(const std::string& text, const std::string& words) { return text.find(words) != text.npos; }

TEST_CASE(
    "checked kernels compute what they do unchecked: functions of arrays, contributions, tiles of objects, any "
    "coordinates") {
  on_checked_devices([](auto here) {
    const box whole({-3, 10}, {13, 30}), inner({-2, 10}, {13, 29});
    std::vector<int> begins(static_cast<std::size_t>(whole.volume()));
    for (std::size_t i = 0; i < begins.size(); ++i) begins[i] = static_cast<int>(i * 7 % 101);
    const auto at = [&](int i, int j) { return begins[static_cast<std::size_t>((i + 3) * 20 + j - 10)]; };
    const object<int, 2> u(whole, begins.data()), v(whole, begins.data());
    const object<int> counts(box(0, 4)), most(box(0, 1));
    wait(launch(here, looked_plane, inner, u, v(inner), counts, most));
    int largest = -1000000, counted[4] = {0, 0, 0, 0};
    const auto seen = v.read().get();
    for (int i = -2; i < 13; ++i)
      for (int j = 10; j < 29; ++j) {
        const int right = at(i, j) + at(i - 1, j) + at(i, j + 1);
        CHECK(seen.view()(i, j) == right);
        largest = std::max(largest, right);
        ++counted[(i + j) % 4];
      }
    CHECK(seen.view()(-3, 10) == at(-3, 10));
    CHECK(most.read().get().view()(0) == largest);
    for (int k = 0; k < 4; ++k) CHECK(counts.read().get().view()(k) == counted[k]);
  });
}

TEST_CASE(
    "an index outside of its array ends the launch with kernel, item, array, index and extent, on devices as on the "
    "host") {
  on_checked_devices([](auto here) {
    const std::vector<int> zeros(64);
    const object<int> x(box(0, 64), zeros.data()), y(box(0, 64));
    const std::string beyond = end_of_launch(launch(here, looked_line, box(61, 64), x, y, 1));
    CHECK(says(beyond, "error K01: kernel \"looked_line\" accesses an element outside of array \"x\""));
    CHECK(says(beyond, "item        (63)"));
    CHECK(says(beyond, "index       (64)"));
    CHECK(says(beyond, "array       [0, 64)"));
    CHECK(says(thrown_by([&] { y.read().get(); }), "K01"));
    wait(launch(here, looked_line, box(0, 64), x, y, 0));
    CHECK(y.read().get().view()(63) == 0);

    // The argument names one tile only.
    CHECK(says(end_of_launch(launch(here, looked_line, box(10, 20), x(box(10, 20)), y(box(10, 20)), 1)),
               "array       [10, 20)"));
    wait(launch(here, looked_line, box(0, 64), x, y, 0));

    const object<int, 3> space(box({1, 1, 1}, {2, 2, 4}));
    const std::string third = end_of_launch(launch(here, looked_space, box({1, 1, 1}, {2, 2, 4}), space, 1));
    CHECK(says(third, "item        (1, 1, 3)"));
    CHECK(says(third, "index       (1, 1, 4)"));
    CHECK(says(third, "[1, 2) x [1, 2) x [1, 4)"));

    const object<int> sums(box(0, 4), zeros.data());
    wait(launch(here, looked_atomically, box(0, 100), sums, 3));
    CHECK(sums.read().get().view()(3) == 100);
    CHECK(says(end_of_launch(launch(here, looked_atomically, box(0, 100), sums, -1)), "index       (-1)"));
  });
}

TEST_CASE("a checked group kernel on a device names its group, and the item in it") {
  on_checked_devices([](auto here) {
    const std::vector<int> ones(64, 1);
    const object<int> x(box(0, 64), ones.data()), y(box(0, 64));
    wait(launch(here, looked_turns, in_groups({1, 4}, 16), x, y(box(16, 64)), local_size{16}, 0));
    const std::string text =
        end_of_launch(launch(here, looked_turns, in_groups({3, 4}, 16), x, y(box(48, 64)), local_size{16}, 1));
    INFO(text);
    CHECK(says(text, "group       (3)"));
    CHECK(says(text, "item        (15) of the group, (63) of all"));
    CHECK(says(text, "index       (64)"));
  });
}

TEST_CASE("a write of a checked kernel to an array without elements is reported and harmless") {
  on_checked_devices([](auto here) {
    const std::vector<int> zeros(64);
    const object<int> x(box(0, 64), zeros.data()), y(box(0, 64), zeros.data());
    const std::string text = end_of_launch(launch(here, looked_nowhere, box(0, 8), x(box(4, 4)), y));
    CHECK(says(text, "array \"x\""));
    CHECK(says(text, "index       (5)"));
    for (int i = 0; i < 64; ++i) CHECK(x.read().get().view()(i) == 0);
  });
}

}  // namespace
}  // namespace stretto
