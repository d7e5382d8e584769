// checked_launch.hpp - the parameter block of a launch with index checks on a device, and the check of its result.
//
// The kernel's text (kernel_text.hpp) takes a pointer to these words. They hold the boxes of elements that each array
// may be accessed at. If an index is outside, the kernel accesses the array's first element instead and stores the
// first violation in the words: the array's number, the index and the item.
//
// Threads     a value.
// Cost        per launch: the words are copied to the device, a few are copied back, and the caller waits for the
//             launch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "device/device.hpp"

namespace stretto::device {

class checked_launch {
 public:
  /// `code`, `range` and `arguments` outlive it.
  checked_launch(const kernel_code& code, const launch_range& range, std::span<const launch_argument> arguments);

  std::span<const std::byte> bytes() const noexcept { return std::as_bytes(std::span(words_)); }
  /// Byte offset from the first word to a dummy element. Arrays without elements point there, so that a redirected
  /// write does no harm.
  std::size_t dummy_offset() const noexcept { return dummy_offset_; }
  static bool is_empty(const launch_argument& a) noexcept { return a.bytes == 0; }

  /// Bytes to copy back after the launch, from the first word.
  static constexpr std::size_t result_bytes = 64;
  /// Throws K01 if the kernel accessed an element outside its boxes.
  void check_result(std::span<const std::byte, result_bytes> back) const;

 private:
  const kernel_code& code_;
  const launch_range& range_;
  const std::span<const launch_argument> arguments_;
  std::vector<std::int64_t> words_;
  std::size_t dummy_offset_ = 0;
};

}  // namespace stretto::device
