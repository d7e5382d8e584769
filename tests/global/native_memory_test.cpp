// Memory that a program gets from a device's driver: used as an instance, and sent to other nodes.
#include <stretto/copy.hpp>
#include <stretto/error.hpp>
#include <stretto/finish.hpp>
#include <stretto/job.hpp>
#include <stretto/launch.hpp>
#include <stretto/platform.hpp>
#include <stretto/received_buffer.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "../conformance/devices.hpp"
#include "../conformance/driver_call.hpp"
#include "../dist/simulated.hpp"
#include "function_reference.hpp"
#include "payloads.hpp"
#include "thrown_by.hpp"
#include "usable_devices.hpp"

namespace stretto {
namespace {

using test::content_here;
using test::content_of;
using test::counted_from;
using test::error_of;
using test::thrown_by;

STRETTO_KERNEL(native_add, (inout<int> x, int more), { x(global_id(0)) += more; })

/// Adds to the elements on the other node, by a kernel that the handler does not wait for.
event add_there(const received_buffer<int>& b, int more, const instance<int>& result) {
  const event added = launch(native_add, b.elements().elements(), b.elements(), more);
  return copy(b.elements(), result, after(added));
}

at_place first_device(const runtime& rt) { return at(rt.machine().places(place_kind::gpu_memory).front()); }

/// Created before any runtime opens the devices: listing candidates opens them.
const std::vector<device::candidate>& all_candidates() {
  static const auto all = device::candidates();
  return all;
}

/// Memory of this runtime's first device, allocated from its driver as a program does.
device::memory_of_program memory_of(at_place memory, const std::string& kind, std::size_t bytes) {
  native_call seen;
  const auto one = instance<int>::create(memory, box(0, 1)).made;
  wait(launch(test::driver_call(seen), box(0, 1), one));
  one.destroy();
  const auto is = std::ranges::find_if(
      all_candidates(), [&](const device::candidate& c) { return c.name.starts_with(kind.substr(0, kind.find('('))); });
  REQUIRE(is != all_candidates().end());
  return is->memory(seen, bytes);
}

void on_each_kind(std::uint32_t nodes, test::function_reference<void(runtime&, const std::string&)> program) {
  static const std::vector<std::string> kinds =
      test::usable_devices({"sim", "sim(messages)", "sim(in_place)", "sim(exports)", "opencl"}, "memory of drivers");
  all_candidates();
  for (const std::string& kind : kinds) {
    CAPTURE(kind);
    test::on_nodes_of(simulated_job({.nodes = nodes, .seed = 21}), {.workers = 2, .devices = kind}, [&](runtime& rt) {
      if (this_node() == 0) program(rt, kind);
    });
  }
}

TEST_CASE("memory that a driver gave to the program is an instance of its device, and the program's again afterwards") {
  on_each_kind(1, [](const runtime& rt, const std::string& kind) {
    constexpr int n = 6000;
    constexpr int behind = 40;
    const at_place device = first_device(rt);
    const auto own = memory_of(device, kind, std::size_t(n + behind) * sizeof(int));
    const auto numbers = counted_from(0, n + behind);
    own.write(numbers.data(), numbers.size() * sizeof(int));
    native_memory from = own.is;
    from.offset_bytes = behind * sizeof(int);
    const std::uint64_t used = usage_of(device.where).used;
    const auto x = instance<int>::external(device, from, box(0, n), {.name = "theirs"});
    CHECK(usage_of(device.where).used == used);  // it uses no memory of the runtime
    CHECK(x.memory() == device.where);
    CHECK(content_of(x) == counted_from(behind, n));
    CHECK(error_of([&] { (void)x.view(); }).code() == "D15");
    // With an instance of the runtime's own, in the memory of the device: both ways, and kernels on both.
    const auto y = instance<int>::create(device, box(0, n)).made;
    event e = copy(x, y);
    e = launch(after(e), native_add, box(0, n), y, 100);
    e = copy(y, x, box(1000, 2000), after(e));
    e = launch(after(e), native_add, box(0, 500), x, -5);
    wait(e);
    const auto last = instance<int>::external(
        device, {own.is.data, own.is.buffer, std::size_t(behind + n - 10) * sizeof(int)}, box(0, 10));
    wait(fill(last, 9));
    last.destroy();
    std::vector<int> seen(std::size_t(n + behind)), wanted = numbers;
    for (std::size_t i = 0; i < std::size_t(n); ++i)
      wanted[i + behind] += i < 500                    ? -5
                            : i >= 1000 && i < 2000    ? 100
                            : i >= std::size_t(n - 10) ? 9 - wanted[i + behind]
                                                       : 0;
    own.read(seen.data(), seen.size() * sizeof(int));
    CHECK(seen == wanted);
    wait(x.destroy());
    y.destroy();
    CHECK(error_of([&] { copy(x, y); }).code() == "D01");
    // Of several dimensions and with gaps.
    const std::int64_t strides[] = {64, 1};
    const auto rows = instance<int, 2>::external(device, own.is, {{0, 0}, {50, 30}}, {.strides = strides});
    const auto dense = instance<int, 2>::create(at(rt.machine().memories().front()), {{0, 0}, {50, 30}}).made;
    wait(copy(rows, dense));
    own.read(seen.data(), seen.size() * sizeof(int));
    for (std::int64_t i = 0; i < 50; ++i)
      for (std::int64_t j = 0; j < 30; ++j) CHECK(dense.view()(i, j) == seen[static_cast<std::size_t>(64 * i + j)]);
    rows.destroy();
    dense.destroy();
  });
}

TEST_CASE("elements go to other nodes from memory that a driver gave to the program, into any memory there") {
  on_each_kind(2, [](const runtime& rt, const std::string& kind) {
    const at_place device = first_device(rt);
    for (const int n : {1, 100, 5000, 300'000}) {
      const auto own = memory_of(device, kind, std::size_t(n + 3) * sizeof(int));
      const auto numbers = counted_from(2, n + 3);
      own.write(numbers.data(), numbers.size() * sizeof(int));
      const native_elements<int> sent{device, {own.is.data, own.is.buffer, 3 * sizeof(int)}, std::uint64_t(n)};
      for (std::uint32_t node = 0; node < 2; ++node)
        for (const at_place to : {at_place{}, device}) {
          CHECK(send_buffer(at_node(node), sent, to, call<&test::content_here>()).get() == counted_from(5, n));
          // A handler that returns before its kernel has run; the buffer lasts until that has ended.
          const auto result = instance<int>::create(at(rt.machine().memories().front()), box(0, n)).made;
          wait(send_buffer(at_node(node), sent, to, call<&add_there>(1000, result)).get());
          CHECK(content_of(result) == counted_from(1005, n));
          result.destroy();
        }
      // Ordered behind the event of the program's own work.
      const auto written = user_event::create();
      const auto later = send_buffer(after(written), at_node(1), sent, device, call<&test::content_here>());
      const auto others = counted_from(-70, n + 3);
      own.write(others.data(), others.size() * sizeof(int));
      written.trigger();
      CHECK(later.get() == counted_from(-67, n));
    }
  });
}

TEST_CASE("many messages from one memory of the program's leave nothing behind") {
  on_each_kind(2, [](const runtime& rt, const std::string& kind) {
    const at_place device = first_device(rt);
    constexpr int n = 3000;
    const auto own = memory_of(device, kind, n * sizeof(int));
    const auto numbers = counted_from(0, n);
    own.write(numbers.data(), n * sizeof(int));
    std::vector<future<int>> all;
    for (int i = 0; i < 200; ++i)
      all.push_back(
          send_buffer(at_node(1),
                      native_elements<int>{
                          device, {own.is.data, own.is.buffer, std::size_t(i) * sizeof(int)}, std::uint64_t(n - i)},
                      device, call([](const received_buffer<int>& b) { return content_here(b).front(); })));
    for (int i = 0; i < 200; ++i) CHECK(all[std::size_t(i)].get() == i);
  });
}

TEST_CASE("invalid native memory is reported where it is named") {
  on_each_kind(2, [](const runtime& rt, const std::string& kind) {
    const at_place device = first_device(rt);
    const auto own = memory_of(device, kind, 4000);
    const auto code = [](auto&& body) { return error_of(body).code(); };
    const auto send = [&](at_place from, const native_memory& m, std::uint64_t count) {
      send_buffer(at_node(1), native_elements<int>{from, m, count}, call<&test::content_here>()).get();
    };
    CHECK(code([&] { send(device, {}, 10); }) == "N19");
    CHECK(code([&] { send({}, own.is, 10); }) == "D04");
    CHECK(code([&] { send(at(place{4000}), own.is, 10); }) == "D04");
    CHECK(code([&] { send(device, {own.is.data, own.is.buffer, 2}, 10); }) == "D05");
    if (!kind.starts_with("sim")) CHECK(code([&] { send(device, own.is, std::uint64_t{1} << 36); }) == "N19");
    const std::string words = thrown_by([&] { send(device, {}, 10); });
    CHECK(words.find("native_memory_test.cpp") != std::string::npos);
    CHECK(words.find("  device      \"") != std::string::npos);
    // An empty native range is received as an empty buffer; host memory is accepted like a span.
    const auto none = call([](const received_buffer<int>& b) { return b.size() == 0; });
    CHECK(send_buffer(at_node(1), native_elements<int>{device, own.is, 0}, none).get());
    auto numbers = counted_from(1, 2000);
    const at_place host = at(rt.machine().memories().front());
    for (const int n : {5, 2000})
      CHECK(send_buffer(at_node(1), native_elements<int>{host, {.data = numbers.data()}, std::uint64_t(n)},
                        call<&test::content_here>())
                .get() == counted_from(1, n));
  });
}

}  // namespace
}  // namespace stretto
