// killed_child.hpp - a program in a process of its own that is killed.
#pragma once

#include <doctest/doctest.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

namespace stretto::test {

/// Runs `program` in a child process, and kills it `delay` after `may_be_killed`. Returns false if the child ended
/// before.
template <class Program, class Condition>
bool is_killed(Program&& program, std::chrono::microseconds delay, Condition&& may_be_killed) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (!child) {
    program();
    _exit(0);
  }
  int status = 0;
  pid_t ended = 0;
  while (!may_be_killed() && (ended = waitpid(child, &status, WNOHANG)) == 0)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  if (ended == 0) {
    std::this_thread::sleep_for(delay);
    kill(child, SIGKILL);
    ended = waitpid(child, &status, 0);
  }
  REQUIRE(ended == child);
  return !WIFEXITED(status);
}

}  // namespace stretto::test
