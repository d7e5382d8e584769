// checkpoint.hpp - checkpoints of a job: its mobile objects and named values at one consistent point, in a directory.
//
//     void simulate(int steps, void (*step_of)(object<double, 2>&)) {  // one task of the job calls it
//       int step = 0;
//       object<double, 2> u({{0, 0}, {64, 64}}, std::vector<double>(64 * 64).data());
//       if (auto saved = try_open_checkpoint("run.ckpt")) {  // of a job of any number of nodes
//         saved->restore_objects();                           // mobile objects, and their waiting messages
//         step = saved->value<int>("step");
//         u = saved->value<object<double, 2>>("u");
//       }
//       for (; step < steps; ++step) {
//         if (step % 100 == 0) save_checkpoint("run.ckpt", {keep("step", step), keep("u", u)});
//         step_of(u);
//       }
//     }
//
// One task of the job calls, for all nodes. A checkpoint contains all mobile objects of the job with their waiting
// messages, and values and objects by name: those that the caller gives (saved_value.hpp), and those of each node
// (per_node_values.hpp). The directory is a Zarr (version 3) group. Numbers, vectors of numbers and objects are arrays
// that other tools can read; the rest is JSON, and bytes.
//
// Threads     every function from a task, but not from a handler: save_checkpoint would wait for the end of that
//             handler.
// Memory      messages that the caller and handlers sent to mobile objects before the call are handled in the
//             checkpoint, or wait in it. Messages that the caller sends after save_checkpoint has returned are not in
//             it. Messages of other tasks meanwhile are in it or not. Futures, events and tasks are not in it: after a
//             restore nothing waits for the replies to messages that waited.
// Cost        no handler begins from the call on until all nodes have copied their objects in memory. Files are written
//             in the background.
// Invariants  (1) the directory always has a complete checkpoint, the last one or the one before, also if the program
//             is killed. (2) a damaged file is detected before anything is restored, and the error names it. (3) any
//             program can read named values; only the build that has written mobile objects can read them.
// Source      consistent cuts: Chandy and Lamport, 1985; ours lets handlers end and messages arrive instead of
//             recording channels. One function for messages and checkpoints: PUP of Charm++. Zarr: its specification,
//             version 3.
#pragma once

#include <stretto/detail/saved_shape.hpp>
#include <stretto/fields.hpp>
#include <stretto/future.hpp>
#include <stretto/object.hpp>
#include <stretto/per_node_values.hpp>
#include <stretto/saved_value.hpp>
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

/// Takes a checkpoint of the whole job. Returns once its consistent point has passed: later messages of the caller are
/// not in it. The future is ready when the checkpoint is on disk and has replaced the one before.
///
///   directory   its path; it is created, or replaced as a whole. All nodes must see the same file system
///   all         the named values and objects, in addition to those of each node (per_node_values)
///   throws      B20; C01 if the directory cannot be written, before anything else happens; C08 for invalid names; C09
///               if a node fails meanwhile; C10 if messages wait for events that no handler will trigger; C11 in a
///               handler; A03 for objects with elements that nothing wrote. The future fails with C01, C09. After a
///               failure the checkpoint before stays
///   cost        the time for running handlers, and those that they wait for, to end and for messages to arrive; then a
///               copy of all in memory. A job writes one checkpoint at a time; a second one waits
future<void> save_checkpoint(std::string_view directory, std::vector<saved_value> all,
                             std::source_location where = std::source_location::current());

/// Whether open_checkpoint compares all files with their checksums, or each file is compared when it is read.
enum class verification { all_files, when_read };

/// An opened checkpoint. A handle: copies name the same checkpoint.
class checkpoint {
 public:
  /// The value or object of that name.
  ///
  ///   throws   C04 if there is none, C05 if it has another type or number of axes, C02 if its file is damaged, B40
  ///
  ///     saved.value<int>("step"), saved.value<object<double, 2>>("u"), saved.value<collection<cell>>("cells")
  template <class T>
  T value(std::string_view name, std::source_location where = std::source_location::current()) const {
    return read<T>({name}, where);
  }
  /// The names of all values and objects, sorted. Throws std::bad_alloc only.
  std::vector<std::string> names() const;
  /// The number of nodes of the job that took the checkpoint.
  std::uint32_t nodes() const noexcept;

  /// The nodes of that job whose own values this node should restore. Of n nodes, node r gets r, r + n, r + 2n and so
  /// on: the node of the same number if both jobs have the same size. Each is given to exactly one node. Throws B20.
  std::vector<std::uint32_t> nodes_here() const;
  /// The value of that name that a node of that job kept of its own; any node may call it. Throws as value(), and C04
  /// if there was no such node.
  template <class T>
  T value_of_node(std::uint32_t node, std::string_view name,
                  std::source_location where = std::source_location::current()) const {
    return read<T>({name, node}, where);
  }
  /// The names of the values that a node of that job kept of its own, sorted. Throws std::bad_alloc only.
  std::vector<std::string> names_of_node(std::uint32_t node) const;

  /// Restores the mobile objects on all nodes of this job under their old names, and sends them their waiting messages.
  /// Returns when all objects exist; quiescence() triggers when the messages have been handled. Call it once, before
  /// the job creates mobile objects.
  ///
  ///   throws   C03 if another build of the program has written them; C07 if the job has mobile objects; C09, C02, B20;
  ///            what fields() throws
  ///   cost     each node reads its own objects. With the same number of nodes, each gets those that it had; otherwise
  ///            about equal numbers
  void restore_objects(std::source_location where = std::source_location::current()) const {
    detail::restore_mobile_objects(*content_, where);
  }

 private:
  friend class detail::opened_checkpoint;
  friend std::optional<checkpoint> try_open_checkpoint(std::string_view directory, verification wanted,
                                                       std::source_location where);
  static std::vector<std::int64_t> lengths(std::size_t axes) { return std::vector<std::int64_t>(axes, -1); }  // any
  template <class T>
  T read(const detail::saved_name& name, const std::source_location& where) const {
    detail::saved_shape is;
    if constexpr (detail::is_object_argument<T>) {
      using value_type = typename T::element_type;
      const detail::saved_shape like{
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
      detail::saved_shape like = detail::shape_of_number<std::uint8_t>(lengths(1));
      like.fields_of = detail::type_text<T>::text();
      return from_bytes<T>(detail::read_kept(*content_, name, like, is, where));
    }
  }

  std::shared_ptr<const detail::checkpoint_content> content_;
};

/// Opens a checkpoint.
///
///   wanted   all_files compares all files with their checksums now; when_read compares each file when it is read,
///            for the other nodes of a job in which one node has checked all
///   throws   C06 if the directory is no checkpoint, C02 if a file is damaged
///   cost     reads every file once, or only the table of contents
checkpoint open_checkpoint(std::string_view directory, verification wanted = verification::all_files,
                           std::source_location where = std::source_location::current());
/// As open_checkpoint; nothing if there is no such directory. Throws C06, C02.
std::optional<checkpoint> try_open_checkpoint(std::string_view directory, verification wanted = verification::all_files,
                                              std::source_location where = std::source_location::current());

}  // namespace stretto

STRETTO_API_END
