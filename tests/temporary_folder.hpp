// temporary_folder.hpp - an empty folder of a test's own, removed at its end.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <stdexcept>
#include <string>

namespace stretto::test {

struct temporary_folder {
  temporary_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "stretto-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("no folder " + name + " can be made");
    path = name;
  }
  temporary_folder(const temporary_folder&) = delete;
  ~temporary_folder() { std::filesystem::remove_all(path); }

  std::filesystem::path path;
};

}  // namespace stretto::test
