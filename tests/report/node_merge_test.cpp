#include "report/node_merge.hpp"

#include <doctest/doctest.h>

#include <stretto/job.hpp>
#include <stretto/remote.hpp>
#include <stretto/runtime.hpp>

#include <algorithm>
#include <string>
#include <thread>

#include "report/timeline_reader.hpp"
#include "temporary_folder.hpp"
#include "trace/chrome.hpp"

using namespace stretto;
using report::read_run;

namespace {

/// One task of node `node`, from `start` to `end` on its own clock, which is `behind` node 0's.
trace::snapshot with_one_task(std::uint32_t node, trace::ticks start, trace::ticks end, std::uint64_t id,
                              std::uint64_t cause, std::int64_t behind) {
  auto names = std::make_shared<trace::name_table>();
  trace::snapshot s;
  s.node = node;
  s.job_nodes = 3;
  s.node_name = "node " + std::to_string(node);
  s.level = trace::level::full;
  s.calibration = {.origin = 0, .steady_origin_ns = 1'000'000, .ns_per_tick = 1};
  s.clock_offset_ns = behind;
  s.places = {"core " + std::to_string(node)};
  const auto name = names->intern(node ? "far" : "near", std::source_location::current());
  s.names = names;
  s.tracks.resize(1);
  s.tracks[0].name = "worker 0";
  s.tracks[0].records = {{.start = start, .end = end, .id = id, .cause = cause, .name = name, .place = 0}};
  return s;
}

bool has_edge_between_nodes(const report::run& r, std::uint32_t from, std::uint32_t to) {
  return std::ranges::any_of(r.edges, [&](const report::edge& e) {
    return r.lanes[r.records[e.from].lane].node == from && r.lanes[r.records[e.to].lane].node == to;
  });
}

std::uint32_t where() { return this_node(); }

}  // namespace

TEST_CASE("timelines of nodes are read as one, on the clock of node 0, with causes on other nodes") {
  const test::temporary_folder folder;
  const auto file = folder.path / "run.json";
  trace::write_chrome(file, with_one_task(0, 1000, 2000, 11, 0, 0));
  trace::write_chrome(folder.path / "run.N1.json", with_one_task(1, 500, 800, 22, 11, 2000));
  const report::run r = read_run(file);
  CHECK(r.title == "run.json");
  CHECK(r.job_nodes == 3);
  REQUIRE(r.records.size() == 2);
  CHECK(r.tracks == std::vector<std::string>{"node 0 worker 0", "node 1 worker 0"});
  CHECK(r.records[0].start == 0);
  CHECK(r.records[1].start == 1500);  // 500 + 2000 of its clock, 1000 after the first
  CHECK(r.records[1].end == 1800);
  CHECK(r.label_of(0).name == "near");
  CHECK(r.label_of(1).name == "far");
  CHECK(r.places[r.records[1].place] == "node 1 core 1");
  CHECK(r.edges == std::vector<report::edge>{{0, 1}});
  CHECK(r.damage == "the timeline of node 2 is not beside it");
  CHECK(read_run(folder.path / "run.N1.json").records.size() == 1);  // that one alone
}

TEST_CASE("work that another node requested has its cause there, for every kind of message") {
  const test::temporary_folder folder;
  const auto file = folder.path / "run.json";
  {
    const simulated_job job({.nodes = 2});
    const auto options = [&](std::uint32_t n) {
      return runtime_options{.workers = 1, .trace = file.string(), .job = job.endpoint(n)};
    };
    std::jthread second([&] {
      runtime rt(options(1));
      rt.run([] {});
    });
    runtime rt(options(0));
    rt.run([] {
      const auto go = user_event::create();
      const auto waits = async(at_node(1), after(go), call<&where>());
      const auto asks = async(at_node(1), call<&where>());
      async(after(asks), [go] { go.trigger(); });
      CHECK(waits.get() == 1);
    });
  }
  const report::run r = read_run(file);
  CHECK(r.damage.empty());
  CHECK(has_edge_between_nodes(r, 0, 1));
  CHECK(has_edge_between_nodes(r, 1, 0));
  // Each message is a span where it is handled, under the name of its kind.
  const auto is_handled_by = [&](const std::string& kind, std::uint32_t node) {
    return std::ranges::any_of(r.records, [&](const report::record& one) {
      return one.kind == report::kind::message && r.labels[one.label].name.starts_with(kind) &&
             r.lanes[one.lane].node == node;
    });
  };
  CHECK(is_handled_by("tasks.run", 1));
  CHECK(is_handled_by("tasks.value", 0));
  CHECK_FALSE(is_handled_by("tasks.run", 0));
}
