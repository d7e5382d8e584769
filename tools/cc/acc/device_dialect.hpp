// device_dialect.hpp - what differs between the languages of kernels: OpenCL C 1.2 and C++ for CUDA.
//
// Threads     pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cc/acc/source_names.hpp"

namespace stretto::cc::acc {

enum class device_language : std::uint8_t { opencl, cuda };

/// The memory that a pointer points to. OpenCL C 1.2 has a type of pointers for each.
enum class pointer_space : std::uint8_t { unknown, own, global, constant };  // own: of the gang alone

/// Thrown for code that the language of a device cannot express: "it calls \"printf\"".
struct inexpressible_code {
  std::string reason;
};

class device_dialect {
 public:
  explicit device_dialect(device_language language) noexcept : language_(language) {}

  bool is_opencl() const noexcept { return language_ == device_language::opencl; }
  /// "__global ", or nothing where pointers have no spaces.
  std::string qualifier(pointer_space space) const;
  /// The type of a number, without const. Throws inexpressible_code for long double and wider integers.
  std::string number(const c_type& type) const;
  /// A number, character or text of C, without suffixes that only C has.
  std::string literal(std::string_view spelling) const;
  /// A name of the program, changed if the language reserves it.
  std::string identifier(const std::string& name) const;

  /// Ahead of the name of a kernel and of a function.
  std::string_view kernel_head() const { return is_opencl() ? "__kernel void " : "extern \"C\" __global__ void "; }
  std::string_view function_head() const { return is_opencl() ? "static " : "static __device__ "; }
  /// The number of the work-item, and how many there are.
  std::string_view gang() const;
  std::string_view gangs() const;
  /// Compares and swaps 4 or 8 bytes: the function, and the type that it takes.
  std::string_view swap_function(std::size_t bytes) const;
  std::string_view swapped_type(std::size_t bytes) const;
  /// Adds, subtracts, ... ("add", "sub", "and", "or", "xor") a number of so many bytes, and returns that before; "" if
  /// there is no such function.
  std::string change_function(std::string_view what, std::size_t bytes) const;
  /// Ahead of all other text.
  std::string prelude(bool uses_double, bool uses_long_atomics) const;

 private:
  device_language language_;
};

/// Whether a name is that of a vector type: "float4".
bool is_vector_type(std::string_view name) noexcept;

}  // namespace stretto::cc::acc
