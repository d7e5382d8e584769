// file_content.hpp - reads and overwrites files in tests.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace stretto::test {

inline std::string content_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
inline void overwrite(const std::filesystem::path& file, const std::string& content) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << content;
}

}  // namespace stretto::test
