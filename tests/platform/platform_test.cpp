#include <stretto/platform.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <unordered_set>

#include "platform/error_message.hpp"
#include "platform/place_names.hpp"

using namespace stretto;
using stretto::test::list;
using stretto::test::message_of;
using stretto::test::names;

namespace {

place_description named(std::string name, place_kind kind) {
  place_description p;
  p.name = std::move(name);
  p.kind = kind;
  return p;
}

/// One host memory, two GPUs with a link of their own, and a slow way by the host.
platform two_gpus() {
  platform_description is;
  is.places = {named("sysmem", place_kind::system_memory),
               named("core_0", place_kind::core),
               named("core_1", place_kind::core),
               named("GPU0", place_kind::gpu),
               named("GPU1", place_kind::gpu),
               named("GPU0_memory", place_kind::gpu_memory),
               named("GPU1_memory", place_kind::gpu_memory)};
  const place sys{0}, c0{1}, c1{2}, g0{3}, g1{4}, m0{5}, m1{6};
  is.links = {{sys, c0, 20e9, 90e-9}, {sys, c1, 20e9, 90e-9}, {g0, m0, 900e9, 400e-9}, {g1, m1, 900e9, 400e-9},
              {sys, m0, 12e9, 5e-6},  {sys, m1, 12e9, 5e-6},  {m0, m1, 50e9, 20e-6}};
  is.pop_paths = {{c0, sys}, {c1, sys}};
  is.steal_paths = {{sys}, {sys}};
  return platform::build(is);
}

}  // namespace

TEST_CASE("a place is a small value: compared, hashed, invalid by default") {
  CHECK(sizeof(place) == 4);
  CHECK_FALSE(place{});
  CHECK(place{1} < place{2});
  CHECK(std::unordered_set<place>{{1}, {2}, {1}}.size() == 2);
}

TEST_CASE("every kind has a word and every word its kind") {
  for (std::size_t i = 0; i < place_kind_count; ++i) {
    const auto kind = static_cast<place_kind>(i);
    CHECK(place_kind_named(to_string(kind)) == kind);
  }
  CHECK_FALSE(place_kind_named("toaster"));
}

TEST_CASE("copies of a platform are equal and share what they know") {
  const auto a = two_gpus();
  const auto b = a;
  CHECK(a == b);
  CHECK(&a.describe() == &b.describe());
  CHECK(platform::build(a.describe()) == a);
  CHECK_FALSE(a == a.with_workers(1));
}

TEST_CASE("processors and memories are found by role and by kind") {
  const auto p = two_gpus();
  CHECK(names(p, p.processors()) == list{"core_0", "core_1", "GPU0", "GPU1"});
  CHECK(names(p, p.memories()) == list{"sysmem", "GPU0_memory", "GPU1_memory"});
  CHECK(names(p, p.places(place_kind::gpu)) == list{"GPU0", "GPU1"});
  CHECK(p.places().size() == 7);
  CHECK(names(p, p.neighbors(p.at("GPU0_memory"))) == list{"sysmem", "GPU0", "GPU1_memory"});
  CHECK(p.has_role(p.at("GPU0"), place_role::processor));
  CHECK_FALSE(p.has_role(p.at("GPU0"), place_role::memory));
}

TEST_CASE("a processor's memories come closest first with the figures of the way to them") {
  const auto p = two_gpus();
  const auto near = p.affinities(p.at("GPU1"));
  REQUIRE(near.size() == 3);
  CHECK(p.name(near[0].to) == "GPU1_memory");
  CHECK(near[0].hops == 1);
  CHECK(near[0].bandwidth_bytes_per_second == 900e9);
  CHECK(near[0].latency_seconds == 400e-9);
  CHECK(p.name(near[1].to) == "sysmem");
  CHECK(near[1].bandwidth_bytes_per_second == 12e9);
  CHECK(near[1].latency_seconds.value() == doctest::Approx(5.4e-6));
  CHECK(p.name(near[2].to) == "GPU0_memory");
}

TEST_CASE("an affinity says whether the processor's loads and stores reach the memory") {
  const auto p = two_gpus();
  const auto reached = [&](std::string_view from, place_role to) {
    list found;
    for (const auto& a : p.affinities(p.at(from), to))
      if (a.is_addressed) found.push_back(p.name(a.to));
    return found;
  };
  CHECK(reached("core_0", place_role::memory) == list{"sysmem"});
  CHECK(reached("GPU1", place_role::memory) == list{"GPU1_memory"});
  CHECK(reached("GPU0_memory", place_role::processor) == list{"GPU0"});
}

TEST_CASE("a memory's processors and other memories are found the same way") {
  const auto p = two_gpus();
  const auto processors = p.affinities(p.at("GPU0_memory"), place_role::processor);
  REQUIRE(processors.size() == 4);
  CHECK(p.name(processors[0].to) == "GPU0");
  CHECK(p.name(processors[1].to) == "core_0");
  CHECK(p.affinities(p.at("sysmem")).size() == 2);
}

TEST_CASE("the way for large data follows bandwidth and that for small data latency") {
  const auto p = two_gpus();
  const auto large = p.route(p.at("GPU0_memory"), p.at("GPU1_memory"), 1u << 30);
  CHECK(names(p, large->places) == list{"GPU0_memory", "GPU1_memory"});
  CHECK(large->bandwidth_bytes_per_second == 50e9);
  const auto small = p.route(p.at("GPU0_memory"), p.at("GPU1_memory"), 8);
  CHECK(names(p, small->places) == list{"GPU0_memory", "sysmem", "GPU1_memory"});
  CHECK(small->bandwidth_bytes_per_second == 12e9);
  CHECK(small->latency_seconds == 10e-6);
}

TEST_CASE("a way from a place to itself has one place and costs nothing") {
  const auto p = two_gpus();
  const auto way = p.route(p.at("sysmem"), p.at("sysmem"));
  CHECK(names(p, way->places) == list{"sysmem"});
  CHECK(way->latency_seconds == 0);
  CHECK_FALSE(way->bandwidth_bytes_per_second);
}

TEST_CASE("no way leads through a core or over a link without bandwidth") {
  platform_description is;
  is.places = {named("a", place_kind::numa), named("core_0", place_kind::core), named("b", place_kind::numa)};
  is.links = {{{0}, {1}, {}, {}}, {{1}, {2}, {}, {}}};
  is.pop_paths = {{{1}}};
  is.steal_paths = {{}};
  CHECK_FALSE(platform::build(is).route({0}, {2}));
  is.links.push_back({{0}, {2}, 0.0, {}});
  CHECK_FALSE(platform::build(is).route({0}, {2}));
  is.links.back().bandwidth_bytes_per_second = 1.0;
  CHECK(platform::build(is).route({0}, {2}));
}

TEST_CASE("without figures a way is as short as possible and its figures stay unknown") {
  const auto p = platform::parse(R"({"nworkers": 1, "declarations": ["sysmem", "numa_0", "numa_1", "x"],
    "reachability": [["numa_0", "x"], ["x", "sysmem"], ["sysmem", "numa_1"], ["numa_0", "sysmem"]]})");
  const auto way = p.route(p.at("numa_0"), p.at("numa_1"));
  CHECK(names(p, way->places) == list{"numa_0", "sysmem", "numa_1"});
  CHECK_FALSE(way->bandwidth_bytes_per_second);
  CHECK_FALSE(way->latency_seconds);
}

TEST_CASE("the nearest place of a kind is the fewest links away, then the lowest") {
  const auto p = two_gpus();
  CHECK(p.nearest(p.at("GPU1"), place_kind::gpu_memory) == p.at("GPU1_memory"));
  CHECK(p.nearest(p.at("GPU1"), place_kind::core) == p.at("core_0"));
  CHECK(p.nearest(p.at("GPU1"), place_kind::gpu) == p.at("GPU1"));
  CHECK_FALSE(p.nearest(p.at("GPU1"), place_kind::storage));
}

TEST_CASE(
    "nearest visits every place of the host that links lead to; what only links between equals lead to comes last") {
  const auto p =
      platform::parse(R"json({"nworkers": 2, "declarations": ["numa_0", "numa_1", "core_0", "core_1", "L2_0", "L2_1"],
    "reachability": [["core_0", "L2_0"], ["core_1", "L2_1"], ["L2_0", "numa_0"], ["L2_1", "numa_1"], ["numa_0", "numa_1"]],
    "pop_paths": {"default": ["core_$(id)"]}, "steal_paths": {"default": "nearest"}})json");
  CHECK(names(p, p.steal_path(0)) == list{"core_0", "L2_0", "numa_0", "numa_1", "L2_1", "core_1"});
  CHECK(names(p, p.steal_path(1)) == list{"core_1", "L2_1", "numa_1", "numa_0", "L2_0", "core_0"});
  const auto flat = platform::parse(R"({"nworkers": 3, "declarations": ["core_0", "core_1", "core_2"],
    "reachability": [["core_0", "core_1"], ["core_1", "core_2"]]})");
  CHECK(names(flat, flat.steal_path(0)) == list{"core_0", "core_1", "core_2"});
}

TEST_CASE("with_workers takes the first workers, or repeats their paths") {
  const auto p = two_gpus();
  CHECK(p.with_workers(1).worker_count() == 1);
  const auto more = p.with_workers(5);
  CHECK(names(more, more.pop_path(4)) == list{"core_0", "sysmem"});
  CHECK(names(more, more.pop_path(3)) == list{"core_1", "sysmem"});
  CHECK(message_of([&] { p.with_workers(0); }).starts_with("error P06: a platform needs at least one worker"));
}

TEST_CASE("with_workers gives new workers cores of their own where paths are the default ones") {
  const auto four = platform::synthetic("core:4 pu:1");
  CHECK(four.with_workers(2).with_workers(4) == four);
  CHECK(platform::synthetic("core:4 pu:1", 2).with_workers(4) == four);
}

TEST_CASE("places and workers of elsewhere are refused") {
  const auto p = two_gpus();
  CHECK(message_of([&] { p.name(place{}); }) ==
        "error P16: an invalid place was given to a platform\n  try         use places that this platform returned");
  CHECK(message_of([&] { p.kind({99}); }) ==
        "error P16: place 99 does not belong to this platform, which has 7 places\n  try         use places that this "
        "platform "
        "returned");
  CHECK(message_of([&] { p.pop_path(2); }) == "error P16: there is no worker 2 in a platform of 2 workers");
  CHECK(message_of([&] { p.home(7); }) == "error P16: there is no worker 7 in a platform of 2 workers");
  CHECK(message_of([&] { p.route({0}, {7}); }).starts_with("error P16"));
  CHECK(message_of([&] { p.at("core_00"); }) ==
        "error P03: this platform has no place \"core_00\"\n  try         did you mean \"core_0\"?");
  CHECK(message_of([&] { p.at("xyz"); }) ==
        "error P03: this platform has no place \"xyz\"\n  try         list its places with: stretto platform");
  CHECK_FALSE(p.find("xyz"));
}

TEST_CASE("descriptions built by programs are checked like files") {
  const auto fault = [](auto change) {
    auto is = two_gpus().describe();
    change(is);
    return message_of([&] { platform::build(is); });
  };
  CHECK(fault([](auto& is) { is.places[1].name = "sysmem"; }) ==
        "error P04: place \"sysmem\" is declared twice\n  try         give each place a unique name");
  CHECK(fault([](auto& is) { is.places[1].name = "a\nb"; }) ==
        "error P12: a place cannot have this name\n  because     it holds a control character\n  try         use "
        "letters, digits and _, such as \"L2_0\"");
  CHECK(fault([](auto& is) { is.places[1].name = "\xFF"; }).find("it is not UTF-8") != std::string::npos);
  CHECK(fault([](auto& is) { is.places[1].name = std::string(256, 'x'); }).find("it has 256 bytes, more than 255") !=
        std::string::npos);
  CHECK(fault([](auto& is) { is.places[1].kind = static_cast<place_kind>(99); }) ==
        "error P12: place \"core_0\" has no valid kind");
  CHECK(fault([](auto& is) { is.links[0].b = {77}; }) ==
        "error P16: link 0 joins places that do not belong to this platform");
  CHECK(fault([](auto& is) { is.links[0].latency_seconds = std::nan(""); }) ==
        "error P12: the latency of the link \"sysmem\" - \"core_0\" is not a finite number of seconds, zero or more\n"
        "  try         leave it out if it is not known");
  CHECK(fault([](auto& is) { is.places[0].bandwidth_bytes_per_second = std::numeric_limits<double>::infinity(); }) ==
        "error P12: the bandwidth of place \"sysmem\" is not a finite number of bytes per second, zero or more\n"
        "  try         leave it out if it is not known");
  CHECK(fault([](auto& is) { is.steal_paths.pop_back(); }) ==
        "error P12: 2 pop paths do not match 1 steal paths\n  try         give every worker one of each; a steal path "
        "may be empty");
  CHECK(fault([](auto& is) { is.pop_paths[1] = {{42}}; }) ==
        "error P16: the pop path of worker 1 visits a place that does not belong to this platform");
  CHECK(fault([](auto& is) {
          is.links.clear();
          is.pop_paths = {{{0}}, {{0}}};
        }).starts_with("error P07: no worker can reach place \"core_0\""));
}
