// When instructions would begin and end: by hand where that can be told, and by what holds of every schedule.
#include "graph/timeline.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "graph/instruction_labels.hpp"
#include "graph/recorded_program.hpp"
#include "thrown_by.hpp"

using namespace stretto;
using namespace stretto::graph;
using stretto::test::named_task, stretto::test::recorded, stretto::test::recorded_generative,
    stretto::test::recorded_stencil;

namespace {

// An item a second, so that times can be told by heart.
const cost_model slow{
    .task = 0, .launch = 1, .items = 1, .copy_latency = 1, .copy_bytes = 4, .message_latency = 1, .message_bytes = 4};

const time_span& span_of(const timeline& when, const recorded& r, std::size_t node, const char* kind, std::size_t nth) {
  for (std::size_t i = 0; i < r.of_nodes[node].instructions.size(); ++i)
    if (std::string(kind_of(r.of_nodes[node].instructions[i])) == kind && nth-- == 0) return when.nodes[node].spans[i];
  FAIL(kind);
  return when.nodes[0].spans[0];
}

void check_schedule(const recorded& r, std::span<const node_record> nodes, const cost_model& costs) {
  const timeline when = predict(r.program, nodes, costs);
  double latest = 0;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    std::vector<std::vector<time_span>> by_lane(when.nodes[n].lanes.size());
    for (std::size_t i = 0; i < nodes[n].instructions.size(); ++i) {
      const time_span& s = when.nodes[n].spans[i];
      latest = std::max(latest, s.end);
      CHECK(s.begin >= 0);
      CHECK(s.end >= s.begin);
      if (s.lane >= 0) by_lane[static_cast<std::size_t>(s.lane)].push_back(s);
      for (const std::uint64_t f : nodes[n].instructions[i].follows)
        if (f != 0) CHECK(when.nodes[n].spans[f - 1].end <= s.begin);
    }
    for (auto& lane : by_lane) {
      std::ranges::sort(lane, {}, [](const time_span& s) { return std::pair(s.begin, s.end); });
      for (std::size_t i = 1; i < lane.size(); ++i) CHECK(lane[i - 1].end <= lane[i].begin);
    }
    // Elements from a node of the timeline have been sent at least a latency before.
    for (std::size_t i = 0; i < nodes[n].instructions.size(); ++i)
      if (const auto* to = std::get_if<receive>(&nodes[n].instructions[i].what))
        for (std::size_t m = 0; m < nodes.size(); ++m)
          for (std::size_t j = 0; j < nodes[m].instructions.size(); ++j)
            if (const auto* from = std::get_if<send>(&nodes[m].instructions[j].what);
                from && from->by == to->by && n != m)
              for (const sent_part& p : from->parts)
                if (p.to.contains(nodes[n].node))
                  CHECK(when.nodes[n].spans[i].end >=
                        doctest::Approx(when.nodes[m].spans[j].end + costs.message_latency));
  }
  CHECK(when.seconds == latest);
}

}  // namespace

TEST_CASE(
    "launches that follow one another take the sum of what they take, and independent ones on two devices the longer") {
  const box cells(0, 8);
  recorded r(1, {.step = 0, .most_parallel = 0}, {.devices = {1, 2}});
  const buffer_id u = r.add({.elements = cells, .name = "u"});
  r.submit(named_task("set", cells, {{u, mode::write, mapping::one_to_one(cells)}}));
  r.submit(named_task("add", cells, {{u, mode::read_write, mapping::one_to_one(cells)}}));
  // Each device 4 items and a launch, twice.
  const timeline when = predict(r.program, r.of_nodes, slow);
  CHECK(when.seconds == 2 * (1 + 4));
  CHECK(summary_of(when, r.of_nodes) == "10.000 s on 1 node; busiest: D0 of N0 100 %; D1 of N0 100 %");
}

TEST_CASE("a border is sent when it is computed, arrives one latency later, and its readers wait for it") {
  const recorded r = recorded_stencil(2, 1);
  // On the host, without copies but those of growing. 8 items and a launch: 9 s. The allocation grows: its 8 elements
  // of 4 bytes take 1 + 8 s. The border, 4 bytes, takes a second of the link, and comes after another.
  const timeline when = predict(r.program, r.of_nodes, slow);
  for (std::size_t n = 0; n < 2; ++n) {
    CHECK(span_of(when, r, n, "compute", 0).end == 9);
    CHECK(span_of(when, r, n, "copy", 0).end == 18);
    CHECK(span_of(when, r, n, "send", 0).begin == 18);
    CHECK(span_of(when, r, n, "send", 0).end == 19);
    CHECK(span_of(when, r, n, "receive", 0).end == 20);
    CHECK(span_of(when, r, n, "compute", 1).begin == 20);
    CHECK(span_of(when, r, n, "compute", 1).end == 29);
  }
  CHECK(when.seconds == 29);
}

TEST_CASE("elements from nodes that are not recorded are assumed to be sent as an identical node would send them") {
  for (const std::size_t node : {0u, 1u}) {
    const recorded r = recorded_stencil(2, 6, {.devices = {1, 2}});
    const timeline both = predict(r.program, r.of_nodes, slow),
                   alone = predict(r.program, {&r.of_nodes[node], 1}, slow);
    CHECK(alone.seconds == both.seconds);  // the two mirror one another
    for (std::size_t i = 0; i < r.of_nodes[node].instructions.size(); ++i) {
      CHECK(alone.nodes[0].spans[i].begin == both.nodes[node].spans[i].begin);
      CHECK(alone.nodes[0].spans[i].end == both.nodes[node].spans[i].end);
    }
  }
}

TEST_CASE("nothing begins before what it follows has ended, and a lane does one thing at a time") {
  for (const node_number nodes : {1u, 2u, 3u, 5u})
    for (const node_shape& shape : {node_shape{}, node_shape{{1}}, node_shape{{1, 2, 3}}})
      for (const cost_model& costs : {slow, cost_model{},
                                      cost_model{.launch = 0,
                                                 .items = 3,
                                                 .copy_latency = 0,
                                                 .copy_bytes = 7,
                                                 .message_latency = 5,
                                                 .message_bytes = 1}}) {
        const recorded a = recorded_stencil(nodes, 7, shape), b = recorded_generative(nodes, 4, shape);
        for (const recorded* r : {&a, &b}) {
          check_schedule(*r, r->of_nodes, costs);
          check_schedule(*r, {&r->of_nodes.back(), 1}, costs);
        }
      }
}

TEST_CASE("a timeline is written for Perfetto with a process for each node and a thread for each lane") {
  const recorded r = recorded_stencil(2, 1, {.devices = {1}});
  const auto json =
      nlohmann::json::parse(timeline_as_json(r.program, r.of_nodes, predict(r.program, r.of_nodes, slow)));
  std::size_t drawn = 0;
  for (const auto& e : json["traceEvents"])
    if (e["ph"] == "X") ++drawn, CHECK(e["dur"].get<double>() > 0);
  // Of each node: two kernels, a copy of what has grown, a send and a receive.
  CHECK(drawn == 2 * (2 + 1 + 1 + 1));
  CHECK(json["traceEvents"][0]["args"]["name"] == "N0");
  CHECK(json["traceEvents"][1]["args"]["name"] == "D0");
  CHECK(json["predicted_seconds"] == 29);
}

TEST_CASE("costs are read by name, and what is none is refused with those that are") {
  CHECK(costs_of("").items == cost_model().items);
  const cost_model some = costs_of("items=2e9,message_latency=0,copy_bytes=5");
  CHECK(some.items == 2e9);
  CHECK(some.message_latency == 0);
  CHECK(some.copy_bytes == 5);
  CHECK(some.launch == cost_model().launch);
  for (const char* wrong : {"items", "items=", "items=0", "launch=-1", "speed=3", "items=x", "items=inf", "launch=nan",
                            "items=1e3=4", ",", "items=1,,"})
    CHECK_MESSAGE(stretto::test::error_of([&] { costs_of(wrong); }).code() == "B19", wrong);
}
