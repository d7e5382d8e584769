#include "base/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

namespace stretto::base {
namespace {

using clock = std::chrono::steady_clock;

class pipe_ends {
 public:
  pipe_ends() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) ends_ = {-1, -1};
  }
  pipe_ends(const pipe_ends&) = delete;
  ~pipe_ends() { close_reader(), close_writer(); }

  int reader() const noexcept { return ends_[0]; }
  int writer() const noexcept { return ends_[1]; }
  void close_reader() noexcept { close_end(0); }
  void close_writer() noexcept { close_end(1); }

 private:
  void close_end(int which) noexcept {
    if (ends_[which] >= 0) ::close(ends_[which]);
    ends_[which] = -1;
  }
  std::array<int, 2> ends_{-1, -1};
};

/// The child starts with no signal blocked or ignored.
pid_t start(const child_command& command, int output, int errors) {
  std::vector<char*> arguments;
  for (const std::string& w : command.arguments) arguments.push_back(const_cast<char*>(w.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none), sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  const auto environment = environment_with(command.environment);
  pid_t child = -1;
  if (::posix_spawnp(&child, arguments[0], &actions, &attributes, arguments.data(), environment.data()) != 0)
    child = -1;
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return child;
}

/// False at the end of the stream.
bool read_some(int from, std::string& to, std::size_t most) {
  char part[4096];
  const ssize_t bytes = ::read(from, part, sizeof part);
  if (bytes > 0) to.append(part, std::min<std::size_t>(bytes, most - std::min(most, to.size())));
  return bytes > 0 || (bytes < 0 && (errno == EINTR || errno == EAGAIN));
}

/// Reads until both streams end; false if they have not ended at `end`.
bool read_both(pipe_ends& output, pipe_ends& errors, child_end& made, std::size_t most, clock::time_point end) {
  std::array<pollfd, 2> from{pollfd{output.reader(), POLLIN, 0}, pollfd{errors.reader(), POLLIN, 0}};
  while (from[0].fd >= 0 || from[1].fd >= 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - clock::now()).count();
    if (left <= 0) return false;
    if (::poll(from.data(), from.size(), static_cast<int>(std::min<long long>(left, 1'000'000))) <= 0) continue;
    if (from[0].revents && !read_some(from[0].fd, made.output, most)) from[0].fd = -1;
    if (from[1].revents && !read_some(from[1].fd, made.errors, most)) from[1].fd = -1;
  }
  return true;
}

/// False if the child still runs at `end`. A program may close its streams earlier.
bool wait_for(pid_t child, int& status, clock::time_point end) {
  for (;;) {
    const pid_t done = ::waitpid(child, &status, WNOHANG);
    if (done == child || (done < 0 && errno != EINTR)) return true;
    if (clock::now() >= end) return false;
    ::usleep(1000);
  }
}

}  // namespace

std::vector<char*> environment_with(std::span<const std::string> changed) {
  const auto name_of = [](std::string_view entry) { return entry.substr(0, entry.find('=')); };
  std::vector<char*> all;
  for (char** one = environ; one && *one; ++one)
    if (std::ranges::none_of(changed, [&](const std::string& c) { return name_of(c) == name_of(*one); }))
      all.push_back(*one);
  for (const std::string& c : changed) all.push_back(const_cast<char*>(c.c_str()));
  all.push_back(nullptr);
  return all;
}

std::string child_end::to_text() const {
  if (!is_started) return "could not be started";
  if (!is_in_time) return fmt::format("did not end within {} s", std::chrono::duration<double>(limit).count());
  if (WIFSIGNALED(status))
    return fmt::format("was killed by signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
  return fmt::format("ended with exit code {}", WEXITSTATUS(status));
}

child_end run_child(const child_command& command) {
  child_end made;
  made.limit = command.limit;
  pipe_ends output, errors;
  if (output.writer() < 0 || errors.writer() < 0) return made;
  const auto end = clock::now() + command.limit;
  const pid_t child = start(command, output.writer(), errors.writer());
  output.close_writer(), errors.close_writer();
  if (child < 0) return made;
  made.is_started = true;
  made.is_in_time = read_both(output, errors, made, command.most_output, end) && wait_for(child, made.status, end);
  if (!made.is_in_time) {
    ::kill(child, SIGKILL);
    while (::waitpid(child, &made.status, 0) < 0 && errno == EINTR) {
    }
  }
  return made;
}

}  // namespace stretto::base
