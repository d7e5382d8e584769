#include "job/abort_delay.hpp"

#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <utility>

namespace stretto::job {
namespace {

constexpr std::string_view abort_command = "cmd=abort ";
constexpr std::string_view code_begin = "exitcode=";
constexpr int longest_look = 200;  // for an output to be read
constexpr std::chrono::milliseconds between_looks{10};

/// Whether something that was written to a pipe has not been read.
bool holds_something(int pipe) {
  int bytes = 0;
  return ::ioctl(pipe, FIONREAD, &bytes) == 0 && bytes > 0;
}

/// False: no reader is left.
bool send_all(int to, std::string_view text) {
  while (!text.empty()) {
    const auto n = ::send(to, text.data(), text.size(), MSG_NOSIGNAL);
    if (n < 0 && errno != EINTR) return false;
    if (n > 0) text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

/// The data that has arrived, possibly none. Closes `from` at its end.
std::string_view received(int& from, std::array<char, 4096>& into) {
  if (from < 0) return {};
  const auto n = ::recv(from, into.data(), into.size(), MSG_DONTWAIT);
  if (n > 0) return {into.data(), static_cast<std::size_t>(n)};
  if (n == 0 || (errno != EAGAIN && errno != EINTR)) ::close(std::exchange(from, -1));
  return {};
}

}  // namespace

abort_delay::abort_delay() {
  const char* const said = std::getenv("PMI_FD");
  if (!said) return;
  number_ = std::atoi(said);
  int ends[2];
  int kind = 0;
  socklen_t bytes = sizeof kind;
  if (::getsockopt(number_, SOL_SOCKET, SO_TYPE, &kind, &bytes) != 0 || kind != SOCK_STREAM) return;
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return;
  node_ = ends[0], its_ = ends[1];
  launcher_ = number_;
}

// The connection ends with this process: the launcher takes its end for that of the node.
abort_delay::~abort_delay() {
  if (node_ >= 0) ::close(node_);
  close_given();
}

void abort_delay::give() const {
  if (its_ >= 0) ::dup2(its_, number_);
}

void abort_delay::close_given() {
  if (its_ >= 0) ::close(std::exchange(its_, -1));
}

void abort_delay::pass_lines(std::string_view came) {
  if (is_held_) {
    held_ += came;
    return;
  }
  line_ += came;
  std::string whole;
  for (std::size_t end; (end = line_.find('\n')) != line_.npos; line_.erase(0, end + 1)) {
    if (line_.starts_with(abort_command)) {
      const auto code = line_.find(code_begin);
      aborted_ = code == line_.npos ? 1 : std::atoi(line_.c_str() + code + code_begin.size());
      held_ = std::exchange(line_, {});
      is_held_ = true;
      break;
    }
    whole += line_.substr(0, end + 1);
  }
  // What cannot be the command's beginning goes on at once: other forms of PMI do not end in lines.
  const auto compared = std::min(line_.size(), abort_command.size());
  if (line_.compare(0, compared, abort_command.substr(0, compared)) != 0) whole += std::exchange(line_, {});
  if (launcher_ >= 0) send_all(launcher_, whole);
}

void abort_delay::pass() {
  std::array<char, 4096> some;
  for (std::string_view came; !(came = received(node_, some)).empty();) pass_lines(came);
  for (std::string_view came; !(came = received(launcher_, some)).empty();)
    if (node_ >= 0) send_all(node_, came);
  if (node_ >= 0 && launcher_ < 0) ::close(std::exchange(node_, -1));  // the node learns that its launcher has gone
}

void abort_delay::let_abort() {
  for (int looks = 0; looks < longest_look && (holds_something(STDOUT_FILENO) || holds_something(STDERR_FILENO));
       ++looks)
    std::this_thread::sleep_for(between_looks);
  is_held_ = false;
  if (launcher_ >= 0) send_all(launcher_, std::exchange(held_, {}));
}

}  // namespace stretto::job
