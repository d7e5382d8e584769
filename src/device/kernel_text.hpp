// kernel_text.hpp - the text that a device compiles, made from what the user wrote.
//
// Threads     pure: a kernel in, text out, but for reading the user's source file to find the lines.
// Cost        linear in the kernel and what it uses; milliseconds, once per kernel and kind of device.
// Source      one definition for host, OpenCL and CUDA: the kernels of PREMA's heterogeneous tasking. Theirs are a dialect of
//             the preprocessor; here the body is C++ that the host compiles first, and tokens are rewritten.
#pragma once

#include <stretto/kernel_code.hpp>

#include <cstdint>
#include <string>
#include <string_view>

#include "device/dialect.hpp"
#include "device/index_checks.hpp"

namespace stretto::device {

/// A program with one entry. It is compiled with -D STRETTO_DIMENSIONS=1, 2 or 3, and -D STRETTO_INDEXING=0, 1 or 2: its `indexing`.
///
/// The entry's parameters, in order: for an array its pointer and (CUDA) an array_layout, for local memory a pointer (OpenCL) or a
/// byte offset into the dynamic shared memory (CUDA, 64-bit), a value as it is; and last a launch_layout, behind which (OpenCL)
/// those of all arrays follow; and where it needs locks a pointer to `lock_count` 32-bit words, which are all 0 between launches and the same
/// for all kernels of a device; and where it looks at its indices a pointer to the words of a checked_launch.
struct kernel_text {
  std::string entry;
  std::string source;
  bool needs_double = false;
  bool needs_atomics_64 = false;
  bool needs_locks = false;
  /// A name that devices do not know: a macro, or something else of the host's program. Empty: there is none.
  std::string unknown;
  std::string unknown_where;  ///< file and line
  bool has_lines = false;  ///< false: the user's file could not be read, and messages name the line of the macro
};

inline constexpr unsigned lock_count = 1024;  // a power of two

/// As devices read them: both are passed by value.
struct array_layout {
  std::int64_t offset = 0;  ///< elements from the array's first to the one whose coordinates are all 0
  std::int64_t stride[3] = {0, 0, 0};
  std::int64_t skip = 0;  ///< bytes from the pointer to the array's first element (OpenCL, whose pointers are whole buffers)
};
struct launch_layout {
  std::int64_t min[3] = {0, 0, 0}, count[3] = {1, 1, 1};
};

/// Throws K10 where a body cannot be put into the dialect, or holds a directive of the preprocessor (which only the source shows), K11 where a name stands for two texts.
///   checked   arrays of instances alone: memory of a group and local arrays are looked at on the host
kernel_text text_for(const kernel_code& kernel, dialect d, index_checks checked = index_checks::off);

}  // namespace stretto::device
