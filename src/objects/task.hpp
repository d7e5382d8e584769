// task.hpp - a task of the objects floor: a launch, a host view, or a copy between an object and memory of the program
// or of another node.
//
// Threads     the thread that holds the state's mutex. `compute` and the end of the preconditions run without it, on
//             members that issue() has set.
#pragma once

#include <stretto/detail/handler_span.hpp>
#include <stretto/error.hpp>

#include <boost/container/small_vector.hpp>

#include <optional>

#include "data/deferred.hpp"
#include "data/host_launch.hpp"
#include "data/unwritten_check.hpp"
#include "device/argument_copy.hpp"
#include "event/holder_record.hpp"
#include "objects/object_transfer.hpp"
#include "objects/objects_state.hpp"
#include "sched/finish_scope.hpp"

namespace stretto::objects {

/// Whether the parameter is an object in a launch on objects.
inline bool is_array(const kernel_parameter& p) noexcept { return p.mode != access::value && p.mode != access::local; }

/// A vector with inline storage for the usual numbers of arguments.
template <class T>
using few = boost::container::small_vector<T, 3>;

/// An argument that is an object.
struct object_use {
  used_object object;
  box where;
  data::usage how;
  data::replica_id replica = data::no_replica;  // set when the task is issued
  detail::instance_handle instance = {};
};

// Handlers of the task's signal.
void on_precondition_ended(signal& self, failure_ref cause, base::thread_context& context);
void on_task_ended(signal& self, failure_ref cause, base::thread_context& context);
/// Called without the mutex, when the preconditions of an issued task have ended.
void preconditions_ended(data::deferred& self, failure_ref cause, base::thread_context& context) noexcept;

/// Thrown if a task cannot run because another operation failed.
struct skipped {
  failure_ref because;
};

/// Thrown if eviction cannot free enough memory: a launch that may run elsewhere does.
struct insufficient_memory {
  error why;                          // A04
  const struct task* view = nullptr;  // a view held by the program; its release would help
};

/// The signal of a task.
struct task_signal final : signal {
  task_signal(task& t, handler h) noexcept;
  task& of;
};

/// Frees a task, under the mutex; or at the end of the runtime, when no other thread is left.
struct recycle {
  void operator()(task* t) const noexcept;
};
using task_pointer = std::unique_ptr<task, recycle>;

struct task final : device_task, data::deferred {
  /// Allocates a task from the pool. Needs the mutex.
  static task_pointer make(objects_state& s);
  explicit task(objects_state& s);

  static constexpr std::uint32_t any_place = ~0u;

  objects_state& state;
  task_id id;
  std::size_t number = 0;       // index in state.tasks
  std::uint64_t submitted = 0;  // position in the order of submission

  // The request:
  const kernel_code* code = nullptr;    // null: a host view, or a copy, or a transfer
  std::byte* program_memory = nullptr;  // source or target of a copy, dense in C order; or null
  std::optional<kernel_range> range;
  few<object_use> uses;  // in the order of the parameters
  std::optional<device::argument_copy> values;
  std::string given_name;
  std::source_location where;
  int urgency = 0;
  on_kinds only_kinds;           // none: any
  std::string_view only_driver;  // of a place; empty: any
  std::uint32_t only_place = any_place;
  std::int64_t group_items = 1;               // items per group of the range
  std::uint64_t local_bytes = 0;              // local memory per group
  execution_place* assigned_place = nullptr;  // of a share of a divided launch; the scheduler is not asked
  sched::finish_scope* scope = nullptr;       // the finish that counts it
  event done;                                 // the end, for the program; of a view: its release
  std::optional<promise<detail::object_accessor_pointer>> promised;
  std::unique_ptr<object_transfer> transfer;  // or null: data transfer

  // Until it is issued:
  std::uint32_t unissued = 0;  // predecessors that have not been issued, and pending preconditions
  few<task*> successors;
  std::vector<task*> explicit_successors;    // tasks with an explicit after() on this one, whatever they use
  std::vector<event> explicit_predecessors;  // explicit predecessors that were issued or had ended
  detail::holder_record behind;              // a view of the program that it waits for, for hang reports
  failure_ref failed;                        // failure of a precondition

  bool avoids_shared_memory = false;  // uses the memory of its place, because the shared memory of its objects is full
  // fruitless_requests of its place when it last asked other floors for memory
  std::optional<std::uint32_t> fruitless_before;
  few<std::uint32_t> excluded_places;  // places that lack the memory, or cannot run the range

  // Once it is issued:
  execution_place* accounted_place = nullptr;  // the place that counts it as issued
  float expected_seconds = 0;                  // predicted for that place
  bool is_popped = false;                      // by the scheduler, for that place
  execution_place* on = nullptr;               // the place that runs it; differs from the above after reassign()
  bool is_first = false;                       // first launch there with this group shape: may include compilation
  event computed;                              // later tasks wait for it
  trace::ticks began = 0, ended = 0;
  detail::device_time counted_for;  // counter of device time of the launching finish
  task_signal notification;         // first: its preconditions have ended; later: it has ended itself

  std::string_view name() const override;
  int priority() const override { return urgency; }
  bool may_run_on(const device_view& d) const override;
  std::uint64_t position() const override { return submitted; }
  std::uint64_t kind() const override;
  std::uint64_t bytes_at(const device_view& d) const override;
  std::uint64_t missing_bytes(const device_view& d) const override;
  double transfer_seconds(const device_view& d) const override;
  std::optional<double> predicted_seconds(const device_view& d) const override;

  std::uint64_t items() const;

  bool is_for_host() const noexcept { return !code && !program_memory && !transfer; }
  /// Whether its successors are issued only after it has ended. Such a task waits for the program or for another node.
  /// These may in turn wait for a task that could not be issued here if launches behind this one took all places.
  bool blocks_successors() const noexcept {
    return is_for_host() || (transfer && transfer->needs_another_node() && !state.issues_at_once());
  }
  /// Whether the request allows the place; and whether the place is able to run it, too.
  bool is_allowed_on(const execution_place& at) const;
  bool can_run_on(const execution_place& at) const;
  /// The place in whose memory it would use the object.
  execution_place& memory_of(const object_record& o, execution_place& at) const noexcept {
    return !o.shared_memory || avoids_shared_memory ? at : state.at(o.memory_for(at));
  }
  /// Whether the place can run its groups, as far as is known.
  bool has_groups_for(const execution_place& at) const;

  /// Arguments of an issued launch. They refer to values and boxes of this task.
  boost::container::small_vector<detail::launch_item, 4> arguments() const;
  /// The same for a launch that the host computes in one piece.
  data::piece_arguments piece() const;
  /// `launch "jacobi"`, `read of object "u"`.
  std::string describe() const;
  /// The exception being handled, as a failure of this task; and the failure of a task skipped because of `cause`.
  failure_ref current_failure() const;
  failure_ref skipped_because_of(const failure& cause) const;

 private:
  static constexpr std::uint64_t not_known = ~std::uint64_t{0};
  mutable std::uint64_t items_ = not_known, needed_bytes_ = not_known;  // cached: schedulers ask several times
};

}  // namespace stretto::objects

namespace stretto::detail {

/// State of a host view of an object's elements.
struct object_accessor_state {
  std::shared_ptr<objects::objects_state> state;
  objects::task* by;
  instance_handle where;  // empty if the view has no elements
  std::uint8_t dimensions;
  std::uint32_t element_bytes;
  box part;
  data::unwritten_check find_unwritten;
};

}  // namespace stretto::detail
