#include "diagnose/rank_hang_report.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "diagnose/hang_report.hpp"
#include "diagnose/merged_snapshot.hpp"

using namespace stretto::diagnose;
using stretto::base::wait_kind;
using stretto::base::wait_node;
using stretto::base::wait_snapshot;

namespace {

wait_node rank(int number, const char* waits_at, std::vector<std::uint32_t> waits_for = {}) {
  wait_node n;
  n.kind = wait_kind::rank;
  n.name = n.everywhere = "rank " + std::to_string(number);
  n.waits_at = waits_at;
  n.is_end = n.waits_at.empty();
  n.waits_for = std::move(waits_for);
  return n;
}

wait_snapshot stopped(std::vector<wait_node> nodes) {
  wait_snapshot s;
  s.is_proven = true;
  s.nodes = std::move(nodes);
  return s;
}

const char* const reason =
    "  because     all threads of this process sleep, and no rank has a message that another waits for\n";

}  // namespace

TEST_CASE("ranks that wait for each other are reported with their calls, those in equal calls on one line") {
  const auto s = stopped({rank(0, "a.c:1 in MPI_Recv(from rank 1)", {1}), rank(1, "a.c:2 in MPI_Barrier(world)", {0}),
                          rank(2, "a.c:2 in MPI_Barrier(world)", {1}), rank(3, "a.c:2 in MPI_Barrier(world)", {2})});
  CHECK(report_text(s) == std::string("error R10: 2 ranks wait for each other\n"
                                      "  rank 0      waits at a.c:1 in MPI_Recv(from rank 1)\n"
                                      "  ranks 1-3   wait at a.c:2 in MPI_Barrier(world)\n"
                                      "  cycle       rank 0 waits for rank 1, which waits for rank 0\n") +
                              reason +
                              "  try         look for the send, the receive or the collective that has no partner");
}

TEST_CASE("a rank that has ended is named as the cause") {
  const auto s = stopped({rank(0, "main, a+0x12 in MPI_Recv(from rank 1)", {1}), rank(1, "")});
  CHECK(report_text(s) == std::string("error R10: ranks wait for rank 1, which has ended\n"
                                      "  rank 0      waits at main, a+0x12 in MPI_Recv(from rank 1)\n"
                                      "  rank 1      has ended\n") +
                              reason + "  try         compile the program with -g: then the report names the lines");
}

TEST_CASE("without ranks there is no report of ranks") {
  wait_node task;
  task.kind = wait_kind::task;
  task.name = "task";
  CHECK(!rank_report_of(stopped({task}), {}));
  CHECK(!rank_report_of(stopped({rank(0, "")}), {}));
}

TEST_CASE("a cycle of ranks is followed across nodes") {
  std::vector<wait_snapshot> nodes{stopped({rank(0, "a.c:1 in MPI_Recv(from rank 1)", {1}), {}}),
                                   stopped({rank(1, "a.c:1 in MPI_Recv(from rank 0)", {1}), {}})};
  nodes[0].nodes[1].everywhere = "rank 1";
  nodes[1].nodes[1].everywhere = "rank 0";
  nodes[1].node = 1;
  auto merged = merge_snapshots(nodes);
  merged.is_proven = true;
  const auto report = report_text(merged);
  CHECK(report.find("error R10: 2 ranks wait for each other\n") == 0);
  CHECK(report.find("  because     all threads of all 2 nodes sleep, and no message is in flight\n") != report.npos);
}
