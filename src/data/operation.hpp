// operation.hpp - copies, fills, gathers, scatters and reductions between instances, each with its event.
//
// Threads     submit: any thread of the runtime. Bodies run where the last precondition ended if they are small,
//             else as tasks; parts of one operation run at the same time.
// Cost        a small operation with nothing to wait for runs in the call and makes no event. A deferred one takes
//             one pooled block and one event.
// Invariants  (1) everything that the call can know to be wrong throws there. (2) what goes wrong later poisons
//             the event: nothing is written after a failure of a precondition.
#pragma once

#include <memory>
#include <optional>

#include "data/data_state.hpp"
#include "data/deferred.hpp"
#include "data/operation_request.hpp"
#include "data/update_queue.hpp"
#include "sched/profile_state.hpp"

namespace stretto::data {

/// True if an operation of this size on these instances has nothing to wait for, nothing is poisoned, and the
/// processor's own loads and stores do it: then the caller may do it in the call, without a request.
bool runs_at_once(std::span<const detail::instance_handle> used, std::uint64_t bytes, const preconditions& after,
                  base::thread_context& context);

/// Runs it, now or later. `after` is looked at during the call only.
enum class followed : bool { no, yes };  // by the checks of STRETTO_CHECK=1
event submit(operation_request&& request, const preconditions& after, base::thread_context& context,
             followed how = followed::yes);
/// Runs it once more, though its instances may have been destroyed meanwhile: throws D08.
event submit_again(const operation_request& request, base::thread_context& context);

struct operation final : deferred {
  explicit operation(operation_request&& r);

  /// Of one that updates what it writes.
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
  part_item whole;                      // of an operation in one part
  std::unique_ptr<part_item[]> items;   // of one in several
  std::optional<update_turn> turn;      // from when it asks for it
  unsigned parts = 1;
  std::atomic<unsigned> parts_left{1};
  std::atomic<const failure*> failed{nullptr};
  std::unique_ptr<sched::profile_state> profile;  // if someone asked
  unsigned hops = 1;                    // from memory to memory
  bool is_told_by_owner = false;        // should it fail
  std::shared_ptr<const void> counted;  // of a copy in the memory of all nodes, which others may be slow with
  std::uint64_t order = 0;              // the check's name for it, if checks are made
};

/// The bare instances of an operation that is not submitted, or has ended.
void free_ends(const operation_request& r, base::thread_context& context) noexcept;
/// Ends its event and frees it.
void finish(operation& op, failure_ref cause, base::thread_context& context) noexcept;
/// What is being handled, as the cause of a poisoned event.
failure_ref current_failure(const operation_request& r);

}  // namespace stretto::data
