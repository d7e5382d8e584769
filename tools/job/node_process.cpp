#include "job/node_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <utility>

#include "job/abort_delay.hpp"
#include "job/end_socket.hpp"
#include "job/node_end.hpp"
#include "job/signals.hpp"
#include "net/mpi/job_mark.hpp"

namespace stretto::job {
namespace {

constexpr std::size_t longest_sent_line = 64 << 10;
constexpr std::chrono::milliseconds time_for_others{300};

void write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const auto n = ::write(file, text.data(), text.size());
    if (n < 0 && errno != EINTR) return;  // no reader is left
    if (n > 0) text.remove_prefix(static_cast<std::size_t>(n));
  }
}

/// One output of the program that is to be labelled.
struct stream {
  int from = -1, to = -1;  // our reading end; the target
  int its = -1;            // the program's end, until it has been started
  labeller lines;

  stream(int target, const std::string& label) : to(target), lines(label) {}
  void open() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return;
    from = ends[0], its = ends[1];
    ::fcntl(from, F_SETFL, O_NONBLOCK);
  }
  /// All that has come; false at its end.
  bool pass() {
    std::array<char, 16384> some;
    while (from >= 0) {
      const auto n = ::read(from, some.data(), some.size());
      if (n > 0) write_all(to, lines.add({some.data(), static_cast<std::size_t>(n)}));
      else if (n < 0 && (errno == EAGAIN || errno == EINTR)) return true;
      else break;
    }
    return false;
  }
  void end() {
    pass();
    write_all(to, lines.rest());
  }
};

/// The job mark of the program (net/mpi/job_mark.hpp).
struct job_marks {
  int from = -1, its = -1;

  job_marks() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0) from = ends[0], its = ends[1];
  }
  void give() const {
    const auto value = net::mpi::job_mark_value(its);
    if (value.empty()) return;
    ::fcntl(its, F_SETFD, 0);
    ::setenv(net::mpi::job_mark_variable, value.c_str(), 1);
  }
  /// Adds the marks that the program has written; once it has ended.
  void describe(node_end& e) const {
    std::array<char, 256> some;
    std::string all;
    for (ssize_t n; (n = ::read(from, some.data(), some.size())) > 0;)
      all.append(some.data(), static_cast<std::size_t>(n));
    e.is_in_job = net::mpi::is_in_job(all);
    e.is_of_ranks = net::mpi::has_mark(all, net::mpi::job_mark::of_ranks);
    e.is_reported = net::mpi::has_mark(all, net::mpi::job_mark::reported);
  }
};

[[noreturn]] void become(const std::vector<std::string>& program, pid_t parent, int fault_to,
                         const readable_signals& signals, const std::array<stream, 2>& streams, const job_marks& marks,
                         const abort_delay& aborts) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);
  for (const stream& s : streams)
    if (s.its >= 0) ::dup2(s.its, s.to);
  signals.restore();
  marks.give();
  aborts.give();
  ::unsetenv(end_socket_variable);
  std::vector<char*> words;
  for (const auto& w : program) words.push_back(const_cast<char*>(w.c_str()));
  words.push_back(nullptr);
  ::execvp(words[0], words.data());
  const int fault = errno;
  if (::write(fault_to, &fault, sizeof fault) < 0) ::_exit(126);
  ::_exit(127);
}

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

void report(const node_end& e) {
  send_to_runner(to_line(e));
  write_all(STDERR_FILENO, to_line(e));
}

std::string host_name() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

}  // namespace

std::string labeller::add(std::string_view came) {
  std::string whole;
  while (!came.empty()) {
    const auto end = came.find('\n');
    line_ += came.substr(0, end);
    if (end == came.npos && line_.size() < longest_sent_line) break;
    whole += label_ + std::exchange(line_, {}) + "\n";
    came.remove_prefix(end == came.npos ? came.size() : end + 1);
  }
  return whole;
}

std::string labeller::rest() { return line_.empty() ? std::string() : label_ + std::exchange(line_, {}) + "\n"; }

std::uint32_t own_number() {
  for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (const char* said = std::getenv(variable)) return static_cast<std::uint32_t>(std::max(0, std::atoi(said)));
  return 0;
}

int run_node_process(const std::vector<std::string>& program, output shown) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);  // if the launcher dies, the node gets SIGTERM
  node_end e{.node = own_number(), .host = host_name()};
  const readable_signals signals;
  const auto label = fmt::format("N{}: ", e.node);
  std::array streams{stream(STDOUT_FILENO, label), stream(STDERR_FILENO, label)};
  if (shown == output::labelled)
    for (stream& s : streams) s.open();
  int started[2] = {-1, -1};
  if (::pipe2(started, O_CLOEXEC) != 0) return 127;
  const job_marks marks;
  abort_delay aborts;
  const pid_t us = ::getpid(), child = ::fork();
  if (child == 0) become(program, us, started[1], signals, streams, marks, aborts);
  ::close(started[1]);
  aborts.close_given();
  for (stream& s : streams)
    if (s.its >= 0) ::close(s.its);
  int fault = child < 0 ? errno : 0;
  if (child > 0 && ::read(started[0], &fault, sizeof fault) != sizeof fault) fault = 0;
  ::close(started[0]);
  e.process = child;

  int status = 0;
  bool was_told_to_end = false, is_reported = false;
  const auto still_runs = [&] {
    if (::waitpid(child, &status, WNOHANG) != child) return true;
    e.at_ns = now_ns();
    return false;
  };
  for (bool runs = child > 0; runs;) {
    std::array<pollfd, 5> all{pollfd{signals.file(), POLLIN, 0}, pollfd{streams[0].from, POLLIN, 0},
                              pollfd{streams[1].from, POLLIN, 0}, pollfd{aborts.node(), POLLIN, 0},
                              pollfd{aborts.launcher(), POLLIN, 0}};
    ::poll(all.data(), all.size(), -1);
    aborts.pass();
    for (stream& s : streams)
      if (s.from >= 0 && !s.pass()) ::close(std::exchange(s.from, -1));
    if (aborts.aborted() && !is_reported) {
      e.number = *aborts.aborted(), e.at_ns = now_ns();
      for (stream& s : streams) s.end();
      marks.describe(e);
      report(e);
      is_reported = true;
      aborts.let_abort();
    }
    while (const auto came = signals.next()) {
      const int signal = static_cast<int>(came->ssi_signo);
      runs = runs && still_runs();
      // The program may have got the signal as well, or have ended before.
      was_told_to_end |= ends_a_job(signal) && (runs || (WIFSIGNALED(status) && ends_a_job(WTERMSIG(status))));
      if (runs && signal != SIGCHLD) ::kill(child, signal);
    }
  }
  for (stream& s : streams) s.end();
  if (aborts.aborted()) return *aborts.aborted() ? *aborts.aborted() : 1;
  marks.describe(e);
  if (fault) {
    e.how = ending::not_started, e.number = fault;
  } else if (WIFSIGNALED(status)) {
    e.how = ending::signal, e.number = WTERMSIG(status);
  } else {
    e.number = WEXITSTATUS(status);
    if (e.number == 0 && !e.is_in_job) return 0;
  }
  if (!was_told_to_end) {
    report(e);
    // It may have aborted because another node has ended, whose report is about to arrive: once this node has ended,
    // launchers end all others.
    if (e.how == ending::signal && e.number == SIGABRT) std::this_thread::sleep_for(time_for_others);
  }
  return e.how == ending::not_started ? 127 : e.how == ending::signal ? 128 + e.number : e.number ? e.number : 1;
}

}  // namespace stretto::job
