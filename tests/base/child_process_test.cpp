// Programs that are run to their end, or to a limit.
#include "base/child_process.hpp"

#include <doctest/doctest.h>

#include <csignal>

namespace stretto::base {
namespace {

child_end shell(const std::string& script, std::chrono::milliseconds limit = std::chrono::seconds(60)) {
  return run_child({.arguments = {"/bin/sh", "-c", script}, .environment = {"SAID=by the test"}, .limit = limit});
}

TEST_CASE("a program's output, errors and exit code are known at its end") {
  const auto end = shell("echo \"$SAID\"; echo wrong >&2; exit 3");
  CHECK(end.is_started);
  CHECK(end.output == "by the test\n");
  CHECK(end.errors == "wrong\n");
  CHECK(end.to_text() == "ended with exit code 3");
  CHECK_FALSE(end.has_succeeded());
  CHECK(shell("true").has_succeeded());
}

TEST_CASE("a signal that ended a program is named") {
  CHECK(shell("kill -6 $$").to_text() == "was killed by signal 6 (Aborted)");
}

TEST_CASE("a program that does not end is killed at its limit, also where it has closed its output") {
  for (const char* script : {"sleep 600", "exec >&- 2>&-; exec sleep 600"}) {
    const auto end = shell(script, std::chrono::milliseconds(50));
    CHECK_FALSE(end.is_in_time);
    CHECK(end.to_text() == "did not end within 0.05 s");
  }
}

TEST_CASE("more output than is kept is dropped, and the program goes on") {
  const auto end =
      run_child({.arguments = {"/bin/sh", "-c", "head -c 1000000 /dev/zero; echo end >&2"}, .most_output = 10});
  CHECK(end.output.size() == 10);
  CHECK(end.errors == "end\n");
  CHECK(end.has_succeeded());
}

TEST_CASE("a program that is not there could not be started") {
  const auto end = run_child({.arguments = {"/no/such/program"}});
  CHECK_FALSE(end.has_succeeded());
}

TEST_CASE("signals that this process blocks or ignores are as usual in the program") {
  const auto before = std::signal(SIGTERM, SIG_IGN);
  CHECK(shell("kill -15 $$; exit 0").to_text() == "was killed by signal 15 (Terminated)");
  std::signal(SIGTERM, before);
}

}  // namespace
}  // namespace stretto::base
