#include "base/local_socket.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <fstream>
#include <memory>
#include <vector>

#include <stretto/error.hpp>

#include "temporary_folder.hpp"

using namespace stretto::base;
using stretto::test::temporary_folder;
namespace fs = std::filesystem;

namespace {

/// A socket without a listener, as a killed process leaves it.
void leave_stale(const fs::path& file) {
  const int s = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strcpy(address.sun_path, file.c_str());
  REQUIRE(bind(s, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  close(s);
}

/// Leaves the process so many descriptors to open, while it lives.
class few_descriptors {
 public:
  explicit few_descriptors(std::size_t left) {
    getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit few{.rlim_cur = std::min<rlim_t>(before_.rlim_cur, 256), .rlim_max = before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &few);
    for (int s; (s = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0;) taken_.push_back(s);
    for (; left && !taken_.empty(); --left, taken_.pop_back()) close(taken_.back());
  }
  few_descriptors(const few_descriptors&) = delete;
  ~few_descriptors() {
    for (const int s : taken_) close(s);
    setrlimit(RLIMIT_NOFILE, &before_);
  }

 private:
  rlimit before_{};
  std::vector<int> taken_;
};

std::string own_name() { return std::to_string(getpid()); }
std::string hello() { return "hello"; }

}  // namespace

TEST_CASE("each query of a local socket gets a reply of its own") {
  const temporary_folder folder;
  std::atomic<int> asked{0};
  const local_socket socket(folder.path / "s", [&] { return "answer " + std::to_string(++asked); });
  CHECK(socket.name() == own_name());
  CHECK(query_local_socket(folder.path / "s", own_name()) == "answer 1");
  CHECK(query_local_socket(folder.path / "s", own_name()) == "answer 2");
  CHECK(local_sockets_in(folder.path / "s") == std::vector{own_name()});
}

TEST_CASE("an answer longer than any buffer arrives whole") {
  const temporary_folder folder;
  const std::string text(10'000'000, 'x');
  const local_socket socket(folder.path / "s", [&] { return text; });
  CHECK(query_local_socket(folder.path / "s", own_name()) == text);
}

TEST_CASE("one who does not read delays neither the next nor the end for long") {
  const temporary_folder folder;
  auto socket_of_ours = std::make_unique<local_socket>(folder.path / "s", [] { return std::string(10'000'000, 'x'); });
  const int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strcpy(address.sun_path, (folder.path / "s" / (own_name() + ".sock")).c_str());
  REQUIRE(connect(s, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  CHECK(query_local_socket(folder.path / "s", own_name(), std::chrono::minutes(1)).has_value());
  socket_of_ours.reset();
  close(s);
}

TEST_CASE("folder and socket are closed to other users") {
  const temporary_folder folder;
  const local_socket socket(folder.path / "s", hello);
  struct stat found;
  REQUIRE(stat((folder.path / "s").c_str(), &found) == 0);
  CHECK((found.st_mode & 0777) == 0700);
  REQUIRE(stat((folder.path / "s" / (own_name() + ".sock")).c_str(), &found) == 0);
  CHECK((found.st_mode & 0777) == 0600);
}

TEST_CASE("another user gets no answer even where folder and socket let him in") {
  if (geteuid() != 0) return;  // only root can become another
  const temporary_folder folder;
  const local_socket socket(folder.path / "s", hello);
  for (const auto& open : {folder.path, folder.path / "s", folder.path / "s" / (own_name() + ".sock")})
    fs::permissions(open, fs::perms::all);
  const std::string name = own_name();
  const pid_t child = fork();
  if (child == 0) {
    if (setuid(65534) != 0) _exit(2);
    const int s = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path, (folder.path / "s" / (name + ".sock")).c_str());
    if (connect(s, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) _exit(3);
    char c;
    _exit(recv(s, &c, 1, 0) <= 0 ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("a socket is gone with its process's interest, and one that was left behind is swept away") {
  const temporary_folder folder;
  { const local_socket socket(folder.path / "s", hello); }
  CHECK(fs::is_empty(folder.path / "s"));
  leave_stale(folder.path / "s" / "4711.sock");
  std::ofstream(folder.path / "s" / "notes.txt") << "not a socket\n";
  CHECK(!query_local_socket(folder.path / "s", "4711"));
  CHECK(local_sockets_in(folder.path / "s").empty());
  CHECK(!fs::exists(folder.path / "s" / "4711.sock"));
  CHECK(fs::exists(folder.path / "s" / "notes.txt"));
}

TEST_CASE("a process finds the stale socket of an earlier one with its number, and takes its place") {
  const temporary_folder folder;
  fs::create_directory(folder.path / "s");
  fs::permissions(folder.path / "s", fs::perms::owner_all);
  leave_stale(folder.path / "s" / (own_name() + ".sock"));
  const local_socket socket(folder.path / "s", hello);
  CHECK(socket.name() == own_name());
  CHECK(query_local_socket(folder.path / "s", own_name()) == "hello");
}

TEST_CASE("a local socket gets another name if a process with the same number listens") {
  const temporary_folder folder;
  const local_socket first(folder.path / "s", [] { return std::string("first"); });
  const local_socket second(folder.path / "s", [] { return std::string("second"); });
  CHECK(second.name() == own_name() + "-1");
  CHECK(query_local_socket(folder.path / "s", first.name()) == "first");
  CHECK(query_local_socket(folder.path / "s", second.name()) == "second");
  CHECK(local_sockets_in(folder.path / "s") == std::vector{first.name(), second.name()});
}

TEST_CASE("two processes of one user listen side by side, and each answers for itself") {
  const temporary_folder folder;
  int ready[2], end[2];
  REQUIRE(pipe(ready) == 0);
  REQUIRE(pipe(end) == 0);
  const pid_t child = fork();
  if (child == 0) {
    const local_socket socket(folder.path / "s", [] { return std::string("child"); });
    if (write(ready[1], "r", 1) != 1) _exit(1);
    char c;
    if (read(end[0], &c, 1) != 1) _exit(1);
    kill(getpid(), SIGKILL);  // no time to clear up
  }
  char c;
  REQUIRE(read(ready[0], &c, 1) == 1);
  const local_socket socket(folder.path / "s", [] { return std::string("parent"); });
  const auto name = std::to_string(child);
  CHECK(query_local_socket(folder.path / "s", name) == "child");
  CHECK(query_local_socket(folder.path / "s", own_name()) == "parent");
  CHECK(local_sockets_in(folder.path / "s").size() == 2);
  REQUIRE(write(end[1], "e", 1) == 1);
  waitpid(child, nullptr, 0);
  CHECK(!query_local_socket(folder.path / "s", name));
  CHECK(local_sockets_in(folder.path / "s") == std::vector{own_name()});
  for (const int fd : {ready[0], ready[1], end[0], end[1]}) close(fd);
}

TEST_CASE("a folder that others may enter, or a path too long, is refused (B30)") {
  const temporary_folder folder;
  const auto code = [](const fs::path& in) -> std::string {
    try {
      const local_socket socket(in, hello);
      return "";
    } catch (const stretto::error& e) {
      return e.code();
    }
  };
  fs::create_directory(folder.path / "open");
  fs::permissions(folder.path / "open", fs::perms::all);
  CHECK(code(folder.path / "open") == "B30");
  fs::create_directory(folder.path / "own");
  fs::permissions(folder.path / "own", fs::perms::owner_all);
  fs::create_directory_symlink(folder.path / "own", folder.path / "link");
  CHECK(code(folder.path / "link") == "B30");
  CHECK(code(folder.path / "not there" / "s") == "B30");
  CHECK(code(folder.path / std::string(120, 'l')) == "B30");
}

TEST_CASE("a process that may open no more files is refused a socket (B30), and no other's is removed") {
  const temporary_folder folder;
  const local_socket first(folder.path / "s", hello);
  for (std::size_t left = 0; left < 4; ++left) {  // the folder, the socket, its end, and the probe of another
    CAPTURE(left);
    std::string code, name;
    {
      const few_descriptors only(left);
      try {
        name = local_socket(folder.path / "s", hello).name();
      } catch (const stretto::error& e) {
        code = e.code();
      }
    }
    CHECK(code == "B30");
    CHECK(name == "");
  }
  {
    const few_descriptors only(2);  // the listed folder, its lock
    CHECK(local_sockets_in(folder.path / "s") == std::vector{first.name()});
  }
  CHECK(query_local_socket(folder.path / "s", first.name()) == "hello");
}

TEST_CASE("sockets are where the system keeps those of a user") {
  const char* const given = getenv("XDG_RUNTIME_DIR");
  const std::string before = given ? given : "";
  setenv("XDG_RUNTIME_DIR", "/run/user/1000", 1);
  CHECK(local_socket_folder() == "/run/user/1000/stretto");
  unsetenv("XDG_RUNTIME_DIR");
  CHECK(local_socket_folder() == "/tmp/stretto-" + std::to_string(geteuid()));
  if (given) setenv("XDG_RUNTIME_DIR", before.c_str(), 1);
}
