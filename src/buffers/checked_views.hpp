// checked_views.hpp - detects host tasks that use elements which their mappers do not name. In checked programs a task
// gets a copy of the buffer's elements; all elements of the copy that are not named hold marks.
//
// Threads     one owner; a task uses its views as it would use those of the buffer.
// Cost        two copies of the named elements, and a test of all others; as much memory as the allocation.
// Invariants  (1) whatever the task writes, elements of the buffer that no mapper names do not change. (2) writes to
//             elements that are not named are detected. (3) reads are detected if the view checks each coordinate;
//             else if a result has a mark: floating-point marks are NaNs with a payload, which arithmetic propagates.
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

/// A host task, for error texts.
struct checked_task {
  std::string name;
  box chunk;
  std::source_location where;
};

class checked_view {
 public:
  /// One argument of the task.
  struct argument {
    std::string buffer;  // "buffer B1 "v""
    std::string mapper;  // "one_to_one"
    access how = access::in;
    detail::element_kind elements = detail::element_kind::any;
    int dimensions = 1;
    std::vector<box> named;  // elements that the mapper names for the chunk
    // The elements that all arguments of the task in the same allocation name, and those that they write.
    std::vector<box> held, written;
  };
  /// `number`: the number of the argument, which its marks contain. `same`: an earlier view of the same allocation,
  /// whose copy this view shares; or null.
  checked_view(const checked_task& of, argument is, std::size_t number, const detail::host_elements& elements,
               const checked_view* same);
  ~checked_view();
  checked_view(const checked_view&) = delete;
  checked_view& operator=(const checked_view&) = delete;

  const detail::host_elements& given() const noexcept { return view_; }

  /// Throws B25 if the task wrote an element that is not named.
  void find_stray_writes() const;
  /// Throws B25 if a named element holds the mark of an element that is not named: the task has read it.
  void find_stray_reads(std::span<const std::unique_ptr<checked_view>> all) const;
  /// Copies the writable elements back to the buffer.
  void copy_back() const;

 private:
  enum class does : std::uint8_t { reads, writes, uses };
  /// Calls f(copied, original) for each of the elements.
  template <class F>
  void each_element(const std::vector<box>& of, F f) const;
  [[noreturn]] void throw_stray_access(does what, const point* at) const;
  void mark(std::uint64_t element, std::byte* to) const noexcept;
  std::uint64_t number_of(const point& p) const noexcept;
  point point_of(std::uint64_t element) const noexcept;
  std::vector<bool> held_elements() const;
  /// Throws B25 for the element with this mark, or for an unknown one if the mark is ambiguous.
  [[noreturn]] void throw_stray_read(std::uint64_t low, std::uint64_t rest, bool knows_rest) const;

  const checked_task& task_;
  const argument is_;
  const std::size_t number_;
  const detail::host_elements original_;  // elements of the buffer
  box widened_box_;                       // the box of the allocation, widened by some elements
  const bool owns_copy_;
  std::byte* copy_;  // dense copy of `widened_box_`
  detail::view_limits limits_;
  detail::host_elements view_;
};

/// Runs a host task on checked views of the elements `there`. Throws B25.
void run_checked(const detail::host_function& f, const checked_task& of,
                 std::span<const checked_view::argument> arguments, std::span<const detail::host_elements> there);

}  // namespace stretto::buffers
