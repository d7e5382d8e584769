// unwritten_elements.hpp - marks elements of an out argument that a launch should have written and left without a
// value.
//
// A launch must write all elements that an out argument of an object or a buffer names. A checked launch marks those
// that its trial run did not write. Copies carry marks between memories and nodes. A later read of a marked element
// is a read without a value; a write removes the mark.
//
// Threads     any.
// Cost        a comparison per element. Elements of less than four bytes cannot be marked.
#pragma once

#include <stretto/kernel_code.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace stretto::device {

bool is_unwritten(const std::byte* element, std::size_t bytes) noexcept;
/// Whether an element of this size can be marked.
constexpr bool can_be_unwritten(std::size_t bytes) noexcept { return bytes >= sizeof(std::uint32_t); }
void mark_unwritten(std::byte* element, std::size_t bytes) noexcept;

/// A launch that left elements without a value, and a box around them.
struct unwritten_record {
  std::string kernel, array;
  std::string launched;  // file and line; empty if unknown
  std::int64_t min[3] = {0, 0, 0}, max[3] = {1, 1, 1};
  friend bool operator==(const unwritten_record&, const unwritten_record&) = default;
};
/// Records the launch for the life of the process. The last 64 records are kept.
void remember(unwritten_record left);
bool has_recorded_launches() noexcept;
/// The last launch that left an element with this index, as in 'kernel "half", launched at a.cpp:7, whose out
/// argument is y'. Empty if there is none.
std::string launch_that_left(const std::int64_t* index);

/// Texts of the errors about unwritten elements.
inline constexpr const char* why_unwritten =
    "a launch must write every element of an out argument, but that launch did not write this one";
inline constexpr const char* remedy_for_unwritten =
    "write every element, pass only the part that the launch writes, u(part), or declare the parameter inout";

/// Calls f(at, element) for each element of an array argument that the launch may access, in C order, until f returns
/// false.
template <class F>
bool each_element(const kernel_argument& a, const kernel_parameter& p, F f) {
  std::int64_t min[3] = {0, 0, 0}, max[3] = {1, 1, 1}, at[3];
  for (int axis = 0; axis < p.dimensions; ++axis) min[axis] = a.min[axis], max[axis] = a.max[axis];
  for (at[0] = min[0]; at[0] < max[0]; ++at[0])
    for (at[1] = min[1]; at[1] < max[1]; ++at[1])
      for (at[2] = min[2]; at[2] < max[2]; ++at[2]) {
        if (a.allowed && !kernels::is_allowed(*a.allowed, at, p.dimensions)) continue;
        const std::int64_t elements = at[0] * a.stride[0] + at[1] * a.stride[1] + at[2] * a.stride[2];
        if (!f(at,
               reinterpret_cast<std::byte*>(reinterpret_cast<std::intptr_t>(a.origin) + elements * p.element_bytes)))
          return false;
      }
  return true;
}

}  // namespace stretto::device
