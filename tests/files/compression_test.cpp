#include "files/compression.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "base/child_process.hpp"
#include "temporary_folder.hpp"
#include "thrown_by.hpp"

namespace stretto::files {

TEST_CASE("(by itself) zstd's library is empty" * doctest::skip()) {
  const error e = test::error_of([] { compressed_by_zstd(std::vector<std::byte>(8)); });
  CHECK(e.code() == "F06");
  CHECK(e.sentence().find("ZSTD_") != std::string::npos);
  CHECK(e.why().find("undefined symbol") != std::string::npos);
}

TEST_CASE("a codec's library that lacks a function is refused (F06)") {
  const test::temporary_folder folder;
  std::filesystem::create_symlink(STRETTO_STUB_EMPTY, folder.path / "libzstd.so.1");
  const base::child_end ended =
      base::run_child({.arguments = {std::filesystem::read_symlink("/proc/self/exe").string(), "--no-skip",
                                     "--test-case=(by itself) zstd's library is empty"},
                       .environment = {"LD_LIBRARY_PATH=" + folder.path.string()},
                       .limit = std::chrono::minutes(5)});
  CAPTURE(ended.output);
  CAPTURE(ended.errors);
  CHECK(ended.to_text() == "ended with exit code 0");
  CHECK(ended.output.find("1 passed") != std::string::npos);
}

}  // namespace stretto::files
