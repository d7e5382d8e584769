#include "report/merged_file.hpp"

#include <doctest/doctest.h>

#include <stretto/job.hpp>
#include <stretto/remote.hpp>
#include <stretto/runtime.hpp>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <thread>

#include "report/timeline_reader.hpp"
#include "temporary_folder.hpp"
#include "thrown_by.hpp"
#include "trace/chrome.hpp"

using namespace stretto;
using report::write_merged_file;

namespace {

using json = nlohmann::json;

json read_json(const std::filesystem::path& file) {
  std::ifstream in(file);
  return json::parse(in);
}

/// Two records of node `node`, one behind the other with an arrow, and a pair; on its own clock, which is `behind` node
/// 0's.
trace::snapshot with_two_tasks(std::uint32_t node, std::uint64_t id, std::uint64_t cause, std::int64_t behind) {
  auto names = std::make_shared<trace::name_table>();
  trace::snapshot s;
  s.node = node;
  s.job_nodes = 2;
  s.node_name = "node " + std::to_string(node);
  s.level = trace::level::full;
  s.calibration = {.origin = 0, .steady_origin_ns = 1'000'000, .ns_per_tick = 1};
  s.clock_offset_ns = behind;
  const auto name = names->intern("a \"task\", \\\"ts\\\":1", std::source_location::current());
  s.names = names;
  s.tracks.resize(1);
  s.tracks[0].name = "worker 0";
  s.tracks[0].records = {{.start = 1000, .end = 2000, .id = id, .cause = cause, .name = name},
                         {.start = 3000, .end = 4000, .id = id + 1, .cause = id, .name = name},
                         {.start = 1500, .end = 3500, .id = id + 2, .name = name, .kind = trace::kind::message}};
  return s;
}

/// Every arrow and pair has its own number and both its ends, and no arrow goes back in time.
void check_numbers(const json& events) {
  std::map<std::uint64_t, json> tails;
  std::map<std::string, int> pairs;
  std::size_t heads = 0;
  for (const json& e : events) {
    const std::string phase = e.at("ph");
    if (phase == "s") CHECK(tails.emplace(e.at("id").get<std::uint64_t>(), e).second);
    if (phase == "b") CHECK(++pairs[e.at("id")] == 1);
    if (phase == "e") CHECK(++pairs[e.at("id")] == 2);
    if (phase != "f") continue;
    ++heads;
    REQUIRE(tails.count(e.at("id").get<std::uint64_t>()));
    CHECK(tails[e.at("id").get<std::uint64_t>()].at("ts").get<double>() <= e.at("ts").get<double>());
  }
  CHECK(heads == tails.size());
  for (const auto& [id, ends] : pairs) CHECK(ends == 2);
}

std::size_t arrows_between(const json& events) {
  std::map<std::uint64_t, std::uint32_t> from;
  std::size_t found = 0;
  for (const json& e : events)
    if (e.at("ph") == "s") from[e.at("id")] = e.at("pid");
    else if (e.at("ph") == "f") found += from.at(e.at("id")) != e.at("pid").get<std::uint32_t>();
  return found;
}

std::uint32_t where() { return this_node(); }

}  // namespace

TEST_CASE(
    "timelines of nodes become one file on one clock, whose arrows and pairs keep apart, with arrows between nodes") {
  const test::temporary_folder folder;
  const auto file = folder.path / "run.json", to = folder.path / "all.json";
  trace::write_chrome(file, with_two_tasks(0, 11, 0, 0));
  trace::write_chrome(folder.path / "run.N1.json", with_two_tasks(1, 21, 11, 2500));
  const report::merged_file found = write_merged_file({file}, to);
  CHECK(found.nodes == std::vector<std::uint32_t>{0, 1});
  CHECK(found.arrows == 1);
  CHECK(found.damage.empty());
  const json all = read_json(to);
  CHECK(all["otherData"]["nodes"].size() == 2);
  const json& events = all["traceEvents"];
  check_numbers(events);
  CHECK(arrows_between(events) == 1);
  std::vector<double> starts[2];
  for (const json& e : events)
    if (e.at("ph") == "X") {
      starts[e.at("pid").get<unsigned>()].push_back(e.at("ts"));
      CHECK(e.at("name") == "a \"task\", \\\"ts\\\":1");
    }
  CHECK(starts[0] == std::vector<double>{1.0, 3.0});
  CHECK(starts[1] == std::vector<double>{3.5, 5.5});  // 2.5 us later on node 0's clock
  // A report takes it for what it is, and joining it again changes nothing.
  const report::run r = report::read_run(to);
  CHECK(r.damage.empty());
  CHECK(r.records.size() == report::read_run(file).records.size());
  write_merged_file({to}, folder.path / "again.json");
  CHECK(read_json(folder.path / "again.json") == all);
  // All files by name, in any order.
  CHECK(write_merged_file({folder.path / "run.N1.json", file}, to).arrows == 1);
  CHECK(test::thrown_by([&] {
          write_merged_file({file, file}, to);
        }).find("error T18: two of the timelines belong to node 0") == 0);
}

TEST_CASE("missing and truncated files are reported, and the rest is merged; other files are refused") {
  const test::temporary_folder folder;
  const auto file = folder.path / "run.json", to = folder.path / "all.json";
  trace::write_chrome(file, with_two_tasks(0, 11, 0, 0));
  CHECK(write_merged_file({file}, to).damage == "the timeline of node 1 is not beside it");
  std::ostringstream text;
  trace::write_chrome(text, with_two_tasks(1, 21, 11, 0));
  for (std::size_t cut = text.str().find("\"traceEvents\":[\n") + 17; cut < text.str().size() - 3; cut += 7) {
    CAPTURE(cut);
    std::ofstream(folder.path / "run.N1.json") << text.str().substr(0, cut);
    CHECK(write_merged_file({file}, to).damage == "run.N1.json ends in the middle: what came later is missing");
    CHECK(read_json(to)["traceEvents"].size() > 5);
  }
  std::ofstream(folder.path / "run.N1.json") << "{\"traceEvents\":[\n]}\n";
  CHECK(test::thrown_by([&] {
          write_merged_file({file}, to);
        }).find("error T11: the file is not a timeline of Stretto") == 0);
  CHECK(test::thrown_by([&] { write_merged_file({folder.path / "none.json"}, to); }).find("error T10") == 0);
  std::filesystem::remove(folder.path / "run.N1.json");
  CHECK(test::thrown_by([&] { write_merged_file({file}, folder.path / "no" / "folder.json"); }).find("error T17") == 0);
}

TEST_CASE("a job of three nodes is one file, in which what was asked for has its cause on the node that asked") {
  const test::temporary_folder folder;
  const auto file = folder.path / "run.json", to = folder.path / "all.json";
  {
    const simulated_job job({.nodes = 3});
    std::vector<std::thread> all;
    for (std::uint32_t n = 0; n < 3; ++n)
      all.emplace_back([&, n] {
        runtime rt({.workers = 1, .trace = file.string(), .job = job.endpoint(n)});
        rt.run([&] {
          if (n) return;
          for (std::uint32_t i = 0; i < 20; ++i) CHECK(async(at_node(1 + i % 2), call<&where>()).get() == 1 + i % 2);
        });
      });
    for (auto& t : all) t.join();
  }
  const report::merged_file found = write_merged_file({file}, to);
  CHECK(found.nodes == std::vector<std::uint32_t>{0, 1, 2});
  CHECK(found.arrows >= 20);
  CHECK(found.damage.empty());
  const json all = read_json(to);
  check_numbers(all["traceEvents"]);
  CHECK(arrows_between(all["traceEvents"]) == found.arrows);
}
