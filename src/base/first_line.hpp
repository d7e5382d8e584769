// first_line.hpp - files of one line, as the kernel has them in /proc and /sys.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

namespace stretto::base {

/// Without its end of line; empty if there is no such file.
inline std::string first_line(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

}  // namespace stretto::base
