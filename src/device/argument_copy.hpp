// argument_copy.hpp - a copy of the values among the arguments of a launch, and of the sizes of its local memory.
//
// Threads     one owner; constant after construction.
// Cost        no allocation for a few bytes; one heap block for larger values or for values with more than usual
//             alignment.
#pragma once

#include <stretto/kernel_code.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

namespace stretto::device {

/// Host memory aligned to cache lines.
struct line_memory {
  static constexpr std::size_t line = 64;
  static constexpr std::size_t to_line(std::size_t bytes) noexcept { return (bytes + line - 1) / line * line; }

  struct release {
    void operator()(std::byte* p) const noexcept { ::operator delete[](p, std::align_val_t(line)); }
  };
  using block = std::unique_ptr<std::byte[], release>;
  static block allocate(std::size_t bytes) { return block(new (std::align_val_t(line)) std::byte[bytes]); }
};

class argument_copy {
 public:
  /// Calls `keep(i, where)` for each value, with storage of the parameter's size and alignment, and for each local
  /// parameter, with storage for a std::int64_t.
  template <class Keep>
  argument_copy(const kernel_code& code, Keep&& keep) {
    bool fits = true;
    const std::size_t bytes =
        lay_out(code, [&](std::size_t i, std::size_t) { fits = fits && code.parameters[i].alignment <= usual; });
    if (bytes == 0) return;
    if (!fits || bytes > in_place) memory_ = line_memory::allocate(bytes);
    each(code, keep);
  }
  argument_copy(const argument_copy&) = delete;

  /// Calls f(i, where) for the same storage. `code` must be the same.
  template <class F>
  void each(const kernel_code& code, F&& f) const {
    std::byte* const first = memory_ ? memory_.get() : first_;
    lay_out(code, [&](std::size_t i, std::size_t at) { f(i, first + at); });
  }

 private:
  static constexpr std::size_t in_place = 48, usual = 16;

  /// Calls f(i, offset) for each stored parameter; returns the total size in bytes.
  template <class F>
  static std::size_t lay_out(const kernel_code& code, F f) {
    std::size_t end = 0;
    for (std::size_t i = 0; i < code.parameters.size(); ++i) {
      const kernel_parameter& p = code.parameters[i];
      if (p.mode != access::value && p.mode != access::local) continue;
      const bool is_value = p.mode == access::value;
      const std::size_t alignment = is_value ? p.alignment : alignof(std::int64_t);
      const std::size_t at = (end + alignment - 1) / alignment * alignment;
      f(i, at);
      end = at + (is_value ? p.element_bytes : sizeof(std::int64_t));
    }
    return end;
  }

  line_memory::block memory_;
  alignas(usual) mutable std::byte first_[in_place];
};

}  // namespace stretto::device
