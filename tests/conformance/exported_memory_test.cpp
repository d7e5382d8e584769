// Memory that a device exports to devices of other processes, and imports of it, on every device. Two devices of one
//        process are no such pair: drivers that refuse it are tested with two processes
//        (tests/dist_mpi/devices_of_processes.py).
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "conformance/bench.hpp"
#include "device/kernels_for_tests.hpp"

namespace stretto::device::exporting {
namespace {

STRETTO_KERNEL(add_three, (inout<int> x), { x(global_id(0)) += 3; })

TEST_CASE(
    "a device names its memory to others in few bytes, always the same, and imports neither its own nor what is no "
    "name") {
  on_each([](bench& b, const candidate& c) {
    const auto name = b.on->exported();
    CHECK(name.size() <= stretto::device::device::most_token_bytes);
    CHECK(b.on->exported().data() == name.data());
    std::vector<std::byte> none(name.size(), std::byte{0x11});
    CHECK(b.on->import_memory(none, 4096) == nullptr);
    CHECK(b.on->import_memory({}, 4096) == nullptr);
    if (name.empty()) return;
    CHECK(b.on->import_memory(name, b.on->about().memory_bytes) == nullptr);
    const bench other(c);
    CHECK_FALSE(std::ranges::equal(other.on->exported(), name));
  });
}

TEST_CASE(
    "copies of a device read and write the memory of another that it has imported, in any rows, until that is given "
    "back") {
  on_each([](bench& b, const candidate& c) {
    bench theirs(c);
    const std::uint64_t bytes = theirs.on->about().memory_bytes;
    std::byte* const at = b.on->import_memory(theirs.on->exported(), bytes);
    // other devices export nothing, or to other processes only
    CHECK((at != nullptr) == (c.name.find("sim") != std::string::npos));
    if (!at) return;
    CHECK(b.on->owns(at, bytes));
    CHECK_FALSE(b.on->owns(at, bytes + 1));
    constexpr std::size_t n = 3000;
    array<int> x({n}), y({n});
    std::iota(x.values.begin(), x.values.end(), 0);
    theirs.take(4096);
    const launch_argument there = theirs.put(x);
    theirs.launch(add_three.code(), range({0}, {n}), {there});
    theirs.get(y, there);  // the exporter has written its result
    const auto here = [&](const launch_argument& a) { return at + (a.first - theirs.on->memory()); };
    const launch_argument mine = b.put(array<int>({n}, -1));
    // Rows of 20 at other distances.
    counting_completion read;
    b.s->copy({{}, here(there), 400, 0}, {{}, mine.first, 80, 0}, {80, 25, 1}, &read);
    b.wait(read);
    CHECK_FALSE(read.failure);
    b.get(y, mine);
    for (std::size_t i = 0; i < n; ++i)
      CHECK_MESSAGE(y.values[i] == (i < 500 ? static_cast<int>(i / 20 * 100 + i % 20 + 3) : -1), i);
    // Directly to the host, and back from this side.
    array<int> host({n});
    counting_completion to_host, to_them;
    b.s->copy({{}, here(there)}, {{}, reinterpret_cast<std::byte*>(host.values.data())}, {x.bytes()}, &to_host);
    b.wait(to_host);
    for (std::size_t i = 0; i < n; ++i) CHECK_MESSAGE(host.values[i] == static_cast<int>(i) + 3, i);
    b.launch(add_three.code(), range({0}, {n}), {mine});
    b.s->copy({{}, mine.first}, {{}, here(there)}, {x.bytes()}, &to_them);
    b.wait(to_them);
    theirs.get(host, there);
    for (std::size_t i = 0; i < n; ++i) CHECK_MESSAGE(host.values[i] == y.values[i] + 3, i);
    b.on->give_back(at);
    CHECK_FALSE(b.on->owns(at));
    b.give_all_back(), theirs.give_all_back();
  });
}

TEST_CASE("imported memory stays until it is given back, though its device is gone") {
  for (const candidate& c : sim_candidates()) {
    INFO(c.name);
    bench b(c);
    std::optional<bench> theirs(c);
    std::byte* const at = b.on->import_memory(theirs->on->exported(), theirs->on->about().memory_bytes);
    REQUIRE(at);
    const launch_argument there = theirs->put(array<int>({100}, 7));
    const std::ptrdiff_t where = there.first - theirs->on->memory();
    const std::vector<std::byte> name(theirs->on->exported().begin(), theirs->on->exported().end());
    theirs.reset();
    CHECK(b.on->import_memory(name, 4096) == nullptr);
    array<int> x({100});
    counting_completion e;
    b.s->copy({{}, at + where}, {{}, reinterpret_cast<std::byte*>(x.values.data())}, {x.bytes()}, &e);
    b.wait(e);
    CHECK_FALSE(e.failure);
    CHECK(x.values == array<int>({100}, 7).values);
    b.on->give_back(at);
  }
}

}  // namespace
}  // namespace stretto::device::exporting
