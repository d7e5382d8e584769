// remote_tasks.hpp - tasks on other nodes: asked for, run in a finish of their own there, answered.
//
// The node that asks keeps a record, which is its future's, and counts it in the caller's finish. The other node runs the function
// as a task that waits for what it has spawned, and so on further away: a finish over nodes ends as one within a node does,
// without a count of messages. The value goes back as soon as there is one; that all has ended, with it or later.
//
// Messages    run; value, or value and end in one where the function left nothing behind; else end later. place: as run,
//             of a function that runs behind what the message itself brings, or of none. cancel; cancelled, with what
//             came of it.
// Threads     spawn: any of the runtime. The rest inside job::poll, and on tasks.
// Invariants  (1) each record ends once: by its answer, or by the loss of the node that was to give it.
#pragma once

#include <stretto/remote.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/spin_lock.hpp"
#include "base/wait_snapshot.hpp"
#include "dist/answered.hpp"
#include "dist/failures.hpp"
#include "dist/in_order.hpp"
#include "dist/job.hpp"
#include "sched/profile_state.hpp"

namespace stretto::dist {

class remote_tasks final : public protocol {
 public:
  /// Before job::start. Both null in a runtime that is alone: functions then run here.
  remote_tasks(job* j, failures* causes, in_order* ordered = nullptr);

  sched::task_record& spawn(const detail::remote_request& request, const detail::remote_function_type& function,
                            const detail::parcel& arguments, std::size_t value_bytes, const detail::task_type& type,
                            detail::value_reader read, const std::source_location& where);
  /// The same behind what `first` asks the floor of objects there to do (data::shared_arrays::place): in the order in which each
  /// node asks. `function` null: the answer says that it is done.
  sched::task_record& place(const detail::remote_request& request, const detail::parcel& first,
                            const detail::remote_function_type* function, const detail::parcel& arguments, std::size_t value_bytes,
                            const detail::task_type& type, detail::value_reader read, const std::source_location& where);

  void lost(rank node, base::thread_context& context) noexcept override;
  /// Of a call's record: whether the function will not run, because of this.
  bool cancel(const sched::task_record& record, const std::source_location& where);

  /// For reports: what waits for tasks that other nodes have been asked for.
  void tell_asked(base::wait_walk& walk);
  /// And, of the tasks in the walk, which are those that others have asked for.
  void tell_asked_for(base::wait_walk& walk) const;

  /// That were asked for here and have not ended.
  std::size_t under_way() const noexcept { return under_way_.load(std::memory_order_acquire); }

 private:
  /// The node that asked: what it waits for.
  struct asked : call_under_way {
    rank of = 0;
    bool is_over = false;   // that came before the value
    failure_ref end_cause = {};
    std::vector<std::shared_ptr<const void>> along = {};  // what the arguments name, until there is a value
    std::shared_ptr<sched::profile_state> profile = {};  // if someone asked
    back_pressure::share memory = {};  // of a put or a buffer: its message there, and its records, as long
  };
  struct request;
  struct asking;
  /// A task that runs what some node has asked for: in the list of those that may be cancelled, until its body is
  /// destroyed.
  struct started {
    remote_tasks* in = nullptr;  // null: in no list
    rank from = 0;
    std::uint64_t id = 0;
    future<void> task = {};
    started *before = nullptr, *next = nullptr;

    started() = default;
    started(started&&) noexcept {}  // before it is in a list
    ~started() {
      if (in) in->unlist(*this);
    }
  };
  /// A cancel that waits for the other node's answer.
  struct cancelling {
    rank of = 0;
    std::uint64_t id = 0;
    std::source_location where = {};
    user_event answered = {};
    std::atomic<bool> is_withdrawn{false};
  };
  /// What is told of how a function ran: nothing of one that was not to run.
  using times = std::optional<sched::measured_elsewhere>;
  enum class outcome : std::uint8_t { value, value_and_end, end };

  /// Makes the record that answers end.
  asking ask(const detail::remote_request& request, std::vector<std::shared_ptr<const void>>&& along, std::size_t value_bytes,
             const detail::task_type& type, detail::value_reader read, const std::source_location& where);
  request read(rank from, reader& content) const;
  void require_function(const request& r) const;
  /// False: there was no memory for them, and who asked has been told so.
  bool keep(request& r, std::span<const std::byte> arguments, message_kind kind);
  void on_refused_run(rank from, reader& first_words, failure_ref cause, base::thread_context& context);
  void on_run(rank from, reader& content, base::thread_context& context);
  void on_place(rank from, reader& content, base::thread_context& context);
  void place_here(request&& r, std::span<const std::byte> first, base::thread_context& context);
  template <outcome what>
  void on_answer(rank from, reader& content, base::thread_context& context);

  template <outcome what>
  void on_refused_answer(rank from, reader& first_words, failure_ref cause, base::thread_context& context);

  static request request_of(remote_tasks* at, const asking& a, const detail::remote_request& asked_for,
                            const detail::remote_function_type* function, const detail::parcel& arguments,
                            const std::source_location& where);
  void start(request&& r);
  static void run(const request& r);
  void answer(rank to, outcome what, std::uint64_t id, const failure_ref& cause, const times& took = {},
              detail::parcel&& value = {});
  /// It could not be begun, which is its own failure.
  void refuse(rank to, std::uint64_t id, const failure_ref& cause) {
    answer(to, outcome::value_and_end, id, cause, sched::measured_elsewhere());
  }
  void take(outcome what, std::uint64_t id, failure_ref cause, const times& took, std::span<const std::byte> value,
            base::thread_context& context);
  void end_all(const asked& a, const failure_ref& cause, base::thread_context& context);
  void list(started& s, rank from, std::uint64_t id, future<void>&& task) noexcept;
  void unlist(started& s) noexcept;
  bool withdraw(rank from, std::uint64_t id, const std::source_location& where, base::thread_context& context);
  void end_cancelled(std::uint64_t id, const std::source_location& where, base::thread_context& context);
  void end_cancelling(std::uint64_t token, bool is_withdrawn, base::thread_context& context);
  void on_cancel(rank from, reader& content, base::thread_context& context);
  void on_cancelled(rank from, reader& content, base::thread_context& context);

  job* const job_;
  failures* const causes_;
  in_order* const ordered_;
  in_order::kind place_{};
  message_kind run_{}, value_{}, value_and_end_{}, end_{}, cancel_{}, cancelled_{};
  base::spin_lock list_lock_;  // guards what follows
  started* first_ = nullptr;
  base::spin_lock lock_;  // guards what follows
  std::unordered_map<std::uint64_t, asked> asked_;
  std::unordered_map<std::uint64_t, std::shared_ptr<cancelling>> cancels_;  // by token
  std::atomic<std::uint64_t> ids_{0};
  std::atomic<std::size_t> under_way_{0};
};

}  // namespace stretto::dist
