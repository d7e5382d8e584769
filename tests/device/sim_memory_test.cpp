// Contents of simulated device memory: fill patterns before and after use, and the memory of a lost device.
#include <stretto/copy.hpp>
#include <stretto/error.hpp>
#include <stretto/instance.hpp>
#include <stretto/platform.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "conformance/bench.hpp"
#include "device/sim/sim_device.hpp"

namespace stretto::device::sim {
namespace {

constexpr unsigned char new_memory = 0xa5, freed_memory = 0xdb;

/// A device that computes when it is asked, with 64 KiB.
struct small_device {
  std::unique_ptr<stretto::device::device> on;
  faults* faults_of_device = nullptr;
  std::unique_ptr<stream> s;
  small_device() {
    options o;
    o.memory_bytes = 64 << 10;
    o.clock = [looks = std::make_shared<double>(0)] { return *looks += 1e-6; };
    made m = make(o);
    on = std::move(m.device);
    faults_of_device = m.faults_of_device;
    s = on->make_stream();
  }
  void copy(const std::byte* from, std::byte* to, std::size_t bytes) {
    counting_completion e;
    s->copy({{}, const_cast<std::byte*>(from)}, {{}, to}, {bytes}, &e);
    while (!e.times) on->poll();
    REQUIRE_FALSE(e.failure);
  }
  /// Whether every byte is this one.
  bool all(const std::byte* first, std::size_t bytes, unsigned char is) {
    std::vector<unsigned char> seen(bytes, static_cast<unsigned char>(~is));
    copy(first, reinterpret_cast<std::byte*>(seen.data()), bytes);
    return std::ranges::count(seen, is) == static_cast<std::ptrdiff_t>(bytes);
  }
};

TEST_CASE("unwritten memory of a simulated device holds a pattern") {
  small_device d;
  CHECK(d.all(d.on->memory(), 64 << 10, new_memory));
}

TEST_CASE("memory of a simulated device is made rubbish where it is freed, and where it is taken, and nowhere else") {
  small_device d;
  std::byte* const first = d.on->memory();
  const std::vector<unsigned char> seven(3000, 7);
  d.on->allocated(first, 1000), d.on->allocated(first + 1000, 1000), d.on->allocated(first + 2000, 1000);
  d.copy(reinterpret_cast<const std::byte*>(seven.data()), first, 3000);
  CHECK(d.all(first, 3000, 7));
  d.on->freed(first + 1000, 1000);
  CHECK(d.all(first, 1000, 7));
  CHECK(d.all(first + 1000, 1000, freed_memory));
  CHECK(d.all(first + 2000, 1000, 7));
  d.on->allocated(first + 1000, 500);
  CHECK(d.all(first + 1000, 500, new_memory));
  CHECK(d.all(first + 1500, 500, freed_memory));
}

TEST_CASE("the memory of a lost device holds garbage") {
  small_device d;
  const std::vector<unsigned char> seven(1000, 7);
  d.on->allocated(d.on->memory(), 1000);
  d.copy(reinterpret_cast<const std::byte*>(seven.data()), d.on->memory(), 1000);
  d.faults_of_device->lose();
  counting_completion e;
  std::vector<unsigned char> seen(1000, 1);
  d.s->copy({{}, d.on->memory()}, {{}, reinterpret_cast<std::byte*>(seen.data())}, {1000}, &e);
  while (!e.times) d.on->poll();
  CHECK(e.failure);
  CHECK(std::ranges::count(seen, 7) == 0);
}

TEST_CASE("an instance that takes the room of another does not find what that held") {
  runtime rt({.workers = 1, .devices = "sim(memory=64k)"});
  const place memory = rt.machine().at("sim_0_memory"), ram = rt.machine().memories()[0];
  rt.run([&] {
    const box most(0, 16'000);  // of 16,384
    auto before = instance<std::uint32_t>::create(at(memory), most).made,
         host = instance<std::uint32_t>::create(at(ram), most).made;
    wait(fill(before, 7u));
    wait(copy(before, host));
    CHECK(host.view()(15'999) == 7);
    before.destroy();
    auto next = instance<std::uint32_t>::create(at(memory), most).made;
    wait(copy(next, host));
    for (int i = 0; i < 16'000; ++i)
      if (host.view()(i) != 0xa5a5a5a5) FAIL_CHECK("element " << i << " is " << host.view()(i));
    next.destroy(), host.destroy();
  });
}

TEST_CASE("copies from and to the memory of another device fail once that is lost") {
  for (const bool shares_wires : {true, false}) {  // else it is imported from another node
    INFO("shares the wires: " << shares_wires);
    options o;
    o.exports = !shares_wires;
    if (shares_wires) o.wires = make_bus();
    options named = o;
    named.name = "the other";
    made theirs = make(named), mine = make(o);
    const auto stream = mine.device->make_stream();
    std::byte* const at =
        shares_wires ? theirs.device->memory() : mine.device->import_memory(theirs.device->exported(), o.memory_bytes);
    REQUIRE(at);
    std::array<std::byte, 64> host{};
    const auto failure_of_copy = [&](std::byte* from, std::byte* to) -> std::string {
      counting_completion e;
      stream->copy({{}, from}, {{}, to}, {host.size()}, &e);
      while (!e.times)
        if (!mine.device->poll()) std::this_thread::yield();
      try {
        if (e.failure) std::rethrow_exception(e.failure);
      } catch (const error& why) {
        return why.code() + " " + why.sentence();
      }
      return "none";
    };
    std::byte* const own = mine.device->memory();
    CHECK(failure_of_copy(at, own) == "none");
    CHECK(failure_of_copy(own, at) == "none");
    CHECK_FALSE(theirs.device->is_lost());
    theirs.faults_of_device->lose();
    CHECK(failure_of_copy(at, own) == "K31 device \"the other\" was lost");
    CHECK(failure_of_copy(own, at) == "K31 device \"the other\" was lost");
    CHECK(failure_of_copy(own, host.data()) == "none");
    CHECK(theirs.device->is_lost());
    CHECK_FALSE(mine.device->is_lost());
    if (!shares_wires) mine.device->give_back(at);
  }
}

}  // namespace
}  // namespace stretto::device::sim
