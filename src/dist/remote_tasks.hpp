// remote_tasks.hpp - tasks on other nodes: this node sends a call; the other node runs it in a finish of its own and
// replies.
//
// The calling node keeps a task record, which belongs to the future, and counts it in the caller's finish. The other
// node runs the function as a task that waits for what it has spawned, and so on for further nodes. So a finish over
// several nodes ends like one within a node, without counting messages. The value is sent as soon as the function
// returns; the end of all that it has spawned is sent with the value or later.
//
// Messages    run; its reply is value_and_end if all that the function has spawned has ended, else value, and end
//             later. place: as run, but first places the objects in the message; the function may be missing. cancel;
//             its reply is cancelled, with the result.
// Threads     spawn: any of the runtime. The rest inside job::poll, and in tasks.
// Invariants  (1) each record ends once: by its reply, or by the failure of the node that was to reply
//             (remote_calls.hpp).
#pragma once

#include <stretto/remote.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/spin_lock.hpp"
#include "base/wait_snapshot.hpp"
#include "dist/job.hpp"
#include "dist/ordered_messages.hpp"
#include "dist/pending_call.hpp"
#include "dist/remote_calls.hpp"
#include "dist/task_messages.hpp"
#include "sched/profile_state.hpp"

namespace stretto::dist {

class remote_tasks final : public protocol {
 public:
  /// Must be made before job::start. If the runtime is not part of a job, all arguments are null, and functions run
  /// here.
  explicit remote_tasks(job* j, ordered_messages* ordered = nullptr);

  sched::task_record& spawn(const detail::remote_request& request, const detail::remote_function_type& function,
                            const detail::parcel& arguments, std::size_t value_bytes, const detail::task_type& type,
                            detail::value_reader read, const std::source_location& where);
  /// The same, after the object floor of that node has placed what `first` describes (data::shared_arrays::place).
  /// Placements of one node are made in the order of its calls. If `function` is null, the reply says that the
  /// placement is done.
  sched::task_record& place(const detail::remote_request& request, const detail::parcel& first,
                            const detail::remote_function_type* function, const detail::parcel& arguments,
                            std::size_t value_bytes, const detail::task_type& type, detail::value_reader read,
                            const std::source_location& where);

  void lost(rank node, base::thread_context& context) noexcept override;
  /// `record` must be that of a call. True if the function will not run because of this call.
  bool cancel(const sched::task_record& record, const std::source_location& where);

  /// For hang reports: adds what waits for calls to other nodes.
  void add_pending_calls(base::wait_walk& walk);
  /// For hang reports: names the tasks of the walk that run calls of other nodes.
  void name_running_calls(base::wait_walk& walk) const;

  /// The number of calls from this node that have not ended.
  std::size_t calls_in_flight() const noexcept { return calls_in_flight_.load(std::memory_order_acquire); }

 private:
  /// A call, on the calling node.
  struct remote_call : pending_call {
    rank of = 0;
    std::vector<std::shared_ptr<const void>> along = {};  // attachments of the arguments, until the value arrives
    std::shared_ptr<sched::profile_state> profile = {};   // null unless a profile was requested
    back_pressure::share memory = {};                     // of a put or a buffer: its message and records there

    /// For the end, the scope is left.
    remote_call take_value() {
      remote_call whole = std::move(*this);
      record = nullptr;
      return whole;
    }
  };
  struct request;
  struct new_call;
  /// A task that runs a call. It is in the list of tasks that may be cancelled until its body is destroyed.
  struct cancellable_task {
    remote_tasks* in = nullptr;  // null: not in the list
    rank from = 0;
    call_number id = {};
    future<void> task = {};
    cancellable_task *before = nullptr, *next = nullptr;

    cancellable_task() = default;
    cancellable_task(cancellable_task&&) noexcept {}  // only before it is in the list
    ~cancellable_task() {
      if (in) in->unlist(*this);
    }
  };
  /// A cancel request that waits for the reply.
  struct pending_cancel {
    rank of = 0;
    call_number id = {};  // of the call; 0: none
    std::source_location where = {};
    user_event replied = {};
    std::atomic<bool> is_withdrawn{false};
  };
  /// The profile of a function; nothing if it did not run or no profile was requested.
  using task_times = std::optional<sched::measured_elsewhere>;

  /// Makes the record that replies will end.
  new_call register_call(const detail::remote_request& request, std::vector<std::shared_ptr<const void>>&& along,
                         std::size_t value_bytes, const detail::task_type& type, detail::value_reader read,
                         const std::source_location& where);
  request request_from(rank from, const call_fields& call);
  void require_function(const request& r) const;
  /// Keeps the arguments. If there is no memory for them, replies with that failure and returns false.
  bool keep(request& r, std::span<const std::byte> arguments);
  void on_start(rank from, const call_start& m, base::thread_context& context);
  void on_placement(rank from, const call_placement& m, base::thread_context& context);
  /// This node has no memory for the message: replies with that failure.
  template <class M>
  void on_refused_call(rank from, const M& prefix, failure_ref cause, base::thread_context& context);
  void place_here(request&& r, std::span<const std::byte> first, base::thread_context& context);
  template <reply_stage what>
  void on_reply(rank from, const call_reply<what>& m, base::thread_context& context);
  template <reply_stage what>
  void on_refused_reply(rank from, const call_reply<what>& prefix, failure_ref cause, base::thread_context& context);

  static request request_of(remote_tasks* at, const new_call& a, const detail::remote_request& asked_for,
                            const detail::remote_function_type* function, const detail::parcel& arguments,
                            const std::source_location& where);
  void start(request&& r);
  static void run(const request& r);
  void reply(rank to, reply_stage what, call_number id, const failure_ref& cause, const task_times& took = {},
             detail::parcel&& value = {});
  /// Replies that the call could not be started, because of `cause`.
  void refuse(rank to, call_number id, const failure_ref& cause) {
    reply(to, reply_stage::value_and_end, id, cause, sched::measured_elsewhere());
  }
  void complete_call(reply_stage what, call_number id, failure_ref cause, const task_times& took,
                     std::span<const std::byte> value, base::thread_context& context);
  void end_all(const remote_call& a, const failure_ref& cause, base::thread_context& context);
  void list(cancellable_task& s, rank from, call_number id, future<void>&& task) noexcept;
  void unlist(cancellable_task& s) noexcept;
  bool withdraw(rank from, call_number id, const std::source_location& where, base::thread_context& context);
  void complete_cancelled_call(call_number id, const std::source_location& where, base::thread_context& context);
  void end_cancel(pending_cancel& c, bool is_withdrawn, base::thread_context& context);
  void on_cancellation(rank from, const call_cancellation& m, base::thread_context& context);
  void on_cancelled(rank from, const call_cancelled& m, base::thread_context& context);

  job* const job_;
  ordered_messages* const ordered_;
  base::spin_lock list_lock_;  // guards first_
  cancellable_task* first_ = nullptr;
  remote_calls<remote_call> calls_;
  remote_calls<std::shared_ptr<pending_cancel>> cancels_;
  std::atomic<std::size_t> calls_in_flight_{0};
};

}  // namespace stretto::dist
