// launch_copies.hpp - copies of the arrays that a launch writes or that lack values, and the arguments by which a kernel finds them.
//
// Threads     one owner; other launches may write elements next to those of this one meanwhile.
// Cost        a copy of all addresses from an array's first element to its last; others stay where they are.
#pragma once

#include <stretto/kernel_code.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "device/address_span.hpp"

namespace stretto::device {

class launch_copies {
 public:
  launch_copies(const kernel_code& code, std::span<const kernel_argument> given);

  /// Addresses that arguments share, where these overlap.
  struct block {
    address_span is;
    bool is_written = false;
    bool is_only_out = true;       ///< no argument reads what it holds before the launch
    bool has_unwritten = false;    ///< a launch has left some of it without a value
    std::uint32_t slot_bytes = 0;  ///< the least element of its arguments
    std::vector<std::byte> bytes = {};
    std::byte* first = nullptr;  ///< of the copy

    std::size_t size() const noexcept { return static_cast<std::size_t>(is.end - is.first); }
    std::size_t slots() const noexcept { return (size() + slot_bytes - 1) / slot_bytes; }
  };

  std::vector<kernel_argument>& arguments() noexcept { return arguments_; }
  const std::vector<block>& blocks() const noexcept { return blocks_; }
  /// The number of the block that the n-th argument lies in, -1 where that is not copied.
  int block_of(std::size_t n) const noexcept { return block_of_[n]; }

 private:
  void add(const kernel_argument& a, const kernel_parameter& p);

  std::vector<kernel_argument> arguments_;
  std::vector<block> blocks_;
  std::vector<int> block_of_;
};

}  // namespace stretto::device
