// unobserved_failures_test.cpp - failures that no wait has observed are reported at the end of the runtime.
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <source_location>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <stretto/job.hpp>
#include <stretto/stretto.hpp>

#include "written_by.hpp"

using namespace stretto;
using test::written_by;

TEST_CASE("a failure outside of run that nobody looks at is told when the runtime ends") {
  const auto here = std::source_location::current();
  const std::string line = "unobserved_failures_test.cpp:" + std::to_string(here.line());
  CHECK(written_by([&] {
          runtime rt({.workers = 2});
          const attached_thread attached(rt);
          async(name("save"), [] { throw std::runtime_error("disk full"); }, here);
        }) ==
        "error S13: a runtime ended with a failure that the program did not observe\n"
        "  failed      task \"save\"\n"
        "  at          " +
            line +
            "\n"
            "  because     disk full\n"
            "  try         wait for work that may fail, or get its result, before the runtime ends\n");
}

TEST_CASE("with STRETTO_ERRORS=json it is told as one line of JSON, with the failure itself inside") {
  const auto here = std::source_location::current();
  const std::string line = "unobserved_failures_test.cpp:" + std::to_string(here.line());
  setenv("STRETTO_ERRORS", "json", 1);
  const std::string told = written_by([&] {
    runtime rt({.workers = 2});
    const attached_thread attached(rt);
    async(name("save"), [] { throw error("P11", "disk full"); }, here);
  });
  unsetenv("STRETTO_ERRORS");
  CHECK(told ==
        "{\"code\":\"S13\",\"sentence\":\"a runtime ended with a failure that the program did not observe\",\"facts\":["
        "{\"name\":\"failed\",\"value\":\"task \\\"save\\\"\"},{\"name\":\"at\",\"value\":\"" +
            line +
            "\"}],"
            "\"because\":\"error P11: disk full\",\"try\":\"wait for work that may fail, or get its result, before the "
            "runtime ends\","
            "\"cause\":{\"code\":\"P11\",\"sentence\":\"disk full\",\"facts\":[]}}\n");
}

TEST_CASE("several are counted, and what was skipped because of one of them is not") {
  const std::string told = written_by([] {
    runtime rt({.workers = 1});
    const attached_thread here(rt);
    for (int i = 0; i < 3; ++i) {
      auto failed = async([] { throw std::runtime_error("no"); });
      async(after(failed), [] {});
    }
  });
  CHECK(told.starts_with(
      "error S13: a runtime ended with 3 failures that the program did not observe\n  first       task at "));
}

TEST_CASE("a failure outside of run that was looked at is not told") {
  CHECK(written_by([] {
          runtime rt({.workers = 2});
          const attached_thread here(rt);
          auto failed = async([] { throw std::runtime_error("no"); });
          CHECK_THROWS_WITH(failed.get(), "no");
        }) == "");
}

TEST_CASE("a failure that left run is not reported again, and work that waits at the end is reported as skipped") {
  CHECK(written_by([] {
          runtime rt({.workers = 2});
          CHECK_THROWS_WITH(rt.run([] { async([] { throw std::runtime_error("no"); }); }), "no");
        }) == "");
  const std::string told = written_by([] {
    runtime rt({.workers = 2});
    const attached_thread here(rt);
    async(after(user_event::create()), name("waits"), [] {});
  });
  CHECK(
      told.starts_with("error S13: a runtime ended with a failure that the program did not observe\n"
                       "  failed      task \"waits\"\n"));
  CHECK(told.find("E14") != told.npos);
}

TEST_CASE("a failure that nobody looks at is told also where an earlier run has failed and the program went on") {
  const auto program = [](runtime& rt) {
    CHECK_THROWS_WITH(rt.run([] { throw std::runtime_error("the first run"); }), "the first run");
    rt.run([] { detached([] { async(name("save"), [] { throw std::runtime_error("disk full"); }); }); });
  };
  const auto is_told = [](const std::string& told, int times) {
    int found = 0;
    for (std::size_t at = 0;
         (at = told.find("error S13: a runtime ended with a failure that the program did not observe\n"
                         "  failed      task \"save\"\n",
                         at)) != told.npos;
         ++at)
      ++found;
    return found == times;
  };
  CHECK(is_told(written_by([&] {
                  runtime rt({.workers = 1});
                  program(rt);
                }),
                1));
  CHECK(is_told(written_by([&] {
                  const simulated_job job({.nodes = 2});
                  std::vector<std::thread> nodes;
                  for (std::uint32_t n = 0; n < 2; ++n)
                    nodes.emplace_back([&, n] {
                      runtime rt({.workers = 1, .devices = "none", .job = job.endpoint(n)});
                      program(rt);
                    });
                  for (std::thread& t : nodes) t.join();
                }),
                2));
}
