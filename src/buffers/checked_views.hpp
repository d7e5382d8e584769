// checked_views.hpp - what a host task gets instead of a buffer's elements where programs are checked: a copy, marked outside of what its
// mapper names.
//
// Threads     one owner; the views of a task are used as the task uses them.
// Cost        twice a copy of the elements that are named, and a look at the others; memory as much again as the allocation.
// Invariants  (1) nothing outside of what mappers name is changed, whatever the task writes. (2) what is written there is found. (3) a read
//             there is found by a view that looks at each coordinate; else by what comes of it: marks of floating-point elements are NaNs
//             with a number, which arithmetic hands on.
#pragma once

#include <stretto/buffer.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <vector>

namespace stretto::buffers {

/// A host task, as its errors tell of it.
struct checked_task {
  std::string name;
  box chunk;
  std::source_location where;
};

class checked_view {
 public:
  /// One of the task's arguments.
  struct argument {
    std::string buffer;  // "buffer B1 "v""
    std::string mapper;  // "one_to_one"
    access how = access::in;
    detail::element_kind elements = detail::element_kind::any;
    int dimensions = 1;
    std::vector<box> named;  // by the mapper for the chunk
    // Of all of the task's arguments that use the same allocation:
    std::vector<box> held, written;
  };
  /// `number`: of the argument, in its marks. `same`: an earlier one of the same allocation, or null.
  checked_view(const checked_task& of, argument is, std::size_t number, const detail::host_elements& elements, const checked_view* same);
  ~checked_view();
  checked_view(const checked_view&) = delete;
  checked_view& operator=(const checked_view&) = delete;

  const detail::host_elements& given() const noexcept { return given_; }

  /// Throws B25 if something was written outside of what is named.
  void find_stray_writes() const;
  /// Throws B25 if something that is named holds what was read outside of what an argument names.
  void find_stray_reads(std::span<const std::unique_ptr<checked_view>> all) const;
  /// What may be written becomes the buffer's.
  void hand_back() const;

 private:
  enum class does : std::uint8_t { reads, writes, uses };
  /// Calls f(copied, original) for each of the elements.
  template <class F>
  void each_element(const std::vector<box>& of, F f) const;
  [[noreturn]] void refuse(does what, const point* at) const;
  void mark(std::uint64_t element, std::byte* to) const noexcept;
  std::uint64_t number_of(const point& p) const noexcept;
  point point_of(std::uint64_t element) const noexcept;
  std::vector<bool> held_elements() const;
  /// Which of the elements outside has this mark, if that can be told.
  [[noreturn]] void refuse_marked(std::uint64_t low, std::uint64_t rest, bool knows_rest) const;

  const checked_task& of_;
  const argument is_;
  const std::size_t number_;
  const detail::host_elements here_;  // the buffer's
  box all_;                           // those of the allocation, and some around them
  const bool owns_copy_;
  std::byte* copy_;                   // of `all_`, dense
  detail::view_limits limits_;
  detail::host_elements given_;
};

/// Runs a host task on views that are checked, of elements that are there. Throws B25.
void run_checked(const detail::host_function& f, const checked_task& of, std::span<const checked_view::argument> arguments,
                 std::span<const detail::host_elements> there);

}  // namespace stretto::buffers
