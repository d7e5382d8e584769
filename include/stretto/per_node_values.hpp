// per_node_values.hpp - values of one node that every checkpoint of its job contains.
//
//     void count(long& handled, std::mutex& lock, std::vector<int>& waiting, void (*work)()) {  // on every node
//       per_node_values mine;
//       mine.keep("handled", handled);  // read when a checkpoint is taken
//       mine.keep("waiting", [&] {
//         const std::scoped_lock hold(lock);
//         return waiting;
//       });
//       work();
//     }
//     long handled_before(const checkpoint& saved) {  // in another run, on every node
//       long handled = 0;
//       for (auto node : saved.nodes_here()) handled += saved.value_of_node<long>(node, "handled");
//       return handled;
//     }
//
// save_checkpoint (checkpoint.hpp) saves them on whatever node it is called; checkpoint::value_of_node reads them.
//
// Threads     a task of the node makes a per_node_values; any thread may destroy it.
// Cost        each checkpoint copies the variables.
#pragma once

#include <stretto/fields.hpp>
#include <stretto/object.hpp>
#include <stretto/saved_value.hpp>

#include <concepts>
#include <cstddef>
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

namespace detail {

struct node_values;

/// The values of one node for checkpoints: for each name a function that makes a `saved_value` at the time of a
/// checkpoint.
struct named_values {
  struct one {
    std::string name;
    std::function<saved_value()> now;
  };
  std::shared_ptr<node_values> node;
  std::vector<one> all;
};
/// Adds the values to the node of the calling task, until they are removed, on any thread.
void add_named_values(const std::shared_ptr<named_values>& mine);
void remove_named_values(const std::shared_ptr<named_values>& mine) noexcept;
/// Throws C08.
void add_named_value(const std::shared_ptr<named_values>& in, std::string_view name, std::function<saved_value()> now,
                     const std::source_location& where);

}  // namespace detail

/// Named values of this node: as long as this object lives, every checkpoint of the job contains them, on whatever node
/// the checkpoint is taken. Other nodes may use the same names.
///
/// A checkpoint reads the variables while no handler of a mobile object runs, so that variables that only handlers
/// change are consistent with the saved mobile objects. Tasks may run meanwhile: give a function with a lock for
/// variables that tasks change. The destructor waits while the variables are being read.
class per_node_values {
 public:
  /// Adds no values yet. Throws B20 on a thread of no runtime.
  per_node_values() { detail::add_named_values(mine_); }
  ~per_node_values() { detail::remove_named_values(mine_); }
  per_node_values(const per_node_values&) = delete;
  per_node_values& operator=(const per_node_values&) = delete;

  /// Adds the variable of an object, which must outlive this object: a checkpoint contains the elements of the object
  /// that it names at that time. Throws C08 for an invalid name, or one that this node uses.
  template <class T, std::size_t D>
  per_node_values& keep(std::string_view name, const object<T, D>& o,
                        std::source_location where = std::source_location::current()) {
    return add(name, [&o, called = std::string(name), where] { return stretto::keep(called, o, where); }, where);
  }
  /// Adds a variable, which must outlive this object: a checkpoint contains its value at that time. Throws C08 as
  /// above.
  template <transferable T>
    requires(!std::invocable<const T&>)
  per_node_values& keep(std::string_view name, const T& value,
                        std::source_location where = std::source_location::current()) {
    return add(
        name, [&value, called = std::string(name), where] { return stretto::keep(called, value, where); }, where);
  }
  /// Adds a function: a checkpoint contains its result at that time. It may lock a mutex, but must not wait for events.
  /// Throws C08 as above.
  template <std::invocable F>
  per_node_values& keep(std::string_view name, F value, std::source_location where = std::source_location::current()) {
    return add(
        name,
        [value = std::move(value), called = std::string(name), where] { return stretto::keep(called, value(), where); },
        where);
  }

 private:
  per_node_values& add(std::string_view name, std::function<saved_value()> now, const std::source_location& where) {
    detail::add_named_value(mine_, name, std::move(now), where);
    return *this;
  }

  const std::shared_ptr<detail::named_values> mine_ = std::make_shared<detail::named_values>();
};

}  // namespace stretto

STRETTO_API_END
