// kernel_text.hpp - generates the text that a device compiles from a kernel's C++ text.
//
// Threads     pure, except that it reads the user's source file to find the lines.
// Cost        linear in the kernel and the functions that it uses; milliseconds, once per kernel and kind of device.
// Source      one definition for host, OpenCL and CUDA: the kernels of PREMA's heterogeneous tasking. Theirs are a
//             preprocessor dialect; here the host compiles the body as C++ first, and then tokens are rewritten.
#pragma once

#include <stretto/kernel_code.hpp>

#include <cstdint>
#include <string>
#include <string_view>

#include "device/dialect.hpp"
#include "device/index_checks.hpp"

namespace stretto::device {

/// A program with one entry function. It is compiled with -D STRETTO_DIMENSIONS=1, 2 or 3, and -D STRETTO_INDEXING=0,
/// 1 or 2 (see `indexing`).
///
/// The entry's parameters, in order:
///   - for each array a pointer and, in CUDA, an array_layout
///   - for local memory a pointer (OpenCL), or a 64-bit byte offset into the dynamic shared memory (CUDA)
///   - each value as it is
///   - a launch_layout, and in OpenCL behind it the layouts of all arrays
///   - with locks: a pointer to `lock_count` 32-bit words, which are 0 between launches and shared by all kernels of
///   a device
///   - with index checks: a pointer to the words of a checked_launch
struct kernel_text {
  std::string entry;
  std::string source;
  bool needs_double = false;
  bool needs_atomics_64 = false;
  bool needs_locks = false;
  /// A name that devices do not know: a macro, or another name of the host's program. Empty if there is none.
  std::string unknown;
  std::string unknown_where;  ///< file and line
  /// false: the user's file could not be read; compiler messages then name the line of the macro
  bool has_lines = false;
};

inline constexpr unsigned lock_count = 1024;  // a power of two

/// The layouts that kernels receive by value.
struct array_layout {
  std::int64_t offset = 0;  ///< elements from the array's first element to the one at the origin
  std::int64_t stride[3] = {0, 0, 0};
  std::int64_t skip = 0;  ///< bytes from the pointer to the array's first element (OpenCL passes whole buffers)
};
struct launch_layout {
  std::int64_t min[3] = {0, 0, 0}, count[3] = {1, 1, 1};
};

/// Generates the text.
///
///   checked   checks indices of arrays of instances; group memory and local arrays are checked on the host only
///   throws    K10 if a body cannot be translated or holds a preprocessor directive (visible in the source only), K11
///             if a name denotes two texts
kernel_text text_for(const kernel_code& kernel, dialect d, index_checks checked = index_checks::off);

}  // namespace stretto::device
