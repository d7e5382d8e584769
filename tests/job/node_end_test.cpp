// Notifications of nodes through a launcher's standard error, among the output of programs there; and labels.
#include "job/node_end.hpp"

#include <doctest/doctest.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <random>

#include "job/node_process.hpp"

namespace stretto::job {
namespace {

const node_end killed{.node = 2, .host = "alpha", .process = 4711, .how = ending::signal, .number = SIGSEGV};
const node_end failed{.node = 3,
                      .host = "beta.example",
                      .process = 12,
                      .how = ending::exit_code,
                      .number = 3,
                      .is_of_ranks = true,
                      .is_reported = true,
                      .is_in_job = true};

}  // namespace

TEST_CASE("how a node ended is told in words") {
  CHECK(to_text(killed) == "ended by signal 11 (Segmentation fault)");
  CHECK(to_text(failed) == "ended with exit code 3");
  CHECK(to_text({.how = ending::exit_code, .number = 0}) == "ended with exit code 0 before the job was over");
  CHECK(to_text({.how = ending::not_started, .number = ENOENT}) == "could not be started: No such file or directory");
}

TEST_CASE("marked lines are taken out of what programs write, wherever they stand and however they are cut") {
  const std::string whole = "begin\nno end of line" + to_line(killed) +
                            " goes on\n\x1e odd bytes \x1e\x1estretto-nod\n" + to_line(failed) + "end";
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    node_end_reader reader;
    std::string shown;
    for (std::size_t at = 0; at < whole.size();) {
      const auto bytes = std::min<std::size_t>(whole.size() - at, random() % (seed % 20 + 1) + 1);
      shown += reader.read(std::string_view(whole).substr(at, bytes));
      at += bytes;
    }
    shown += reader.rest();
    CHECK(shown == "begin\nno end of line goes on\n\x1e odd bytes \x1e\x1estretto-nod\nend");
    CHECK(reader.found == std::vector{killed, failed});
  }
}

TEST_CASE("the node that ended first is reported first, in any order of the reports") {
  node_end early = killed, late = failed;
  early.at_ns = 1'700'000'000'000'000'000, late.at_ns = early.at_ns + 1;
  node_end_reader reader;
  CHECK(reader.read(to_line(late) + to_line(early)).empty());
  order_by_cause(reader.found);
  CHECK(reader.found == std::vector{early, late});
}

TEST_CASE(
    "who aborts just before another is seen to be ended by a signal comes behind it; long before, or beside an exit "
    "code, it comes first") {
  const node_end killed{.node = 2, .host = "h", .process = 3, .how = ending::signal, .number = 9, .at_ns = 900'000'000};
  const node_end failed{
      .node = 3, .host = "h", .process = 4, .how = ending::exit_code, .number = 1, .at_ns = 950'000'000};
  node_end aborted{.node = 1, .host = "h", .process = 2, .how = ending::signal, .number = 6, .at_ns = 800'000'000};
  const auto ordered = [](std::vector<node_end> all) {
    order_by_cause(all);
    return all;
  };
  CHECK(ordered({failed, killed, aborted}) == std::vector{killed, aborted, failed});
  CHECK(ordered({failed, aborted}) == std::vector{aborted, failed});
  aborted.at_ns = -200'000'000;
  CHECK(ordered({failed, killed, aborted}) == std::vector{aborted, killed, failed});
  CHECK(ordered({}).empty());
}

TEST_CASE("a line that only begins like a marked one is shown, whole and at once when it ends") {
  node_end_reader reader;
  CHECK(reader.read("\x1estretto-node x y\n") == "\x1estretto-node x y\n");
  CHECK(reader.read("\x1estretto-node 1 2 9 3 0 h\n") == "\x1estretto-node 1 2 9 3 0 h\n");
  CHECK(reader.read("\x1estretto-node " + std::string(600, '1')) == "\x1estretto-node " + std::string(600, '1'));
  CHECK(reader.read("\x1estretto-node 1 2") == "");
  CHECK(reader.rest() == "\x1estretto-node 1 2");
  CHECK(reader.found.empty());
}

TEST_CASE("labels stand before each line, also of text that comes in pieces or has no end of line") {
  labeller lines("N1: ");
  CHECK(lines.add("a\nb") == "N1: a\n");
  CHECK(lines.add("c\n\n") == "N1: bc\nN1: \n");
  CHECK(lines.add("end").empty());
  CHECK(lines.rest() == "N1: end\n");
  CHECK(lines.rest().empty());
  const std::string longest(100'000, 'x');
  std::string shown = lines.add(longest);
  CHECK(shown.starts_with("N1: x"));
  shown += lines.rest();
  CHECK(std::count(shown.begin(), shown.end(), 'x') == 100'000);
}

}  // namespace stretto::job
