// Properties of the file format: what is written reads back the same, and no text, however broken, does harm.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <stretto/error.hpp>
#include <stretto/platform.hpp>

#include "campaign.hpp"
#include "platform/locality_names.hpp"

using namespace stretto;

namespace {

template <typename T>
std::optional<T> maybe(rc::Gen<T> value) {
  if (*rc::gen::inRange(0, 2)) return *value;
  return std::nullopt;
}

rc::Gen<double> figures() {
  return rc::gen::map(
      rc::gen::pair(rc::gen::inRange<std::uint32_t>(0, 1u << 31), rc::gen::inRange(-30, 30)),
      [](std::pair<std::uint32_t, int> of) { return std::ldexp(static_cast<double>(of.first) / 3, of.second); });
}

std::string random_name(std::size_t i) {
  static const std::vector<std::string> stems{
      "core_", "L2_",         "L3_", "numa_", "sysmem", "GPU", "place \"", "a\\b", "\xC3\xA4\xE2\x82\xAC",
      "$x",    "Interconnect"};
  return *rc::gen::elementOf(stems) + std::to_string(i);
}

std::vector<place> random_path(std::size_t places, std::size_t least) {
  std::vector<place> path;
  for (const auto i : *rc::gen::unique<std::vector<std::size_t>>(
           *rc::gen::inRange(least, std::min<std::size_t>(places, 5) + 1), rc::gen::inRange<std::size_t>(0, places)))
    path.push_back({static_cast<std::uint32_t>(i)});
  return path;
}

/// A connected platform with random kinds, names, figures, extra links and paths.
platform random_platform() {
  platform_description is;
  const auto n = *rc::gen::inRange<std::size_t>(1, 12);
  for (std::size_t i = 0; i < n; ++i) {
    place_description p;
    p.name = random_name(i);
    p.kind = *rc::gen::inRange(0, 3) ? places::kind_implied_by(p.name)
                                     : static_cast<place_kind>(*rc::gen::inRange<int>(0, place_kind_count));
    p.capacity_bytes = maybe(rc::gen::arbitrary<std::uint64_t>());
    p.cpus = *rc::gen::container<std::vector<std::uint32_t>>(*rc::gen::inRange(0, 6),
                                                             rc::gen::inRange<std::uint32_t>(0, 12));
    p.device_index = maybe(rc::gen::arbitrary<std::uint32_t>());
    p.bandwidth_bytes_per_second = maybe(figures());
    p.latency_seconds = maybe(figures());
    is.places.push_back(p);
  }
  std::set<std::pair<std::uint32_t, std::uint32_t>> joined;
  const auto join = [&](std::uint32_t a, std::uint32_t b) {
    if (a != b && joined.insert(std::minmax(a, b)).second)
      is.links.push_back({{a}, {b}, maybe(figures()), maybe(figures())});
  };
  for (std::uint32_t i = 1; i < n; ++i) join(i, *rc::gen::inRange<std::uint32_t>(0, i));
  for (auto extra = *rc::gen::inRange(0, 4); extra-- > 0;)
    join(*rc::gen::inRange<std::uint32_t>(0, n), *rc::gen::inRange<std::uint32_t>(0, n));
  const auto workers = *rc::gen::inRange<std::size_t>(1, 9);
  for (std::size_t w = 0; w < workers; ++w) {
    is.pop_paths.push_back(random_path(n, 1));
    is.steal_paths.push_back(random_path(n, 0));
  }
  return platform::build(is);
}

constexpr std::string_view seeds[] = {
    R"json({"nworkers": 4, "declarations": ["sysmem", "L3_0", {"name": "L2_0", "kind": "l2", "cpus": "0-3,8"}, "L2_1"],
  "reachability": [["sysmem", "L3_0"], {"between": ["L3_0", "L2_0"], "latency_seconds": 1e-8}, ["L3_0", "L2_1"]],
  "pop_paths": {"default": ["L2_$(id / 2 % 2)", "L3_0", "sysmem"], 0: ["sysmem"]},
  "steal_paths": {"default": "nearest" 1: ["L2_$((id + 3) * 2 - 8)"], "2": "climb",}})json",
    R"json({"steal_paths": {"default": ["GPU$(id)"]}, "nworkers": 1, "declarations": ["GPU0", "\u0041\ud83d\ude00"], "reachability": [["GPU0", "A😀"]], "pop_paths": {"0": ["GPU0"]}})json"};

/// Some bytes replaced, removed, doubled, or pieces moved: near enough to a graph to get past the first check.
std::string mutated(std::string text, std::mt19937& random) {
  static constexpr std::string_view pieces[] = {"{",   "}",    "[",     "]",       ",",      ":",
                                                "\"",  "$(",   ")",     "id",      "0",      "-",
                                                "1e9", "null", "\\u12", "default", "sysmem", "99999999999999999999",
                                                "%",   "/ 0"};
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  for (auto changes = 1 + (below(3) == 0 ? below(6) : 0); changes-- > 0 && !text.empty();) {
    const auto at = below(text.size());
    const auto length = 1 + below(std::min<std::size_t>(text.size() - at, 24));
    switch (below(8)) {
      case 0: text[at] = static_cast<char>(below(256)); break;
      case 1: text.erase(at, length); break;
      case 2: text.insert(at, text.substr(at, length)); break;
      case 3: text.insert(below(text.size()), text.substr(at, length)); break;
      case 4: text.insert(at, 1, ' '); break;
      case 5:
      case 6:  // another number, most often still a graph
        if (const auto digit = text.find_first_of("0123456789", at); digit != text.npos)
          text[digit] = static_cast<char>('0' + below(10));
        break;
      default: text.insert(at, pieces[below(std::size(pieces))]);
    }
  }
  return text;
}

}  // namespace

TEST_CASE("a platform written and read is the same platform") {
  CHECK(rc::check([] {
    const auto p = random_platform();
    const auto text = p.to_json();
    RC_ASSERT(platform::parse(text) == p);
    RC_ASSERT(platform::parse(text).to_json() == text);
  }));
}

TEST_CASE("regular machines are written with expressions and by rule, and read back the same") {
  for (const auto* machine :
       {"pack:2 numa:1 l3:4 l2:16 core:1 pu:2", "core:5 pu:1", "pack:2 numa:4 l3:1 core:3 pu:1", "pu:1"})
    for (const std::uint32_t workers : {0u, 1u, 3u, 11u}) {
      const auto p = platform::synthetic(machine, workers);
      const auto text = p.to_json();
      CHECK(platform::parse(text) == p);
      CHECK(text.find("\"default\": \"nearest\"") != std::string::npos);
    }
  const auto large = platform::synthetic("pack:2 numa:1 l3:4 l2:16 core:1 pu:2").to_json();
  CHECK(large.find(R"json("default": ["core_$(id)", "L2_$(id)", "L3_$(id / 16)", "numa_$(id / 64)", "sysmem"])json") !=
        std::string::npos);
  const auto shared = platform::synthetic("l3:2 core:2 pu:2", 8).to_json();
  CHECK(shared.find(R"json("default": ["core_$(id % 4)", "L3_$(id % 4 / 2)", "sysmem"])json") != std::string::npos);
}

TEST_CASE("no mutated graph does anything but load or be refused with a position") {
  const int rounds = stretto::test::scaled(20'000, 2'000'000);
  std::mt19937 random(42);
  int loaded = 0, refused = 0;
  for (const auto seed : seeds) REQUIRE_NOTHROW(platform::parse(seed, "seed.json"));
  for (int i = 0; i < rounds; ++i) {
    const auto text = mutated(std::string(seeds[i % 2]), random);
    try {
      const auto p = platform::parse(text, "m.json");
      REQUIRE(platform::parse(p.to_json()) == p);
      ++loaded;
    } catch (const error& e) {
      ++refused;
      REQUIRE(e.code()[0] == 'P');
      REQUIRE(std::any_of(e.facts().begin(), e.facts().end(),
                          [](const auto& f) { return f.first == "file" && f.second.starts_with("m.json:"); }));
    }
  }
  CHECK(loaded > rounds / 50);
  CHECK(refused > rounds / 2);
}

TEST_CASE("lists of CPUs read back as they were") {
  CHECK(rc::check([](std::vector<std::uint16_t> numbers) {
    std::vector<std::uint32_t> cpus(numbers.begin(), numbers.end());
    if (cpus.empty()) return;
    RC_ASSERT(places::read_cpu_list(places::write_cpu_list(cpus)) == cpus);
  }));
  CHECK(places::write_cpu_list({0, 1, 2, 8, 4, 5}) == "0-2,8,4-5");
  for (const auto* bad : {"", ",", "1-", "-1", "3-1", "1,,2", "x", "1 2", "1048576", "0-70000", "4294967296"})
    CHECK_FALSE(places::read_cpu_list(bad));
}
