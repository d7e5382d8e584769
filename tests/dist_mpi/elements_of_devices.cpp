// Elements that go between devices of several processes: their content, and by which copies of the driver they went, if
// that is the tests' own.
#include <stretto/buffer.hpp>
#include <stretto/copy.hpp>
#include <stretto/error.hpp>
#include <stretto/job.hpp>
#include <stretto/launch.hpp>
#include <stretto/object.hpp>
#include <stretto/platform.hpp>
#include <stretto/remote.hpp>
#include <stretto/runtime.hpp>

#include <dlfcn.h>

#include <array>
#include <cstdio>
#include <exception>
#include <vector>

#include "dist/numbered_grid.hpp"

using namespace stretto;
using test::write_grid;
using test::wrong_in;

namespace {

/// A count of the tests' driver (device/drivers/fake_cuda.hpp); -1 with other drivers.
long counted(const char* what) {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  void* const get = driver ? dlsym(driver, "fake_cuda_get") : nullptr;
  return get ? reinterpret_cast<long (*)(const char*)>(get)(what) : -1;
}
using grid = instance<float, 2>;

place device_here() { return this_machine().places(place_kind::gpu_memory).front(); }

/// Allocations of other processes that were opened; copies to the host, to devices and within them.
std::array<long, 4> counts_here() {
  return {counted("opened"), counted("copies to the host"), counted("copies to devices"), counted("copies of devices")};
}

/// From node 0's device to node 1's: one element, rows with gaps, several boxes, some megabytes; and what the drivers
/// of the two did for it.
void send_all() {
  const box whole{{0, 0}, {1000, 700}};
  const grid a = grid::create(at(device_here()), whole).made;
  const grid b = grid::create(at_node(1), at(device_here()), whole).made;
  const std::vector<std::int64_t> gaps{1500, 2};
  const grid c = grid::create(at_node(1), at(device_here()), whole, {.strides = gaps}).made;
  write_grid(a, whole);
  wait(merge(fill(b, -1.0f), fill(c, -1.0f)));
  const std::vector<box> parts{{{0, 0}, {7, 9}}, {{800, 20}, {990, 21}}, {{10, 5}, {11, 6}}};
  const auto mine = counts_here();
  const auto theirs = async(at_node(1), call<&counts_here>()).get();
  wait(copy(a, b, parts));
  wait(copy(a, box{{3, 4}, {4, 5}}, b, point(999, 699)));
  wait(copy(a, c));
  const auto mine_then = counts_here();
  const auto theirs_then = async(at_node(1), call<&counts_here>()).get();
  int wrong = async(at_node(1), call<&wrong_in<float>>(b, box{{999, 699}, {1000, 700}}, point(-996, -695))).get();
  for (const box& p : parts) wrong += async(at_node(1), call<&wrong_in<float>>(b, p, point(0, 0))).get();
  wrong += async(at_node(1), call<&wrong_in<float>>(c, whole, point(0, 0))).get();
  std::printf("elements wrong=%d read=%ld opened=%ld written=%ld copied=%d\n", wrong, mine_then[1] - mine[1],
              theirs_then[0] - theirs[0], theirs_then[2] - theirs[2], theirs_then[3] > theirs[3]);
  wait(merge({a.destroy(), b.destroy(), c.destroy()}));
}

STRETTO_KERNEL(begin_as_index, (out<int> x), { x(global_id(0)) = global_id(0); })
STRETTO_KERNEL(add_both_sides, (in<int> x, out<int> y, int n), {
  int i = global_id(0);
  y(i) = (x(i) + (i > 0 ? x(i - 1) : 0) + (i + 1 < n ? x(i + 1) : 0)) % 1009;
})
STRETTO_KERNEL(add_one_to_each, (inout<int> x), { x(global_id(0)) += 1; })

/// The same of what buffers exchange, and of an object that goes there and back.
void exchange() {
  constexpr int n = 20'000;
  buffer<int> x(box(0, n)), y(box(0, n));
  launch(begin_as_index, x.elements(), x(one_to_one));
  for (int step = 0; step < 10; ++step) {
    launch(add_both_sides, x.elements(), x(neighborhood(1)), y(one_to_one), n);
    std::swap(x, y);
  }
  std::vector<int> expected(n), other(n);
  for (int i = 0; i < n; ++i) expected[std::size_t(i)] = i;
  for (int step = 0; step < 10; ++step) {
    for (int i = 0; i < n; ++i) {
      const auto at = [&](int k) { return k < 0 || k >= n ? 0 : expected[std::size_t(k)]; };
      other[std::size_t(i)] = (at(i) + at(i - 1) + at(i + 1)) % 1009;
    }
    expected.swap(other);
  }
  const auto seen = x.read().get();
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += seen.view()(i) != expected[std::size_t(i)];
  std::printf("buffers of node %u wrong=%d\n", this_node(), wrong);
  if (this_node() != 0) return;
  const object<int> o(box(0, n));
  launch(begin_as_index, o.elements(), o);
  const object<int> back = async(at_node(1), call(
                                                 [](object<int> came) {
                                                   launch(add_one_to_each, came.elements(), came);
                                                   return came;
                                                 },
                                                 o))
                               .get();
  launch(add_one_to_each, back.elements(), back);
  const auto came = back.read().get();
  wrong = 0;
  for (int i = 0; i < n; ++i) wrong += came.view()(i) != i + 2;
  std::printf("objects wrong=%d\n", wrong);
}

}  // namespace

int main() {
  try {
    std::uint32_t node = 0;
    {
      runtime rt;
      node = rt.node();
      rt.run([] {
        if (this_node() == 0) send_all();
      });
      rt.run(exchange);
    }
    std::printf("node %u live=%ld misuse=%ld\n", node, counted("live"), counted("misuse"));
  } catch (const std::exception& e) {
    std::puts(e.what());
    return 1;
  }
}
