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

#include <stretto/fields.hpp>
#include <stretto/future.hpp>
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

namespace detail {

template <class T>
inline constexpr bool is_zarr_number =
    (std::is_integral_v<T> || std::is_same_v<T, float> || std::is_same_v<T, double>) && sizeof(T) <= 8;
template <class T>
inline constexpr bool is_number_vector = false;
template <class N, class A>
inline constexpr bool is_number_vector<std::vector<N, A>> = is_zarr_number<N> && !std::is_same_v<N, bool>;

/// What one array of a checkpoint is.
struct kept_shape {
  std::string type;  // as Zarr has it
  std::uint32_t element_bytes = 1;
  std::vector<std::int64_t> lengths;  // of its axes; none: one element
  std::vector<std::int64_t> origin;   // of an object
  std::string fields_of;              // the type whose fields its bytes are; empty: elements
  std::int64_t rows = 0;              // of a chunk, along axis 0; 0: as many as 64 MiB hold

  template <class Archive>
  friend void fields(Archive& a, archived<kept_shape, Archive>& s) {
    a(s.type, s.element_bytes, s.lengths, s.origin, s.fields_of, s.rows);
  }
};
template <class T>
struct type_text {
  static std::string text() {
    const std::string_view all = __PRETTY_FUNCTION__;
    const auto from = all.find("T = ") + 4, to = all.find(';', from);
    return std::string(all.substr(from, (to == all.npos ? all.rfind(']') : to) - from));
  }
};
template <class T>
kept_shape shape_of_number(std::vector<std::int64_t> lengths) {
  return {zarr_type<T>(), sizeof(T), std::move(lengths), {}, {}};
}

struct checkpoint_content;
class opened_checkpoint;
/// Where something is kept: the name, and the node whose own it is; none: the caller named it.
struct kept_name {
  std::string_view name;
  std::optional<std::uint32_t> node = {};
};
/// Throws C04 if nothing is kept under that name, C05 if it is something else, C02.
std::vector<std::byte> read_kept(const checkpoint_content& from, const kept_name& name, const kept_shape& like,
                                 kept_shape& is, const std::source_location& where);
void restore_mobile_objects(const checkpoint_content& from, const std::source_location& where);

}  // namespace detail

/// A value under a name, to be saved. Made by keep().
struct kept {
  std::string name;
  detail::kept_shape shape;
  std::vector<std::byte> bytes;  // its elements, in the order of C
  detail::object_handle object;  // or whose they are
  std::source_location where;
};

/// Keeps the content that the object has at the checkpoint.
template <class T, std::size_t D>
kept keep(std::string_view name, const object<T, D>& o, std::source_location where = std::source_location::current()) {
  const box elements = o.elements(where);
  detail::kept_shape shape{detail::zarr_type<T>(), sizeof(T), {}, {}, {}};
  for (int axis = 0; axis < static_cast<int>(D); ++axis) {
    shape.lengths.push_back(elements.length(axis));
    shape.origin.push_back(elements.min()[axis]);
  }
  return {std::string(name), std::move(shape), {}, o.handle(), where};
}
/// Keeps the value that it has now. Numbers and vectors of numbers become arrays of that type, others the bytes of
/// their fields.
template <transferable T>
kept keep(std::string_view name, const T& value, std::source_location where = std::source_location::current()) {
  kept k{std::string(name), {}, {}, {}, where};
  if constexpr (detail::is_zarr_number<T>) {
    k.shape = detail::shape_of_number<T>({});
    k.bytes.resize(sizeof(T));
    std::memcpy(k.bytes.data(), &value, sizeof(T));
  } else if constexpr (detail::is_number_vector<T>) {
    k.shape = detail::shape_of_number<typename T::value_type>({static_cast<std::int64_t>(value.size())});
    k.bytes.resize(value.size() * sizeof(typename T::value_type));
    if (!value.empty()) std::memcpy(k.bytes.data(), value.data(), k.bytes.size());
  } else {
    k.bytes = to_bytes(value);
    k.shape = detail::shape_of_number<std::uint8_t>({static_cast<std::int64_t>(k.bytes.size())});
    k.shape.fields_of = detail::type_text<T>::text();
  }
  return k;
}

namespace detail {

/// What a node keeps of its own: a function for each name, which makes it `kept` at the point of a checkpoint.
struct own_things {
  struct one {
    std::string name;
    std::function<kept()> now;
  };
  std::uint16_t node = 0;
  std::vector<one> all;
};
/// Of the node of the calling task, until they are forgotten, from any thread.
void add_own_things(const std::shared_ptr<own_things>& mine);
void forget_own_things(const std::shared_ptr<own_things>& mine) noexcept;
/// Throws C08.
void keep_own(const std::shared_ptr<own_things>& in, std::string_view name, std::function<kept()> now,
              const std::source_location& where);

}  // namespace detail

/// Values of this node, by name: while this object lives, every checkpoint of the job contains them, whichever node
/// takes the checkpoint.
///
///     kept_here mine;                      // in a task, on every node that has something
///     mine.keep("handled", handled).keep("u", u);
///     ...
///     for (auto r : saved.nodes_here()) handled += saved.value_of_node<long>(r, "handled");   // in another run, on
///     every node
///
/// Variables are read at the point of the checkpoint, when no handler of a mobile object runs: what handlers alone
/// change fits the mobile objects that are saved with it. Tasks do run then: give a function, with a lock, for what
/// they change.
///
///   Threads   made by a task of the node; goes in any. It is not destroyed while its variables are read
///   throws    keep: C08 for a name that cannot be one, or that this node keeps already. Other nodes may keep the same
///             name
class kept_here {
 public:
  kept_here() { detail::add_own_things(mine_); }
  ~kept_here() { detail::forget_own_things(mine_); }
  kept_here(const kept_here&) = delete;
  kept_here& operator=(const kept_here&) = delete;

  /// Keeps the content that the object has at the checkpoint which the variable names then.
  template <class T, std::size_t D>
  kept_here& keep(std::string_view name, const object<T, D>& o,
                  std::source_location where = std::source_location::current()) {
    return add(name, [&o, called = std::string(name), where] { return stretto::keep(called, o, where); }, where);
  }
  /// Keeps the value that the variable has at the checkpoint.
  template <transferable T>
    requires(!std::invocable<const T&>)
  kept_here& keep(std::string_view name, const T& value, std::source_location where = std::source_location::current()) {
    return add(
        name, [&value, called = std::string(name), where] { return stretto::keep(called, value, where); }, where);
  }
  /// Keeps what the function returns at the checkpoint. It may lock, and does not wait.
  template <std::invocable F>
  kept_here& keep(std::string_view name, F value, std::source_location where = std::source_location::current()) {
    return add(
        name,
        [value = std::move(value), called = std::string(name), where] { return stretto::keep(called, value(), where); },
        where);
  }

 private:
  kept_here& add(std::string_view name, std::function<kept()> now, const std::source_location& where) {
    detail::keep_own(mine_, name, std::move(now), where);
    return *this;
  }

  const std::shared_ptr<detail::own_things> mine_ = std::make_shared<detail::own_things>();
};

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
