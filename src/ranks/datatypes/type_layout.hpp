// type_layout.hpp - where the bytes of one element of a datatype lie, in the order of its type map, ready to be copied.
//
// A layout is a short program. A leaf copies runs of bytes, repeated at a regular distance; a loop repeats the
// instructions up to its end. So a matrix column is one leaf, a block of a 3-D array is a loop of one leaf, and an
// irregular list is one leaf with a table of offsets.
//
// Threads     immutable.
// Invariants  (1) runs are not empty. (2) loops are nested at most `depth()` deep. (3) every loop has a count > 1.
#pragma once

#include <cstdint>
#include <vector>

namespace stretto::ranks {

/// `count` repetitions, `stride` bytes apart, of `runs` runs.
struct layout_leaf {
  std::int64_t offset = 0;                // of the first repetition; of its run if there is one
  std::int64_t count = 1;                 // repetitions
  std::int64_t stride = 0;                // bytes between them
  std::int64_t bytes = 0;                 // of data in a repetition
  std::int64_t block = 0;                 // length of each run, if it is one for all; else 0
  std::int64_t runs = 1;                  // in a repetition
  const std::int32_t* offsets = nullptr;  // of the runs, relative to the repetition; null for one run
  const std::int64_t* starts = nullptr;   // data before each run and after the last; null if block says it

  std::int64_t start_of(std::int64_t run) const { return block ? run * block : starts[run]; }
  std::int64_t length_of(std::int64_t run) const { return block ? block : starts[run + 1] - starts[run]; }
};

struct layout_step {
  enum class kind : std::uint8_t { leaf, loop, end_of_loop };

  kind what = kind::leaf;
  layout_leaf leaf;           // of a loop: offset, count, stride, bytes (of an iteration)
  std::uint32_t partner = 0;  // of a loop: its end; of the end: its loop
};

/// Owns the tables of leaves.
struct layout_tables {
  std::vector<std::vector<std::int32_t>> offsets;
  std::vector<std::vector<std::int64_t>> starts;
};

class type_layout {
 public:
  type_layout(std::vector<layout_step> steps, layout_tables tables, std::int64_t size, std::int64_t extent);

  const std::vector<layout_step>& steps() const { return steps_; }
  std::int64_t size() const { return size_; }
  std::int64_t extent() const { return extent_; }
  int depth() const { return depth_; }
  /// One leaf that describes any number of elements, where there is one; else null. Its count is that of an element.
  const layout_leaf* single_leaf() const { return steps_.size() == 1 ? &steps_[0].leaf : nullptr; }
  /// The data of any number of elements is one run of bytes, from `dense_offset()` on.
  bool is_dense() const;
  std::int64_t dense_offset() const { return steps_[0].leaf.offset; }

 private:
  std::vector<layout_step> steps_;
  layout_tables tables_;
  std::int64_t size_;
  std::int64_t extent_;
  int depth_ = 0;
};

/// `count` elements of a layout as one leaf, where that is possible; else false.
bool fuse_elements(const type_layout& layout, std::int64_t count, layout_leaf& leaf);

/// The layout of plain bytes.
const type_layout& layout_of_bytes();

}  // namespace stretto::ranks
