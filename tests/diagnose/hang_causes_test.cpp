#include "diagnose/hang_causes.hpp"

#include <doctest/doctest.h>

#include <stretto/error.hpp>

#include "base/snapshot_read.hpp"
#include "diagnose/hang_report.hpp"

using namespace stretto::diagnose;
using stretto::base::wait_kind;
using stretto::base::wait_node;
using stretto::base::wait_snapshot;

namespace {

wait_node node(wait_kind kind, const char* name, const char* made, std::vector<std::uint32_t> waits_for = {}) {
  wait_node n;
  n.kind = kind;
  n.name = name;
  n.created_at = made;
  n.waits_for = std::move(waits_for);
  return n;
}

wait_snapshot proven(std::vector<wait_node> nodes) {
  wait_snapshot s;
  s.seconds = 2;
  s.is_proven = true;
  s.nodes = std::move(nodes);
  return s;
}

}  // namespace

TEST_CASE("a chain that ends at an event without a trigger reports that event") {
  auto s =
      proven({node(wait_kind::finish, "finish", "a.cpp:1", {1}),
              node(wait_kind::task, "task \"reader\"", "a.cpp:2", {2}), node(wait_kind::event, "event", "a.cpp:3")});
  s.nodes[1].waits_at = "a.cpp:4";
  const auto causes = causes_of(s);
  REQUIRE(causes.size() == 1);
  CHECK(causes[0] == hang_cause{cause_kind::event, {2}, {0, 1, 2}, 2});
  CHECK(report_text(s) ==
        "error H01: work waits for an event that nothing will trigger\n"
        "  created     a.cpp:3\n"
        "  waiting     finish (created a.cpp:1)\n"
        "  for         task \"reader\" (spawned a.cpp:2), which waits at a.cpp:4\n"
        "  blocked     2 tasks, scopes or threads\n"
        "  because     all threads of this process sleep, and nothing in progress can trigger it\n"
        "  try         trigger or poison it on every path");
}

TEST_CASE("a cycle is reported from where work enters it, each link once") {
  const auto s =
      proven({node(wait_kind::body, "the body of run", "", {1}), node(wait_kind::task, "task \"a\"", "a.cpp:1", {2}),
              node(wait_kind::event, "event", "a.cpp:2", {3}), node(wait_kind::task, "task \"b\"", "a.cpp:3", {1})});
  const auto causes = causes_of(s);
  REQUIRE(causes.size() == 1);
  CHECK(causes[0].kind == cause_kind::cycle);
  CHECK(causes[0].nodes == std::vector<std::uint32_t>{1, 2, 3});
  CHECK(report_text(s) ==
        "error H02: work waits for itself in a cycle of 3\n"
        "  waiting     the body of run\n"
        "  cycle       task \"a\" (spawned a.cpp:1)\n"
        "  for         event (created a.cpp:2)\n"
        "  for         task \"b\" (spawned a.cpp:3)\n"
        "  for         the first again\n"
        "  blocked     3 tasks, scopes or threads\n"
        "  because     each waits for the next and the last for the first, so none can continue\n"
        "  try         remove one of these waits, or let it wait for something earlier");
}

TEST_CASE("a release that waits for the reservation itself does not count") {
  // 0 waits for acquire 1, which waits for reservation 2, whose only release 3 comes after work 4, which waits for 1.
  auto s = proven({node(wait_kind::task, "task", "a.cpp:1", {1}), node(wait_kind::event, "acquire", "a.cpp:2", {2}),
                   node(wait_kind::reservation, "reservation R0", "a.cpp:3", {3}),
                   node(wait_kind::event, "release", "a.cpp:4", {4}), node(wait_kind::task, "task", "a.cpp:5", {1})});
  s.nodes[2].held_by = "the acquire at a.cpp:6";
  auto causes = causes_of(s);
  REQUIRE(causes.size() == 1);
  CHECK(causes[0].kind == cause_kind::reservation);
  CHECK(report_text(s).starts_with(
      "error H03: reservation R0 is never released\n  created     a.cpp:3\n  held by     the acquire at a.cpp:6\n"));
  // With another release, which waits for an event, that event is the cause.
  s.nodes[2].waits_for.push_back(5);
  s.nodes.push_back(node(wait_kind::event, "release", "a.cpp:7", {6}));
  s.nodes.push_back(node(wait_kind::event, "event", "a.cpp:8"));
  causes = causes_of(s);
  REQUIRE(causes.size() == 1);
  CHECK(causes[0].kind == cause_kind::event);
  CHECK(causes[0].nodes == std::vector<std::uint32_t>{6});
}

TEST_CASE("a barrier that lacks arrivals reports how many there were") {
  auto s = proven({node(wait_kind::task, "task", "a.cpp:1", {1}), node(wait_kind::event, "event", "a.cpp:2", {2}),
                   node(wait_kind::barrier, "barrier B0 phase 3", "a.cpp:4")});
  s.nodes[1].is_promised = true;
  s.nodes[2].expected = 5;
  s.nodes[2].arrived = 3;
  CHECK(report_text(s).starts_with(
      "error H04: barrier B0 phase 3 lacks 2 arrivals\n  created     a.cpp:4\n  arrived     3 of 5\n"));
}

TEST_CASE("a barrier that lacks arrivals reports the lines of those that there were") {
  auto s = proven(
      {node(wait_kind::task, "task", "a.cpp:1", {1}), node(wait_kind::barrier, "barrier B0 phase 0", "a.cpp:4")});
  s.nodes[1].expected = 7;
  s.nodes[1].arrived = 6;
  s.nodes[1].arrived_at = {"b.cpp:2", "a.cpp:9", "b.cpp:2", "b.cpp:2"};
  CHECK(report_text(s).find("\n  arrived     6 of 7, at a.cpp:9, b.cpp:2 (3 times) and 2 earlier\n") !=
        std::string::npos);
}

TEST_CASE("work that is ready at a place without threads is reported with the place") {
  const auto s =
      proven({node(wait_kind::thread, "a thread that is no worker", "a.cpp:1", {1}),
              node(wait_kind::task, "task \"t\"", "a.cpp:2", {2}), node(wait_kind::place, "place \"L2\"", "")});
  CHECK(report_text(s) ==
        "error H07: work is ready at place \"L2\", and no thread takes work from there\n"
        "  waiting     a thread that is no worker (attached a.cpp:1)\n"
        "  for         task \"t\" (spawned a.cpp:2)\n"
        "  blocked     2 tasks, scopes or threads\n"
        "  because     no worker with a thread has it on its paths; worker 0 has a thread only inside run\n"
        "  try         call run, create the runtime with more workers, or spawn at another place");
}

TEST_CASE("a promise that is never kept is reported") {
  const auto s =
      proven({node(wait_kind::task, "task", "a.cpp:1", {1}), node(wait_kind::promise, "promise", "a.cpp:2")});
  CHECK(report_text(s).starts_with(
      "error H05: work waits for a promise that nothing will fulfil\n  created     a.cpp:2\n"));
}

TEST_CASE("the cause that holds up most is reported first, and a cause without waiters is not reported") {
  const auto s = proven({node(wait_kind::task, "task", "a.cpp:1", {4}), node(wait_kind::task, "task", "a.cpp:2", {5}),
                         node(wait_kind::task, "task", "a.cpp:3", {5}), node(wait_kind::event, "event", "a.cpp:4"),
                         node(wait_kind::event, "event", "a.cpp:5"), node(wait_kind::event, "event", "a.cpp:6")});
  const auto causes = causes_of(s);
  REQUIRE(causes.size() == 2);
  CHECK(causes[0].nodes == std::vector<std::uint32_t>{5});
  CHECK(causes[1].nodes == std::vector<std::uint32_t>{4});
}

TEST_CASE("a runtime in which nothing waits has no work, one with a running task has") {
  CHECK_FALSE(has_work(proven({node(wait_kind::event, "event", "a.cpp:1")})));
  auto s = proven({node(wait_kind::task, "task", "a.cpp:1")});
  CHECK_FALSE(has_work(s));
  s.nodes[0].is_running = true;
  CHECK(has_work(s));
  s.nodes[0].kind = wait_kind::thread;
  CHECK_FALSE(has_work(s));
}

TEST_CASE("without proof no cause is reported: the report shows the state") {
  auto s = proven({node(wait_kind::task, "task", "a.cpp:1", {1}), node(wait_kind::event, "event", "a.cpp:2")});
  s.is_proven = false;
  s.unproven = {"a worker is running"};
  s.workers = {{1,
                false,
                "task \"hermit\" spawned at a.cpp:9",
                2,
                77,
                {"nanosleep, libc.so.6+0x12", "hermit(), program+0x5"},
                ""}};
  s.nodes[0].waits_at = "a.cpp:3";
  s.nodes.push_back(node(wait_kind::thread, "a thread that is no worker", "a.cpp:7"));
  s.nodes.back().is_running = true;
  CHECK(report_text(s) ==
        "error H10: no progress for 2.0 s\n"
        "  worker 1    runs task \"hermit\" spawned at a.cpp:9, seen for 2.0 s\n"
        "  in          nanosleep, libc.so.6+0x12\n"
        "              hermit(), program+0x5\n"
        "  outside     a thread that is no worker (attached a.cpp:7) runs code of its own\n"
        "  waiting     task (spawned a.cpp:1), which waits at a.cpp:3, for event (created a.cpp:2)\n"
        "  because     it may still make progress: a worker is running");
}

TEST_CASE("a held resource is reported with its holder, proven or not") {
  auto s =
      proven({node(wait_kind::task, "task \"writer\"", "a.cpp:1", {1}), node(wait_kind::event, "event", "a.cpp:2", {2}),
              node(wait_kind::event, "view of object \"u\"", "")});
  s.nodes[0].waits_at = "a.cpp:3";
  s.nodes[2].held_by = "thread \"reader\" (4711) since a.cpp:9";
  CHECK(report_text(s) ==
        "error H01: work waits for view of object \"u\", which is never released\n"
        "  held by     thread \"reader\" (4711) since a.cpp:9\n"
        "  waiting     task \"writer\" (spawned a.cpp:1), which waits at a.cpp:3\n"
        "  for         event (created a.cpp:2)\n"
        "  because     all threads of this process sleep, and nothing in progress can release it\n"
        "  try         release it on every path, and before waiting for work that needs it");
  s.is_proven = false;
  s.unproven = {"1 thread (\"reader\") of this process that no runtime runs may act"};
  CHECK(report_text(s).find(
            "waiting     task \"writer\" (spawned a.cpp:1), which waits at a.cpp:3, for event (created a.cpp:2), "
            "held by thread \"reader\" (4711) since a.cpp:9\n") != std::string::npos);
}

TEST_CASE("a proven hang of unknown cause reports what is known") {
  CHECK(report_text(proven({node(wait_kind::task, "task", "a.cpp:1", {1}), node(wait_kind::task, "task", "a.cpp:2")}))
            .starts_with("error H06: nothing can make progress any more\n  last known  task (spawned a.cpp:2)\n"));
}

TEST_CASE("a report is unchanged after JSON encoding and decoding") {
  auto s = proven({node(wait_kind::task, "task \"\xc3\xa9\"", "a.cpp:1", {1}),
                   node(wait_kind::barrier, "barrier B0 phase 0", "a.cpp:2")});
  s.node = 7;
  s.unproven = {"x"};
  s.workers = {{1, true, "", 0.5, 4711, {"f(), program+0x10"}, ""}};
  s.nodes[1].arrived_at = {"a.cpp:5"};
  s.nodes[1].expected = 3;
  s.nodes[1].arrived = 1;
  s.nodes[1].announced = 1;
  s.nodes[0].is_running = true;
  s.nodes[0].waits_at = "b.cpp:1";
  s.detection = {2, 0.5, 0.003};
  const auto back = from_json(to_json({&s, 1}));
  REQUIRE(back.size() == 1);
  CHECK(back[0] == s);
}

TEST_CASE("a file that is no hang report is refused with H20") {
  for (const char* text :
       {"", "{}", "[1]", "{\"stretto_stuck\":3,\"runtimes\":[]}",
        "{\"stretto_stuck\":2,\"runtimes\":[{\"node\":0,\"seconds\":1,\"is_proven\":true,\"unproven\":[],"
        "\"workers\":[],\"nodes\":[{\"kind\":\"task\",\"waits_for\":[1]}]}]}"}) {
    try {
      from_json(text);
      FAIL("accepted");
    } catch (const stretto::error& e) {
      CHECK(e.code() == "H20");
    }
  }
}

TEST_CASE("the graph colours the cause and quotes names") {
  const auto s =
      proven({node(wait_kind::task, "task \"a\"", "a.cpp:1", {1}), node(wait_kind::event, "event", "a.cpp:2")});
  const std::string dot = graphviz_text({&s, 1});
  CHECK(dot.find("n0_0 [label=\"task \\\"a\\\" (spawned a.cpp:1)\"];") != dot.npos);
  CHECK(dot.find("n0_1 [label=\"event (created a.cpp:2)\", fillcolor=\"#f4a582\"];") != dot.npos);
  CHECK(dot.find("n0_0 -> n0_1;") != dot.npos);
}

TEST_CASE("peeking at unmapped memory is harmless") {
  int word = 42;
  CHECK(*stretto::base::snapshot_copy<int>(&word) == 42);
  CHECK_FALSE(stretto::base::snapshot_copy<int>(reinterpret_cast<void*>(8)));
  CHECK(stretto::base::snapshot_text("a name that is longer than a piece") == "a name that is longer than a piece");
  CHECK(stretto::base::snapshot_text(reinterpret_cast<const char*>(8)).empty());
  const auto here = std::source_location::current();
  CHECK(stretto::base::snapshot_location(&here) == stretto::short_location(here));
  const char* garbage = reinterpret_cast<const char*>(8);
  CHECK(stretto::base::snapshot_location(reinterpret_cast<const std::source_location*>(&garbage)).empty());
}
