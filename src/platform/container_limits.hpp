// container_limits.hpp - how much CPU time and memory the control groups of this process grant it.
//
// Threads     reads files; may be called from any thread.
// Source      Linux control groups, versions 1 and 2: cpu.max, cpu.cfs_quota_us, memory.max, memory.limit_in_bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace stretto::places {

struct container_limits {
  std::optional<double> cpus;  // 1.5: one and a half CPUs' worth of time
  std::optional<std::uint64_t> memory_bytes;
};

/// The tightest limits of the groups that this process is in and of all groups around them. Files that are absent
/// or not understood limit nothing.
///
///   root   where /proc and /sys are found, so that tests can bring their own
container_limits limits_of_this_process(const std::filesystem::path& root = "/");

}  // namespace stretto::places
