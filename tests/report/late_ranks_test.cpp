#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "report/analysis.hpp"
#include "report/arrows.hpp"
#include "report/late_ranks.hpp"
#include "report/rank_messages.hpp"
#include "report/rank_wait_kinds.hpp"

using namespace stretto::report;

namespace {

/// Ranks as the reader makes them of a file.
class ranks_run {
 public:
  explicit ranks_run(std::uint32_t ranks) {
    for (std::uint32_t i = 0; i < ranks; ++i) {
      r_.tracks.push_back("rank " + std::to_string(i));
      r_.lanes.push_back({r_.tracks.back(), i, 0});
    }
  }
  /// The rank's program runs until the call.
  ranks_run& runs(std::uint32_t rank, nanoseconds start, nanoseconds end, const char* call, std::uint64_t id,
                  std::uint64_t cause = 0) {
    return add(rank, start, end, std::string("until ") + call, kind::task, id, cause);
  }
  ranks_run& waits(std::uint32_t rank, nanoseconds start, nanoseconds end, const char* call, std::uint64_t cause) {
    return add(rank, start, end, call, kind::wait, 0, cause);
  }
  ranks_run& accesses(std::uint32_t rank, nanoseconds start, nanoseconds end, const char* call, std::uint64_t id) {
    return add(rank, start, end, call, kind::copy, id, 0);
  }
  ranks_run& delivers(std::uint32_t to, nanoseconds at, std::uint64_t sent, std::uint64_t received) {
    r_.deliveries.push_back({at, sent, received, 8, 0, to});
    return *this;
  }
  run made() {
    classify_rank_waits(r_);
    r_.edges = edges_of_causes(r_);
    add_rank_edges(r_);
    put_in_order(r_);
    return r_;
  }

 private:
  ranks_run& add(std::uint32_t rank, nanoseconds start, nanoseconds end, const std::string& name, kind k,
                 std::uint64_t id, std::uint64_t cause) {
    record one;
    one.start = start;
    one.end = end;
    one.id = id;
    one.cause = cause;
    one.lane = rank;
    one.kind = k;
    one.label = static_cast<std::uint32_t>(r_.labels.size());
    r_.labels.push_back({name, "a.c:" + std::to_string(r_.labels.size()), k});
    r_.records.push_back(one);
    return *this;
  }

  run r_;
};

rank_findings findings(const run& r) { return find_late_ranks(r, find_critical_path(r)); }

// Rank 1 waits from 10 until 110 for a message that rank 0 sends at 100.
ranks_run late_sender() {
  return ranks_run(2)
      .runs(0, 0, 100, "MPI_Send(to rank 1)", 1)
      .runs(0, 100, 150, "the end", 2)
      .runs(1, 0, 10, "MPI_Recv(from rank 0)", 3)
      .waits(1, 10, 110, "MPI_Recv(from rank 0)", 1)
      .runs(1, 110, 200, "the end", 4, 1)
      .delivers(1, 100, 1, 3);
}

}  // namespace

TEST_CASE("a receiver that waits ahead of the send waits for a late sender until the call") {
  const auto found = findings(late_sender().made());
  REQUIRE(found.late.size() == 1);
  const late_total& one = found.late[0];
  CHECK(one.kind == lateness::sender);
  CHECK(one.late == "rank 0");
  CHECK(one.waiting == "rank 1");
  CHECK(one.call == "MPI_Recv");
  CHECK(one.at == "a.c:3");
  CHECK(one.time == 90);
  REQUIRE(found.messages.size() == 1);
  CHECK(found.messages[0].from_lane == 0);
  CHECK(found.messages[0].to_lane == 1);
  CHECK(found.messages[0].sent == 100);
  CHECK(found.messages[0].arrived == 110);
}

TEST_CASE("the critical path goes from a wait to the rank that ended it") {
  const auto found = findings(late_sender().made());
  REQUIRE(found.steps.size() == 2);
  CHECK(found.steps[0].rank == "rank 0");
  CHECK(found.steps[0].end == 100);
  CHECK(found.steps[1].rank == "rank 1");
  CHECK(found.steps[1].end == 200);
  REQUIRE(found.ranks.size() == 2);
  CHECK(found.ranks[0].on_path == 100);
  CHECK(found.ranks[1].on_path == 100);
  CHECK(found.ranks[0].computing == 150);
  CHECK(found.ranks[1].computing == 100);
  CHECK(found.ranks[1].message_waits == 100);
  const auto wait = std::find_if(found.calls.begin(), found.calls.end(), [](const auto& c) { return c.is_wait; });
  REQUIRE(wait != found.calls.end());
  CHECK(wait->call == "MPI_Recv");
  CHECK(wait->time == 10);
  CHECK(found.calls[0].call == "MPI_Send");
}

TEST_CASE("the spans of a rank follow each other, and no change of its grain is proposed") {
  const run r = late_sender().made();
  CHECK(find_critical_path(r).longest_chain == 190);
  for (const suggestion& one : find_advice(r).suggestions) {
    CAPTURE(one.change);
    CHECK(one.change.find("twice as fast") != std::string::npos);
  }
}

TEST_CASE("no rank is late for a message that was sent before its receiver waits") {
  const run r = ranks_run(2)
                    .runs(0, 0, 5, "MPI_Send(to rank 1)", 1)
                    .runs(0, 5, 50, "the end", 2)
                    .runs(1, 0, 10, "MPI_Recv(from rank 0)", 3)
                    .waits(1, 10, 30, "MPI_Recv(from rank 0)", 1)
                    .runs(1, 30, 60, "the end", 4, 1)
                    .delivers(1, 30, 1, 3)
                    .made();
  CHECK(findings(r).late.empty());
}

TEST_CASE("a sender that waits ahead of the receive waits for a late receiver, on this node and on another") {
  // On one node the wait names the call that received, on another node its own message.
  for (const std::uint64_t cause : {3u, 1u}) {
    const run r = ranks_run(2)
                      .runs(0, 0, 10, "MPI_Ssend(to rank 1)", 1)
                      .waits(0, 10, 120, "MPI_Ssend(to rank 1)", cause)
                      .runs(0, 120, 130, "the end", 2, cause)
                      .runs(1, 0, 100, "MPI_Recv(from rank 0)", 3)
                      .runs(1, 100, 110, "the end", 4)
                      .delivers(1, 100, 1, 3)
                      .made();
    const auto found = findings(r);
    REQUIRE(found.late.size() == 1);
    CHECK(found.late[0].kind == lateness::receiver);
    CHECK(found.late[0].late == "rank 1");
    CHECK(found.late[0].waiting == "rank 0");
    CHECK(found.late[0].time == 90);
    REQUIRE(found.steps.size() == 2);
    CHECK(found.steps[0].rank == "rank 1");
    CHECK(found.ranks[0].receive_waits == 110);
  }
}

TEST_CASE("the last rank at a collective is late for all others") {
  const run r = ranks_run(3)
                    .runs(0, 0, 10, "MPI_Barrier(MPI_COMM_WORLD)", 1)
                    .waits(0, 10, 52, "MPI_Barrier(MPI_COMM_WORLD)", 3)
                    .runs(0, 52, 60, "the end", 4, 3)
                    .runs(1, 0, 20, "MPI_Barrier(MPI_COMM_WORLD)", 2)
                    .waits(1, 20, 53, "MPI_Barrier(MPI_COMM_WORLD)", 3)
                    .runs(1, 53, 60, "the end", 5, 3)
                    .runs(2, 0, 50, "MPI_Barrier(MPI_COMM_WORLD)", 3)
                    .runs(2, 50, 60, "the end", 6)
                    .made();
  const auto found = findings(r);
  REQUIRE(found.late.size() == 2);
  CHECK(found.late[0].kind == lateness::collective);
  CHECK(found.late[0].late == "rank 2");
  CHECK(found.late[0].waiting == "rank 0");
  CHECK(found.late[0].time == 40);
  CHECK(found.late[1].time == 30);
  CHECK(found.ranks[0].collective_waits == 42);
}

TEST_CASE("waits for locks, and waits that nobody is known to end, are waits of no kind") {
  const run r = ranks_run(2)
                    .waits(0, 0, 10, "MPI_Win_lock(rank 1)", 7)
                    .waits(0, 10, 20, "a wait outside of MPI", 7)
                    .waits(0, 20, 30, "MPI_Wait(1 request)", 0)
                    .runs(0, 30, 40, "the end", 1)
                    .runs(1, 0, 10, "the end", 7)
                    .made();
  const auto found = findings(r);
  CHECK(found.late.empty());
  CHECK(found.ranks[0].other_waits == 30);
  for (const record& one : r.records) CHECK(r.labels[one.label].kind == one.kind);
}

TEST_CASE("accesses to windows and files are apart from computing, and threads of a rank are ranks of the report") {
  run r = ranks_run(1)
              .runs(0, 0, 10, "MPI_Put(to rank 1)", 1)
              .accesses(0, 10, 14, "MPI_Put(to rank 1)", 2)
              .runs(0, 14, 20, "the end", 3)
              .made();
  const auto found = findings(r);
  CHECK(found.ranks[0].computing == 16);
  CHECK(found.ranks[0].accesses == 4);
  CHECK(found.ranks[0].on_path == 20);
  CHECK(is_rank_track("rank 0, thread 1"));
}

TEST_CASE("a run without ranks has no findings of ranks") {
  run r;
  r.tracks = {"worker 0"};
  r.lanes = {{"worker 0", 0, 0}};
  r.labels = {{"blur", "", kind::task}};
  record one;
  one.end = 10;
  one.kind = kind::task;
  r.records = {one};
  put_in_order(r);
  CHECK(findings(r).ranks.empty());
  CHECK(to_text(r, analyse(r)).find("rank") == std::string::npos);
}
