#include "top/view.hpp"

#include <doctest/doctest.h>

#include <stretto/error.hpp>

using namespace stretto;
using namespace stretto::top;

namespace {

sample some_process() {
  sample s;
  s.process = 4711;
  s.program = "wave";
  s.resident_bytes = 123 << 20;
  s.works.push_back({"tasks", "steps", 600, 1200});
  auto& r = s.runtimes.emplace_back();
  r.seconds = 10;
  r.counted.workers = {{.tasks = 1000, .steals = 10, .suspensions = 30, .parks = 5},
                       {.tasks = 2'000'000, .steals = 0, .suspensions = 0, .parks = 0}};
  r.counted.places = {{"core_0", 1000, 1.0, 12}, {"core_1", 2'000'000, 2.0, 3}};
  r.counted.modules = {{"storage", "reads", "disk", 50, 0.5, 3 << 20}};
  r.counted.events.untriggered = 7;
  r.counted.suspended = 4;
  r.counted.stacks = 9;
  r.counted.task_bytes = 64 << 10;
  return s;
}

}  // namespace

TEST_CASE("a first page tells counts, and rates since the start") {
  CHECK(view(some_process(), nullptr) ==
        "wave  process 4711, 123 MiB resident\n"
        "  tasks      [====================                    ]  50 %   600 of 1200 steps\n"
        "\n"
        "runtime 0  up 10.0 s, 15 ready, 4 suspended, 7 events to come; task records 64.0 KiB, 9 stacks\n"
        "  worker                 tasks     tasks/s    steals/s     waits/s    sleeps/s\n"
        "  0                     1.00 k         100           1           3           0\n"
        "  1                     2.00 M       200 k           0           0           0\n"
        "  place                  tasks     tasks/s       ready\n"
        "  core_0                1.00 k         100          12\n"
        "  core_1                2.00 M       200 k           3\n"
        "  module                 count     count/s       bytes\n"
        "  storage reads             50           5     3.0 MiB\n");
}

TEST_CASE("later pages tell rates since the page before") {
  const auto before = some_process();
  auto now = before;
  now.runtimes[0].seconds += 2;
  now.runtimes[0].counted.workers[0].tasks += 500;
  now.runtimes[0].counted.places[0].tasks += 500;
  now.runtimes[0].counted.modules[0].count += 3'000;
  const auto text = view(now, &before);
  CHECK(text.find("  0                     1.50 k         250           0           0           0\n") != text.npos);
  CHECK(text.find("  core_0                1.50 k         250          12\n") != text.npos);
  CHECK(text.find("  storage reads         3.05 k      1.50 k     3.0 MiB\n") != text.npos);
}

TEST_CASE("another runtime that has taken the number of one that ended is not compared with that") {
  const auto before = some_process();
  auto now = before;
  now.runtimes[0].seconds = 1;
  now.runtimes[0].counted.workers[0].tasks = 70;
  CHECK(view(now, &before).find("  0                         70          70") != std::string::npos);
  now.runtimes[0].seconds = 100;
  now.runtimes[0].counted.workers.resize(1);
  CHECK(view(now, &before).find("up 1 min 40 s") != std::string::npos);
}

TEST_CASE("a process in the list is one line") {
  CHECK(line_about("4711", some_process()) ==
        "4711         wave             1 runtime, 2 workers, 2.00 M tasks, 123 MiB\n");
}

TEST_CASE("what is missing in an answer is 0, and what is no answer is refused") {
  const auto s = read_sample(R"({"process": 12, "runtimes": [{"workers": [{}]}], "something new": [1]})");
  CHECK(s.process == 12);
  CHECK(s.runtimes.at(0).counted.workers.at(0).tasks == 0);
  for (const char* text : {"", "{", "[]", "{}", R"({"process": "x"})", R"({"process": 1, "runtimes": [7]})"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(read_sample(text), stretto::error);
  }
}
