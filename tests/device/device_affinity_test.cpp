// Which devices are local to the cores of this process, according to the system's files.
#include "device/device_affinity.hpp"

#include <sched.h>

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "temporary_folder.hpp"

namespace stretto::device {

TEST_CASE("a device is near if the process may use one of its local cores, or if its location is unknown") {
  cpu_set_t ours;
  REQUIRE(sched_getaffinity(0, sizeof ours, &ours) == 0);
  int first = 0;
  while (!CPU_ISSET(first, &ours)) ++first;
  const test::temporary_folder root;
  const auto folder = root.path / "sys/bus/pci/devices/0000:65:00.0";
  std::filesystem::create_directories(folder);
  const auto is_near = [&](const std::string& cores) {
    std::ofstream(folder / "local_cpulist") << cores << "\n";
    return is_near_cores("0000:65:00.0", root.path);
  };
  const std::string here = std::to_string(first), beyond = std::to_string(CPU_SETSIZE + 5);
  CHECK(is_near(here));
  CHECK(is_near("0-" + here));
  CHECK(is_near(beyond + "," + here + "-" + beyond));
  CHECK_FALSE(is_near(beyond));
  CHECK_FALSE(is_near(beyond + "-9999,20000"));
  CHECK(is_near(""));
  is_near(beyond);
  CHECK(is_near_cores("0000:66:00.0", root.path));
  CHECK(is_near_cores("", root.path));
  std::filesystem::create_directories(root.path / "sys/bus/pci/devices/0000:e5:00.0");
  std::ofstream(root.path / "sys/bus/pci/devices/0000:e5:00.0/local_cpulist") << beyond;
  CHECK_FALSE(is_near_cores("0000:E5:00.0", root.path));  // upper case, as CUDA writes it
}

TEST_CASE("the processors near a device are those that the system lists") {
  const test::temporary_folder root;
  const auto folder = root.path / "sys/bus/pci/devices/0000:65:00.0";
  std::filesystem::create_directories(folder);
  const auto near = [&](const std::string& cores) {
    std::ofstream(folder / "local_cpulist") << cores << "\n";
    return processors_near("0000:65:00.0", root.path);
  };
  CHECK(near("0-2,8-9") == std::vector<unsigned>{0, 1, 2, 8, 9});
  CHECK(near("7") == std::vector<unsigned>{7});
  CHECK(near("").empty());
  CHECK(near("0-4294967295").size() == 1 << 16);
  CHECK(processors_near("0000:66:00.0", root.path).empty());
  CHECK(processors_near("", root.path).empty());
}

}  // namespace stretto::device
