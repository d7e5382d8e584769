// Programs with a limit on their addresses (ulimit -v), each in a process of its own.
#include <stretto/stretto.hpp>

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/child_process.hpp"
#include "base/config.hpp"

namespace stretto {
namespace {

/// Runs the test case of that name in a process with so many KiB of addresses.
base::child_end with_addresses(unsigned long kibibytes, const std::string& test_case, const std::string& devices) {
  return base::run_child(
      {.arguments = {"/bin/sh", "-c", "ulimit -v \"$0\" && exec \"$@\"", std::to_string(kibibytes),
                     std::filesystem::read_symlink("/proc/self/exe").string(), "--no-skip", "--test-case=" + test_case},
       .environment = {"STRETTO_DEVICES=" + devices},
       .limit = std::chrono::minutes(5)});
}

/// How many of so many tasks that all wait for one value got it; the others failed with S11.
int tasks_that_waited(int count) {
  runtime here;
  int got = 0;
  here.run([&] {
    promise<int> value;
    const auto awaited = value.get_future();
    std::vector<future<int>> all;
    for (int i = 0; i < count; ++i) all.push_back(async([awaited] { return awaited.get(); }));
    value.set(1);
    for (auto& one : all) {
      try {
        got += one.get();
      } catch (const error& e) {
        CHECK(e.code() == "S11");
      }
    }
  });
  return got;
}

TEST_CASE("(by itself) many tasks are suspended at once" * doctest::skip()) {
  CHECK(tasks_that_waited(20'000) == 20'000);
}
TEST_CASE("(by itself) more tasks are suspended than there are stacks for" * doctest::skip()) {
  CHECK(tasks_that_waited(20'000) < 20'000);
}
TEST_CASE("(by itself) a task runs" * doctest::skip()) { CHECK(tasks_that_waited(1) == 1); }

void check_passed(const base::child_end& end) {
  CAPTURE(end.output);
  CAPTURE(end.errors);
  CHECK(end.to_text() == "ended with exit code 0");
  CHECK(end.output.find("1 passed") != std::string::npos);
}

// The sanitizers take more addresses for themselves than any such limit.
const bool has_no_sanitizer = !base::address_sanitizer && !base::thread_sanitizer;

TEST_CASE("a runtime starts with few addresses, with any devices" * doctest::skip(!has_no_sanitizer)) {
  for (const unsigned long kibibytes : {700'000ul, 1'150'000ul, 8'800'000ul})
    for (const char* devices : {"", "sim", "sim:2", "all"}) {
      CAPTURE(kibibytes);
      CAPTURE(devices);
      check_passed(with_addresses(kibibytes, "(by itself) a task runs", devices));
    }
}

TEST_CASE("tasks for whose stacks no addresses are left fail with S11, and the program goes on" *
          doctest::skip(!has_no_sanitizer)) {
  check_passed(with_addresses(1'150'000, "(by itself) more tasks are suspended than there are stacks for", ""));
}

TEST_CASE("20 000 tasks are suspended at once where addresses are limited to 8.4 GiB" *
          doctest::skip(!has_no_sanitizer)) {
  check_passed(with_addresses(8'800'000, "(by itself) many tasks are suspended at once", ""));
}

}  // namespace
}  // namespace stretto
