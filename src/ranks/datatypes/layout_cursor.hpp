// layout_cursor.hpp - a position in the data of some elements of a datatype, which walks from run to run.
//
// Threads     one at a time; the memory is not read or written here.
// Cost        advance: a few instructions within a leaf. A start at a position: O(steps of the layout).
// Invariants  (1) run_left() is 0 only at the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "ranks/datatypes/moved_address.hpp"
#include "ranks/datatypes/type_layout.hpp"

namespace stretto::ranks {

/// Blocks of one length: at a distance of `stride`, or at `offsets`.
struct block_list {
  std::byte* base = nullptr;
  std::int64_t stride = 0;
  const std::int32_t* offsets = nullptr;
  std::int64_t count = 0;
};

class layout_cursor {
 public:
  /// Stands at the byte `position` of the data of `count` elements; `memory` is the address of the first element.
  layout_cursor(const type_layout& layout, void* memory, std::int64_t count, std::int64_t position = 0);
  /// For memory that is only read.
  layout_cursor(const type_layout& layout, const void* memory, std::int64_t count, std::int64_t position = 0)
      : layout_cursor(layout, const_cast<void*>(memory), count, position) {}

  /// Bytes of data from here to the end.
  std::int64_t left() const { return left_; }
  std::byte* address() const { return run_; }
  /// Bytes from here to the end of the run.
  std::int64_t run_left() const { return run_left_; }

  /// Moves by at most run_left().
  void advance(std::int64_t bytes) {
    left_ -= bytes;
    run_ += bytes;
    run_left_ -= bytes;
    if (run_left_ == 0) next_run();
  }

  /// The length of the runs of this leaf if it is one for all and the cursor is at the start of a run; else 0.
  std::int64_t block() const { return run_left_ == leaf_.block ? leaf_.block : 0; }
  /// The leaf, if its repetitions have several runs and the cursor is at the start of a repetition; else null. Runs of
  /// one length that do not come again are better taken as blocks.
  const layout_leaf* repeated_leaf() const {
    if (leaf_.runs == 1 || index_ != 0 || (leaf_.block != 0 && leaf_.count == 1)) return nullptr;
    return run_left_ == leaf_.start_of(1) ? &leaf_ : nullptr;
  }
  /// Where the repetition begins to which repeated_leaf() belongs.
  std::byte* repetition() const { return base_; }
  std::int64_t repetitions_left() const { return leaf_.count - repetition_; }

  /// The blocks of `bytes` from here, in this leaf. `bytes` is block(), or at most run_left().
  block_list blocks(std::int64_t bytes) const;
  /// Moves by blocks that blocks() returned.
  void skip_blocks(std::int64_t number, std::int64_t bytes);
  /// Moves by so many repetitions, of those that are left, from the start of one.
  void skip_repetitions(std::int64_t number);

 private:
  /// An iteration of a loop.
  struct frame {
    const layout_step* loop;
    std::int64_t left;  // iterations after this one
    std::byte* base;
  };

  static constexpr int inline_frames = 4;

  std::byte* base() const { return depth_ == 0 ? element_ : frames()[depth_ - 1].base; }
  frame* frames() { return more_frames_ ? more_frames_.get() : inline_; }
  const frame* frames() const { return more_frames_ ? more_frames_.get() : inline_; }

  void enter(const layout_leaf& leaf, std::byte* base, std::int64_t position);
  void set_run() {
    if (leaf_.runs == 1) {
      run_ = base_;
      run_left_ = leaf_.block;
      return;
    }
    run_ = moved(base_, leaf_.offsets[index_]);
    run_left_ = leaf_.length_of(index_);
  }
  void next_run() {
    if (++index_ < leaf_.runs) return set_run();
    next_repetition(1);
  }
  void next_repetition(std::int64_t number) {
    index_ = 0;
    repetition_ += number;
    if (repetition_ == leaf_.count) return next_leaf(0);
    base_ = moved(base_, number * leaf_.stride);
    set_run();
  }
  void next_leaf(std::int64_t skipped);
  void begin_step(std::int64_t& skipped);
  void enter_loop(std::int64_t& skipped);
  void next_iteration(std::int64_t& skipped);

  // Immutable after construction
  const type_layout* layout_;
  std::unique_ptr<frame[]> more_frames_;

  // Where the cursor is
  std::int64_t left_;
  std::byte* element_;
  const layout_step* step_ = nullptr;  // null if one leaf is all elements
  int depth_ = 0;
  layout_leaf leaf_;
  std::byte* base_ = nullptr;
  std::int64_t repetition_ = 0;
  std::int64_t index_ = 0;  // of the run in the repetition
  std::byte* run_ = nullptr;
  std::int64_t run_left_ = 0;
  frame inline_[inline_frames];
};

}  // namespace stretto::ranks
