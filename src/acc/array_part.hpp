// array_part.hpp - parts of arrays, as clauses name them, as ranges of bytes.
//
// Threads     pure; rows() reads the pointers of an array of pointers.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "acc/program_structures.hpp"

namespace stretto::acc {

struct byte_range {
  std::byte* first = nullptr;
  std::size_t bytes = 0;
};

/// From the first byte of the part to its last, with what lies between its rows. Of an array of pointers, the pointers.
byte_range whole_range(const stretto_acc_data& part);
/// The part without the gaps between its rows: one range for each row, fewer where rows follow each other directly.
std::vector<byte_range> contiguous_ranges(const stretto_acc_data& part);

/// An element of an array of pointers, and the memory that it points to.
struct pointed_row {
  std::byte* pointer;       // where the element is
  stretto_acc_data points;  // the part behind it
};
/// Empty unless the part belongs to an array of pointers.
std::vector<pointed_row> rows(const stretto_acc_data& part);

}  // namespace stretto::acc
