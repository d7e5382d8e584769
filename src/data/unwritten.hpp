// unwritten.hpp - the host reads elements that a checked launch has left without a value
// (device/unwritten_elements.hpp).
//
// Threads     any, of who may read the elements.
// Cost        a comparison per element at the first look at held elements, where programs are checked and a launch has
// left any; else a load.
#pragma once

#include <stretto/instance.hpp>

#include <atomic>
#include <cstddef>
#include <source_location>
#include <string>

namespace stretto::data {

/// Throws K07 for the first element of `part` that has no value. `first` is where `shape` begins; `of` names the array, as 'object "u"'.
void refuse_unwritten(const std::byte* first, const layout& shape, const box& part, int dimensions, const std::string& of,
                      const std::source_location& where);

/// The same of elements that are held for a program, which makes as many views of them as it likes: until it has found that all have a value.
class unwritten_check {
 public:
  unwritten_check(bool is_wanted = false) noexcept : is_due_(is_wanted) {}

  /// `describe` gives `of`.
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
