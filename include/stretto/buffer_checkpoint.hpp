// buffer_checkpoint.hpp - a checkpoint of a program on buffers: some of its buffers and values at one point of its
// order, in a directory, to begin again from there on any number of nodes.
//
//     buffer<double, 2> u(...), v(...);
//     int step = 0;
//     buffer_checkpoint saved("run.ckpt", {.seconds = 60});
//     saved.keep("u", u).keep("v", v).keep("step", step);   // these variables, whatever they hold by then
//     saved.restore();                                       // from what an earlier run has left, if it has
//     for (; step < steps; ++step) {
//       saved.offer();                                       // here it may be saved: when it is due
//       launch(stencil, inside, u(star(1)), v(one_to_one)), swap(u, v);
//     }
//
// Every node calls, as for launches. A checkpoint has what the launches before the call write. Each node copies its
// rows of each buffer, as a task like others: launches that would change them wait for the copy alone. It is written
// behind, while the program goes on.
//
// The directory is one of checkpoint.hpp: what is kept is a Zarr array under its name, and `open_checkpoint` reads it,
// a buffer as an object, in a program of one node and without buffers, too.
//
// Threads     as buffers.
// Memory      kept variables are named by the checkpoint as long as it is there.
// Cost        of saving: on each node memory for a copy of its rows, until they are written. Every file is on disk at
//             the end.
// Invariants  (1) the directory holds a whole checkpoint at any time, the last one or the one before, also if the
//             program is killed. (2) all nodes restore, or none does and all throw the same; a damaged file is found
//             before anything is changed, and named. (3) a program of which results do not depend on the number of
//             nodes goes on as if it had not ended.
// Source      a horizon of the program as consistent point: Celerity's command horizons; ours are any point, since a
//             task orders what it reads. The rest is decision 0027's.
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

/// When an offer is taken: where one of these says so. They count from the last checkpoint on, or from the beginning.
struct checkpoint_policy {
  std::uint64_t offers = 0;    // this is the offer of that number; 0: never for that
  std::uint64_t horizons = 0;  // so many horizons have been made; 0: never for that
  double seconds =
      0;  // so long ago, by the clock of node 0, which the others learn a few offers later; 0: never for that
};

namespace detail {

/// What is kept under a name: a value, or a buffer.
struct kept_variable {
  std::string name;
  std::function<kept()> value;                                         // as it is now
  std::function<std::function<void()>(const checkpoint&)> read_value;  // gives what puts it into the variable
  std::function<buffer_handle()> buffer;
  std::function<void(const buffer_handle&)> set_buffer;
  file_elements of = {};
};
future<void> save_buffers(const std::string& directory, const std::vector<kept_variable>& all,
                          const std::source_location& where);
bool restore_buffers(const std::string& directory, const std::vector<kept_variable>& all,
                     const std::source_location& where);
/// Throws C08 for a name that nothing can have, or that another has.
void check_kept_name(const std::vector<kept_variable>& all, std::string_view name, const std::source_location& where);

/// When that is, the same on every node.
class checkpoint_times {
 public:
  explicit checkpoint_times(const checkpoint_policy& p) noexcept : policy_(p) {}
  /// Whether an offer is taken; it counts from here on then.
  bool take(const std::source_location& where);
  void begin_anew();

 private:
  bool has_time_passed(const std::source_location& where);

  const checkpoint_policy policy_;
  bool has_begun_ = false;
  std::uint64_t offers_ = 0, horizons_before_ = 0;
  std::uint64_t began_ = 0;  // nanoseconds; of this node
  // Node 0 is asked, and looked at so many offers later.
  std::uint64_t asked_before_ = 0;
  stretto::buffer<std::int32_t> answer_;
  future<seen<std::int32_t, 1>> asked_;
};

}  // namespace detail

/// Buffers and values of the program that are saved together in a directory, and read back from it.
class buffer_checkpoint {
 public:
  /// Nothing is read or written yet.
  ///
  ///   directory   made, or replaced as a whole. All nodes see the same file system
  explicit buffer_checkpoint(std::string_view directory, const checkpoint_policy& policy = {})
      : directory_(directory), times_(policy) {}
  buffer_checkpoint(const buffer_checkpoint&) = delete;
  buffer_checkpoint& operator=(const buffer_checkpoint&) = delete;

  /// Keeps the buffer that the variable names when it is saved. One that names none then is made by restore.
  ///
  ///   throws   C08 for a name that cannot be one, or is there
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
  /// Keeps the value that the variable has when it is saved: numbers, vectors of numbers, and what fields() tells of.
  /// It has to be the same on all nodes: node 0's is written.
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

  /// Puts what was kept into the variables, on as many nodes as there are. Returns when all nodes have it.
  ///
  ///   returns  false if there is no such directory; nothing has changed then
  ///   throws   on all nodes, nothing having changed: C02 for a damaged file, C04 for a name under which nothing was
  ///            kept, C05 where what was kept is of another type, or of other elements than the buffer that the
  ///            variable names; C06 if it is no checkpoint
  ///   cost     each node reads its rows; nobody reads all
  bool restore(std::source_location where = std::source_location::current()) {
    return detail::restore_buffers(directory_, kept_, where);
  }

  /// A point of the program at which it may be saved; is, if the policy says so.
  ///
  ///   returns  whether it is, the same on every node. If it cannot be written, `run` tells of it at the end, as of a
  ///            task
  ///   cost     of seconds: a host task on node 0 and a read for every 8 offers, which the 8th may wait for
  bool offer(std::source_location where = std::source_location::current()) {
    if (!times_.take(where)) return false;
    detail::save_buffers(directory_, kept_, where);
    return true;
  }
  /// Saves it, in any case.
  ///
  ///   returns  a future of this node: ready when the checkpoint is in place. Fails with C01 where it cannot be
  ///            written, C09 if a node is lost, and with what the launches failed with that were to write the elements;
  ///            the last one stays then
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
