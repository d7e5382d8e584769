// forked_child.hpp - a part of a test in a process of its own, which may limit or remount what the process has.
#pragma once

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <string>

namespace stretto::test {

/// The exit code of a child that does `body`, which says what is wrong.
template <class F>
int in_forked_child(F&& body) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (!child) {
    std::string wrong;
    try {
      wrong = body();
    } catch (const std::exception& e) {
      wrong = e.what();
    }
    if (!wrong.empty()) std::fprintf(stderr, "in the child: %s\n", wrong.c_str());
    std::fflush(stderr);
    _exit(wrong.empty() ? 0 : 1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace stretto::test
