// signals.hpp - makes signals readable from a file descriptor.
//
// Threads     of a process with one thread.
#pragma once

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <initializer_list>
#include <optional>

namespace stretto::job {

/// The signals that a launcher, a terminal or a user sends to a job.
inline constexpr int passed_on[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
constexpr bool ends_a_job(int signal) {
  return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
}

/// Blocks those and SIGCHLD while it lives, and reads them instead.
class readable_signals {
 public:
  readable_signals() {
    sigset_t all;
    sigemptyset(&all);
    sigaddset(&all, SIGCHLD);
    for (const int s : passed_on) sigaddset(&all, s);
    sigprocmask(SIG_BLOCK, &all, &before_);
    file_ = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
  }
  readable_signals(const readable_signals&) = delete;
  ~readable_signals() {
    close(file_);
    restore();
  }

  /// For a child, before it becomes another program.
  void restore() const { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  int file() const { return file_; }
  std::optional<signalfd_siginfo> next() const {
    signalfd_siginfo came;
    if (::read(file_, &came, sizeof came) != sizeof came) return std::nullopt;
    return came;
  }

 private:
  sigset_t before_;
  int file_;
};

}  // namespace stretto::job
