// task.hpp - a launch on objects, the host's holding of elements, or their copying to or from memory of the program's or another node:
// from its submission to its end.
//
// Threads     behind the state's mutex, but `compute` and the end of its preconditions, which touch what issue left to them.
#pragma once

#include <stretto/error.hpp>
#include <stretto/handler_span.hpp>

#include <boost/container/small_vector.hpp>

#include <optional>

#include "data/deferred.hpp"
#include "data/host_launch.hpp"
#include "data/unwritten.hpp"
#include "device/argument_copy.hpp"
#include "event/held.hpp"
#include "objects/errand.hpp"
#include "objects/objects_state.hpp"
#include "sched/finish_scope.hpp"

namespace stretto::objects {

/// Whether an object stands for it in a launch on objects.
inline bool is_array(const kernel_parameter& p) noexcept { return p.mode != access::value && p.mode != access::local; }

/// In place for the usual numbers of arguments.
template <class T>
using few = boost::container::small_vector<T, 3>;

/// An argument that is an object.
struct object_use {
  used_object object;
  box where;
  data::usage how;
  data::replica_id replica = data::no_replica;  // where that was found when it was issued
  detail::instance_handle instance = {};
};

// What its signal does.
void gate_opened(signal& self, failure_ref cause, base::thread_context& context);
void task_ended(signal& self, failure_ref cause, base::thread_context& context);
/// Not behind the mutex: what an issued task waits for has ended.
void preconditions_ended(data::deferred& self, failure_ref cause, base::thread_context& context) noexcept;

/// Thrown where a task cannot be computed because something else failed.
struct skipped {
  failure_ref because;
};

/// Thrown where nothing that could leave a memory would help: a launch that may run elsewhere does.
struct no_room {
  error why;  // A04
  const struct task* view = nullptr;  // that gave one, which the program holds: it would help if that came back
};

/// Something has happened to a task.
struct task_signal final : signal {
  task_signal(task& t, handler h) noexcept;
  task& of;
};

/// Ends a task's life, behind the mutex; or at the end of the runtime, when nobody else is there.
struct recycle {
  void operator()(task* t) const noexcept;
};
using task_pointer = std::unique_ptr<task, recycle>;

struct task final : device_task, data::deferred {
  /// Of recycled memory, behind the mutex.
  static task_pointer make(objects_state& s);
  explicit task(objects_state& s);

  static constexpr std::uint32_t any_site = ~0u;

  objects_state& state;
  task_id id;
  std::size_t number = 0;              // in state.tasks
  std::uint64_t submitted = 0;         // its position in the order of submission

  // What was asked for:
  const kernel_code* code = nullptr;   // null: elements for the host, or
  std::byte* outside = nullptr;        // a copy to or from here, dense in C order
  std::optional<kernel_range> range;
  few<object_use> uses;                // in the order of the parameters that they stand for
  std::optional<device::argument_copy> values;
  std::string given_name;
  std::source_location where;
  int urgency = 0;
  on_kinds only_kinds;                     // none: any
  std::string_view only_driver;            // of a site; empty: any
  std::uint32_t only_site = any_site;
  std::int64_t group_items = 1;            // of a group of the range, and
  std::uint64_t local_bytes = 0;           // what it is given of local memory
  site* goes_to = nullptr;                 // its share of a divided launch; no scheduler is asked
  sched::finish_scope* scope = nullptr;    // that it is counted in
  event done;                              // of elements for the host: given back
  std::optional<promise<detail::held_pointer>> promised;
  std::unique_ptr<errand> goes;            // or neither: content on its way

  // Until it is issued:
  std::uint32_t unissued = 0;              // what it follows that has not been issued, and what it waits for itself
  few<task*> successors;
  std::vector<task*> followers;            // that were told to come after it, whatever they use
  std::vector<event> also_behind;          // what it was told to come after: where that was issued, or had ended
  detail::held_mark behind;                // a view that the program holds, for hang reports
  failure_ref failed;                      // of what it waits for itself

  bool is_away = false;                    // it uses objects elsewhere than in the memory where they live, which has no room for them now
  std::optional<std::uint32_t> asked_before;  // for others' memory at its site: how often that had been in vain before
  few<std::uint32_t> not_at;               // sites whose memory has no room for it, or where no launch can have its range

  // From then on:
  site* counted_at = nullptr;              // among those that it was issued
  float expected_seconds = 0;              // there
  bool is_popped = false;                  // by the scheduler, for that site
  site* on = nullptr;                      // where it is computed, the same but for who cannot do it
  bool is_first = false;                   // there, in groups of its shape: its time may hold a driver's compilation
  event computed;                          // what later tasks wait for
  trace::ticks began = 0, ended = 0;
  detail::device_time counted_for;         // whoever wants to know what devices compute for it
  task_signal news;                        // before: what it waits for itself has ended; then, that it has

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

  bool is_for_host() const noexcept { return !code && !outside && !goes; }
  /// What follows it is issued only when it has ended: it waits for the program, or for another node, which may wait for what could not be
  /// issued here while launches behind this one had all places.
  bool holds_back() const noexcept {
    return is_for_host() || (goes && goes->needs_another_node() && !state.issues_at_once());
  }
  /// By what was asked for; and whether the site is able to, too.
  bool is_allowed_on(const site& at) const;
  bool can_run_on(const site& at) const;
  /// Where it would use the object there.
  site& memory_of(const object_record& o, site& at) const noexcept {
    return !o.home || is_away ? at : state.at(o.memory_for(at));
  }
  /// Whether the site has room for its groups, as far as is known.
  bool has_groups_for(const site& at) const;

  /// Of an issued launch. Values and parts stay where they are here.
  boost::container::small_vector<detail::launch_item, 4> arguments() const;
  /// The same for a launch that the host computes in one piece.
  data::piece_arguments piece() const;
  /// `launch "jacobi"`, `read of object "u"`.
  std::string describe() const;
  /// What is being handled, as the cause of its failure; and what else failed, as that.
  failure_ref current_failure() const;
  failure_ref skipped_because_of(const failure& cause) const;

 private:
  static constexpr std::uint64_t not_known = ~std::uint64_t{0};
  mutable std::uint64_t items_ = not_known, needed_bytes_ = not_known;  // schedulers ask more than once
};

}  // namespace stretto::objects

namespace stretto::detail {

/// What the host's view of an object's elements keeps.
struct held_elements {
  std::shared_ptr<objects::objects_state> state;
  objects::task* by;
  instance_handle where;  // names nothing where no element is held
  std::uint8_t dimensions;
  std::uint32_t element_bytes;
  box part;
  data::unwritten_check find_unwritten;
};

}  // namespace stretto::detail
