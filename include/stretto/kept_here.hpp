// kept_here.hpp - what each node of a job keeps of its own in checkpoints.
//
//     kept_here mine;                            // in a task, on every node that has something
//     mine.keep("handled", handled);             // a variable, read when a checkpoint is taken
//     mine.keep("u", u);                         // an object
//     mine.keep("queue", [&] { std::lock_guard hold(lock); return waiting; });
//
// checkpoint.hpp saves it, whichever node takes the checkpoint, and reads it again: checkpoint::value_of_node.
//
// Threads     made by a task of the node; goes in any.
// Cost        a variable is copied at each checkpoint.
#pragma once

#include <stretto/fields.hpp>
#include <stretto/keep.hpp>
#include <stretto/object.hpp>

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

/// What a node keeps of its own: a function for each name, which makes it `kept` at the point of a checkpoint.
struct own_things {
  struct one {
    std::string name;
    std::function<kept()> now;
  };
  std::shared_ptr<node_values> node;
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

}  // namespace stretto

STRETTO_API_END
