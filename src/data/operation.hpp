// operation.hpp - deferred copies, fills, gathers, scatters and reductions between instances, each with its event.
//
// Threads     submit: any thread of the runtime. A small body runs on the thread that ends the last precondition, a
//             larger one as tasks, whose parts run at the same time.
// Cost        a small operation without pending preconditions runs in the call and makes no event. A deferred one takes
//             one pooled block and one event.
// Invariants  (1) errors that the call can detect are thrown there. (2) later errors poison the event: nothing is
//             written after a precondition has failed.
#pragma once

#include <memory>
#include <optional>

#include "data/data_state.hpp"
#include "data/deferred.hpp"
#include "data/operation_request.hpp"
#include "data/update_queue.hpp"
#include "sched/profile_state.hpp"

namespace stretto::data {

/// True if an operation of this size on these instances has nothing pending or poisoned to wait for, and loads and
/// stores can do it: then the caller may do it in the call, without a request.
bool runs_at_once(std::span<const detail::instance_handle> used, std::uint64_t bytes, const preconditions& after,
                  base::thread_context& context);

/// Runs the operation, now or later. `after` is used during the call only.
enum class followed : bool { no, yes };  // by the checks of STRETTO_CHECK=1
event submit(operation_request&& request, const preconditions& after, base::thread_context& context,
             followed how = followed::yes);
/// Runs it again. Throws D08 if its instances have been destroyed meanwhile.
event submit_again(const operation_request& request, base::thread_context& context);

struct operation final : deferred {
  explicit operation(operation_request&& r);

  /// The turn of an operation that updates its target.
  struct update_turn : update_queue::turn {
    explicit update_turn(operation& o) noexcept;
    operation& owner;
    bool had_to_wait = false;
  };

  struct part_item : places::work_item {
    part_item() noexcept;
    operation* owner = nullptr;
    unsigned part = 0;
  };

  operation_request request;
  event done;
  part_item whole;                     // of an operation in one part
  std::unique_ptr<part_item[]> items;  // of one in several
  std::optional<update_turn> turn;     // set when it is requested
  unsigned parts = 1;
  std::atomic<unsigned> parts_left{1};
  std::atomic<const failure*> failed{nullptr};
  std::unique_ptr<sched::profile_state> profile;  // if a profile was requested
  unsigned hops = 1;                              // from memory to memory
  bool is_reported_by_owner = false;              // failures are reported by the owner of the data
  std::shared_ptr<const void> counted;            // of a copy in global memory, which other nodes may slow down
  std::uint64_t order = 0;                        // node in the order check, if accesses are checked
};

/// Frees the bare instances of an operation that was not submitted, or has ended.
void free_ends(const operation_request& r, base::thread_context& context) noexcept;
/// Ends its event and frees it.
void finish(operation& op, failure_ref cause, base::thread_context& context) noexcept;
/// The exception being handled, as the cause of a poisoned event.
failure_ref current_failure(const operation_request& r);

}  // namespace stretto::data
