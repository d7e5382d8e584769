// Memory that a program gets from a driver, used by a device like its own, on every device.
#include <stretto/error.hpp>
#include <stretto/native_kernel.hpp>

#include <doctest/doctest.h>

#include <numeric>

#include "conformance/bench.hpp"
#include "conformance/driver_call.hpp"
#include "device/kernels_for_tests.hpp"
#include "thrown_by.hpp"

namespace stretto::device {
namespace {

namespace k = kernels;
using test::error_of;

STRETTO_KERNEL(add_one_to_all, (inout<int> x), { x(global_id(0)) += 1; })

/// The handles that native kernels on this device receive.
native_call seen_on(bench& b) {
  native_call seen;
  b.launch(test::driver_call(seen).code(), range({0}, {1}), {b.put(array<int>({1}))});
  counting_completion e;
  b.s->notify(e);
  b.wait(e);
  return seen;
}

TEST_CASE("a device copies, fills and computes in memory that its driver gave to the program") {
  on_each([](bench& b, const candidate& c) {
    constexpr std::size_t n = 5000, behind = 16;
    const memory_of_program own = c.memory(seen_on(b), (n + behind) * sizeof(int));
    std::vector<int> all(n + behind, 7);
    own.write(all.data(), all.size() * sizeof(int));
    native_memory from = own.is;
    from.offset_bytes = behind * sizeof(int);
    std::byte* const at = b.on->borrow(from, n * sizeof(int));
    CHECK(b.on->owns(at, n * sizeof(int)));
    CHECK_FALSE(b.on->owns(at, n * sizeof(int) + 1));
    array<int> x({n});
    std::iota(x.values.begin(), x.values.end(), 0);
    const launch_argument there{x.at(at), at, x.bytes()};
    b.s->copy({{}, reinterpret_cast<std::byte*>(x.values.data())}, {{}, at}, {x.bytes()}, nullptr);
    b.launch(add_one_to_all.code(), range({0}, {static_cast<std::int64_t>(n)}), {there});
    // Within the device, to its own memory and back: rows at distances.
    std::byte* const mine = b.take(x.bytes());
    b.s->copy({{}, at, 100, 0}, {{}, mine, 80, 0}, {80, 10, 1}, nullptr);
    b.launch(add_one_to_all.code(), range({0}, {200}), {launch_argument{array<int>({200}).at(mine), mine, 800}});
    b.s->copy({{}, mine, 80, 0}, {{}, at, 100, 0}, {80, 10, 1}, nullptr);
    const int pattern = 42;
    b.s->fill({{}, at + 4 * (n - 3)}, {12, 1, 1}, std::as_bytes(std::span(&pattern, 1)), nullptr);
    array<int> y({n});
    b.get(y, there);
    for (std::size_t i = 0; i < n; ++i) {
      const bool twice = i < 250 && i % 25 < 20;
      CHECK_MESSAGE(y.values[i] == (i + 3 >= n ? 42 : static_cast<int>(i) + (twice ? 2 : 1)), i);
    }
    // The program sees the result at its own address, and the bytes before it are unchanged.
    own.read(all.data(), all.size() * sizeof(int));
    CHECK(std::equal(y.values.begin(), y.values.end(), all.begin() + behind));
    CHECK(all[behind - 1] == 7);
    b.on->give_back(at);
    CHECK_FALSE(b.on->owns(at, 1));
    b.give_all_back();
  });
}

TEST_CASE("the same memory may be borrowed twice, and is known until the second is given back") {
  on_each([](bench& b, const candidate& c) {
    const memory_of_program own = c.memory(seen_on(b), 4000);
    std::byte* const once = b.on->borrow(own.is, 4000);
    std::byte* const twice = b.on->borrow(own.is, 2000);
    b.on->give_back(once);
    array<int> x({500}, 3), y({500});
    b.s->copy({{}, reinterpret_cast<std::byte*>(x.values.data())}, {{}, twice}, {x.bytes()}, nullptr);
    b.get(y, {x.at(twice), twice, x.bytes()});
    CHECK(x.values == y.values);
    b.on->give_back(twice);
    b.give_all_back();
  });
}

TEST_CASE("memory that is not the device's is refused") {
  on_each([](bench& b, const candidate& c) {
    const memory_of_program own = c.memory(seen_on(b), 4096);
    const std::string& kind = b.on->about().backend;
    const auto refused = [&](const native_memory& m, std::uint64_t bytes) {
      const error e = error_of([&] { b.on->borrow(m, bytes); });
      CHECK(e.code() == "N19");
      return e.why();
    };
    CHECK_FALSE(refused({}, 16).empty());
    if (kind == "sim") return;  // the simulator accepts any host memory
    native_memory from = own.is;
    from.offset_bytes = 96;
    // other memory of the device may follow
    const std::uint64_t beyond = kind == "cuda" ? std::uint64_t{1} << 40 : 4001;
    CHECK(refused(from, beyond).find("bytes") != std::string::npos);
    int on_host = 0;
    if (kind == "opencl") CHECK(refused({.data = &on_host}, 4).find("cl_mem") != std::string::npos);
    else CHECK(refused({.data = &on_host}, 4).find("no memory of a device") != std::string::npos);
    if (kind == "cuda") CHECK(refused({.buffer = &on_host}, 4).find("OpenCL") != std::string::npos);
    if (!c.make_two) return;
    // Of two devices of the kind, it belongs to one only.
    const auto two = c.make_two();
    const auto is_refused = [&](device& on) {
      try {
        on.give_back(on.borrow(own.is, 4096));
        return false;
      } catch (const error& e) {
        CHECK(e.why().find("it belongs to CUDA device ") != std::string::npos);
        return true;
      }
    };
    CHECK(is_refused(*two.first) != is_refused(*two.second));
  });
}

}  // namespace
}  // namespace stretto::device
