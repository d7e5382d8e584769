// job_mark.hpp - tells `stretto run` that this process is in the middle of a job: one that ends then has not ended
// well, whatever its exit code.
//
// The process that stretto run puts between the launcher and a node hands it a pipe: a letter for the beginning of a
// job, one for its end. What ends a process without a word, as _exit(0) does, leaves the first as the last.
//
// Threads     the thread that makes or ends the transport.
#pragma once

#include <string>
#include <string_view>

namespace stretto::net::mpi {

/// "NUMBER:INODE" of the pipe. The inode, since a program that this one starts has the variable too, and another file
/// of that number.
inline constexpr const char* job_mark_variable = "STRETTO_JOB_MARK";
std::string job_mark_value(int pipe);

enum class job_mark : char { in_job = 'b', over = 'e' };
void mark_job(job_mark m) noexcept;
/// From all that the pipe holds.
constexpr bool is_in_job(std::string_view marks) noexcept {
  return marks.ends_with(static_cast<char>(job_mark::in_job));
}

}  // namespace stretto::net::mpi
