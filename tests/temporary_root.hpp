// temporary_root.hpp - a root folder of a file system that a test fills, removed at its end.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "temporary_folder.hpp"

namespace stretto::test {

struct temporary_root : temporary_folder {
  void write(const std::filesystem::path& file, const std::string& text) const {
    std::filesystem::create_directories((path / file).parent_path());
    std::ofstream(path / file) << text;
  }
};

}  // namespace stretto::test
