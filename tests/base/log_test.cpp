#include "base/log.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <thread>
#include <vector>

using stretto::log_level;
using stretto::base::logger;

namespace {

struct kept {
  std::vector<std::string> lines;
  std::vector<log_level> levels;
  logger::sink sink() {
    return [this](log_level at, std::string_view line) {
      levels.push_back(at);
      lines.emplace_back(line);
    };
  }
};

struct counts_formatting {
  int* times;
};

}  // namespace

template <>
struct fmt::formatter<counts_formatting> : fmt::formatter<int> {
  template <class Context>
  auto format(const counts_formatting& value, Context& context) const {
    ++*value.times;
    return fmt::formatter<int>::format(*value.times, context);
  }
};

TEST_CASE("a line names the node and the level") {
  kept all;
  logger log("N3", log_level::debug, all.sink());
  log.error("lost {} of {}", 1, 4);
  log.warn("slow");
  log.info("started with {}", "2 workers");
  log.debug("detail");
  CHECK(all.lines == std::vector<std::string>{"stretto N3 error: lost 1 of 4", "stretto N3 warning: slow",
                                              "stretto N3 info: started with 2 workers", "stretto N3 debug: detail"});
  CHECK(all.levels == std::vector{log_level::error, log_level::warn, log_level::info, log_level::debug});
}

TEST_CASE("a message below the level is not even formatted") {
  kept all;
  int times = 0;
  logger log("N0", log_level::warn, all.sink());
  log.info("{}", counts_formatting{&times});
  CHECK(times == 0);
  log.warn("{}", counts_formatting{&times});
  CHECK(times == 1);
  log.set_level(log_level::off);
  log.error("{}", counts_formatting{&times});
  CHECK(times == 1);
  CHECK(all.lines.size() == 1);
}

TEST_CASE("braces in an argument are text, not a format") {
  kept all;
  logger log("N0", log_level::info, all.sink());
  log.info("{}", "{} {0} %v");
  CHECK(all.lines.at(0) == "stretto N0 info: {} {0} %v");
}

TEST_CASE("lines of many threads arrive whole and each once") {
  kept all;
  logger log("N0", log_level::info, all.sink());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&log, t] {
      for (int i = 0; i < 100; ++i) log.info("{} {}", t, i);
    });
  for (auto& thread : threads) thread.join();
  REQUIRE(all.lines.size() == 400);
  std::vector<int> next(4, 0);
  for (const auto& line : all.lines) {
    const int t = line.at(std::string("stretto N0 info: ").size()) - '0';
    CHECK(line == fmt::format("stretto N0 info: {} {}", t, next.at(t)++));
  }
}
