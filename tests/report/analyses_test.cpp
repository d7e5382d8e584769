#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "report/analysis.hpp"
#include "small_runs.hpp"

using namespace stretto::report;

namespace {

// Worker 0 runs a (0-100), worker 1 waits for it, then b (110-200); c (100-150) follows a on worker 0.
run forked() { return make_run({{0, 0, 100, "a"}, {0, 100, 150, "c"}, {1, 110, 200, "b"}}, {{0, 1}, {0, 2}}); }

const idle_total* find(const idle_time& i, idle_cause cause, std::string_view what) {
  for (const auto& t : i.totals)
    if (t.cause == cause && t.what == what) return &t;
  return nullptr;
}
nanoseconds time_of(const idle_time& i, idle_cause cause) {
  nanoseconds time = 0;
  for (const auto& t : i.totals)
    if (t.cause == cause) time += t.time;
  return time;
}
nanoseconds time_of(const idle_time& i, idle_cause cause, std::string_view what) {
  const idle_total* found = find(i, cause, what);
  return found ? found->time : 0;
}

}  // namespace

TEST_CASE("the critical path goes back over the dependency that ended last, and its pieces cover the run") {
  const auto path = find_critical_path(forked());
  const std::vector<path_piece> expected{{0, 100, 0, piece_kind::work, reached_by::start},
                                         {100, 110, 2, piece_kind::delay, reached_by::dependency},
                                         {110, 200, 2, piece_kind::work, reached_by::dependency}};
  CHECK(path.pieces == expected);
  CHECK(path.work == 240);
  CHECK(path.longest_chain == 190);
  REQUIRE(path.shares.size() == 3);
  CHECK(path.shares[0].name == "a");
  REQUIRE(path.kinds.size() == 2);
  CHECK(path.kinds[0].kind == kind::task);
  CHECK(path.kinds[0].time == 190);
  CHECK(path.kinds[1].kind == kind::wait);
  CHECK(path.kinds[1].time == 10);
  CHECK(path.shares[2].piece == piece_kind::delay);
  CHECK(path.shares[2].time == 10);
}

TEST_CASE("a record that was ready but had to let another go first is reached by its lane") {
  const auto path = find_critical_path(make_run({{0, 0, 10, "a"}, {0, 10, 50, "b"}, {0, 50, 60, "c"}}, {{0, 2}}));
  REQUIRE(path.pieces.size() == 3);
  CHECK(path.pieces[1].record == 1);
  CHECK(path.pieces[2].from == reached_by::lane);
}

TEST_CASE("a task that a running task made ready counts from that moment on the critical path") {
  const auto path = find_critical_path(make_run({{0, 0, 100, "parent"}, {1, 30, 200, "child"}}, {{0, 1}}));
  REQUIRE(path.pieces.size() == 2);
  CHECK(path.pieces[0] == path_piece{0, 30, 0, piece_kind::work, reached_by::start});
  CHECK(path.longest_chain == 200);
}

TEST_CASE("time before a first record that depends on nothing is unknown, not work") {
  const auto path = find_critical_path(make_run({{0, 0, 5, "early", kind::wait}, {0, 40, 50, "a"}}));
  REQUIRE(path.pieces.size() == 2);
  CHECK(path.pieces[0].kind == piece_kind::unknown);
  CHECK(path.pieces[0].end == 40);
}

TEST_CASE("a run without work has no critical path, no idle time and no advice") {
  const auto a = analyse(make_run({{0, 0, 5, "wait", kind::wait}}));
  CHECK(a.path.pieces.empty());
  CHECK(a.idle.totals.empty());
  CHECK(a.advice.suggestions.empty());
}

TEST_CASE("nested work counts once: the outer task keeps what is its own") {
  const run r = make_run({{0, 0, 100, "outer"}, {0, 20, 50, "inner"}, {0, 60, 70, "marked", kind::user}});
  CHECK(r.records[0].self == 70);
  CHECK(r.records[1].self == 30);
  const auto u = find_utilisation(r);
  CHECK(u.tracks[0].busy == 100);
  CHECK(u.tracks[0].count == 2);
}

TEST_CASE("a place is busy while anything runs there, and overlaps count once") {
  run r = make_run({{0, 0, 50, "a"}, {1, 20, 80, "b"}, {0, 90, 100, "c"}});
  r.places = {"core_0"};
  for (record& one : r.records) one.place = 0;
  const auto u = find_utilisation(r);
  CHECK(u.places[0].busy == 90);
  CHECK(u.places[0].count == 3);
}

TEST_CASE("idle time is told apart by cause: waiting for a name, overhead, coarse tails") {
  const auto idle = find_idle(forked());
  CHECK(idle.tracks == 2);
  CHECK(idle.time == 110 + 50);
  CHECK(time_of(idle, idle_cause::waiting_on, "a") == 100);
  CHECK(time_of(idle, idle_cause::too_coarse, "b") == 50);
  CHECK(time_of(idle, idle_cause::too_fine) + time_of(idle, idle_cause::overhead) == 10);
}

TEST_CASE("a task that waits for a task that waits for a copy waits for the copy while that runs") {
  run r =
      make_run({{1, 0, 100, "copy of x", kind::copy}, {0, 0, 20, "start"}, {1, 130, 200, "blur"}, {0, 200, 300, "sum"}},
               {{0, 2}, {2, 3}});
  r.labels[0].at = "wave.cpp:9";
  const auto idle = find_idle(r);
  CHECK(time_of(idle, idle_cause::waiting_on, "copy of x") == 80);
  CHECK(time_of(idle, idle_cause::late, "blur") == 30);
  CHECK(time_of(idle, idle_cause::waiting_on, "blur") == 70);
  REQUIRE(find(idle, idle_cause::waiting_on, "copy of x"));
  CHECK(find(idle, idle_cause::waiting_on, "copy of x")->at == "wave.cpp:9");
  CHECK(find(idle, idle_cause::waiting_on, "copy of x")->kind == kind::copy);
}

TEST_CASE("a task that went on after a suspension waited for who made it go on") {
  run r = make_run({{0, 0, 10, "holder"}, {1, 0, 5, "user"}, {0, 10, 90, "release"}, {1, 90, 120, "user"}}, {{2, 3}});
  r.records[0].id = 1, r.records[2].id = 3;
  r.records[1].id = r.records[3].id = 2;
  put_in_order(r);
  const auto idle = find_idle(r);
  CHECK(time_of(idle, idle_cause::waiting_on, "release") == 80);
  CHECK(time_of(idle, idle_cause::waiting_on, "holder") + time_of(idle, idle_cause::unknown) +
            time_of(idle, idle_cause::no_work_yet) ==
        5);
}

TEST_CASE("a worker that runs a ready task late was asleep, not slow") {
  const auto idle = find_idle(make_run({{0, 0, 10, "a"}, {0, 10 + 2 * longest_overhead, 50'100, "b"}}, {{0, 1}}));
  CHECK(time_of(idle, idle_cause::late, "b") == 2 * longest_overhead);
  CHECK(idle.overhead == 0);
}

TEST_CASE("a long gap before a task that names no cause accuses nobody") {
  const auto idle = find_idle(make_run({{0, 0, 10, "a"}, {0, 10 + 2 * longest_overhead, 50'100, "b"}}));
  CHECK(time_of(idle, idle_cause::unknown, "b") == 2 * longest_overhead);
  CHECK(time_of(idle, idle_cause::late) == 0);
}

TEST_CASE("the overhead before tasks too short for it is told with their name, before others without") {
  run r = make_run({{0, 0, 1000, "long"}, {0, 1010, 2000, "long"}, {0, 2010, 2020, "short"}, {0, 2030, 2040, "short"}});
  const auto idle = find_idle(r);
  CHECK(idle.overhead == 10);
  CHECK(time_of(idle, idle_cause::overhead) == 10);
  CHECK(time_of(idle, idle_cause::too_fine, "short") == 20);
}

TEST_CASE("at the end a long task that had begun before is too coarse, a chain that came later is all that was left") {
  const run r =
      make_run({{0, 0, 10, "a"}, {1, 0, 100, "long"}, {1, 100, 150, "then"}, {1, 150, 160, "last"}}, {{1, 2}, {2, 3}});
  const auto idle = find_idle(r);
  CHECK(time_of(idle, idle_cause::too_coarse, "long") == 90);
  CHECK(time_of(idle, idle_cause::no_work_left, "then") == 50);
  CHECK(time_of(idle, idle_cause::no_work_left, "last") == 10);
  CHECK(idle.time == 150);
}

TEST_CASE("after the last work there is no work left, whoever still waits") {
  const auto idle = find_idle(make_run({{0, 0, 10, "a"}, {1, 0, 50, "sleep", kind::wait}}));
  CHECK(time_of(idle, idle_cause::no_work_left) == 40);
}

TEST_CASE("copies beside the workers are waited for, and are no workers themselves") {
  run r = make_run({{0, 0, 10, "ask"}, {1, 10, 60, "copy of x", kind::copy}, {0, 60, 70, "use"}}, {{0, 1}, {1, 2}});
  r.tracks[1] = "to device";
  const auto idle = find_idle(r);
  CHECK(idle.tracks == 1);
  CHECK(idle.time == 50);
  CHECK(time_of(idle, idle_cause::waiting_on, "copy of x") == 50);
}

TEST_CASE("the parts of all gaps are the gaps, whatever the run") {
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    run r;
    std::vector<nanoseconds> until(1 + random() % 4);
    for (std::uint32_t w = 0; w < until.size(); ++w) {
      r.tracks.push_back("worker " + std::to_string(w));
      r.lanes.push_back({r.tracks.back(), w, 0});
    }
    r.labels = {{"a", "", kind::task}, {"b", "", kind::task}};
    nanoseconds busy = 0, begun = 0, ended = 0;
    std::vector<bool> used(until.size());
    for (std::uint32_t i = 0; i < 40; ++i) {
      record one;
      one.lane = static_cast<std::uint32_t>(random() % until.size());
      begun = one.start = std::max(begun, until[one.lane]) + static_cast<nanoseconds>(i == 0 ? 0 : random() % 30'000);
      one.end = until[one.lane] = one.start + 1 + static_cast<nanoseconds>(random() % 50'000);
      one.label = random() % 2;
      one.kind = kind::task;
      busy += one.end - one.start;
      ended = std::max(ended, one.end);
      used[one.lane] = true;
      if (i > 0 && random() % 3) r.edges.push_back({static_cast<std::uint32_t>(random() % i), i});
      r.records.push_back(one);
    }
    put_in_order(r);
    CHECK(find_idle(r).time == ended * std::count(used.begin(), used.end(), true) - busy);
  }
}

TEST_CASE("the overhead is the median gap before tasks that were ready in time") {
  const auto idle = find_idle(make_run({{0, 0, 10, "a"}, {0, 13, 20, "b"}, {0, 25, 30, "c"}, {0, 34, 40, "d"}}));
  CHECK(idle.overhead == 4);
}

TEST_CASE("names that differ in numbers only are of one family") {
  CHECK(family_of("tile 2,13") == "tile #,#");
  CHECK(family_of("") == "");
  const run r = make_run({{0, 0, 10, "tile 1"}, {0, 10, 30, "tile 2"}, {0, 30, 31, "end"}});
  CHECK(totals_by_name(r).size() == 3);
  const auto families = totals_by_family(r);
  REQUIRE(families.size() == 2);
  CHECK(families[0].name == "tile #");
  CHECK(families[0].total == 30);
  CHECK(families[0].shortest == 10);
  CHECK(families[0].longest == 20);
}

TEST_CASE("copies are told apart by what they move, from where to where, and the line that asked") {
  run r = make_run({{0, 0, 10, "copy of x", kind::copy}, {0, 10, 30, "copy of x", kind::copy}, {0, 30, 35, "t"}});
  r.places = {"host", "device"};
  r.records[0].from = r.records[1].place = 0;
  r.records[0].place = r.records[1].from = 1;
  r.records[0].amount = r.records[1].amount = 64;
  r.labels[0].at = "x.cpp:7";
  const auto copies = copies_by_cause(r);
  REQUIRE(copies.size() == 2);
  CHECK(copies[0].from == "device");
  CHECK(copies[0].time == 20);
  CHECK(copies[1].to == "device");
  CHECK(copies[1].at == "x.cpp:7");
  CHECK(copies[1].bytes == 64);
}

TEST_CASE("time and counts per module: what belongs to none outside the core is the core's") {
  run r = make_run(
      {{0, 0, 10, "t"}, {0, 10, 40, "t"}, {0, 40, 100, "copy of x", kind::copy}, {0, 100, 101, "w", kind::wait}});
  r.modules = {"", "disk"};
  r.records[1].module = r.records[2].module = 1;
  r.records[2].amount = 64;
  const auto modules = totals_by_module(r);
  REQUIRE(modules.size() == 3);
  CHECK(modules[0].module == "disk");
  CHECK(modules[0].kind == kind::copy);
  CHECK(modules[0].bytes == 64);
  CHECK(modules[1].module == "disk");
  CHECK(modules[1].time == 30);
  CHECK(modules[2].module == "core");
  CHECK(modules[2].count == 1);
}

TEST_CASE("the histogram of task lengths has powers of two and counts what is too fine") {
  const auto h = find_lengths(make_run({{0, 0, 1, "a"}, {0, 10, 13, "b"}, {0, 20, 23, "c"}, {0, 30, 130, "d"}}), 1);
  CHECK(h.count == 4);
  CHECK(h.too_fine == 3);
  CHECK(h.median == 3);
  REQUIRE(h.bins.size() == 7);
  CHECK(h.bins[0].from == 1);
  CHECK(h.bins[1].count == 2);
  CHECK(h.bins[1].below == 4);
  CHECK(h.bins[6].count == 1);
}

TEST_CASE("texts of times and shares have three digits and a unit") {
  CHECK(time_text(7) == "7 ns");
  CHECK(time_text(1250) == "1.25 us");
  CHECK(time_text(99'960'000) == "100 ms");
  CHECK(time_text(999'600) == "1.00 ms");
  CHECK(share_text(1, 8) == "12.5 %");
}

TEST_CASE("a name cannot move the cursor of a terminal, and no byte is too much for it") {
  CHECK(plain_name("a\x1b[2Jb") == "a\xef\xbf\xbd[2Jb");
  CHECK(plain_name("\xff\"\\") == "\xef\xbf\xbd\"\\");
  CHECK(plain_name("gr\xc3\xbc\xc3\x9f"
                   "e") ==
        "gr\xc3\xbc\xc3\x9f"
        "e");
  CHECK(plain_name("a\xe2\x80\xae"
                   "b\xe2\x81\xa6\xd8\x9c") ==
        "a\xef\xbf\xbd"
        "b\xef\xbf\xbd\xef\xbf\xbd");  // nor does it turn the line round
  CHECK(plain_name("\xe2\x80\x94") == "\xe2\x80\x94");
  CHECK(plain_name(std::string(500, 'x')).size() < 60);
}
