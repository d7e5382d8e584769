// buffer_checkpoint.hpp - checkpoints of programs on buffers: named buffers and values at one point of the program, in
// a directory, for a restart on any number of nodes.
//
//     STRETTO_KERNEL(average, (in<double> u, out<double> v), {
//       int i = global_id(0);
//       v(i) = (u(i - 1) + u(i + 1)) / 2;
//     })
//     void simulate(coordinate n, int steps) {  // every node calls it
//       const auto zero = [](coordinate) { return 0.0; };
//       buffer<double> u(box(0, n), zero), v(box(0, n), zero);
//       int step = 0;
//       buffer_checkpoint saved("run.ckpt", {.seconds = 60});
//       saved.keep("u", u).keep("v", v).keep("step", step);  // the variables
//       saved.restore();                                     // if an earlier run has left a checkpoint
//       for (; step < steps; ++step) {
//         saved.offer();  // saves once a minute
//         launch(average, box(1, n - 1), u(neighborhood(1)), v(one_to_one));
//         std::swap(u, v);
//       }
//     }
//
// Every node makes the same calls, as for launches. A checkpoint contains the results of the launches before the call.
// Each node copies its rows of each buffer in a task; only launches that change these rows wait for the copy. The files
// are written in the background.
//
// The directory has the format of checkpoint.hpp: each buffer is a Zarr array under its name. open_checkpoint reads a
// buffer as an object, also in a program of one node without buffers.
//
// Threads     as buffers.
// Memory      variables given to keep() must outlive the checkpoint object.
// Cost        save: memory for a copy of each node's rows until they are written. All files are flushed to disk.
// Invariants  (1) the directory always has a complete checkpoint, the last one or the one before, also if the program
//             is killed. (2) either all nodes restore, or all throw the same error. A damaged file is detected before
//             anything changes, and the error names it. (3) a program whose results do not depend on the number of
//             nodes continues as if it had not been interrupted.
// Source      horizons as consistent points: Celerity's command horizons. Ours can be any point, because tasks order
//             the copies (decision 0027).
#pragma once

#include <stretto/buffer_files.hpp>
#include <stretto/checkpoint.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

STRETTO_API_BEGIN

namespace stretto {

/// The conditions under which offer() takes a checkpoint: if one of them holds, counted from the last checkpoint or the
/// start. 0 disables a condition.
struct checkpoint_policy {
  std::uint64_t offers = 0;    // after this number of offers
  std::uint64_t horizons = 0;  // after this number of horizons
  double seconds = 0;          // after this time by the clock of node 0, which the others learn a few offers later
};

namespace detail {

/// A named variable: a value or a buffer.
struct kept_variable {
  std::string name;
  std::function<saved_value()> value;                                  // its present value
  std::function<std::function<void()>(const checkpoint&)> read_value;  // reads it; the result sets the variable
  std::function<buffer_handle()> buffer;
  std::function<void(const buffer_handle&)> set_buffer;
  file_elements of = {};
};
future<void> save_buffers(const std::string& directory, const std::vector<kept_variable>& all,
                          const std::source_location& where);
bool restore_buffers(const std::string& directory, const std::vector<kept_variable>& all,
                     const std::source_location& where);
/// Throws C08 for an invalid name, or one that another variable has.
void check_kept_name(const std::vector<kept_variable>& all, std::string_view name, const std::source_location& where);

/// Applies a policy, with equal results on every node.
class checkpoint_times {
 public:
  explicit checkpoint_times(const checkpoint_policy& p) noexcept : policy_(p) {}
  /// Whether this offer takes a checkpoint; if so, the conditions count from here.
  bool take(const std::source_location& where);
  void begin_anew();

 private:
  bool has_time_passed(const std::source_location& where);

  const checkpoint_policy policy_;
  bool has_begun_ = false;
  std::uint64_t offers_ = 0, horizons_before_ = 0;
  std::uint64_t began_ = 0;  // nanoseconds; of this node
  // A read of node 0's clock is under way; its result is used some offers later.
  std::uint64_t asked_before_ = 0;
  stretto::buffer<std::int32_t> answer_;
  future<buffer_accessor<std::int32_t, 1>> asked_;
};

}  // namespace detail

/// Named buffers and values of a program that are saved to and restored from one directory together.
class buffer_checkpoint {
 public:
  /// A checkpoint without variables. Reads and writes nothing yet. Throws std::bad_alloc only.
  ///
  ///   directory   created, or replaced as a whole, by a save. All nodes must see the same file system
  explicit buffer_checkpoint(std::string_view directory, const checkpoint_policy& policy = {})
      : directory_(directory), times_(policy) {}
  buffer_checkpoint(const buffer_checkpoint&) = delete;
  buffer_checkpoint& operator=(const buffer_checkpoint&) = delete;

  /// Adds the variable of a buffer: a save writes the buffer that it names at that time. restore() creates a buffer if
  /// the variable is empty.
  ///
  ///   throws   C08 for an invalid name, or one that another variable has
  template <class T, std::size_t D>
  buffer_checkpoint& keep(std::string_view name, buffer<T, D>& u,
                          std::source_location where = std::source_location::current()) {
    detail::check_kept_name(kept_, name, where);
    kept_.push_back({.name = std::string(name),
                     .value = {},
                     .read_value = {},
                     .buffer = [&u] { return u.handle(); },
                     .set_buffer = [&u](const detail::buffer_handle& h) { u = buffer<T, D>(h); },
                     .of = detail::elements_in_files<T, D>()});
    return *this;
  }
  /// Adds a variable: a save writes its value at that time. It must be equal on all nodes; that of node 0 is written.
  /// Throws C08 as above.
  template <transferable T>
  buffer_checkpoint& keep(std::string_view name, T& value,
                          std::source_location where = std::source_location::current()) {
    detail::check_kept_name(kept_, name, where);
    kept_.push_back(
        {.name = std::string(name),
         .value = [&value, called = std::string(name),
                   where] { return stretto::keep(called, std::as_const(value), where); },
         .read_value = [&value, called = std::string(name), where](const checkpoint& from) -> std::function<void()> {
           return [&value, was = std::make_shared<T>(from.value<T>(called, where))] { value = std::move(*was); };
         },
         .buffer = {},
         .set_buffer = {}});
    return *this;
  }

  /// Restores the variables from the directory, on any number of nodes. Returns when all nodes have done so.
  ///
  ///   returns  false if there is no such directory; then nothing has changed
  ///   throws   the same on all nodes, without changes: C02 for a damaged file, C04 for a name that the checkpoint does
  ///            not have, C05 for another type, or another box than that of the variable's buffer; C06 if it is no
  ///            checkpoint
  ///   cost     each node reads its own rows only
  bool restore(std::source_location where = std::source_location::current()) {
    return detail::restore_buffers(directory_, kept_, where);
  }

  /// Saves a checkpoint if the policy asks for one at this point.
  ///
  ///   returns  whether it does, equal on every node. A failure to write surfaces as the failure of a task: at the end
  ///            of the enclosing finish or run
  ///   throws   B20; what save() throws
  ///   cost     with checkpoint_policy::seconds: a host task on node 0 and a read per 8 offers, for which the 8th may
  ///            wait
  bool offer(std::source_location where = std::source_location::current()) {
    if (!times_.take(where)) return false;
    detail::save_buffers(directory_, kept_, where);
    return true;
  }
  /// Saves a checkpoint.
  ///
  ///   returns  a future of this node that is ready when the checkpoint has replaced the one before. It fails with C01
  ///            if the directory cannot be written, C09 if a node fails, and with the failure of a launch that should
  ///            have written the elements; then the checkpoint before stays
  ///   throws   B20; B07 if a variable names no buffer
  future<void> save(std::source_location where = std::source_location::current()) {
    times_.begin_anew();
    return detail::save_buffers(directory_, kept_, where);
  }

 private:
  const std::string directory_;
  detail::checkpoint_times times_;
  std::vector<detail::kept_variable> kept_;
};

}  // namespace stretto

STRETTO_API_END
