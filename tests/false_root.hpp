// false_root.hpp - a root folder of a file system that a test fills, removed at its end.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace stretto::test {

struct false_root {
  false_root() {
    std::string name = (std::filesystem::temp_directory_path() / "stretto-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("no folder " + name + " can be made");
    path = name;
  }
  false_root(const false_root&) = delete;
  ~false_root() { std::filesystem::remove_all(path); }

  void write(const std::filesystem::path& file, const std::string& text) const {
    std::filesystem::create_directories((path / file).parent_path());
    std::ofstream(path / file) << text;
  }

  std::filesystem::path path;
};

}  // namespace stretto::test
