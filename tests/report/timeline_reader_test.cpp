#include "report/timeline_reader.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <sstream>
#include <stretto/error.hpp>

#include "report/analysis.hpp"
#include "report/json_scanner.hpp"
#include "report/text_source.hpp"
#include "temporary_folder.hpp"
#include "trace/chrome.hpp"

using namespace stretto;
using report::read_run;

namespace {

// A trace as the runtime writes it for two workers: a copy, two tasks behind it, and a suspension.
std::string written(std::string_view task_name = "blur") {
  auto names = std::make_shared<trace::name_table>();
  trace::snapshot s;
  s.node_name = "node 0";
  s.level = trace::level::full;
  s.places = {"core_0", "core_1", "sysmem"};
  const auto copy = names->intern("copy of \"x\"", std::source_location::current());
  const auto blur = names->intern(task_name, std::source_location::current());
  s.names = names;
  s.tracks.resize(2);
  s.tracks[0].name = "worker 0";
  s.tracks[1].name = "worker 1";
  using trace::kind;
  s.tracks[0].records = {
      {.start = 1000,
       .end = 2000,
       .id = 1,
       .amount = trace::moved(64, 2),
       .name = copy,
       .place = 2,
       .kind = kind::copy},
      {.start = 2100, .end = 3000, .id = 2, .cause = 1, .name = blur, .place = 0, .kind = kind::task},
      {.start = 3000, .end = 3400, .id = 2, .cause = 3, .amount = 2, .name = blur, .place = 0, .kind = kind::suspended},
      {.start = 3400, .end = 3500, .id = 2, .cause = 3, .name = blur, .place = 0, .kind = kind::task}};
  s.tracks[1].records = {
      {.start = 2200, .end = 3300, .id = 3, .cause = 1, .name = blur, .place = 1, .kind = kind::task}};
  std::ostringstream out;
  trace::write_chrome(out, s);
  return out.str();
}

// Two workers, one copy each now and then; every task is caused by the one before.
std::string long_timeline(std::uint32_t tasks, std::string_view odd_name = "odd") {
  auto names = std::make_shared<trace::name_table>();
  trace::snapshot s;
  s.node_name = "node 0";
  s.level = trace::level::full;
  s.places = {"core_0", "core_1", "sysmem"};
  const trace::name_id ids[] = {names->intern("even", std::source_location::current()),
                                names->intern(odd_name, std::source_location::current()), names->intern("copy of x")};
  s.names = names;
  s.tracks.resize(2);
  for (std::uint32_t i = 1; i <= tasks; ++i) {
    trace::record r{.start = i * 100, .end = i * 100 + 130 - i % 50, .id = i, .cause = i - 1, .name = ids[i % 2]};
    r.place = i % 2;
    if (i % 7 == 0) r.kind = trace::kind::copy, r.amount = trace::moved(i, 2), r.name = ids[2], r.place = 2;
    s.tracks[i % 2].records.push_back(r);
  }
  std::ostringstream out;
  trace::write_chrome(out, s);
  return out.str();
}

bool are_equal(const report::run& a, const report::run& b) {
  const auto same = [](const report::record& x, const report::record& y) {
    return x.start == y.start && x.end == y.end && x.self == y.self && x.id == y.id && x.cause == y.cause &&
           x.amount == y.amount && x.label == y.label && x.lane == y.lane && x.place == y.place && x.from == y.from &&
           x.module == y.module && x.kind == y.kind;
  };
  const auto same_label = [](const report::label& x, const report::label& y) {
    return x.name == y.name && x.at == y.at && x.kind == y.kind;
  };
  return std::ranges::equal(a.records, b.records, same) && std::ranges::equal(a.labels, b.labels, same_label) &&
         a.edges == b.edges && a.places == b.places && a.tracks == b.tracks && a.damage == b.damage;
}

std::string code_of(std::string_view text) {
  try {
    read_run(text, "x.json");
  } catch (const error& e) {
    return e.code();
  }
  return "none";
}

}  // namespace

TEST_CASE("the reader restores the output of the runtime: records, lanes, places, arrows") {
  const auto r = read_run(written(), "x.json");
  REQUIRE(r.records.size() == 5);
  CHECK(r.damage.empty());
  CHECK(r.level == "full");
  CHECK(r.tracks == std::vector<std::string>{"worker 0", "worker 1"});
  CHECK(r.length == 2500);
  const auto& copy = r.records[0];
  CHECK(r.label_of(0).name == "copy of \"x\"");
  CHECK(r.label_of(0).at.starts_with("timeline_reader_test.cpp:"));
  CHECK(copy.kind == report::kind::copy);
  CHECK(copy.amount == 64);
  CHECK(r.places[copy.from] == "sysmem");
  CHECK(r.records[1].id == 2);
  // the copy made both tasks ready; task 2 goes on after 3, and after its own first part
  CHECK(r.edges == std::vector<report::edge>{{0, 1}, {0, 2}, {1, 4}, {2, 4}});
  CHECK(r.records[3].kind == report::kind::suspended);
  CHECK(r.records[3].length() == 400);
}

TEST_CASE("lines that are written otherwise than by the runtime read the same") {
  const std::string ours = long_timeline(500);
  const auto expected = read_run(ours, "x.json");
  CHECK(expected.records.size() == 500);
  CHECK(expected.edges.size() > 400);
  for (const std::string_view member : {"\"ph\":", "\"ts\":", "\"dur\":", "\"args\":{", "\"id\":", "\"cause\":",
                                        "\"bytes\":", "\"from\":", "\"at\":", "\"bp\":", "\"cat\":"}) {
    std::string spaced;
    for (std::size_t at = 0, next; at != ours.npos; at = next) {
      next = ours.find(member, at);
      spaced += ours.substr(at, next - at);
      if (next != ours.npos) spaced += std::string(member) + " ", next += member.size();
    }
    REQUIRE(spaced.size() > ours.size() + 50);
    CHECK_MESSAGE(are_equal(read_run(spaced, "x.json"), expected), member);
  }
}

TEST_CASE("a file is read through a window as if it were read at once") {
  const test::temporary_folder folder;
  const auto file = folder.path / "long.json";
  const auto written_to_file = [&](const std::string& text) {
    std::ofstream(file, std::ios::binary) << text;
    return read_run(file);
  };
  std::string text = long_timeline(60'000);
  REQUIRE(text.size() > 3 * report::text_source::window_bytes);
  const auto expected = read_run(text, "long.json");
  CHECK(are_equal(written_to_file(text), expected));
  // Cut off behind the first window: the same records as from text that was cut off, and the same place in the file.
  text.resize(text.size() / 2);
  const auto cut = read_run(text, "long.json");
  CHECK(cut.damage.find(std::to_string(text.size())) != cut.damage.npos);
  CHECK(are_equal(written_to_file(text), cut));
  // Damaged there.
  text[text.size() - 100'000] = '\1';
  CHECK(are_equal(written_to_file(text), read_run(text, "long.json")));
}

TEST_CASE("an event larger than the window is read too, and so is what stands before the events") {
  const test::temporary_folder folder;
  const auto file = folder.path / "wide.json";
  const std::string wide(2 * report::text_source::window_bytes, 'x');
  std::string text = long_timeline(4, wide);
  std::ofstream(file, std::ios::binary) << text;
  const auto r = read_run(file);
  CHECK(r.records.size() == 4);
  CHECK(r.label_of(0).name == wide);
  CHECK(r.damage.empty());
  text = long_timeline(10);
  text.insert(1, "\"unknown\":\"" + wide + "\",");
  std::ofstream(file, std::ios::binary) << text;
  CHECK(read_run(file).records.size() == 10);
}

TEST_CASE("a file cut off at any byte keeps every whole record, or is refused with a reason") {
  const std::string whole = written();
  std::size_t most = 0;
  for (std::size_t size = 0; size < whole.size() - 1; ++size) {
    try {
      const auto r = read_run(whole.substr(0, size), "cut.json");
      CHECK(r.records.size() >= most);
      most = std::max(most, r.records.size());
      CHECK((!r.damage.empty() || whole.find_first_not_of("\n", size) == std::string::npos));
    } catch (const error& e) {
      CHECK(most == 0);
      const bool known = e.code() == "T11" || e.code() == "T12";
      CHECK(known);
    }
  }
  CHECK(most == 5);
}

TEST_CASE("the causes that records name replace arrows that are cut off") {
  const std::string whole = written();
  const auto r = read_run(whole.substr(0, whole.find("{\"ph\":\"s\"")), "cut.json");
  CHECK(r.edges == std::vector<report::edge>{{0, 1}, {0, 2}, {1, 4}, {2, 4}});
}

TEST_CASE("foreign files are refused") {
  for (const char* text : {"", "   ", "[]", "{}", "42", "not json", "{\"traceEvents\":[{\"ph\":\"X\"}]}",
                           "{\"otherData\":{\"format\":\"else 1\"},\"traceEvents\":[]}",
                           "{\"otherData\":{\"format\":7},\"traceEvents\":[]}", "\xff\xd8\xff\xe0", "\x1f\x8b\x08"})
    CHECK_MESSAGE(code_of(text) == "T11", text);
  CHECK(code_of("{\"otherData\":{\"format\":\"stretto trace 1\"},\"traceEvents\":[]}") == "T12");
}

TEST_CASE("a file that cannot be read is told by its name and the system's reason") {
  try {
    read_run(std::filesystem::path("/nonexistent/run.json"));
    FAIL("no error");
  } catch (const error& e) {
    CHECK(std::string(e.what()) ==
          "error T10: the timeline cannot be read\n"
          "  file        /nonexistent/run.json\n"
          "  because     No such file or directory\n"
          "  try         name the file that STRETTO_TRACE=FILE or save_trace wrote");
  }
  CHECK_THROWS_AS(read_run(std::filesystem::path("/tmp")), error);
}

TEST_CASE("members of other types, unknown members and odd numbers are skipped or bounded") {
  const std::string head =
      "{\"otherData\":{\"format\":\"stretto trace "
      "1\",\"nodes\":[7,{\"level\":3}]},\"traceEvents\":[";
  const auto r = read_run(head +
                              "5,null,[1],{\"ph\":\"X\",\"pid\":99999999999999999999,\"tid\":-4,\"ts\":1e300,\"dur\":-"
                              "5,\"name\":\"a\",\"cat\":\"task\",\"args\":{\"id\":\"0xzz\",\"at\":[[]],\"bytes\":{}}},"
                              "{\"ph\":\"X\",\"name\":{\"ph\":\"M\"},\"cat\":\"zebra\",\"more\":[{}],\"ts\":1,\"dur\":"
                              "0.0015},"
                              "{\"ph\":\"s\",\"id\":1,\"ts\":99},{\"ph\":\"f\",\"id\":1,\"ts\":-99},{\"ph\":\"f\","
                              "\"id\":2}]}",
                          "odd.json");
  REQUIRE(r.records.size() == 2);
  CHECK(r.records[0].kind == report::kind::other);
  CHECK(r.records[0].length() == 1);
  CHECK(r.edges.empty());
  CHECK(r.damage.empty());
}

TEST_CASE("nesting without end stops the reader, not the program") {
  const std::string deep =
      "{\"otherData\":{\"format\":\"stretto trace "
      "1\"},\"traceEvents\":[{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":2},{\"x\":" +
      std::string(1'000'000, '[');
  const auto r = read_run(deep, "deep.json");
  CHECK(r.records.size() == 1);
  CHECK_FALSE(r.damage.empty());
}

TEST_CASE("a timeline with bytes changed at random is read or refused, and can be analysed") {
  const std::string whole = written();
  std::mt19937 random(7);
  for (int i = 0; i < 3000; ++i) {
    std::string changed = whole;
    for (int k = 0; k < 1 + i % 4; ++k) changed[random() % changed.size()] = static_cast<char>(random());
    try {
      const auto r = read_run(changed, "changed.json");
      CHECK_FALSE(report::to_text(r, report::analyse(r)).empty());
    } catch (const error&) {
    }
  }
}

TEST_CASE("times that jump back and forth, overlap and reach the ends of what numbers hold are read and analysed") {
  std::mt19937_64 random(9);
  for (int round = 0; round < 200; ++round) {
    std::string text = "{\"otherData\":{\"format\":\"stretto trace 1\"},\"traceEvents\":[";
    for (int i = 0; i < 30; ++i) {
      const auto far = random() % 10 == 0 ? std::string("e15") : std::string();
      text += (i ? ",{" : "{") + std::string("\"ph\":\"X\",\"cat\":\"") +
              report::name(static_cast<report::kind>(random() % report::kind_count)) + "\",\"name\":\"n" +
              std::to_string(random() % 3) + "\",\"tid\":" + std::to_string(random() % 3) +
              ",\"ts\":" + std::to_string(static_cast<int>(random() % 2000) - 1000) + far +
              ",\"dur\":" + std::to_string(static_cast<int>(random() % 400) - 100) + ",\"args\":{\"id\":\"" +
              std::to_string(random() % 20) + "\",\"cause\":\"" + std::to_string(random() % 20) + "\"}}";
    }
    const auto r = read_run(text, "jumps.json");  // cut off: edges come from causes
    for (const auto& one : r.records) CHECK(one.length() >= 0);
    for (const auto& e : r.edges) CHECK(e.from < e.to);
    const auto a = report::analyse(r);
    CHECK(a.advice.replayed >= 0);
    CHECK(a.idle.time >= 0);
    CHECK_FALSE(report::to_text(r, a).empty());
  }
}

TEST_CASE("texts come back from every escape, and half a surrogate pair becomes a replacement character") {
  std::string store;
  report::scanner in(R"("a\n\"\\\/\u00e9\ud83d\ude00\ud83dx" )");
  CHECK(in.text(store) == "a\n\"\\/\xc3\xa9\xf0\x9f\x98\x80\xef\xbf\xbdx");
  for (const char* bad : {"\"", "\"\\", "\"\\u12", "\"\\x\"", "\"\\uzzzz\"", "a"}) {
    report::scanner one(bad);
    one.text(store);
    CHECK_MESSAGE(one.failed(), bad);
  }
}

TEST_CASE("thousandths of a microsecond are exact") {
  for (const auto& [text, value] :
       {std::pair{"12.345 ", 12345}, {"-0.001 ", -1}, {"7 ", 7000}, {"1.23456 ", 1234}, {"1.5e1 ", 15000}}) {
    report::scanner in(text);
    CHECK(in.thousandths() == value);
    CHECK_FALSE(in.failed());
  }
}
