#include "job/launcher_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <stretto/error.hpp>
#include <utility>

#include "job/end_socket.hpp"
#include "job/signals.hpp"

namespace stretto::job {
namespace {

using clock = std::chrono::steady_clock;
constexpr std::chrono::seconds patience{10};  // for a launcher that was signalled to end
/// For a launcher to end all by itself once a node has failed. Open MPI's needs a second or two; MPICH's looks only
/// after programs that have started MPI.
std::chrono::seconds grace_of(const plan& p) { return std::chrono::seconds(p.mpi == "openmpi" ? 6 : 1); }

struct reading {
  int from = -1, its = -1;

  void open() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw error("W57", "no pipe could be made").because(std::strerror(errno));
    from = ends[0], its = ends[1];
    ::fcntl(from, F_SETFL, O_NONBLOCK);
  }
  template <class Take>
  void pass(Take&& take) {
    std::array<char, 16384> some;
    while (from >= 0) {
      const auto n = ::read(from, some.data(), some.size());
      if (n > 0) take(std::string_view(some.data(), static_cast<std::size_t>(n)));
      else if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
      else ::close(std::exchange(from, -1));
    }
  }
};

[[noreturn]] void become(const plan& p, const std::vector<std::string>& program, pid_t parent, int fault_to,
                         const readable_signals& signals, const reading& errors, const reading& output,
                         const end_socket& ends) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(127);
  ::dup2(errors.its, STDERR_FILENO);
  if (output.its >= 0) ::dup2(output.its, STDOUT_FILENO);
  for (const auto& [name, value] : p.variables) ::setenv(name.c_str(), value.c_str(), 1);
  ::setenv(end_socket_variable, ends.path().c_str(), 1);
  signals.restore();
  std::vector<char*> words;
  for (const auto* some : {&p.command, &program})
    for (const auto& w : *some) words.push_back(const_cast<char*>(w.c_str()));
  words.push_back(nullptr);
  ::execv(words[0], words.data());
  const int fault = errno;
  if (::write(fault_to, &fault, sizeof fault) < 0) ::_exit(126);
  ::_exit(127);
}

}  // namespace

job_end run_launcher(const plan& p, const std::vector<std::string>& program, const watch_options& how) {
  const readable_signals signals;
  end_socket ends;
  reading errors, output, started;
  errors.open();
  if (how.output) output.open();
  started.open();
  ::fcntl(started.from, F_SETFL, 0);
  const pid_t us = ::getpid(), launcher = ::fork();
  if (launcher == 0) become(p, program, us, started.its, signals, errors, output, ends);
  for (const reading* r : {&errors, &output, &started})
    if (r->its >= 0) ::close(r->its);
  int fault = launcher < 0 ? errno : 0;
  if (launcher > 0 && ::read(started.from, &fault, sizeof fault) != sizeof fault) fault = 0;
  ::close(started.from);
  if (fault) {
    if (launcher > 0) ::waitpid(launcher, nullptr, 0);
    throw error("W57", "the launcher could not be started")
        .fact("launcher", p.command.front())
        .because(std::strerror(fault));
  }

  job_end end;
  node_end_reader reader;
  const auto take_errors = [&](std::string_view came) { how.errors(reader.read(came)); };
  node_end_reader direct;
  const auto take_ends = [&] { direct.read(ends.read()); };
  const auto begun = clock::now();
  constexpr auto never = clock::time_point::max();
  auto told_at = never, failed_at = never;
  int status = 0;
  for (bool runs = true; runs;) {
    std::array<pollfd, 4> all{pollfd{signals.file(), POLLIN, 0}, pollfd{errors.from, POLLIN, 0},
                              pollfd{output.from, POLLIN, 0}, pollfd{ends.file(), POLLIN, 0}};
    ::poll(all.data(), all.size(), how.most_seconds || end.ended_by_signal || failed_at != never ? 100 : -1);
    errors.pass(take_errors);
    take_ends();
    if (how.output) output.pass(how.output);
    while (const auto came = signals.next()) {
      const int signal = static_cast<int>(came->ssi_signo);
      if (signal == SIGCHLD) continue;
      // A terminal has signalled the launcher, too.
      if (came->ssi_code != SI_KERNEL) ::kill(launcher, signal);
      if (ends_a_job(signal) && !std::exchange(end.ended_by_signal, signal)) told_at = clock::now();
    }
    runs = ::waitpid(launcher, &status, WNOHANG) != launcher;
    if (!runs) break;
    const auto now = clock::now();
    if (failed_at == never && (!reader.found.empty() || !direct.found.empty())) failed_at = now;
    const bool has_failed = failed_at != never && now > failed_at + grace_of(p);
    const bool is_late = how.most_seconds && now - begun > std::chrono::seconds(how.most_seconds);
    if (told_at == never && (has_failed || is_late)) {
      ::kill(launcher, SIGTERM);
      if (is_late) end.ended_by_signal = SIGALRM;
      told_at = now;
    }
    if (told_at != never && now > told_at + patience) ::kill(launcher, SIGKILL);
  }
  errors.pass(take_errors);
  if (how.output) output.pass(how.output);
  how.errors(reader.rest());
  take_ends();
  end.nodes = std::move(reader.found);
  for (node_end& e : direct.found)
    if (std::ranges::find(end.nodes, e) == end.nodes.end()) end.nodes.push_back(std::move(e));
  order_by_cause(end.nodes);
  end.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return end;
}

}  // namespace stretto::job
