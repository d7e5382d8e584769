// request_set.hpp - waits for and tests of several requests, as MPI's calls on arrays of requests do them.
//
// An element that names no request, or an inactive one, is ignored. The request of an operation that has completed is
// freed and its element set to no_request(); a persistent one becomes inactive.
//
// Threads     a request may be in one call at a time. Waits need a task or an attached thread of a runtime.
// Cost        tests: one load for each request. wait_any: O(requests), no heap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <source_location>
#include <span>

#include "ranks/messages/request.hpp"

namespace stretto::ranks {

/// The value of MPI_REQUEST_NULL. Handles below 4096 are predefined: none of them is a request.
inline request* no_request() { return reinterpret_cast<request*>(std::uintptr_t{0x180}); }
inline bool is_request(const request* r) { return reinterpret_cast<std::uintptr_t>(r) >= 4096; }
inline bool is_active(const request* r) { return is_request(r) && r->is_active(); }

/// The result of a call on one of several requests: of `index`, which is no_index if none was active.
struct completed_request {
  static constexpr std::size_t no_index = ~std::size_t{0};
  std::size_t index = no_index;
  message_status status;
};

/// Element i gets the status of request i; empty, as MPI_STATUSES_IGNORE, if the caller wants none.
using status_list = std::span<message_status>;

/// The status is empty if the request is not active.
message_status wait_one(request*& r, const std::source_location& where = std::source_location::current());
std::optional<message_status> test_one(request*& r);
/// The status of a done request, which remains as it is (MPI_Request_get_status).
std::optional<message_status> status_of_done(request* r);

/// True if all went well; else some status has an error.
bool wait_all(std::span<request*> requests, status_list statuses,
              const std::source_location& where = std::source_location::current());
/// Nothing if a request is not done: then all remain as they are.
std::optional<bool> test_all(std::span<request*> requests, status_list statuses);

completed_request wait_any(std::span<request*> requests,
                           const std::source_location& where = std::source_location::current());
std::optional<completed_request> test_any(std::span<request*> requests);

/// How many requests a call completed. `active` is false if none was active.
struct completed_count {
  std::size_t count = 0;
  bool any_active = false;
  bool all_well = true;
};
/// Completes all requests that are done, the first at the lowest index. `indices` and `statuses` get an element for
/// each.
completed_count test_some(std::span<request*> requests, std::span<int> indices, status_list statuses);
/// The same, once at least one is done.
completed_count wait_some(std::span<request*> requests, std::span<int> indices, status_list statuses,
                          const std::source_location& where = std::source_location::current());

/// Returns when one of the active requests is done, at once if none is active.
void wait_until_any(std::span<request*> requests, const std::source_location& where);

}  // namespace stretto::ranks
