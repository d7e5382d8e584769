// call_tags.hpp - what a call of MPI waits for, what it is called, and the line that asked for it.
//
// Threads     a value that lives as long as the call it is given to.
#pragma once

#include <stretto/task.hpp>

#include <source_location>
#include <span>
#include <string_view>

namespace stretto::mpi {

/// The last argument of every call: after(...), name("..."), {after(...), name("...")} or nothing. The parts that it
/// was made of must outlive the call.
///
///     auto got = world.irecv(halo, left, 7, {after(unpacked), name("halo")});
class call_tags {
 public:
  call_tags(std::source_location where = std::source_location::current()) noexcept : where(where) {}
  template <std::size_t N>
  call_tags(const after_list<N>& list, task_name n = {},
            std::source_location where = std::source_location::current()) noexcept
      : dependencies(list.items), name(n.text), where(where) {}
  call_tags(after_range range, task_name n = {}, std::source_location where = std::source_location::current()) noexcept
      : events(range.items), name(n.text), where(where) {}
  call_tags(task_name n, std::source_location where = std::source_location::current()) noexcept
      : name(n.text), where(where) {}

  std::span<const dependency> dependencies;  // one of the two is empty
  std::span<const event> events;
  std::string_view name;
  std::source_location where;
};

}  // namespace stretto::mpi
