// call_record.hpp - the call of MPI in which a rank is: what reports of hangs and crashes say about it.
//
// A record lies on the stack of the function of MPI. The thread that calls it finds it in `innermost_call`; when the
// rank suspends, the record stays with the rank (rank::blocked_call).
//
// Threads     a record belongs to its thread. The monitor reads it while the rank is suspended.
// Cost        some stores for each call; nothing is computed ahead of a report.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stretto::ranks {

class request;
class communicator;
struct rank_state;
struct call_record;

/// The arguments of a call, for a report.
struct call_text {
  std::string arguments;                 // "from rank 1, tag 7, 4 of MPI_INT, MPI_COMM_WORLD"
  std::vector<const request*> requests;  // those for which the call waits, if it waits for several
};

/// How a call describes its arguments.
struct call_details {
  void (*describe)(const void* arguments, rank_state& of, call_text& text) = nullptr;
  const void* arguments = nullptr;
};

struct call_record {
  const char* name;          // "MPI_Recv"
  const void* frame;         // of the function that made the record, or of one that called that
  const call_record* outer;  // a function of the program that MPI has called may call MPI
  call_details details;
};

/// Of this thread; null outside of MPI.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local const call_record* innermost_call;

/// Makes the record of a call while it lives. The functions between it and the program need frame pointers.
class call_scope {
 public:
  [[gnu::always_inline]] call_scope(const char* name, const call_details& details)
      : record_{name, __builtin_frame_address(0), innermost_call, details} {
    innermost_call = &record_;
  }
  call_scope(const call_scope&) = delete;
  [[gnu::always_inline]] ~call_scope() { innermost_call = record_.outer; }

 private:
  const call_record record_;
};

/// The address in the program to which the call returns; null if it is unknown. The call may be one of another thread.
const void* return_address_of(const call_record& call);
/// The same for a call of the calling thread, whose stack needs no check: without a system call.
const void* own_return_address(const call_record& call);

}  // namespace stretto::ranks
