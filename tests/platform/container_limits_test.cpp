#include "platform/container_limits.hpp"

#include <doctest/doctest.h>

#include "temporary_root.hpp"

using stretto::places::limits_of_this_process;

namespace {

struct temporary_root : stretto::test::temporary_root {
  auto limits() const { return limits_of_this_process(path); }
};

}  // namespace

TEST_CASE("no control groups means no limits") {
  const temporary_root root;
  CHECK_FALSE(root.limits().cpus);
  CHECK_FALSE(root.limits().memory_bytes);
}

TEST_CASE("the tightest group of the second version counts, inner or outer") {
  temporary_root root;
  root.write("proc/self/cgroup", "0::/outer/inner");
  root.write("sys/fs/cgroup/outer/cpu.max", "150000 100000");
  root.write("sys/fs/cgroup/outer/inner/cpu.max", "max 100000");
  root.write("sys/fs/cgroup/outer/memory.max", "max");
  root.write("sys/fs/cgroup/outer/inner/memory.max", "1000000");
  CHECK(root.limits().cpus == 1.5);
  CHECK(root.limits().memory_bytes == 1000000u);
}

TEST_CASE("limits of a container whose own path is hidden are those of its root") {
  temporary_root root;
  root.write("proc/self/cgroup", "0::/docker/0123");
  root.write("sys/fs/cgroup/cpu.max", "200000 100000");
  CHECK(root.limits().cpus == 2.0);
}

TEST_CASE("limits of the first version are read, and its huge numbers mean none") {
  temporary_root root;
  root.write("proc/self/cgroup", "5:cpu,cpuacct:/job\n4:memory:/job\n3:freezer:/");
  root.write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "50000");
  root.write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000");
  root.write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1");
  root.write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000");
  root.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712");
  CHECK(root.limits().cpus == 0.5);
  CHECK_FALSE(root.limits().memory_bytes);
}

TEST_CASE("files that make no sense limit nothing") {
  temporary_root root;
  root.write("proc/self/cgroup", "nonsense\n0::/a");
  root.write("sys/fs/cgroup/a/cpu.max", "lots of it");
  root.write("sys/fs/cgroup/a/memory.max", "-5x");
  CHECK_FALSE(root.limits().cpus);
  CHECK_FALSE(root.limits().memory_bytes);
}
