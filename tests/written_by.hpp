// written_by.hpp - captures the standard error of a call.
#pragma once

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace stretto::test {

/// The text written to standard error inside written_by so far. Any thread.
inline std::string written_so_far() {
  std::string text;
  if (std::FILE* const again = std::fopen("/proc/self/fd/2", "r")) {  // with a position of its own
    for (int c; (c = std::fgetc(again)) != EOF;) text += static_cast<char>(c);
    std::fclose(again);
  }
  return text;
}

/// All that is written while `body` runs, by any thread. Runtimes that it makes report a lack of progress after
/// `stuck_seconds`, whatever this process was started with. By default a test that does not hang gets no such report,
/// on however busy a machine: it would be part of the result.
template <class Body>
std::string written_by(Body&& body, const char* stuck_seconds = "600") {
  std::FILE* const file = std::tmpfile();
  REQUIRE(file);
  std::fflush(stderr);
  const int before = dup(STDERR_FILENO);
  dup2(fileno(file), STDERR_FILENO);
  const char* const stuck = std::getenv("STRETTO_STUCK");
  const std::string kept = stuck ? stuck : "";
  setenv("STRETTO_STUCK", stuck_seconds, 1);
  body();
  if (stuck) setenv("STRETTO_STUCK", kept.c_str(), 1);
  else unsetenv("STRETTO_STUCK");
  std::fflush(stderr);
  dup2(before, STDERR_FILENO);
  close(before);
  std::rewind(file);
  std::string text;
  for (int c; (c = std::fgetc(file)) != EOF;) text += static_cast<char>(c);
  std::fclose(file);
  return text;
}

}  // namespace stretto::test
