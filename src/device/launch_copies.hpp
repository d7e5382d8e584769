// launch_copies.hpp - copies of the arrays that a launch writes or that lack values, and arguments that refer to the
// copies.
//
// Threads     one owner. Other launches may write elements between those of this launch meanwhile.
// Cost        copies all bytes from an array's first element to its last; other arrays are used in place.
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

  /// A range of addresses that one argument, or several overlapping ones, use.
  struct block {
    address_span is;
    bool is_written = false;
    bool is_only_out = true;       ///< no argument reads its previous contents
    bool has_unwritten = false;    ///< an earlier launch left some elements without a value
    std::uint32_t slot_bytes = 0;  ///< the smallest element size of its arguments
    std::vector<std::byte> bytes = {};
    std::byte* first = nullptr;  ///< first byte of the copy

    std::size_t size() const noexcept { return static_cast<std::size_t>(is.end - is.first); }
    std::size_t slots() const noexcept { return (size() + slot_bytes - 1) / slot_bytes; }
  };

  std::vector<kernel_argument>& arguments() noexcept { return arguments_; }
  const std::vector<block>& blocks() const noexcept { return blocks_; }
  /// The index of the block that holds the n-th argument; -1 if the argument is not copied.
  int block_of(std::size_t n) const noexcept { return block_of_[n]; }

 private:
  void add(const kernel_argument& a, const kernel_parameter& p);

  std::vector<kernel_argument> arguments_;
  std::vector<block> blocks_;
  std::vector<int> block_of_;
};

}  // namespace stretto::device
