// kernel_preludes.hpp - what stands before every kernel's text: the names of kernel_scope.hpp as a device spells them.
//
// Threads     constants.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "device/dialect.hpp"

namespace stretto::device {

const std::string& prelude(dialect d);

/// What checked_launch.hpp gives a kernel that looks at its indices, in words of 64 bits: 0 or 1 (as 32 bits) for whether something was named that
/// may not be, of it the parameter, the index and the item; then for each parameter the word where its boxes are.
struct checked_words {
  static constexpr std::size_t parameter = 1, index = 2, item = 5, first_start = 8;
};
/// The function by which such a kernel finds an element. Behind the prelude.
std::string text_of_checked_element(dialect d);

/// A function that changes an element in one step and returns what was there.
struct atomic_function {
  std::string change;  ///< add, min, max, multiply, and, or, xor
  std::string type;    ///< int32_t, uint32_t, float, int64_t, uint64_t, double
  bool is_global = true;  ///< of an array, else of memory of a group

  /// "stretto_atomic_add_float_global".
  std::string name() const;
  friend auto operator<=>(const atomic_function&, const atomic_function&) = default;
};

/// Whether a name is that of a short vector in device text: "stretto_float4", so that OpenCL's and
/// CUDA's own are left alone.
bool is_short_vector(std::string_view name) noexcept;
/// The definitions of such: in OpenCL those of its own, in CUDA structures with the same size, alignment and operators.
std::string text_of_vectors(const std::set<std::string>& names, dialect d);

/// The definitions of those that there are; the compiler tells of others.
std::string text_of(const std::set<atomic_function>& used, dialect d);

/// The function by which a kernel contributes to elements of a type by an operator of the program's own, behind a lock of `locks`.
///
///   combines   the function of two elements
///   unit       bytes that their size and alignment are multiples of: 1, 2 or 4
struct locked_fold {
  std::string by, type = {}, combines = {};
  std::uint32_t bytes = 0, unit = 1;
  unsigned locks = 1;

  std::string name() const { return "stretto_fold_by_" + by; }
};
std::string text_of(const locked_fold& f, dialect d);

}  // namespace stretto::device
