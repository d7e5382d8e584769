// kernel_preludes.hpp - the text in front of every kernel: the names of kernel_scope.hpp and group_scope.hpp in the
// language of a device.
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

/// Layout of the words that checked_launch.hpp passes to a kernel with index checks, in units of 64 bits. First a
/// flag (0 or 1, as 32 bits) for whether an index was outside; then the parameter, index and item of the first
/// violation; then for each parameter the word at which its boxes start.
struct checked_words {
  static constexpr std::size_t parameter = 1, index = 2, item = 5, first_start = 8;
};
/// The function by which such a kernel finds an element. It must follow the prelude.
std::string text_of_checked_element(dialect d);

/// An atomic read-modify-write function that returns the old value.
struct atomic_function {
  std::string change;     ///< add, min, max, multiply, and, or, xor
  std::string type;       ///< int32_t, uint32_t, float, int64_t, uint64_t, double
  bool is_global = true;  ///< on an array; false: on memory of a group

  /// "stretto_atomic_add_float_global".
  std::string name() const;
  friend auto operator<=>(const atomic_function&, const atomic_function&) = default;
};

/// Whether a name denotes a short vector in device text, such as "stretto_float4". The prefix avoids the vectors of
/// OpenCL and CUDA.
bool is_short_vector(std::string_view name) noexcept;
/// The definitions of these vectors: OpenCL's own in OpenCL; in CUDA structures with the same size, alignment and
/// operators.
std::string text_of_vectors(const std::set<std::string>& names, dialect d);

/// The definitions of the supported functions; the compiler reports others.
std::string text_of(const std::set<atomic_function>& used, dialect d);

/// A function by which a kernel contributes to elements with a user-defined operator, under one of `locks` locks.
///
///   combines   the function of two elements
///   unit       a divisor of the size and alignment, in bytes: 1, 2 or 4
struct locked_fold {
  std::string by, type = {}, combines = {};
  std::uint32_t bytes = 0, unit = 1;
  unsigned locks = 1;

  std::string name() const { return "stretto_fold_by_" + by; }
};
std::string text_of(const locked_fold& f, dialect d);

}  // namespace stretto::device
