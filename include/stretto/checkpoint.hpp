// checkpoint.hpp - a job's state in a directory, taken at one consistent point while work goes on, to begin again from
// there.
//
//     int step = 0;
//     object<double, 2> u(...);
//     collection<cell> cells;
//     if (auto saved = try_open_checkpoint("run.ckpt")) {   // of any number of nodes
//       saved->restore_objects();                            // mobile objects, and the messages that waited for them
//       step = saved->value<int>("step");
//       u = saved->value<object<double, 2>>("u");
//       cells = saved->value<collection<cell>>("cells");
//     } else {
//       ...
//     }
//     for (; step < steps; ++step) {
//       if (step % 100 == 0) save_checkpoint("run.ckpt", {keep("step", step), keep("u", u), keep("cells", cells)});
//       ...
//     }
//
// One task of the job calls, for all nodes. In a checkpoint are all mobile objects of the job with the messages that
// wait for them, and what is kept by name: values of which `fields` tells, and objects; those that the caller names,
// and those that each node keeps of its own (kept_here). The directory is a Zarr (version 3) group: numbers, vectors of
// numbers and objects are its arrays, which other tools read; the rest is JSON, and bytes.
//
// Threads     every function from a task; not from a handler, for whose end it would wait.
// Memory      what was sent to mobile objects before the call, by the caller and by handlers, has been handled in the
//             checkpoint, or waits in it; what the caller sends once save_checkpoint has returned is not in it. Of what
//             other tasks send meanwhile, each message is in it or not. Futures, events and tasks are not in it: nobody
//             waits for the answers to messages that waited.
// Cost        no handler begins from the call on until all nodes have copied their objects, in memory; files are
//             written while work goes on.
// Invariants  (1) the directory holds a whole checkpoint at any time, the last one or the one before, also if the
//             program is killed. (2) a damaged file is found before anything is restored, and named. (3) what is kept
//             by name can be read by any program, mobile objects by the build that has written them.
// Source      consistent cuts: Chandy and Lamport, 1985; ours lets handlers end and messages arrive instead of
//             recording channels. One function for messages and checkpoints: PUP of Charm++. Zarr: its specification,
//             version 3.
#pragma once

#include <stretto/detail/kept_shape.hpp>
#include <stretto/fields.hpp>
#include <stretto/future.hpp>
#include <stretto/keep.hpp>
#include <stretto/kept_here.hpp>
#include <stretto/object.hpp>
#include <stretto/zarr_type.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

STRETTO_API_BEGIN

namespace stretto {

/// Takes a checkpoint of the whole job, and returns when its point has been passed: what the caller sends from then on
/// is not in it. The future is ready when it is on disk, in place of the one that was there.
///
///   directory   its name; it is made, or replaced as a whole. All nodes see the same file system
///   all         what is kept by name, beside what nodes keep of their own (kept_here)
///   throws      B20; C01 if it cannot be written there, before anything else happens; C08 for names; C09 if a node is
///               lost meanwhile; C10 if messages wait for events that no handler will trigger; C11 in a handler; A03
///               for objects with elements that nothing wrote. The future fails with C01, C09. The last checkpoint
///               stays then
///   cost        handlers that run end, those begin that they wait for, and what is on its way arrives; then a copy of
///               all, in memory. One checkpoint of a job is written at a time: a second one waits
future<void> save_checkpoint(std::string_view directory, std::vector<kept> all,
                             std::source_location where = std::source_location::current());

/// Which files are compared with their checksums when a checkpoint is opened. Whatever is read is, at the latest then.
enum class looking { at_all_files, when_read };

/// What a directory holds.
class checkpoint {
 public:
  /// What was kept under that name.
  ///
  ///   throws   C04 if nothing was, C05 if it is of another type or of other axes, B40
  ///
  ///     saved.value<int>("step"), saved.value<object<double, 2>>("u"), saved.value<collection<cell>>("cells")
  template <class T>
  T value(std::string_view name, std::source_location where = std::source_location::current()) const {
    return read<T>({name}, where);
  }
  /// The names of what was kept, sorted.
  std::vector<std::string> names() const;
  /// How many nodes the job had.
  std::uint32_t nodes() const noexcept;

  /// The nodes of that job whose own things are for this node: those of the same number, where this job has as many; of
  /// n nodes, node r has those of r, r + n, r + 2n, and so on. Each is for one node; none are left, and a node may have
  /// none.
  std::vector<std::uint32_t> nodes_here() const;
  /// What that node kept of its own, on whatever node it is asked for. Throws as value; C04 too if there was no such
  /// node.
  template <class T>
  T value_of_node(std::uint32_t node, std::string_view name,
                  std::source_location where = std::source_location::current()) const {
    return read<T>({name, node}, where);
  }
  /// The names of what it kept of its own, sorted.
  std::vector<std::string> names_of_node(std::uint32_t node) const;

  /// Makes the mobile objects again, on all nodes of this job, under their names, and gives them the messages that
  /// waited. Returns when all is there; quiescence() tells when the messages have been handled. Once, before the job
  /// makes mobile objects of its own.
  ///
  ///   throws   C03 if another build of the program has written them; C07 if the job has mobile objects; C09, C02; what
  ///            fields() throws
  ///   cost     each node reads what it gets; as many nodes get the objects as they had them, others about as many each
  void restore_objects(std::source_location where = std::source_location::current()) const {
    detail::restore_mobile_objects(*content_, where);
  }

 private:
  friend class detail::opened_checkpoint;
  friend std::optional<checkpoint> try_open_checkpoint(std::string_view directory, looking looks,
                                                       std::source_location where);
  static std::vector<std::int64_t> lengths(std::size_t axes) { return std::vector<std::int64_t>(axes, -1); }  // any
  template <class T>
  T read(const detail::kept_name& name, const std::source_location& where) const {
    detail::kept_shape is;
    if constexpr (detail::is_object_argument<T>) {
      using value_type = typename T::element_type;
      const detail::kept_shape like{
          detail::zarr_type<value_type>(), sizeof(value_type), lengths(T::dimensions), {}, {}};
      const auto bytes = detail::read_kept(*content_, name, like, is, where);
      point min, max(1, 1, 1);
      for (int axis = 0; axis < static_cast<int>(T::dimensions); ++axis) {
        min[axis] = is.origin[static_cast<std::size_t>(axis)];
        max[axis] = min[axis] + is.lengths[static_cast<std::size_t>(axis)];
      }
      return T(box::between(min, max), reinterpret_cast<const value_type*>(bytes.data()), {.name = name.name}, where);
    } else if constexpr (detail::is_zarr_number<T>) {
      const auto bytes = detail::read_kept(*content_, name, detail::shape_of_number<T>({}), is, where);
      T value;
      std::memcpy(&value, bytes.data(), sizeof value);
      return value;
    } else if constexpr (detail::is_number_vector<T>) {
      const auto bytes =
          detail::read_kept(*content_, name, detail::shape_of_number<typename T::value_type>(lengths(1)), is, where);
      T value(bytes.size() / sizeof(typename T::value_type));
      if (!bytes.empty()) std::memcpy(value.data(), bytes.data(), bytes.size());
      return value;
    } else {
      detail::kept_shape like = detail::shape_of_number<std::uint8_t>(lengths(1));
      like.fields_of = detail::type_text<T>::text();
      return from_bytes<T>(detail::read_kept(*content_, name, like, is, where));
    }
  }

  std::shared_ptr<const detail::checkpoint_content> content_;
};

/// Reads what is there, and whether it is whole.
///
///   looks    at all files now; or at each when it is read, for all nodes of a job but the one that has looked at all
///   throws   C06 if it is no checkpoint, C02 if a file of it is damaged
///   cost     every file is read once; or the table of contents is
checkpoint open_checkpoint(std::string_view directory, looking looks = looking::at_all_files,
                           std::source_location where = std::source_location::current());
/// The same; nothing if there is no such directory.
std::optional<checkpoint> try_open_checkpoint(std::string_view directory, looking looks = looking::at_all_files,
                                              std::source_location where = std::source_location::current());

}  // namespace stretto

STRETTO_API_END
