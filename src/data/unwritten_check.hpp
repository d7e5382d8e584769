// unwritten_check.hpp - finds, on the host, elements that a checked launch should have written and has not
// (device/unwritten_elements.hpp).
//
// Threads     any thread that may read the elements.
// Cost        one comparison per element at the first view of held elements, if programs are checked and a launch
//             has left any; else a load.
#pragma once

#include <stretto/instance.hpp>

#include <atomic>
#include <cstddef>
#include <source_location>
#include <string>

namespace stretto::data {

/// Throws K07 for the first element of `part` that has no value. `first` is the address of shape.box.min(); `of` names
/// the array, as 'object "u"'.
void refuse_unwritten(const std::byte* first, const layout& shape, const box& part, int dimensions,
                      const std::string& of, const std::source_location& where);

/// The same for elements held for a program, which makes any number of views of them: runs until all have a value.
class unwritten_check {
 public:
  unwritten_check(bool is_wanted = false) noexcept : is_due_(is_wanted) {}

  /// `describe` returns `of`.
  template <class Describe>
  void operator()(const std::byte* first, const layout& shape, const box& part, int dimensions, Describe describe,
                  const std::source_location& where) const {
    if (!is_due_.load(std::memory_order_acquire)) return;
    refuse_unwritten(first, shape, part, dimensions, describe(), where);
    is_due_.store(false, std::memory_order_release);
  }

 private:
  mutable std::atomic<bool> is_due_;
};

}  // namespace stretto::data
