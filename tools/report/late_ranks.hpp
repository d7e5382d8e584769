// late_ranks.hpp - the ranks of an MPI program: for whom each waits and how long, and their parts of the critical path.
//
// Threads     pure.
// Cost        O(records + deliveries + pieces of the critical path), and sorting the findings.
//
// A wait is late by the time from its begin until the call that ends it: of the send, of the receive, or of the last
// rank at a collective. The rest of the wait is the way of the message and the wait for a worker.
#pragma once

#include "report/critical_path.hpp"
#include "report/rank_messages.hpp"
#include "report/recorded_run.hpp"

namespace stretto::report {

enum class lateness : std::uint8_t {
  sender,      // a receiver waits, and the send has not been called
  receiver,    // a sender waits, and the receive has not been called
  collective,  // ranks wait for the last one at a collective
};
/// "late sender", "late receiver", "late at a collective".
const char* name(lateness l) noexcept;

struct late_total {
  lateness kind = lateness::sender;
  std::string late, waiting;  // ranks
  std::string call, at;       // of the wait: "MPI_Recv", "ring.c:12"
  std::uint64_t count = 0;
  nanoseconds time = 0;
};

struct rank_time {
  std::string rank;
  nanoseconds computing = 0;  // all that is neither an access nor a wait
  nanoseconds accesses = 0;   // to windows and files
  nanoseconds message_waits = 0, receive_waits = 0, collective_waits = 0, other_waits = 0;
  nanoseconds on_path = 0;  // its part of the critical path
};

/// A part of the critical path on one rank.
struct path_step {
  std::string rank;
  nanoseconds start = 0, end = 0;
};

/// The part of the critical path that leads to a call, or in which a call waits.
struct path_call {
  bool is_wait = false;
  std::string call, at;
  std::uint64_t count = 0;
  nanoseconds time = 0;
};

struct rank_findings {
  std::vector<rank_time> ranks;  // in the order of their lanes; empty: it is no program of ranks
  std::vector<late_total> late;  // the most time first
  std::vector<path_step> steps;  // by time
  std::vector<path_call> calls;  // the most time first
  std::vector<rank_message> messages;
};

rank_findings find_late_ranks(const run& r, const critical_path& path);

}  // namespace stretto::report
