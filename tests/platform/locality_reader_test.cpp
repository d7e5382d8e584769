#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <stretto/platform.hpp>

#include "platform/place_names.hpp"

using namespace stretto;
using test::list;
using test::names;

namespace {

/// Two sockets of two cores with private L2 caches, in the public format.
constexpr const char* two_sockets = R"json({
    "nworkers": 4,
    "declarations": ["sysmem", "L3_0", "L3_1",
        "L2_0_0", "L2_0_1", "L2_1_0", "L2_1_1", "Interconnect"],
    "reachability": [
        ["sysmem", "L3_0"], ["sysmem", "L3_1"],
        ["L3_0", "L2_0_0"], ["L3_0", "L2_0_1"],
        ["L3_1", "L2_1_0"], ["L3_1", "L2_1_1"],
        ["sysmem", "Interconnect"]
    ],
    "pop_paths": {
        "default": ["L2_$(id / 2)_$(id % 2)", "L3_$(id / 2)", "sysmem"],
        0: ["Interconnect", "L2_0_0", "L3_0", "sysmem"]
    },
    "steal_paths": {
        "default": ["L2_$(id / 2)_$(id % 2)", "L3_$(id / 2)", "sysmem"],
        "3": ["sysmem"]
    }
})json";

}  // namespace

TEST_CASE("a locality graph of the public format loads with its paths per worker") {
  const auto p = platform::parse(two_sockets);
  CHECK(p.worker_count() == 4);
  CHECK(p.place_count() == 8);
  CHECK(names(p, p.pop_path(0)) == list{"Interconnect", "L2_0_0", "L3_0", "sysmem"});
  CHECK(names(p, p.pop_path(2)) == list{"L2_1_0", "L3_1", "sysmem"});
  CHECK(names(p, p.pop_path(3)) == list{"L2_1_1", "L3_1", "sysmem"});
  CHECK(names(p, p.steal_path(2)) == list{"L2_1_0", "L3_1", "sysmem"});
  CHECK(names(p, p.steal_path(3)) == list{"sysmem"});
}

TEST_CASE("names imply kinds, and a worker's home is the first host place of its pop path") {
  const auto p = platform::parse(two_sockets);
  CHECK(p.kind(p.at("sysmem")) == place_kind::system_memory);
  CHECK(p.kind(p.at("L3_1")) == place_kind::l3);
  CHECK(p.kind(p.at("L2_0_1")) == place_kind::l2);
  CHECK(p.kind(p.at("Interconnect")) == place_kind::interconnect);
  CHECK(p.name(p.home(0)) == "L2_0_0");
  CHECK(names(p, p.processors()) == list{"L2_0_0", "L2_0_1", "L2_1_0", "L2_1_1"});
  CHECK(names(p, p.memories()) == list{"sysmem"});
}

TEST_CASE("a place on no path is fine as long as links lead to it, and the platform says that nobody serves it") {
  const auto p = platform::parse(R"json({"nworkers": 1, "declarations": ["sysmem", "GPU0"],
    "reachability": [["sysmem", "GPU0"]], "pop_paths": {"default": ["sysmem"]}, "steal_paths": {"default": ["sysmem"]}})json");
  CHECK(p.is_served(p.at("sysmem")));
  CHECK_FALSE(p.is_served(p.at("GPU0")));
  CHECK(names(p, p.memories()) == list{"sysmem", "GPU0"});  // a GPU without memory of its own beside it holds data
}

TEST_CASE("keys come in any order") {
  const auto p = platform::parse(R"json({"steal_paths": {"default": ["sysmem"]}, "pop_paths": {"default": ["sysmem"]},
    "reachability": [], "declarations": ["sysmem"], "nworkers": 3})json");
  CHECK(p.worker_count() == 3);
}

TEST_CASE("properties of places and links are read") {
  const auto p = platform::parse(R"json({"nworkers": 1,
    "declarations": ["sysmem", {"name": "fast", "kind": "gpu_memory", "capacity_bytes": 16e9, "device_index": 2,
                      "bandwidth_bytes_per_second": 9e11, "latency_seconds": 4e-7},
                     {"name": "core_0", "cpus": "0,4-6"}],
    "reachability": [{"between": ["sysmem", "fast"], "bandwidth_bytes_per_second": 12.5e9, "latency_seconds": 1e-6}, ["sysmem", "core_0"]]})json");
  const auto& fast = p.about(p.at("fast"));
  CHECK(fast.kind == place_kind::gpu_memory);
  CHECK(fast.capacity_bytes == 16'000'000'000u);
  CHECK(fast.device_index == 2u);
  CHECK(fast.bandwidth_bytes_per_second == 9e11);
  CHECK(fast.latency_seconds == 4e-7);
  CHECK(p.about(p.at("core_0")).kind == place_kind::core);
  CHECK(p.about(p.at("core_0")).cpus == std::vector<std::uint32_t>{0, 4, 5, 6});
  CHECK(p.links()[0].bandwidth_bytes_per_second == 12.5e9);
  CHECK(p.links()[0].latency_seconds == 1e-6);
  CHECK_FALSE(p.links()[1].latency_seconds);
}

TEST_CASE("without paths workers climb from their core and steal from the nearest") {
  const auto p = platform::parse(R"json({"nworkers": 3, "declarations": ["sysmem", "core_0", "core_1"],
    "reachability": [["sysmem", "core_0"], ["sysmem", "core_1"]]})json");
  CHECK(names(p, p.pop_path(0)) == list{"core_0", "sysmem"});
  CHECK(names(p, p.pop_path(1)) == list{"core_1", "sysmem"});
  CHECK(names(p, p.pop_path(2)) == list{"core_0", "sysmem"});
  CHECK(names(p, p.steal_path(1)) == list{"core_1", "sysmem", "core_0"});
  const auto same = platform::parse(R"json({"nworkers": 3, "declarations": ["sysmem", "core_0", "core_1"],
    "reachability": [["sysmem", "core_0"], ["sysmem", "core_1"]],
    "pop_paths": {"default": "climb"}, "steal_paths": {"default": ["sysmem"], "0": "nearest", 1: "nearest", "2": "nearest"}})json");
  CHECK(same == p);
}

TEST_CASE("a path that comes by a place twice visits it once") {
  const auto p =
      platform::parse(R"json({"nworkers": 2, "declarations": ["sysmem", "L1_0"], "reachability": [["sysmem", "L1_0"]],
    "pop_paths": {"default": ["L1_$(id / 2)", "L1_0", "sysmem", "L1_0"]}})json");
  CHECK(names(p, p.pop_path(1)) == list{"L1_0", "sysmem"});
}

TEST_CASE("a file is read by its path") {
  const auto file = std::filesystem::temp_directory_path() / "stretto_two_sockets.json";
  std::ofstream(file) << two_sockets;
  CHECK(platform::read(file) == platform::parse(two_sockets));
  std::filesystem::remove(file);
}
