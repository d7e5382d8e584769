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

}  // namespace stretto::base
