// job_mark.hpp - shows `stretto run` that this process is in the middle of a job: if the process ends then, it has
// failed, whatever its exit code.
//
// `stretto run` starts a process between the launcher and each node, which passes a pipe to the node. The node writes
// one character at the beginning of a job and another at its end. If the process ends in between, for example by
// _exit(0), the last of these characters is that of the beginning. A process of ranks also writes that it is one, and
// that it has printed why its job ends: `stretto run` then prints nothing.
//
// Threads     in_job and over: the thread that makes or ends the transport. The others: any, handlers of signals too.
#pragma once

#include <string>
#include <string_view>

namespace stretto::net::mpi {

/// "NUMBER:INODE" of the pipe. The inode is needed since a program that this one starts inherits the variable, but may
/// have another file under that number.
inline constexpr const char* job_mark_variable = "STRETTO_JOB_MARK";
std::string job_mark_value(int pipe);

enum class job_mark : char { in_job = 'b', over = 'e', of_ranks = 'r', reported = 'm' };
void mark_job(job_mark m) noexcept;
/// `marks`: the whole content of the pipe.
constexpr bool is_in_job(std::string_view marks) noexcept {
  constexpr char both[] = {static_cast<char>(job_mark::in_job), static_cast<char>(job_mark::over), 0};
  const auto last = marks.find_last_of(both);
  return last != marks.npos && marks[last] == both[0];
}
constexpr bool has_mark(std::string_view marks, job_mark m) noexcept {
  return marks.find(static_cast<char>(m)) != marks.npos;
}

}  // namespace stretto::net::mpi
