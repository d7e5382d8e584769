// first_line.hpp - reads files of one line, such as those in /proc and /sys.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

namespace stretto::base {

/// The first line without its newline; empty if there is no such file.
inline std::string first_line(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

/// Differs after each boot of the system, and from those of other hosts; empty if it is unknown.
inline std::string boot_id() { return first_line("/proc/sys/kernel/random/boot_id"); }

}  // namespace stretto::base
