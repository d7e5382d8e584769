// report_test.cpp - what the demonstration says, word for word.
#include <doctest/doctest.h>

#include <stretto/error.hpp>

#include "demo/uts/report.hpp"

namespace {

template <class Work>
std::string message_of(Work&& work) {
  try {
    work();
  } catch (const stretto::error& e) {
    return e.what();
  }
  return "nothing was thrown";
}

}  // namespace

TEST_CASE("a report shows counts beside the published ones, speeds, and the share of each worker") {
  const uts::report r{.tree = uts::tree_named("T1"),
                      .by_worker = {{4000000, 3300000, 10}, {130071, 5118, 9}},
                      .seconds = 0.25,
                      .serial_seconds = 0.4};
  CHECK(uts::to_text(r) ==
        "tree T1               found     published\n"
        "nodes               4130071       4130071\n"
        "leaves              3305118       3305118\n"
        "depth                    10            10\n"
        "\n"
        "0.250 s: 16.52 million nodes/s on 2 workers\n"
        "0.400 s: 10.33 million nodes/s by a serial search\n"
        "each worker is 0.80 times as fast as the serial search\n"
        "\n"
        "worker                nodes         share\n"
        "0                   4000000        96.9 %\n"
        "1                    130071         3.1 %\n");
}

TEST_CASE("of several nodes each worker is shown with its node, and what nodes gave to others") {
  const uts::report r{.tree = uts::tree_named("T1"),
                      .by_worker = {{2000000, 1, 10}, {2000000, 1, 10}, {130071, 1, 9}},
                      .seconds = 0.25,
                      .serial_seconds = 0.4,
                      .workers = {2, 1},
                      .given = {7, 0}};
  const auto text = uts::to_text(r);
  CHECK(text.find("0.250 s: 16.52 million nodes/s on 3 workers of 2 nodes\n") != std::string::npos);
  CHECK(text.find("N0 worker 1         2000000        48.4 %\nN1 worker 0          130071         3.1 %\n") !=
        std::string::npos);
  CHECK(text.ends_with("\nnode 0 gave 7 stacks to others\nnode 1 gave 0 stacks to others\n"));
}

TEST_CASE("a count that the literature does not give is shown as a dash and not checked") {
  const auto& t = uts::tree_named("T3XXL");
  const uts::report r{.tree = t, .by_worker = {{2793220501, 7, 3}}, .seconds = 1, .serial_seconds = 1};
  CHECK(uts::to_text(r).find("leaves                    7             -\n") != std::string::npos);
  CHECK_NOTHROW(uts::check(t, r.by_worker[0]));
}

TEST_CASE("a wrong count is an error with both numbers") {
  CHECK(message_of([] { uts::check(uts::tree_named("T1"), {4130070, 3305118, 10}); }) ==
        "error W31: the search of tree T1 found 4130070 nodes, and 4130071 are published\n"
        "  difference  -1\n"
        "  because     a search visits every node exactly once\n"
        "  try         this is a fault of Stretto: please report it with the command line");
  CHECK(message_of([] { uts::check(uts::tree_named("T1"), {4130071, 3305119, 10}); }).find("3305119 leaves") !=
        std::string::npos);
  CHECK(message_of([] {
          uts::check(uts::tree_named("T1"), {4130071, 3305118, 9});
        }).find("9 levels below the root, and 10 are published") != std::string::npos);
}

TEST_CASE("an unknown tree is an error with the nearest name, or all names") {
  CHECK(message_of([] { uts::tree_named("T3XX"); }) ==
        "error W30: there is no published tree \"T3XX\"\n"
        "  try         did you mean \"T3XXL\"?");
  CHECK(message_of([] { uts::tree_named("balanced"); }) ==
        "error W30: there is no published tree \"balanced\"\n"
        "  try         one of T1, T2, T3, T4, T5, T1L, T2L, T3L, T1XL, T1XXL, T3XXL");
}
