#include <doctest/doctest.h>
#include <stretto/stretto.hpp>

#include <algorithm>
#include <numeric>

#include "module/disk_module.hpp"
#include "thrown_by.hpp"

using namespace stretto;
using test::disk_module;
using test::thrown_by;
using manner = disk_module::manner;

namespace {

std::vector<int> counted(std::size_t n) {
  std::vector<int> v(n);
  std::iota(v.begin(), v.end(), 1);
  return v;
}

void with_disk(const manner& m, auto&& body, std::uint32_t workers = 2, bool stepped = false) {
  auto disk = std::make_shared<disk_module>(m);
  runtime rt({.workers = workers, .stepped = stepped, .modules = {disk}});
  rt.run([&] { body(rt, *disk); });
}

}  // namespace

TEST_CASE("route is the way that copies take, with the figures of its channels") {
  runtime rt({.workers = 1, .devices = "sim:2"});
  rt.run([] {
    const platform& m = this_machine();
    const place ram = m.memories().front(), one = m.at("sim_0_memory"), other = m.at("sim_1_memory");
    constexpr std::uint64_t elements = 1 << 20;
    for (const auto& [from, to] : {std::pair{one, other}, {ram, one}, {other, ram}, {ram, ram}}) {
      const auto u = instance<int>::create(at(from), {0, elements}).made;
      const auto v = instance<int>::create(at(to), {0, elements}).made;
      future<operation_profile> p;
      wait(copy(u, v, {after(fill(u, 1)), profile(p)}));
      const auto way = m.route(from, to, elements * sizeof(int));
      REQUIRE(way);
      REQUIRE(way->legs.size() == way->places.size() - 1);
      double slowest = 1e300, latency = 0;
      for (std::size_t i = 0; i < way->legs.size(); ++i) {
        CHECK(way->legs[i].from == way->places[i]);
        CHECK(way->legs[i].to == way->places[i + 1]);
        slowest = std::min(slowest, way->legs[i].bandwidth_bytes_per_second.value());
        latency += way->legs[i].latency_seconds.value();
      }
      CHECK(*way->bandwidth_bytes_per_second == slowest);
      CHECK(*way->latency_seconds == doctest::Approx(latency));
      CHECK(way->places.front() == from);
      CHECK(way->places.back() == to);
      CHECK(way->places.size() - 1 == p.get().hops);
      CHECK(way->bandwidth_bytes_per_second.value() > 0);
      CHECK(way->latency_seconds.value() > 0);
      wait(merge(u.destroy(), v.destroy()));
    }
    const auto up = m.route(ram, one), down = m.route(other, ram), across = m.route(other, one);
    if (across->places.size() == 3)
      CHECK(*across->latency_seconds == doctest::Approx(*up->latency_seconds + *down->latency_seconds));
    CHECK(m.route(m.home(0), one)->places == std::vector{m.home(0), one});  // from memory that the processor addresses
    CHECK(test::error_of([&] { m.route(place{9999}, one); }).code() == "P16");
  });
}

TEST_CASE("route knows of places that modules serve") {
  with_disk({}, [](runtime& rt, disk_module&) {
    const place disk = rt.machine().at("disk"), ram = rt.machine().memories().front();
    const auto way = rt.machine().route(ram, disk);
    REQUIRE(way);
    CHECK(way->places == std::vector{ram, disk});
    CHECK(way->legs.size() == 1);
    CHECK_FALSE(rt.machine().describe().links.empty());
    CHECK(platform::build(rt.machine().describe()).route(ram, disk)->legs.size() >= 1);  // the links alone
  });
}

TEST_CASE("async_copy between host places copies small and large, now and after an event") {
  runtime rt({.workers = 2});
  const auto memories = rt.machine().places(place_kind::system_memory);
  const place ram = memories.empty() ? place{} : memories.front(), core = rt.machine().home(0);
  rt.run([&] {
    for (const std::size_t n : {0u, 1u, 100u, 4096u, 300'000u, 2'000'001u}) {
      const auto from = counted(n);
      std::vector<int> to(n), back(n);
      const user_event gate = user_event::create();
      const event there = async_copy(ram, to.data(), core, from.data(), n * sizeof(int), after(gate));
      const event again = async_copy(place{}, back.data(), ram, to.data(), n * sizeof(int), after(there));
      CHECK_FALSE(there.has_triggered());
      gate.trigger();
      wait(again);
      CHECK(to == from);
      CHECK(back == from);
    }
    int a = 3, b = 0;
    CHECK(async_copy(core, &b, core, &a, sizeof a) == event());  // it has ended already
    CHECK(b == 3);
  });
}

TEST_CASE("async_copy to a module's memory and back goes through its channel, ordered by events") {
  for (const bool stepped : {false, true})
    for (const std::uint32_t workers : {1u, 2u, 4u})
      with_disk(
          {},
          [](runtime& rt, disk_module& disk) {
            const place there = rt.machine().at("disk"), here = rt.machine().home(0);
            const auto from = counted(50'000);
            const std::size_t bytes = from.size() * sizeof(int);
            std::vector<int> back(from.size());
            const event out = async_copy(there, disk_module::at(64), here, from.data(), bytes);
            const event in = async_copy(here, back.data(), there, disk_module::at(64), bytes, after(out));
            auto sum = async(after(in), [&] { return std::accumulate(back.begin(), back.end(), 0ll); });
            CHECK(sum.get() == 50'000ll * 50'001 / 2);
            CHECK(disk[64] == std::byte{1});
            const auto counts = rt.statistics().modules;
            REQUIRE(counts.size() == 1);
            CHECK(counts[0].what == "copies");
            CHECK(counts[0].count == 2);
            CHECK(counts[0].bytes == 2 * bytes);
            CHECK(counts[0].seconds > 0);
          },
          workers, stepped);
}

TEST_CASE("between two distant memories the bytes go by way of host memory, in pieces") {
  auto a = std::make_shared<disk_module>(manner{.bytes = 8 << 20});
  runtime rt({.workers = 2, .modules = {a}});
  const place disk = rt.machine().at("disk");
  rt.run([&] {
    const auto from = counted(1'000'000);
    const std::size_t bytes = from.size() * sizeof(int);
    std::vector<int> back(from.size());
    wait(async_copy(disk, disk_module::at(0), place{}, from.data(), bytes));
    wait(async_copy(disk, disk_module::at(4 << 20), disk, disk_module::at(0), bytes));
    wait(async_copy(place{}, back.data(), disk, disk_module::at(4 << 20), bytes));
    CHECK(back == from);
    CHECK(rt.statistics().modules.at(0).count > 8);  // 4 MB in pieces of 1 MiB, read and written
  });
}

TEST_CASE("a poisoned precondition, and a channel that fails or drops a copy, poison its event") {
  for (const bool drops : {false, true})
    with_disk({.fails_at_copy = drops ? 0 : 1, .drops_copy = drops}, [&](runtime& rt, disk_module& disk) {
      const place there = rt.machine().at("disk");
      int x = 7;
      const event e = async_copy(there, disk_module::at(0), place{}, &x, sizeof x);
      CHECK(thrown_by([&] { wait(e); }).find(drops ? "error M08: a copy was dropped" : "the disk is scratched") !=
            std::string::npos);
      const event next = async_copy(place{}, &x, there, disk_module::at(0), sizeof x, after(e));
      const std::string chain = thrown_by([&] { wait(next); });
      CHECK(chain.find("async_copy of bytes at \"disk\" to bytes at \"an address\"") != std::string::npos);
      CHECK(x == 7);
      CHECK(disk[0] == std::byte{0});
    });
}

TEST_CASE("places that no channels join, places of no platform and overlaps are refused in the call") {
  with_disk({.reaches = manner::nowhere}, [](runtime& rt, disk_module&) {
    char x[8] = {};
    const std::string text =
        thrown_by([&] { async_copy(rt.machine().at("disk"), disk_module::at(0), place{}, x, sizeof x); });
    CHECK(text.starts_with("error D12: no route for this async_copy between the memories of its instances"));
    CHECK(text.find("  from        program memory\n  to          \"disk\"\n") != std::string::npos);
    CHECK(thrown_by([&] {
            async_copy(place{4711}, x, place{}, x, 1);
          }).starts_with("error D20: async_copy names place 4711, which this runtime does not have"));
    CHECK(thrown_by([&] {
            async_copy(place{}, x + 2, place{}, x, 4);
          }).starts_with("error D11: async_copy reads and writes"));
    CHECK_NOTHROW(async_copy(place{}, x + 4, place{}, x, 4));
  });
}

TEST_CASE("a second channel for a pair of kinds names both modules; host memory has its own") {
  auto a = std::make_shared<disk_module>(), b = std::make_shared<disk_module>(manner{.name = "tape"});
  // Both claim all storage, so the claim is refused first.
  CHECK(thrown_by([&] {
          runtime({.workers = 1, .modules = {a, b}});
        }).starts_with("error M03: modules \"disk\" and \"tape\""));
  class second final : public module {
   public:
    std::string_view name() const noexcept override { return "second"; }
    void initialise(module_host& host) override { host.add_channel(from, place_kind::system_memory, nullptr); }
    place_kind from = place_kind::storage;
  };
  auto c = std::make_shared<second>();
  CHECK(thrown_by([&] { runtime({.workers = 1, .modules = {a, c}}); }) ==
        "error M10: module \"second\" adds a channel from storage to system_memory, which module \"disk\" has added "
        "already\n"
        "  because     at most one channel may copy between two kinds of memory\n"
        "  try         omit one of them, or wrap both in a channel that selects one");
  c->from = place_kind::numa;
  CHECK(thrown_by([&] { runtime({.workers = 1, .modules = {c}}); }).find("which the core has added already") !=
        std::string::npos);
}
