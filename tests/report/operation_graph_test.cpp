#include "report/operation_graph.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <stretto/error.hpp>

#include "small_runs.hpp"

using namespace stretto::report;

namespace {

// A chain of five, "t 0" to "t 4", and one apart.
run chain() {
  return make_run({{0, 0, 10, "t 0"},
                   {0, 10, 20, "t 1"},
                   {1, 15, 18, "apart"},
                   {0, 20, 30, "t 2"},
                   {0, 30, 40, "t 3"},
                   {0, 40, 50, "t 4"}},
                  {{0, 1}, {1, 3}, {3, 4}, {4, 5}});
}

std::string code_of(const graph_part& part) {
  try {
    part_of(chain(), part);
  } catch (const stretto::error& e) {
    return e.code();
  }
  return "none";
}

}  // namespace

TEST_CASE("a graph holds all operations and their arrows") {
  const auto g = part_of(chain(), {});
  CHECK(g.nodes.size() == 6);
  CHECK(g.arrows.size() == 4);
}

TEST_CASE("around a task the graph goes as many arrows far as asked, both ways") {
  CHECK(part_of(chain(), {.around = "t 2", .depth = 0}).nodes.size() == 1);
  const auto g = part_of(chain(), {.around = "t 2", .depth = 1});
  REQUIRE(g.nodes.size() == 3);
  CHECK(g.nodes[0].name == "t 1");
  CHECK(g.nodes[2].name == "t 3");
  CHECK(part_of(chain(), {.around = "t 0", .depth = 9}).nodes.size() == 5);
}

TEST_CASE("between two times lies what ran then") {
  const auto g = part_of(chain(), {.from = 31, .to = 39});
  REQUIRE(g.nodes.size() == 1);
  CHECK(g.nodes[0].name == "t 3");
}

TEST_CASE("collapsed by family, operations and arrows are counted") {
  const auto g = part_of(chain(), {.collapse = collapse::by_family});
  REQUIRE(g.nodes.size() == 2);
  CHECK(g.nodes[0].name == "t #");
  CHECK(g.nodes[0].count == 5);
  CHECK(g.nodes[0].time == 50);
  REQUIRE(g.arrows.size() == 1);
  CHECK(g.arrows[0].count == 4);
}

TEST_CASE("the parts of a suspended task are one node") {
  run r = make_run({{0, 0, 10, "a"}, {0, 20, 30, "a"}});
  r.records[0].id = r.records[1].id = 7;
  const auto g = part_of(r, {.around = "0x7"});
  REQUIRE(g.nodes.size() == 1);
  CHECK(g.nodes[0].time == 20);
  CHECK(g.nodes[0].count == 1);
}

TEST_CASE("a graph that cannot be drawn is refused with the reason") {
  CHECK(code_of({.around = "t 9"}) == "T14");
  CHECK(code_of({.around = "0x99"}) == "T14");
  CHECK(code_of({.from = 1000}) == "T15");
  CHECK(code_of({.most = 5}) == "T16");
  CHECK(code_of({.most = 6}) == "none");
}

TEST_CASE("no name can leave its quotes in the language of Graphviz, nor break JSON") {
  const run r = make_run({{0, 0, 10, "a\"];\\ b\n<i>\xff"}});
  CHECK(to_dot(part_of(r, {})).find("label=\"a\\\"];\\\\ b\xef\xbf\xbd<i>\xef\xbf\xbd\\n10 ns\"") != std::string::npos);
  const auto text = to_json(part_of(r, {})).dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
  CHECK(nlohmann::json::parse(text)["nodes"][0]["time"] == 10);
}
