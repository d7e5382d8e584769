// operation_trace_test.cpp - spans of copies, fills and reductions in the trace of a program.
#include <doctest/doctest.h>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <stretto/stretto.hpp>

using namespace stretto;
using nlohmann::json;

namespace {

/// The spans of a run of `body`, by name, and their source lines.
struct recorded {
  std::vector<json> spans;
  std::vector<json> arrow_ends;

  std::vector<json> of(const std::string& category) const {
    std::vector<json> found;
    std::ranges::copy_if(spans, std::back_inserter(found), [&](const json& s) { return s.at("cat") == category; });
    return found;
  }
};

template <class Body>
recorded record(std::uint32_t workers, Body&& body) {
  const auto file =
      std::filesystem::temp_directory_path() / ("operation_trace_test." + std::to_string(getpid()) + ".json");
  {
    runtime rt({.workers = workers, .trace = file.string()});
    const place memory = rt.machine().memories().front();
    rt.run([&] { body(memory); });
  }
  std::ifstream in(file);
  const json whole = json::parse(in);
  recorded r;
  for (const json& e : whole.at("traceEvents")) {
    if (e.at("ph") == "X") r.spans.push_back(e);
    if (e.at("ph") == "f") r.arrow_ends.push_back(e);
  }
  std::filesystem::remove(file);
  return r;
}

std::string line(unsigned n) { return "operation_trace_test.cpp:" + std::to_string(n); }

}  // namespace

TEST_CASE("a small copy and a small fill leave a span each, in the names and the line of the program") {
  unsigned filled = 0, copied = 0;
  const auto r = record(1, [&](place memory) {
    const auto u = instance<int>::create(at(memory), {0, 10}, {.name = "u"}).made;
    const auto v = instance<int>::create(at(memory), {0, 10}, {.name = "v"}).made;
    filled = __LINE__ + 1;
    fill(u, 1);
    copied = __LINE__ + 1;
    copy(u, v);
  });
  const auto fills = r.of("fill"), copies = r.of("copy");
  REQUIRE(fills.size() == 1);
  CHECK(fills[0].at("name") == "fill to instance \"u\"");
  CHECK(fills[0].at("args").at("bytes") == 40);
  CHECK(fills[0].at("args").at("at") == line(filled));
  CHECK_FALSE(fills[0].at("args").contains("from"));
  REQUIRE(copies.size() == 1);
  CHECK(copies[0].at("name") == "copy of instance \"u\" to instance \"v\"");
  CHECK(copies[0].at("args").at("bytes") == 40);
  CHECK(copies[0].at("args").at("at") == line(copied));
  CHECK(copies[0].at("args").at("from") == copies[0].at("args").at("to"));
  CHECK_FALSE(copies[0].at("args").contains("cause"));  // submitted by the program, here and now
}

TEST_CASE("memory that the program owns is called so") {
  std::vector<int> mine(10);
  const auto r = record(1, [&](place memory) {
    const auto u = instance<int>::create(at(memory), {0, 10}).made;
    const auto v = instance<int>::external(mine.data(), {0, 10});
    copy(u, v, after(fill(u, 1)));
  });
  const auto copies = r.of("copy");
  REQUIRE(copies.size() == 1);
  CHECK(copies[0].at("args").at("to") == "program memory");
  CHECK(copies[0].at("args").at("from") != "program memory");
}

TEST_CASE("of a chain of copies, each is caused by the one before and none lies inside another") {
  constexpr std::size_t n = 20;
  const auto r = record(1, [](place memory) {
    std::vector<instance<int>> u;
    for (std::size_t i = 0; i <= n; ++i) u.push_back(instance<int>::create(at(memory), {0, 2}).made);
    fill(u[0], 1);
    const auto start = user_event::create();
    event last = start;
    for (std::size_t i = 0; i < n; ++i) last = copy(u[i], u[i + 1], after(last));
    async(name("starts it"), [start] { start.trigger(); });
    wait(last);
  });
  auto copies = r.of("copy");
  REQUIRE(copies.size() == n);
  std::ranges::sort(copies, {}, [](const json& c) { return c.at("ts").get<double>(); });
  const auto starters = r.of("task");
  const auto starter = std::ranges::find(starters, json("starts it"), [](const json& s) { return s.at("name"); });
  REQUIRE(starter != starters.end());
  json cause = starter->at("args").at("id");
  double end = 0;
  for (const json& c : copies) {
    CHECK(c.at("args").at("cause") == cause);
    CHECK(c.at("ts").get<double>() >= end - 0.0015);  // the file rounds to nanoseconds
    end = c.at("ts").get<double>() + c.at("dur").get<double>();
    cause = c.at("args").at("id");
  }
  CHECK(r.arrow_ends.size() >= n);
}

TEST_CASE("a large copy is shown as its parts, not as tasks without a name, and their bytes are its bytes") {
  unsigned copied = 0;
  const auto r = record(2, [&](place memory) {
    const auto u = instance<double>::create(at(memory), {0, 1 << 18}, {.name = "u"}).made;
    const auto v = instance<double>::create(at(memory), {0, 1 << 18}, {.name = "v"}).made;
    const event filled = fill(u, 1.0);
    const auto start = user_event::create();
    copied = __LINE__ + 1;
    const event done = copy(u, v, after(filled, start));
    async(after(done), name("after it"), [] {});
    async(name("starts it"), [start] { start.trigger(); });  // only now: else the copy might end ahead of its waiter
  });
  std::uint64_t bytes = 0;
  std::vector<json> ids;
  for (const json& c : r.of("copy")) {
    CHECK(c.at("name") == "copy of instance \"u\" to instance \"v\"");
    CHECK(c.at("args").at("at") == line(copied));
    CHECK(c.at("args").contains("cause"));
    bytes += c.at("args").at("bytes").get<std::uint64_t>();
    ids.push_back(c.at("args").at("id"));
  }
  CHECK(bytes == 8 << 18);
  for (const json& t : r.of("task")) {
    CHECK(t.at("name") != "task");
    if (t.at("name") == "after it") CHECK(std::ranges::count(ids, t.at("args").at("cause")) == 1);
  }
}

TEST_CASE(
    "between simulated devices, each box of a copy leaves one span to the host and one from it, fills leave one") {
  const auto file =
      std::filesystem::temp_directory_path() / ("staged_trace_test." + std::to_string(getpid()) + ".json");
  {
    runtime rt({.workers = 2, .devices = "sim:2", .trace = file.string()});
    rt.run([&] {
      std::vector<place> memories;
      for (const place p : rt.machine().memories())
        if (rt.machine().kind(p) == place_kind::gpu_memory) memories.push_back(p);
      REQUIRE(memories.size() == 2);
      const box whole({0, 0}, {64, 64}), parts[] = {{{0, 0}, {1, 1}}, {{1, 0}, {4, 64}}, {{9, 3}, {60, 4}}};
      const auto u = instance<float, 2>::create(at(memories[0]), whole, {.name = "u"}).made;
      const auto v = instance<float, 2>::create(at(memories[1]), whole, {.name = "v"}).made;
      wait(fill(u, 1.0f));
      wait(copy(u, v, parts));
      const auto h = instance<float, 2>::create(at(rt.machine().memories().front()), whole, {.name = "h"}).made;
      wait(copy(v, h, parts));
      wait(copy(h, u, parts));
    });
  }
  std::ifstream in(file);
  const json whole = json::parse(in);
  std::filesystem::remove(file);
  std::map<std::string, int> spans;
  std::vector<std::uint64_t> bytes;
  for (const json& e : whole.at("traceEvents")) {
    if (e.at("ph") != "X") continue;
    const std::string name = e.at("name");
    ++spans[name];
    if (name == "copy of instance \"u\" to instance \"v\"")
      bytes.push_back(e.at("args").at("bytes").get<std::uint64_t>());
  }
  std::ranges::sort(bytes);
  CHECK(spans["fill to instance \"u\""] == 1);
  CHECK(spans["copy of instance \"v\" to instance \"h\""] == 1);
  CHECK(spans["copy of instance \"h\" to instance \"u\""] == 1);
  CHECK(bytes == std::vector<std::uint64_t>{4, 4, 51 * 4, 51 * 4, 3 * 64 * 4, 3 * 64 * 4});
}

TEST_CASE("a reduction is shown as one") {
  const auto r = record(2, [&](place memory) {
    const auto sums = instance<double>::create(at(memory), {0, 100}, {.name = "sums"}).made;
    const auto some = instance<double>::create(at(memory), {0, 100}, {.name = "some"}).made;
    wait(fill(sums, 0.0));
    wait(fill(some, 1.0));
    wait(reduce<sum<double>>(some, sums));
  });
  const auto reductions = r.of("reduce");
  REQUIRE(reductions.size() == 1);
  CHECK(reductions[0].at("name") == "reduce of instance \"some\" to instance \"sums\"");
}

TEST_CASE("a trace that is not full holds no span of a small copy") {
  const auto file = std::filesystem::temp_directory_path() / ("sampled_test." + std::to_string(getpid()) + ".json");
  runtime rt({.workers = 1});
  rt.run([&] {
    const auto u = instance<int>::create(at(rt.machine().memories().front()), {0, 10}).made;
    for (int i = 0; i < 100; ++i) fill(u, 1);
  });
  rt.save_trace(file.string());
  std::ifstream in(file);
  const json whole = json::parse(in);
  for (const json& e : whole.at("traceEvents"))
    if (e.contains("cat")) CHECK(e.at("cat") != "fill");
  std::filesystem::remove(file);
}
