#include "doctor/inspection.hpp"

#include <doctest/doctest.h>

#include "temporary_root.hpp"

using namespace stretto::doctor;
namespace fs = std::filesystem;

namespace {

struct made_up_root : stretto::test::temporary_root {
  void program(const fs::path& file) const {
    write(file, "#!/bin/sh\n");
    fs::permissions(path / file, fs::perms::owner_all);
  }
  std::string search_path() const { return (path / "bin").string() + "::" + (path / "usr/bin").string(); }
};

}  // namespace

TEST_CASE("the inspection reads the files of a system") {
  const made_up_root root;
  root.write("etc/os-release", "NAME=\"Made-up\"\nPRETTY_NAME=\"Made-up Linux 7\"\n");
  root.write("proc/cpuinfo", "processor\t: 0\nmodel name\t: Fast: One @ 3 GHz\n");
  root.write("proc/sys/vm/max_map_count", "65530\n");
  root.write("proc/sys/vm/overcommit_memory", "2\n");
  root.write("proc/sys/kernel/perf_event_paranoid", "-1\n");
  root.write("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
  root.write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
  root.write("etc/OpenCL/vendors/pocl.icd", "libpocl.so\n");
  root.write("etc/OpenCL/vendors/README", "no driver\n");
  const auto seen = inspect_machine(root.path, "");
  CHECK(seen.system == "Made-up Linux 7");
  CHECK(seen.processor == "Fast: One @ 3 GHz");
  CHECK(seen.limits.mappings == 65530);
  CHECK(seen.limits.overcommit == 2);
  CHECK(seen.limits.perf_paranoia == -1);
  CHECK(seen.limits.huge_pages == "madvise");
  CHECK(seen.limits.governor == "powersave");
  CHECK(seen.limits.shared_memory == 0);
  CHECK(seen.pieces.opencl_platforms == 1);
  CHECK(seen.packages == packager::none);
  CHECK(seen.limits.online_cpus >= seen.limits.allowed_cpus);
}

TEST_CASE("programs are looked for along the path, and only those that may be run count") {
  const made_up_root root;
  root.program("bin/dot");
  root.program("usr/bin/mpicxx");
  root.program("usr/bin/dnf");
  root.write("bin/gdb", "not a program");
  auto seen = inspect_machine(root.path, root.search_path());
  CHECK(seen.pieces.graphviz);
  CHECK(!seen.pieces.gdb);
  CHECK(!seen.pieces.mpi);  // without mpirun
  CHECK(seen.packages == packager::dnf);
  root.program("bin/mpirun");
  root.program("bin/apt-get");
  seen = inspect_machine(root.path, root.search_path());
  CHECK(seen.pieces.mpi);
  CHECK(seen.packages == packager::apt);
}

TEST_CASE("nothing is made up about files that are not there or make no sense") {
  const made_up_root root;
  root.write("proc/sys/vm/max_map_count", "many\n");
  const auto seen = inspect_machine(root.path, "");
  CHECK(seen.system.empty());
  CHECK(!seen.limits.mappings);
  CHECK(!seen.limits.overcommit);
  CHECK(seen.limits.huge_pages.empty());
  CHECK(seen.pieces == pieces_found{.cuda_driver = seen.pieces.cuda_driver});
}

TEST_CASE("tasks, events and copies take some time on every machine") {
  const auto [speeds, yardsticks] = measure_speeds();
  REQUIRE(speeds.spawn_and_wait);
  CHECK(*speeds.spawn_and_wait > 0);
  CHECK(*speeds.trigger > 0);
  if (speeds.hand_off) CHECK(*speeds.hand_off > 0);
  if (speeds.copy) CHECK(*speeds.copy > 0);
  REQUIRE(yardsticks.cycle);
  CHECK(*yardsticks.cycle > 0);
  REQUIRE(yardsticks.locked);
  CHECK(*yardsticks.locked > 0);
  CHECK(speeds.copy.has_value() == yardsticks.memcpy.has_value());
  if (yardsticks.transfer) CHECK(*yardsticks.transfer > 0);
}
