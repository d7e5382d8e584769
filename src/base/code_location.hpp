// code_location.hpp - the source line of an address in the code of this process, for reports.
//
// Threads     any.
// Cost        runs addr2line, once for each address.
#pragma once

#include <array>
#include <string>

namespace stretto::base {

/// An address in the code as addr2line takes it. It asks for no memory, so that reports of crashes may use it.
class code_place {
 public:
  explicit code_place(const void* address) noexcept;
  code_place(const code_place&) = delete;

  /// Null if the address is in no file.
  const char* file() const noexcept { return file_; }
  /// "0x1234", from the begin of the file's code.
  const char* offset() const noexcept { return offset_.data(); }

 private:
  std::array<char, 32> own_file_{}, offset_{};
  const char* file_ = nullptr;
};

/// The line that contains the call which returns to this address: "ring.c:12". Without debug information the function
/// and the argument for addr2line, "main, ring+0x1234"; empty for a null pointer.
std::string location_of_call(const void* return_address);

}  // namespace stretto::base
