// layout_copy.cpp - chooses how the next bytes are copied.
#include "ranks/datatypes/layout_copy.hpp"

#include <algorithm>
#include <utility>

#include "ranks/datatypes/block_copy.hpp"
#include "ranks/datatypes/device_copies.hpp"

namespace stretto::ranks {

namespace {

/// The length of blocks in which both sides can be copied, or 0.
std::int64_t common_block(const layout_cursor& to, const layout_cursor& from) {
  const std::int64_t a = to.block(), b = from.block();
  if (a == b) return a;
  if (a != 0 && from.run_left() >= 2 * a) return a;
  if (b != 0 && to.run_left() >= 2 * b) return b;
  return 0;
}

/// Copies many blocks at once where both sides have some; returns the bytes.
std::int64_t copy_blocks(layout_cursor& to, layout_cursor& from, std::int64_t most) {
  const std::int64_t bytes = common_block(to, from);
  if (bytes == 0 || bytes > most) return 0;
  const block_list target = to.blocks(bytes), source = from.blocks(bytes);
  const std::int64_t number = std::min({target.count, source.count, most / bytes});
  copy_blocks(target, source, number, bytes);
  to.skip_blocks(number, bytes);
  from.skip_blocks(number, bytes);
  return number * bytes;
}

/// The same where both sides are at the start of a repetition in the same leaf.
std::int64_t copy_same_leaf(layout_cursor& to, layout_cursor& from, std::int64_t most) {
  const layout_leaf *target = to.repeated_leaf(), *source = from.repeated_leaf();
  if (!target || !source || target->offsets != source->offsets || target->stride != source->stride) return 0;
  const std::int64_t number = std::min({to.repetitions_left(), from.repetitions_left(), most / source->bytes});
  const std::int64_t bytes = number * source->bytes;
  if (number == 0) return 0;
  copy_runs(*source, to.repetition(), from.repetition(), number);
  to.skip_repetitions(number);
  from.skip_repetitions(number);
  return bytes;
}

/// The same where one side repeats several runs and the other side is one run of bytes.
std::int64_t gather(layout_cursor& to, layout_cursor& from, std::int64_t most) {
  const layout_leaf* leaf = from.repeated_leaf();
  if (!leaf) return 0;
  const std::int64_t number = std::min(from.repetitions_left(), std::min(most, to.run_left()) / leaf->bytes);
  if (number == 0) return 0;
  const std::int64_t bytes = number * leaf->bytes;
  gather_runs(to.address(), *leaf, from.repetition(), number);
  from.skip_repetitions(number);
  to.advance(bytes);
  return bytes;
}

std::int64_t scatter(layout_cursor& to, layout_cursor& from, std::int64_t most) {
  const layout_leaf* leaf = to.repeated_leaf();
  if (!leaf) return 0;
  const std::int64_t number = std::min(to.repetitions_left(), std::min(most, from.run_left()) / leaf->bytes);
  if (number == 0) return 0;
  const std::int64_t bytes = number * leaf->bytes;
  scatter_runs(*leaf, to.repetition(), from.address(), number);
  to.skip_repetitions(number);
  from.advance(bytes);
  return bytes;
}

std::int64_t copy_run(layout_cursor& to, layout_cursor& from, std::int64_t most) {
  const std::int64_t bytes = std::min({to.run_left(), from.run_left(), most});
  copy_bytes(to.address(), from.address(), bytes);
  to.advance(bytes);
  from.advance(bytes);
  return bytes;
}

/// Bytes from one side to the other: adjacent ones, or rows of blocks where both sides have such.
std::int64_t add_copy(device_copies& all, layout_cursor& to, layout_cursor& from, std::int64_t most) {
  const std::int64_t bytes = common_block(to, from);
  if (bytes > 0 && bytes <= most) {
    const block_list target = to.blocks(bytes), source = from.blocks(bytes);
    const std::int64_t number = std::min({target.count, source.count, most / bytes});
    const bool are_rows = !target.offsets && !source.offsets && std::min(target.stride, source.stride) >= bytes;
    if (number > 1 && are_rows) {
      all.add({target.base, target.stride}, {source.base, source.stride}, bytes, number);
      to.skip_blocks(number, bytes);
      from.skip_blocks(number, bytes);
      return number * bytes;
    }
  }
  const std::int64_t run = std::min({to.run_left(), from.run_left(), most});
  all.add({to.address(), run}, {from.address(), run}, run, 1);
  to.advance(run);
  from.advance(run);
  return run;
}

bool is_on_device(const layout_cursor& one) { return device_memory_at(one.address()) != nullptr; }

void copy_by_drivers(layout_cursor& to, layout_cursor& from, std::int64_t bytes) {
  device_copies all;
  add_copies(all, to, from, bytes);
  all.finish();
}

}  // namespace

void add_copies(device_copies& all, layout_cursor& to, layout_cursor& from, std::int64_t bytes) {
  while (bytes > 0) bytes -= add_copy(all, to, from, bytes);
}

std::int64_t copy_data(layout_cursor& to, layout_cursor& from, std::int64_t most) {
  most = std::min({most, to.left(), from.left()});
  std::int64_t left = most;
  if (has_device_memory() && (is_on_device(to) || is_on_device(from))) [[unlikely]]
    copy_by_drivers(to, from, std::exchange(left, 0));
  while (left > 0) {
    std::int64_t copied = copy_same_leaf(to, from, left);
    if (copied == 0) copied = gather(to, from, left);
    if (copied == 0) copied = scatter(to, from, left);
    if (copied == 0) copied = copy_blocks(to, from, left);
    if (copied == 0) copied = copy_run(to, from, left);
    left -= copied;
  }
  return most;
}

}  // namespace stretto::ranks
