#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <span>
#include <sstream>
#include <stretto/error.hpp>

#include "base/code_location.hpp"
#include "trace/chrome.hpp"
#include "trace/deferred_line.hpp"
#include "trace/recorder.hpp"

using namespace stretto::trace;
using nlohmann::json;

namespace {

std::string text_of(std::span<const snapshot> nodes) {
  std::ostringstream out;
  write_chrome(out, nodes);
  return out.str();
}
json parsed(std::span<const snapshot> nodes) { return json::parse(text_of(nodes)); }
json parsed(const snapshot& s) { return parsed({&s, 1}); }

// A node whose clock is simple: a tick is a nanosecond.
snapshot node(std::uint32_t number = 0) {
  snapshot s;
  s.node = number;
  s.node_name = "node " + std::to_string(number);
  s.level = level::full;
  s.clock_source = "steady clock";
  s.names = std::make_shared<name_table>();
  return s;
}
name_id intern(const snapshot& s, std::string_view name, std::string_view file = {}, std::uint32_t line = 0) {
  return std::const_pointer_cast<name_table>(s.names)->intern(name, file, line);
}

std::vector<json> events(const json& file, std::string_view phase) {
  std::vector<json> found;
  for (const json& e : file.at("traceEvents"))
    if (e.at("ph") == phase) found.push_back(e);
  return found;
}

std::int64_t ns(const json& microseconds) {
  return static_cast<std::int64_t>(std::llround(microseconds.get<double>() * 1000));
}
using row = std::pair<int, int>;
row row_of(const json& e) { return {e.at("pid"), e.at("tid")}; }

struct interval {
  std::int64_t start, end;
};
std::map<row, std::vector<interval>> spans_by_row(const json& file) {
  std::map<row, std::vector<interval>> rows;
  for (const json& e : events(file, "X")) rows[row_of(e)].push_back({ns(e.at("ts")), ns(e.at("ts")) + ns(e.at("dur"))});
  return rows;
}

}  // namespace

TEST_CASE("a span is written with its times, names, ids and source line") {
  snapshot s = node();
  s.places = {"sysmem", "L2 \"0\""};
  s.tracks = {{"worker 0",
               {{.start = 1'234,
                 .end = 5'678'901,
                 .id = 0xabc,
                 .cause = 7,
                 .name = intern(s, "blur", "/home/u/src/wave.cpp", 41),
                 .place = 1},
                {.start = 6'000'000, .end = 6'000'500, .id = 8, .amount = 4096, .place = 9, .kind = kind::copy}}}};
  const auto x = events(parsed(s), "X");
  REQUIRE(x.size() == 2);
  CHECK(x[0] == json::parse(R"({"ph":"X","pid":0,"tid":1,"ts":1.234,"dur":5677.667,"cat":"task","name":"blur",
    "args":{"id":"0xabc","cause":"0x7","place":"L2 \"0\"","at":"wave.cpp:41"}})"));
  CHECK(x[1] == json::parse(R"({"ph":"X","pid":0,"tid":1,"ts":6000.0,"dur":0.5,"cat":"copy","name":"copy",
    "args":{"id":"0x8","bytes":4096,"to":9}})"));
}

TEST_CASE("records of data movement name the bytes, the source memory and the target memory") {
  snapshot s = node();
  s.places = {"sysmem", "GPU \"0\""};
  const auto name = intern(s, "copy of u to v", "/src/wave.cpp", 12);
  s.tracks = {
      {"w",
       {{.start = 0,
         .end = 10,
         .id = 1,
         .cause = 7,
         .amount = moved(4096, 0),
         .name = name,
         .place = 1,
         .kind = kind::copy},
        {.start = 10, .end = 20, .amount = moved(0xffff'ffff'ffff, program_memory), .place = 0, .kind = kind::reduce},
        {.start = 20, .end = 30, .amount = moved(8), .place = program_memory, .kind = kind::fill}}}};
  const auto x = events(parsed(s), "X");
  REQUIRE(x.size() == 3);
  CHECK(x[0].at("cat") == "copy");
  CHECK(x[0].at("name") == "copy of u to v");
  CHECK(x[0].at("args") ==
        json::parse(R"({"id":"0x1","cause":"0x7","bytes":4096,"from":"sysmem","to":"GPU \"0\"","at":"wave.cpp:12"})"));
  CHECK(x[1].at("cat") == "reduce");
  CHECK(x[1].at("args") ==
        json::parse(R"({"id":"0x0","bytes":281474976710655,"from":"program memory","to":"sysmem"})"));
  CHECK(x[2].at("cat") == "fill");
  CHECK(x[2].at("args") == json::parse(R"({"id":"0x0","bytes":8,"to":"program memory"})"));
}

TEST_CASE("nodes and tracks carry their names, in any bytes") {
  snapshot a = node(0), b = node(5);
  b.node_name = "b\"ad\xff\n";
  a.tracks = {{"worker 0", {}}, {"worker 1", {}}};
  b.tracks = {{"gpu \\ 0", {}}};
  const std::vector<snapshot> both{a, b};
  std::map<row, std::string> threads;
  std::map<int, std::string> processes;
  for (const json& e : events(parsed(both), "M")) {
    if (e.at("name") == "thread_name") threads[row_of(e)] = e.at("args").at("name");
    if (e.at("name") == "process_name") processes[e.at("pid")] = e.at("args").at("name");
  }
  CHECK(processes == std::map<int, std::string>{{0, "node 0"}, {5, "b\"ad\xef\xbf\xbd\n"}});
  CHECK(threads == std::map<row, std::string>{{{0, 1}, "worker 0"}, {{0, 2}, "worker 1"}, {{5, 1}, "gpu \\ 0"}});
}

TEST_CASE("a suspension says what it waits for and who asked, beside the track") {
  snapshot s = node();
  s.tracks = {{"w",
               {{.start = 0, .end = 10, .id = 1},
                {.start = 5,
                 .end = 25,
                 .id = 2,
                 .cause = 0x99,
                 .amount = 1,
                 .name = intern(s, "wait", "a.cpp", 3),
                 .kind = kind::suspended},
                {.start = 20, .end = 30, .id = 3}}}};
  const json file = parsed(s);
  const auto begin = events(file, "b"), end = events(file, "e");
  REQUIRE(begin.size() == 1);
  REQUIRE(end.size() == 1);
  CHECK(begin[0].at("args") == json::parse(R"({"id":"0x2","waits_for":"0x99","asked_by":"0x1","at":"a.cpp:3"})"));
  CHECK(ns(begin[0].at("ts")) == 5);
  CHECK(ns(end[0].at("ts")) == 25);
  CHECK(begin[0].at("id") == end[0].at("id"));
  CHECK(begin[0].at("cat") == end[0].at("cat"));
  CHECK(begin[0].at("name") == end[0].at("name"));
}

TEST_CASE("counters and instants are moments") {
  snapshot s = node();
  s.tracks = {{"w",
               {{.end = 5, .amount = static_cast<std::uint64_t>(-3), .name = intern(s, "free"), .kind = kind::counter},
                {.end = 6, .id = 4, .amount = 2, .kind = kind::instant}}}};
  const json file = parsed(s);
  CHECK(events(file, "C").at(0).at("args") == json::parse(R"({"value":-3})"));
  CHECK(events(file, "C").at(0).at("name") == "free");
  CHECK(events(file, "i").at(0).at("args") == json::parse(R"({"id":"0x4","value":2})"));
}

TEST_CASE("the head of the file has the clock of every node, and the file reports dropped records") {
  snapshot s = node(2);
  s.memory_limit = 1000;
  s.calibration = {
      .origin = 100, .steady_origin_ns = 5000, .system_origin_ns = 1'700'000'000'000'000'000, .ns_per_tick = 0.5};
  s.clock_offset_ns = 40;
  s.tracks = {{"w", {{.start = 300, .end = 500, .id = 1}}, 17}};
  const json file = parsed(s);
  CHECK(file.at("otherData").at("nodes").at(0) ==
        json::parse(R"({"node":2,"level":"full","clock":"steady clock","ns_per_tick":0.5,"steady_origin_ns":5000,
          "system_origin_ns":1700000000000000000,"clock_offset_ns":40,"memory_limit_bytes":1000,
          "dropped_records":17})"));
  const auto i = events(file, "i");
  REQUIRE(i.size() == 1);
  CHECK(i[0].at("name") == "older records dropped");
  CHECK(i[0].at("args").at("dropped") == 17);
  CHECK(ns(events(file, "X").at(0).at("ts")) == 100);  // (300 - 100) ticks of half a nanosecond
}

TEST_CASE("nodes are aligned by origin and offset") {
  snapshot a = node(0), b = node(1);
  a.calibration = {.origin = 0, .steady_origin_ns = 1000, .ns_per_tick = 1};
  b.calibration = {.origin = 500, .steady_origin_ns = 9'000'000, .ns_per_tick = 2};
  b.clock_offset_ns = 1000 + 70 - 9'000'000;  // b's origin is 70 ns after a's
  a.tracks = {{"w", {{.start = 10, .end = 20, .id = 1}}}};
  b.tracks = {{"w", {{.start = 510, .end = 520, .id = 2, .cause = 1}}}};
  const json file = parsed(std::vector<snapshot>{a, b});
  const auto x = events(file, "X");
  CHECK(ns(x.at(0).at("ts")) == 10);
  CHECK(ns(x.at(1).at("ts")) == 90);
  CHECK(ns(x.at(1).at("dur")) == 20);
  // and the arrow crosses from one to the other
  CHECK(row_of(events(file, "s").at(0)) == row{0, 1});
  CHECK(row_of(events(file, "f").at(0)) == row{1, 1});
}

TEST_CASE("a further dependency gets its own arrow") {
  snapshot s = node();
  s.tracks = {{"w",
               {{.start = 0, .end = 10, .id = 1},
                {.start = 10, .end = 20, .id = 2},
                {.end = 15, .id = 3, .cause = 1, .kind = kind::edge},
                {.start = 30, .end = 40, .id = 3, .cause = 2}}}};
  const json file = parsed(s);
  const auto from = events(file, "s"), to = events(file, "f");
  REQUIRE(from.size() == 2);
  REQUIRE(to.size() == 2);
  CHECK(ns(from[0].at("ts")) == 9);
  CHECK(ns(from[1].at("ts")) == 19);
  for (const json& e : to) CHECK(ns(e.at("ts")) == 30);
}

TEST_CASE("the line of a call is found when the file is written") {
  const void* const call = __builtin_return_address(0);
  REQUIRE(stretto::trace::deferred_call(stretto::trace::deferred_line(call)) == call);
  CHECK(stretto::trace::deferred_call("wave.cpp") == nullptr);
  snapshot s = node();
  auto names = std::make_shared<stretto::trace::name_table>();
  const auto name = names->intern("until MPI_Send", stretto::trace::deferred_line(call), 0);
  s.names = names;
  s.tracks = {{"rank 0", {{.start = 1, .end = 2, .id = 1, .name = name}}}};
  const json x = events(parsed(s), "X").at(0);
  CHECK(x.at("name") == "until MPI_Send");
  CHECK(x.at("args").at("at") == stretto::base::location_of_call(call));
}

TEST_CASE("an empty snapshot is a valid file") {
  CHECK(parsed(node()).at("traceEvents").size() == 2);
  CHECK(parsed(std::span<const snapshot>()).at("traceEvents").empty());
}

TEST_CASE("a span that ends before it starts has no length") {
  snapshot s = node();
  s.tracks = {{"w", {{.start = 30, .end = 20, .id = 1}}}};
  CHECK(ns(events(parsed(s), "X").at(0).at("dur")) == 0);
}

TEST_CASE("spans nest in every row and arrows bind to spans, in a run with everything in it") {
  std::mt19937_64 random(42);
  std::vector<snapshot> nodes;
  for (std::uint32_t n = 0; n < 2; ++n) {
    snapshot s = node(n);
    s.calibration.ns_per_tick = 0.3851;  // rounding must not break nesting
    for (int t = 0; t < 3; ++t) {
      track made{"track " + std::to_string(t), {}, 0};
      ticks now = 1000;
      for (int i = 0; i < 400; ++i) {
        const ticks start = now + random() % 7, end = start + random() % 50;
        const auto kinds = std::array{kind::task, kind::copy, kind::suspended, kind::user_span, kind::edge};
        made.records.push_back({.start = start,
                                .end = end,
                                .id = random() % 500 + 1,
                                .cause = random() % 500,
                                .name = intern(s, "n" + std::to_string(random() % 20)),
                                .kind = kinds[random() % kinds.size()]});
        if (random() % 3 != 0) now = end;  // sometimes they overlap
      }
      s.tracks.push_back(made);
    }
    nodes.push_back(s);
  }
  const json file = parsed(nodes);
  auto rows = spans_by_row(file);
  CHECK(rows.size() > 6);
  for (const auto& [where, spans] : rows)
    for (std::size_t i = 0; i < spans.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        const auto &a = spans[i], &b = spans[j];
        const bool apart = a.end <= b.start || b.end <= a.start;
        const bool nested = (a.start <= b.start && b.end <= a.end) || (b.start <= a.start && a.end <= b.end);
        REQUIRE((apart || nested));
      }

  std::map<int, std::int64_t> left;
  for (const json& e : events(file, "s")) {
    const auto& spans = rows.at(row_of(e));
    const auto at = ns(e.at("ts"));
    REQUIRE(std::any_of(spans.begin(), spans.end(),
                        [&](const interval& s) { return s.start <= at && (at < s.end || s.start == s.end); }));
    left[e.at("id")] = at;
  }
  const auto entering = events(file, "f");
  CHECK(entering.size() == left.size());
  CHECK(entering.size() > 500);
  for (const json& e : entering) {
    const auto& spans = rows.at(row_of(e));
    const auto at = ns(e.at("ts"));
    REQUIRE(e.at("bp") == "e");
    REQUIRE(std::any_of(spans.begin(), spans.end(), [&](const interval& s) { return s.start == at; }));
    REQUIRE(left.at(e.at("id")) <= at);
  }
}

TEST_CASE("a file cut off anywhere becomes valid by closing it after its last whole line") {
  snapshot s = node();
  track t{"w", {}, 0};
  for (ticks i = 0; i < 50; ++i) t.records.push_back({.start = i * 10, .end = i * 10 + 5, .id = i + 1, .cause = i});
  s.tracks = {t};
  const std::string whole = text_of({&s, 1});
  const std::size_t head = whole.find("\n") + 1;
  for (std::size_t cut = whole.find('\n', head) + 1; cut < whole.size() - 4; cut += 13) {
    std::string text = whole.substr(0, cut);
    text.resize(text.rfind('\n'));
    REQUIRE(text.back() == ',');
    text.pop_back();
    REQUIRE_NOTHROW(json::parse(text + "]}"));
  }
}

TEST_CASE("more text than the buffer holds is written whole") {
  snapshot s = node();
  const std::string long_name(3'000'000, 'n');
  s.tracks = {{"w", {{.start = 0, .end = 1, .id = 1, .name = intern(s, long_name)}}}};
  for (ticks i = 0; i < 20'000; ++i) s.tracks[0].records.push_back({.start = i + 2, .end = i + 3, .id = i + 2});
  const auto x = events(parsed(s), "X");
  CHECK(x.size() == 20'001);
  CHECK(x.at(0).at("name") == long_name);
}

TEST_CASE("the records of a recorder are written to a file and can be read back") {
  recorder rec({.level = level::full});
  ring& r = rec.add_ring("worker 0");
  const auto start = stretto::trace::clock::now();
  r.push({.start = start, .end = stretto::trace::clock::now(), .id = 1, .name = rec.names().intern("first")});
  const auto path = std::filesystem::temp_directory_path() / "stretto_chrome_test.json";
  write_chrome(path, rec.take_snapshot());
  std::ifstream in(path);
  const json file = json::parse(in);
  CHECK(events(file, "X").at(0).at("name") == "first");
  CHECK(ns(events(file, "X").at(0).at("ts")) >= 0);
  std::filesystem::remove(path);
}

TEST_CASE("a trace that cannot be written is an error that names the file") {
  std::string message;
  try {
    write_chrome(std::filesystem::path("/nonexistent/run.json"), node());
  } catch (const stretto::error& e) {
    message = e.what();
  }
  CHECK(message ==
        "error T01: the trace could not be written\n"
        "  file        /nonexistent/run.json\n"
        "  because     No such file or directory\n"
        "  try         name a file in a folder that exists, is writable and has free space");

  std::ostringstream broken;
  broken.setstate(std::ios::badbit);
  CHECK_THROWS_AS(write_chrome(broken, node()), stretto::error);
}

TEST_CASE("of processes that write the same file at once one wins, and the file is whole at every moment") {
  const auto folder = std::filesystem::temp_directory_path() / ("stretto_chrome_test-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const auto file = folder / "run.json";
  write_chrome(file, node());
  pid_t writers[2];
  for (unsigned number = 0; number < 2; ++number) {
    if ((writers[number] = fork()) != 0) continue;
    snapshot s = node(number);
    s.tracks = {{"w", {}}};
    for (std::uint64_t i = 0; i < 2000u + 3000u * number; ++i)
      s.tracks[0].records.push_back({.start = i, .end = i + 1, .id = i + 1});
    for (int i = 0; i < 20; ++i) write_chrome(file, s);
    _exit(0);
  }
  std::size_t looks = 0;
  for (int left = 2; left > 0; ++looks) {
    std::ifstream in(file);
    CHECK(json::accept(in));
    while (left > 0 && waitpid(-1, nullptr, WNOHANG) > 0) --left;
  }
  CHECK(looks > 0);
  std::ifstream in(file);
  const auto spans = events(json::parse(in), "X").size();
  const bool is_of_one = spans == 2000 || spans == 5000;
  CHECK(is_of_one);
  std::size_t files = 0;
  for (const auto& one : std::filesystem::directory_iterator(folder)) files += one.is_regular_file();
  CHECK(files == 1);
  std::filesystem::remove_all(folder);
}

TEST_CASE("a trace goes to where a link points, and to what is no file") {
  const auto folder = std::filesystem::temp_directory_path() / ("stretto_chrome_link-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  write_chrome(folder / "real.json", node());
  std::filesystem::create_symlink(folder / "real.json", folder / "link.json");
  snapshot s = node();
  s.tracks = {{"w", {{.start = 0, .end = 1, .id = 1}}}};
  write_chrome(folder / "link.json", s);
  CHECK(std::filesystem::is_symlink(folder / "link.json"));
  std::ifstream in(folder / "real.json");
  CHECK(events(json::parse(in), "X").size() == 1);
  CHECK_NOTHROW(write_chrome(std::filesystem::path("/dev/null"), s));
  CHECK(std::filesystem::is_character_file("/dev/null"));
  std::filesystem::remove_all(folder);
}

TEST_CASE("clocks that jump make no span of negative length, and spans still nest") {
  std::mt19937_64 random(3);
  for (int round = 0; round < 100; ++round) {
    snapshot s = node();
    s.calibration.origin = 1'000'000;  // times before it are negative
    s.tracks = {{"w", {}}, {"v", {}}};
    for (int i = 0; i < 60; ++i) {
      const std::uint64_t id = 1 + random() % 20, cause = random() % 20;
      const auto kind = static_cast<stretto::trace::kind>(random() % kind_count);
      s.tracks[i % 2].records.push_back(
          {.start = random() % 2'000'000, .end = random() % 2'000'000, .id = id, .cause = cause, .kind = kind});
    }
    const json file = parsed(s);
    for (const json& x : events(file, "X")) CHECK(ns(x.at("dur")) >= 0);
    for (const auto& [row, spans] : spans_by_row(file))
      for (const interval& a : spans)
        for (const interval& b : spans) {
          const bool is_apart = a.end <= b.start || b.end <= a.start,
                     is_within = (a.start <= b.start && b.end <= a.end) || (b.start <= a.start && a.end <= b.end);
          const bool is_proper = is_apart || is_within;
          CHECK(is_proper);
        }
    std::map<int, json> tails;
    for (const json& e : events(file, "s")) tails[e.at("id")] = e;
    for (const json& e : events(file, "f")) CHECK(ns(tails.at(e.at("id")).at("ts")) <= ns(e.at("ts")));
  }
}

TEST_CASE("a disk that is full while the trace is written is an error") {
  if (!std::filesystem::exists("/dev/full")) return;
  std::string message;
  try {
    write_chrome(std::filesystem::path("/dev/full"), node());
  } catch (const stretto::error& e) {
    message = e.what();
  }
  CHECK(message ==
        "error T01: the trace could not be written\n"
        "  file        /dev/full\n"
        "  because     No space left on device\n"
        "  try         name a file in a folder that exists, is writable and has free space");
}

TEST_CASE(
    "an operation is told as a module's where that claims its place or carries its copy, with any "
    "bytes in its name") {
  snapshot s = node();
  s.places = {"ram", "disk", "card"};
  s.modules.of_place = {"", "st\"ore", ""};
  s.modules.of_copies = {{0, 2, "card maker"}};
  s.tracks = {{"w",
               {{.start = 0, .end = 1, .place = 0},
                {.start = 1, .end = 2, .place = 1},
                {.start = 2, .end = 3, .amount = moved(8, 0), .place = 2, .kind = kind::copy},
                {.start = 3, .end = 4, .amount = moved(8, 2), .place = 0, .kind = kind::copy},
                {.start = 4, .end = 5, .amount = moved(8, 1), .place = program_memory, .kind = kind::copy}}}};
  std::vector<std::string> modules;
  for (const json& x : events(parsed(s), "X")) modules.push_back(x.at("args").value("module", "none"));
  CHECK(modules == std::vector<std::string>{"none", "st\"ore", "card maker", "none", "st\"ore"});
}

TEST_CASE("every record says its node, and a node's clock and its offset stand at the head of the file") {
  snapshot a = node(0), b = node(3);
  b.clock_offset_ns = 250;
  for (snapshot* s : {&a, &b})
    s->tracks = {{"w", {{.start = 1000, .end = 2000, .id = 1}, {.end = 2000, .kind = kind::instant}}}};
  const std::array nodes{a, b};
  const json file = parsed(nodes);
  for (const json& e : file.at("traceEvents")) {
    CHECK(e.contains("pid"));
    const bool is_known = e.at("pid") == 0 || e.at("pid") == 3;
    CHECK(is_known);
  }
  const json& heads = file.at("otherData").at("nodes");
  REQUIRE(heads.size() == 2);
  CHECK(heads[1].at("node") == 3);
  for (const char* member : {"clock", "ns_per_tick", "steady_origin_ns", "system_origin_ns", "clock_offset_ns"})
    CHECK(heads[1].contains(member));
  const auto x = events(file, "X");
  CHECK(ns(x[1].at("ts")) - ns(x[0].at("ts")) == 250);
}

TEST_CASE("tracks of one device stand together, by their numbers") {
  snapshot s = node();
  for (const char* name : {"worker 0", "worker 1", "gpu_0 copies in", "gpu_0 stream 0", "gpu_1 stream 0", "worker 10",
                           "gpu_0 stream 10", "gpu_0 copies out", "gpu_0 stream 2", "worker 2", "main"})
    s.tracks.emplace_back().name = name;
  std::map<int, std::string> names;
  for (const json& e : events(parsed(s), "M"))
    if (e.at("name") == "thread_name") names[e.at("tid")] = e.at("args").at("name");
  std::vector<std::string> in_order;
  for (const auto& [_, name] : names) in_order.push_back(name);
  CHECK(in_order == std::vector<std::string>{"worker 0", "worker 1", "worker 2", "worker 10", "gpu_0 copies in",
                                             "gpu_0 copies out", "gpu_0 stream 0", "gpu_0 stream 2", "gpu_0 stream 10",
                                             "gpu_1 stream 0", "main"});
}
