// kept_values.hpp - the values among the arguments of a launch, copied: each at an address that any type may have.
//
// Threads     one owner; what it keeps is constant.
// Cost        one block from the heap where there is a value.
#pragma once

#include <stretto/kernel_code.hpp>

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>

namespace stretto::device {

/// Host memory on lines of the cache.
struct line_memory {
  static constexpr std::size_t line = 64;
  static constexpr std::size_t to_line(std::size_t bytes) noexcept { return (bytes + line - 1) / line * line; }

  struct release {
    void operator()(std::byte* p) const noexcept { ::operator delete[](p, std::align_val_t(line)); }
  };
  using block = std::unique_ptr<std::byte[], release>;
  static block allocate(std::size_t bytes) { return block(new (std::align_val_t(line)) std::byte[bytes]); }
};

class kept_values {
 public:
  /// Calls `each(i, where)` for every value, with the place for it, of element_bytes of parameter i.
  template <class Each>
  kept_values(const kernel_code& code, Each&& each) {
    std::size_t bytes = 0;
    for (const kernel_parameter& p : code.parameters) bytes += p.mode == access::value ? line_memory::to_line(p.element_bytes) : 0;
    if (!bytes) return;
    memory_ = line_memory::allocate(bytes);
    std::byte* at = memory_.get();
    for (std::size_t i = 0; i < code.parameters.size(); ++i) {
      if (code.parameters[i].mode != access::value) continue;
      each(i, at);
      at += line_memory::to_line(code.parameters[i].element_bytes);
    }
  }

 private:
  line_memory::block memory_;
};

}  // namespace stretto::device
