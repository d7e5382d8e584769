// Files that are read or replaced as a whole, on a machine that others use, too.
#include "base/whole_file.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <string>
#include <thread>

#include "temporary_folder.hpp"

namespace stretto::base {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }
mode_t permissions_of(const fs::path& file) {
  struct stat is {};
  REQUIRE(::stat(file.c_str(), &is) == 0);
  return is.st_mode & 07777;
}
std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), {}));
}

TEST_CASE("a file is read whole, and one that is larger than allowed is refused before it is read") {
  const test::temporary_folder folder;
  const std::string text(100'000, 'x');
  write(folder.path / "file", text);
  CHECK(read_whole(folder.path / "file", text.size()).text == text);
  const auto refused = read_whole(folder.path / "file", text.size() - 1);
  CHECK(refused.is_too_large);
  CHECK(refused.text.empty());
  fs::resize_file(folder.path / "file", std::uintmax_t{1} << 40);  // with a hole: it takes no memory to refuse
  CHECK(read_whole(folder.path / "file", 1 << 20).is_too_large);
  write(folder.path / "empty", "");
  CHECK(read_whole(folder.path / "empty", 10));
}

TEST_CASE("a path that is no file is refused with the reason, and a named pipe without a writer blocks no reader") {
  const test::temporary_folder folder;
  CHECK(read_whole(folder.path / "none", 10).fault == "No such file or directory");
  CHECK(read_whole(folder.path, 10).fault == "it is a folder");
  REQUIRE(::mkfifo((folder.path / "pipe").c_str(), 0600) == 0);
  CHECK(read_whole(folder.path / "pipe", 10).fault == "it is a named pipe that nobody writes to");
  CHECK(read_whole("/dev/zero", 10).is_too_large);
  CHECK(read_whole("/dev/null", 10));
}

TEST_CASE("a pipe that someone writes to is read to its end, as of <(command)") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const std::string text(300'000, 'y');
  std::thread writer([&] {
    for (std::size_t done = 0; done < text.size();) {
      const auto n = ::write(ends[1], text.data() + done, text.size() - done);
      if (n > 0) done += static_cast<std::size_t>(n);
    }
    ::close(ends[1]);
  });
  const auto content = read_whole("/proc/self/fd/" + std::to_string(ends[0]), 1 << 20);
  writer.join();
  ::close(ends[0]);
  CHECK(content.text == text);
}

TEST_CASE("a file is replaced in one step, and nothing else stays in its folder") {
  const test::temporary_folder folder;
  const fs::path file = folder.path / "file";
  CHECK(replace_whole(file, "one") == 0);
  CHECK(replace_whole(file, "two") == 0);
  CHECK(read_whole(file, 10).text == "two");
  CHECK(permissions_of(file) == 0600);
  CHECK(files_in(folder.path) == 1);
  CHECK(replace_whole(folder.path / "none" / "file", "x") == ENOENT);
  fs::create_directory(folder.path / "folder");
  write(folder.path / "folder" / "inside", "");
  CHECK(replace_whole(folder.path / "folder", "x") != 0);
  CHECK(files_in(folder.path) == 2);
}

TEST_CASE("a link under the name of a file is replaced, and what it points to stays") {
  const test::temporary_folder folder;
  write(folder.path / "victim", "precious");
  fs::create_symlink(folder.path / "victim", folder.path / "file");
  CHECK(replace_whole(folder.path / "file", "new") == 0);
  CHECK(read_whole(folder.path / "victim", 10).text == "precious");
  CHECK(read_whole(folder.path / "file", 10).text == "new");
}

TEST_CASE("an incomplete write is reported, and the old file stays") {
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  REQUIRE(full >= 0);
  file_output to(full);
  to << std::string(200'000, 'z');
  CHECK(to.finish() == ENOSPC);
  CHECK_FALSE(to);
  ::close(full);
}

TEST_CASE("a temporary folder is its user's alone, and gone afterwards with all that is in it") {
  fs::path path;
  {
    const temporary_folder one("stretto-test"), other("stretto-test");
    path = one.path();
    CHECK(path != other.path());
    CHECK(permissions_of(path) == 0700);
    write(path / "file", "x");
  }
  CHECK_FALSE(fs::exists(path));
}

}  // namespace
}  // namespace stretto::base
