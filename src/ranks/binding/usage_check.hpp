// usage_check.hpp - STRETTO_CHECK=1 for MPI: finds erroneous use that MPI itself does not notice, and names the lines.
//
// Types and counts of messages that differ from their receives (R11, R12), collectives that differ from rank to rank
// (R13), objects that are never freed (R14), send buffers that change while a send is pending (R15), and pending
// receives whose buffers overlap others (R16). `window_check` has accesses to windows (R17, R18).
//
// Threads     any thread of a rank.
// Cost        nothing but a load and a branch unless it is on; then a text for each call, and a hash of what
//             non-blocking sends send.
// Invariants  a program goes on after a report. Each report is printed once, however many ranks cause it.
#pragma once

#include <vector>

#include "ranks/binding/call_texts.hpp"
#include "ranks/messages/request.hpp"

namespace stretto::ranks::usage_check {

/// Whether STRETTO_CHECK is 1; set by start().
inline constinit bool is_on = false;

/// Ahead of the first call of MPI.
void start();

enum class object_kind { request, communicator, datatype };

// For the call in which the thread is.
void made(const void* object, object_kind kind);
void freed(const void* object);
/// The same, of a request, whose buffer is watched until it is complete.
void made_request(const request& r);
/// Reports what the calling rank has not freed.
void report_leaks();

/// A call that may complete and free requests.
class requests_in_call {
 public:
  requests_in_call(const MPI_Request* handles, int count) {
    if (is_on && handles && count > 0) [[unlikely]]
      handles_ = handles, before_.assign(handles, handles + count);
  }
  requests_in_call(const requests_in_call&) = delete;
  ~requests_in_call() {
    if (handles_) [[unlikely]]
      compare();
  }

 private:
  void compare() const;

  const MPI_Request* handles_ = nullptr;
  std::vector<MPI_Request> before_;
};

}  // namespace stretto::ranks::usage_check
