#include "platform/discovery.hpp"

#include <doctest/doctest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <set>
#include <stretto/platform.hpp>
#include <string>
#include <thread>

#include "base/config.hpp"
#include "campaign.hpp"
#include "forked_child.hpp"
#include "platform/error_message.hpp"
#include "platform/place_names.hpp"

using namespace stretto;
using stretto::test::list;
using stretto::test::message_of;
using stretto::test::names;

TEST_CASE("two sockets of 64 cores with NUMA and deep caches become places, links and paths") {
  const auto p = platform::synthetic("pack:2 numa:1 l3:4 l2:16 l1d:1 core:1 pu:2");
  CHECK(p.worker_count() == 128);
  CHECK(p.places(place_kind::core).size() == 128);
  CHECK(p.places(place_kind::l2).size() == 128);
  CHECK(p.places(place_kind::l3).size() == 8);
  CHECK(names(p, p.places(place_kind::numa)) == list{"numa_0", "numa_1"});
  CHECK(p.places(place_kind::package).empty());  // the NUMA nodes are the packages
  CHECK(names(p, p.memories()) == list{"sysmem", "numa_0", "numa_1"});
  CHECK(p.processors().size() == 128);
  CHECK(names(p, p.pop_path(0)) == list{"core_0", "L2_0", "L3_0", "numa_0", "sysmem"});
  CHECK(names(p, p.pop_path(127)) == list{"core_127", "L2_127", "L3_7", "numa_1", "sysmem"});
  CHECK(p.about(p.at("core_127")).cpus == std::vector<std::uint32_t>{254, 255});
  CHECK(p.links().size() == p.place_count() - 1);
}

TEST_CASE("a core's own NUMA node is closer than the other, and memories know one another") {
  const auto p = platform::synthetic("pack:2 numa:1 l3:1 core:64 pu:1");
  const auto near = p.affinities(p.at("core_70"));
  REQUIRE(near.size() == 3);
  CHECK(p.name(near[0].to) == "numa_1");
  CHECK(near[0].hops == 2);
  CHECK(p.name(near[1].to) == "sysmem");
  CHECK(p.name(near[2].to) == "numa_0");
  CHECK(near[2].hops == 4);
  CHECK(p.affinities(p.at("numa_0"), place_role::processor).front().to == p.at("core_0"));
  CHECK(names(p, p.route(p.at("numa_0"), p.at("numa_1"))->places) == list{"numa_0", "sysmem", "numa_1"});
}

TEST_CASE("a worker steals from all host places, the nearest first, each worker from another victim") {
  const auto p = platform::synthetic("pack:2 numa:1 l3:2 core:2 pu:1");
  const auto path = names(p, p.steal_path(2));
  CHECK(path == list{"core_2", "L3_1", "core_3", "numa_0", "L3_0", "sysmem", "core_1", "core_0", "numa_1", "L3_3",
                     "L3_2", "core_5", "core_6", "core_7", "core_4"});
  std::set<std::string> first_remote;
  for (std::uint32_t w = 0; w < 4; ++w)
    for (const place at : p.steal_path(w))
      if (p.name(at) >= "core_4" && p.kind(at) == place_kind::core) {
        first_remote.insert(p.name(at));
        break;
      }
  CHECK(first_remote.size() >= 2);
  for (std::uint32_t w = 0; w < 8; ++w) CHECK(p.steal_path(w).size() == p.place_count());
}

TEST_CASE("sub-NUMA clusters keep their package as a place, and packages without NUMA do too") {
  const auto clusters = platform::synthetic("pack:2 numa:4 l3:1 core:2 pu:1");
  CHECK(names(clusters, clusters.pop_path(15)) == list{"core_15", "L3_7", "numa_7", "package_1", "sysmem"});
  const auto plain = platform::synthetic("pack:2 core:2 pu:1");
  CHECK(names(plain, plain.pop_path(3)) == list{"core_3", "package_1", "sysmem"});
}

TEST_CASE("a single NUMA node is the system memory, and all cache levels climb in order") {
  const auto p = platform::synthetic("numa:1 l5:1 l4:1 l3:2 l2:2 core:1 pu:1");
  CHECK(p.places(place_kind::numa).empty());
  CHECK(names(p, p.pop_path(3)) == list{"core_3", "L2_3", "L3_1", "L4_0", "L5_0", "sysmem"});
  CHECK(p.about(p.at("L3_0")).capacity_bytes == 16u << 20);
  CHECK(p.about(p.at("sysmem")).capacity_bytes.value() > 0);
}

TEST_CASE("more workers than cores share them in turn, fewer take the first") {
  const auto more = platform::synthetic("core:3 pu:2", 7);
  CHECK(more.worker_count() == 7);
  CHECK(more.name(more.home(5)) == "core_2");
  CHECK(more.name(more.home(6)) == "core_0");
  const auto fewer = platform::synthetic("core:3 pu:2", 2);
  CHECK(fewer.worker_count() == 2);
  CHECK(fewer.is_served(fewer.at("core_2")));
}

TEST_CASE("this machine is found within the CPUs that this thread may use") {
  cpu_set_t allowed;
  REQUIRE(sched_getaffinity(0, sizeof allowed, &allowed) == 0);
  const auto p = platform::discover();
  CHECK(p.worker_count() >= 1);
  CHECK(p.places(place_kind::system_memory).size() == 1);
  std::size_t cpus = 0;
  for (const place core : p.places(place_kind::core))
    for (const auto cpu : p.about(core).cpus) {
      CHECK(CPU_ISSET(cpu, &allowed));
      ++cpus;
    }
  CHECK(cpus == static_cast<std::size_t>(CPU_COUNT(&allowed)));
  CHECK(platform::discover(3).worker_count() == 3);
}

TEST_CASE("a process bound to one CPU discovers one core") {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    cpu_set_t set;
    sched_getaffinity(0, sizeof set, &set);
    int first = 0;
    while (!CPU_ISSET(first, &set)) ++first;
    CPU_ZERO(&set);
    CPU_SET(first, &set);
    // All threads of the process: a sanitizer may run one of its own.
    for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task"))
      if (sched_setaffinity(std::stoi(thread.path().filename()), sizeof set, &set) != 0) _exit(2);
    const auto p = platform::discover();
    const auto cores = p.places(place_kind::core);
    const bool one = p.worker_count() == 1 && cores.size() == 1 &&
                     p.about(cores[0]).cpus == std::vector{static_cast<std::uint32_t>(first)};
    _exit(one ? 0 : 1);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

TEST_CASE("descriptions that hwloc does not understand are refused") {
  CHECK(message_of([] { platform::synthetic("two sockets"); }) ==
        "error P13: \"two sockets\" is not a synthetic machine that hwloc understands\n"
        "  try         write levels from the outside in, such as \"pack:2 numa:1 l3:1 l2:64 core:1 pu:1\"");
  CHECK(message_of([] { platform::synthetic(""); }).starts_with("error P13"));
  CHECK(message_of([] { platform::synthetic("core:2 pu:1", 5000); }).starts_with("error P06: 5000 workers"));
}

// hwloc has a lock that nobody resets in a child.
TEST_CASE("a child that is forked while another thread discovers the machine discovers it, too" *
          doctest::skip(base::address_sanitizer || base::thread_sanitizer)) {
  std::atomic<bool> is_over = false;
  std::thread other([&] {
    while (!is_over) places::discover(1);
  });
  for (int n = 0; n < test::scaled(300, 5000); ++n)
    CHECK(test::in_forked_child([]() -> std::string {
            ::alarm(100);  // a lock that is never released would block it for ever
            return places::discover(1).places.empty() ? "it has no places" : "";
          }) == 0);
  is_over = true;
  other.join();
}
