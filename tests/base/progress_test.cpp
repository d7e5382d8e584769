#include <stretto/progress.hpp>

#include <doctest/doctest.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/progress_list.hpp"
#include "written_by.hpp"

using namespace stretto;
using base::progress_now;
using base::progress_state;
using base::progress_text;
using test::written_by;

TEST_CASE("a progress line shows a bar, a share and units") {
  CHECK(progress_text({"tasks", "steps", 0, 1200}, false) ==
        "  tasks      [                                        ]   0 %   0 of 1200 steps");
  CHECK(progress_text({"tasks", "steps", 600, 1200}, false) ==
        "  tasks      [====================                    ]  50 %   600 of 1200 steps");
  CHECK(progress_text({"check", "", 1200, 1200}, false) ==
        "  check      [========================================] 100 %   1200 of 1200");
  CHECK(progress_text({"tasks", "steps", 30, 60}, true) ==
        "  tasks      [\x1b[36m====================\x1b[0m                    ]  50 %   30 of 60 steps");
}

TEST_CASE(
    "a progress line shows only the count if the total is unknown, and at most 100 % if the total was too small") {
  CHECK(progress_text({"search", "nodes", 12345, 0}, false) == "  search     12345 nodes");
  CHECK(progress_text({"search", "nodes", 30, 20}, false) ==
        "  search     [========================================] 100 %   30 of 20 nodes");
}

TEST_CASE("no progress line is written if standard error is no terminal") {
  CHECK(written_by([] {
          progress p("quiet", 3);
          p.advance(3);
        }).empty());
}

TEST_CASE("a line that was asked for is written anywhere, and erased at the end") {
  const auto text = written_by([] {
    progress p("loud", 4, {.unit = "steps", .shown = true, .coloured = false});
    p.advance();
    p.advance();  // too soon to be drawn
  });
  CHECK(text == "\r" + progress_text({"loud", "steps", 1, 4}, false) + "\r\x1b[K");
}

TEST_CASE("environment variables request the line, and its colour") {
  setenv("STRETTO_PROGRESS", "on", 1);
  const auto plain = written_by([] { progress("plain", 4).advance(4); });
  setenv("STRETTO_COLOR", "on", 1);
  const auto coloured = written_by([] { progress("loud", 4).advance(4); });
  unsetenv("STRETTO_PROGRESS");
  unsetenv("STRETTO_COLOR");
  CHECK(plain.find("100 %") != plain.npos);
  CHECK(plain.find("\x1b[36m") == plain.npos);
  CHECK(coloured.find("\x1b[36m") != coloured.npos);
}

TEST_CASE("the newest progress has the line, and all are listed, whichever ends first") {
  CHECK(progress_now().empty());
  auto outer = std::make_unique<progress>("outer", 10);
  const auto text = written_by([&] {
    progress inner("inner", 0, {.unit = "nodes", .shown = true, .coloured = false});
    outer->advance(2);
    inner.set(7);
    CHECK(progress_now() == std::vector<progress_state>{{"inner", "nodes", 7, 0}, {"outer", "", 2, 10}});
    outer.reset();
    CHECK(progress_now().size() == 1);
  });
  CHECK(text == "\r  inner      7 nodes\r\x1b[K");
  CHECK(progress_now().empty());
}

TEST_CASE("threads that advance one progress lose nothing") {
  std::vector<std::thread> threads;
  const auto text = written_by([&] {
    progress p("many", 4000, {.shown = true, .coloured = false});
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 1000; ++i) p.advance();
      });
    for (int i = 0; i < 100; ++i) CHECK(progress_now().size() == 1);
    for (auto& t : threads) t.join();
    CHECK(p.done() == 4000);
  });
  // A thread does not draw while another one reads the state: there may have been no line at all.
  CHECK((text.empty() || text.ends_with("\r\x1b[K")));
}
