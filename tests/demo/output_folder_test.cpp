#include "demo/wave/output_folder.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <fstream>
#include <iterator>
#include <string>

#include <stretto/error.hpp>

using namespace stretto::wave;
namespace fs = std::filesystem;

namespace {

/// A folder of its own for each test, gone afterwards.
struct scratch {
  fs::path path = fs::temp_directory_path() / ("stretto-output-" + std::to_string(getpid()));
  scratch() { fs::create_directories(path); }
  ~scratch() { fs::remove_all(path); }
};

template <class Act>
std::string message_of(const Act& act) {
  try {
    act();
  } catch (const stretto::error& e) {
    return e.what();
  }
  return "";
}

std::string content(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

constexpr std::array letters{std::byte('a'), std::byte('b')};

}  // namespace

TEST_CASE("an output folder is created with its parents and left empty") {
  const scratch here;
  prepare_output(here.path / "one" / "two");
  CHECK(fs::is_directory(here.path / "one" / "two"));
  CHECK(fs::is_empty(here.path / "one" / "two"));
  prepare_output(here.path / "one" / "two");
}

TEST_CASE("an output folder that is a file is refused") {
  const scratch here;
  std::ofstream(here.path / "file") << "x";
  CHECK(message_of([&] { prepare_output(here.path / "file"); }) == "error W15: the output folder \"" +
                                                                       (here.path / "file").string() +
                                                                       "\" cannot be written to\n"
                                                                       "  because     it is a file\n"
                                                                       "  try         name another folder with --out");
  CHECK(message_of([&] { prepare_output(here.path / "file" / "below"); }).find("Not a directory") != std::string::npos);
}

TEST_CASE("an output folder without the right to write, or that takes no files, is refused") {
  CHECK(message_of([] { prepare_output("/proc/stretto"); }).substr(0, 9) == "error W15");
  CHECK(message_of([] { prepare_output("/proc"); }).substr(0, 9) == "error W15");
}

TEST_CASE("a written file is whole, replaces its forerunner and leaves nothing beside it") {
  const scratch here;
  std::ofstream(here.path / "a.png") << "old and longer";
  write_file(here.path / "a.png", letters);
  CHECK(content(here.path / "a.png") == "ab");
  CHECK(std::distance(fs::directory_iterator(here.path), {}) == 1);
}

TEST_CASE("a file that cannot be written leaves its forerunner as it was") {
  const scratch here;
  CHECK(message_of([&] { write_file(here.path / "none" / "a.png", letters); }) ==
        "error W17: the file \"" + (here.path / "none" / "a.png").string() +
            "\" cannot be written\n"
            "  size        2 bytes\n"
            "  because     No such file or directory\n"
            "  try         free space on the disk, or name another folder with --out");

  std::ofstream(here.path / "b.png") << "old";
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit full = before;
  full.rlim_cur = 1;  // like a full disk
  setrlimit(RLIMIT_FSIZE, &full);
  const auto message = message_of([&] { write_file(here.path / "b.png", letters); });
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  CHECK(message.find("File too large") != std::string::npos);
  CHECK(content(here.path / "b.png") == "old");
  CHECK(std::distance(fs::directory_iterator(here.path), {}) == 1);
}
