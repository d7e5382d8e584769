// measure_test.cpp - the flags that every benchmark program takes and the lines that it prints.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <string>

#include "common/measure.hpp"

namespace {

using bench::better;

int calls = 0;
bench::outcome counted(const bench::options&) { return {static_cast<double>(++calls), {{"seconds", 0.5}}}; }
bench::outcome cannot(const bench::options&) { throw bench::unsupported("tasks may not \"wait\""); }
bench::outcome wrong(const bench::options&) {
  bench::expect("fib", 4, 5);
  return {};
}

struct answer {
  int code;
  std::string text;
};

answer ask(std::vector<std::string> flags) {
  calls = 0;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> out(std::tmpfile(), &std::fclose);
  const bench::program p{.system = "fake",
                         .entries = {{"count", "ns/task", better::lower, 7, counted},
                                     {"once", "bytes/task", better::higher, 7, counted, bench::repeat::once},
                                     {"cannot", "ns/task", better::lower, 0, cannot},
                                     {"wrong", "ns/task", better::lower, 0, wrong}},
                         .out = out.get()};
  flags.insert(flags.begin(), "bench_fake");
  std::vector<char*> argv;
  for (std::string& flag : flags) argv.push_back(flag.data());
  const int code = bench::run(p, static_cast<int>(argv.size()), argv.data());
  std::rewind(out.get());
  std::array<char, 4096> text{};
  const std::size_t length = std::fread(text.data(), 1, text.size(), out.get());
  return {code, std::string(text.data(), length)};
}

}  // namespace

TEST_CASE("a measurement is one line with the median, the best and all samples after a warm-up") {
  const answer got = ask({"--bench", "count", "--workers", "2", "--reps", "3"});
  CHECK(got.code == 0);
  CHECK(got.text ==
        "{\"system\":\"fake\",\"bench\":\"count\",\"workers\":2,\"size\":7,\"unit\":\"ns/"
        "task\",\"better\":\"lower\","
        "\"reps\":3,\"value\":3,\"best\":2,\"seconds\":0.5,\"samples\":[2,3,4]}\n");
}

TEST_CASE("a figure of memory is taken once, without a warm-up") {
  const answer got = ask({"--bench", "once", "--reps", "3"});
  CHECK(got.text.find("\"reps\":1,\"value\":1,\"best\":1") != std::string::npos);
}

TEST_CASE("every element of --iterations is a measurement") {
  const std::string text = ask({"--bench", "count", "--iterations", "16,32", "--reps", "1"}).text;
  CHECK(std::count(text.begin(), text.end(), '\n') == 2);
}

TEST_CASE("what a system cannot do is a line with the reason") {
  const answer got = ask({"--bench", "cannot"});
  CHECK(got.code == 0);
  CHECK(got.text ==
        "{\"system\":\"fake\",\"bench\":\"cannot\",\"workers\":1,\"skipped\":\"tasks may not "
        "\\\"wait\\\"\"}\n");
  CHECK(ask({"--bench", "nope"}).text ==
        "{\"system\":\"fake\",\"bench\":\"nope\",\"workers\":1,\"skipped\":\"fake has no benchmark "
        "\\\"nope\\\"; it has "
        "count, once, cannot, wrong\"}\n");
}

TEST_CASE("a wrong answer is an exit code and no line") {
  const answer got = ask({"--bench", "wrong"});
  CHECK(got.code == 1);
  CHECK(got.text.empty());
}

TEST_CASE("bad flags are refused with a sentence") {
  CHECK(ask({"--bench", "count", "--workers", "0"}).code == 2);
  CHECK_THROWS_WITH(bench::parse({"--bench", "fib", "--workers", "two"}),
                    "--workers takes a whole number of at least 1, not \"two\"");
  CHECK_THROWS_WITH(bench::parse({"--bench"}), "--bench needs a value");
  CHECK_THROWS_WITH(bench::parse({"--workers", "2"}), "--bench NAME is missing");
  CHECK_THROWS_WITH(bench::parse({"--iterations", ""}), "--iterations takes numbers separated by commas");
  CHECK_THROWS_WITH(bench::parse({"--worker", "2"}),
                    "--worker is not a flag; there are --bench --workers --reps --milliseconds --size --tree "
                    "--pattern --width --steps --radix --iterations");
}

TEST_CASE("the median of an even number of values is the mean of the middle two") {
  CHECK(bench::median({4, 1, 3}) == 3);
  CHECK(bench::median({4, 1, 3, 2}) == 2.5);
}

TEST_CASE("fork-join fib spawns one task per call that divides") {
  CHECK(bench::fib(10) == 55);
  CHECK(bench::fib_tasks(1) == 0);
  CHECK(bench::fib_tasks(2) == 1);
  CHECK(bench::fib_tasks(3) == 2);  // fib(3) and fib(2)
  CHECK(bench::fib_tasks(10) == 88);
}

TEST_CASE("memory in use grows with what is touched") {
  const double before = bench::resident_bytes();
  const std::string touched(64 << 20, 'x');
  CHECK(bench::resident_bytes() - before > 60e6);
}
