// checked_launch.hpp - what a kernel that looks at its indices on a device is given with a launch, and what it says.
//
// Its text (kernel_text.hpp) takes a pointer to these words. It asks them which elements an array may be named by, goes on with the array's first where
// one is not, and leaves there what it named first: the array's number, the index and the item.
//
// Threads     a value.
// Cost        of the launch: its words go to the device and a few come back, and who launches waits for it.
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
  /// From the first word to where an array without elements shall lie, that what is written to its first hurts nobody.
  std::size_t dummy_offset() const noexcept { return dummy_offset_; }
  static bool is_empty(const launch_argument& a) noexcept { return a.bytes == 0; }

  /// What is to come back when the launch has ended, from the first word.
  static constexpr std::size_t result_bytes = 64;
  /// Throws K01 where the kernel named an element that it may not.
  void check_result(std::span<const std::byte, result_bytes> back) const;

 private:
  const kernel_code& code_;
  const launch_range& range_;
  const std::span<const launch_argument> arguments_;
  std::vector<std::int64_t> words_;
  std::size_t dummy_offset_ = 0;
};

}  // namespace stretto::device
