// layout_cursor.cpp - steps from leaf to leaf.
#include "ranks/datatypes/layout_cursor.hpp"

#include <algorithm>

namespace stretto::ranks {

layout_cursor::layout_cursor(const type_layout& layout, void* memory, std::int64_t count, std::int64_t position)
    : layout_(&layout), left_(count * layout.size() - position), element_(static_cast<std::byte*>(memory)) {
  if (left_ == 0) return;
  layout_leaf all;
  if (fuse_elements(layout, count, all)) {
    enter(all, element_, position);
    return;
  }
  if (layout.depth() > inline_frames) {
    more_frames_ = std::make_unique_for_overwrite<frame[]>(static_cast<std::size_t>(layout.depth()));
  }
  // As at the end of an element before the first one.
  element_ = moved(element_, -layout.extent());
  step_ = &layout.steps().back();
  next_leaf(position);
}

void layout_cursor::enter(const layout_leaf& leaf, std::byte* base, std::int64_t position) {
  leaf_ = leaf;
  repetition_ = position == 0 ? 0 : position / leaf.bytes;
  base_ = moved(base, leaf.offset + repetition_ * leaf.stride);
  position -= repetition_ * leaf.bytes;
  index_ = 0;
  if (leaf.runs > 1 && position > 0) {
    index_ = leaf.block ? position / leaf.block
                        : std::upper_bound(leaf.starts, leaf.starts + leaf.runs, position) - leaf.starts - 1;
    position -= leaf.start_of(index_);
  }
  set_run();
  run_ += position;
  run_left_ -= position;
}

block_list layout_cursor::blocks(std::int64_t bytes) const {
  if (block() != bytes) return {run_, bytes, nullptr, run_left_ / bytes};
  if (leaf_.runs == 1) return {base_, leaf_.stride, nullptr, leaf_.count - repetition_};
  return {base_, 0, leaf_.offsets + index_, leaf_.runs - index_};
}

void layout_cursor::skip_blocks(std::int64_t number, std::int64_t bytes) {
  if (block() != bytes) return advance(number * bytes);
  left_ -= number * bytes;
  if (leaf_.runs == 1) return next_repetition(number);
  index_ += number - 1;
  next_run();
}

void layout_cursor::skip_repetitions(std::int64_t number) {
  left_ -= number * leaf_.bytes;
  next_repetition(number);
}

/// Enters the leaf that has the byte `skipped` after the end of the current step.
void layout_cursor::next_leaf(std::int64_t skipped) {
  run_left_ = 0;
  if (left_ == 0) return;
  while (true) {
    begin_step(skipped);
    switch (step_->what) {
      case layout_step::kind::loop: enter_loop(skipped); break;
      case layout_step::kind::end_of_loop: next_iteration(skipped); break;
      case layout_step::kind::leaf:
        const std::int64_t bytes = step_->leaf.count * step_->leaf.bytes;
        if (skipped < bytes) return enter(step_->leaf, base(), skipped);
        skipped -= bytes;
    }
  }
}

/// Goes to the step after the current one, which may be the first of another element.
void layout_cursor::begin_step(std::int64_t& skipped) {
  if (step_ != &layout_->steps().back()) {
    ++step_;
    return;
  }
  const std::int64_t elements = skipped / layout_->size() + 1;
  skipped %= layout_->size();
  element_ = moved(element_, elements * layout_->extent());
  step_ = layout_->steps().data();
}

void layout_cursor::enter_loop(std::int64_t& skipped) {
  const layout_leaf& loop = step_->leaf;
  const std::int64_t iteration = skipped / loop.bytes;
  if (iteration >= loop.count) {
    skipped -= loop.count * loop.bytes;
    step_ = &layout_->steps()[step_->partner];
    return;
  }
  skipped -= iteration * loop.bytes;
  std::byte* const first = moved(base(), loop.offset);
  frames()[depth_++] = {step_, loop.count - iteration - 1, moved(first, iteration * loop.stride)};
}

void layout_cursor::next_iteration(std::int64_t& skipped) {
  frame& current = frames()[depth_ - 1];
  const layout_leaf& loop = current.loop->leaf;
  const std::int64_t whole = skipped / loop.bytes;
  if (whole >= current.left) {
    skipped -= current.left * loop.bytes;
    --depth_;
    return;
  }
  skipped -= whole * loop.bytes;
  current.left -= whole + 1;
  current.base = moved(current.base, (whole + 1) * loop.stride);
  step_ = current.loop;
}

}  // namespace stretto::ranks
