// byte_pattern.cpp - joins runs and loops.
#include "ranks/datatypes/byte_pattern.hpp"

#include <algorithm>
#include <cstddef>

#include "ranks/datatypes/checked_number.hpp"

namespace stretto::ranks {

namespace {

constexpr std::int64_t most_unrolled = 8;

/// A loop of one run is regular, too.
bool find_regular_runs(const byte_pattern& pattern, regular_runs& runs) {
  if (pattern.size() == 1 && !pattern[0].is_run()) {
    const pattern_part& loop = pattern[0];
    if (loop.body->size() != 1 || !loop.body->front().is_run()) return false;
    runs = {loop.offset + loop.body->front().offset, loop.body->front().bytes, loop.count, loop.stride};
    return true;
  }
  return find_regular_runs(pattern.data(), pattern.data() + pattern.size(), runs);
}

byte_pattern loop_of(const byte_pattern& pattern, std::int64_t count, std::int64_t stride) {
  pattern_part loop;
  loop.count = count;
  loop.stride = stride;
  loop.bytes = bytes_of(pattern) * count;
  loop.body = std::make_shared<const byte_pattern>(pattern);
  return {loop};
}

bool is_all_runs(const byte_pattern& pattern) { return std::ranges::all_of(pattern, &pattern_part::is_run); }

}  // namespace

bool find_regular_runs(const pattern_part* first, const pattern_part* last, regular_runs& runs) {
  const std::ptrdiff_t number = last - first;
  if (number < 2 || !first->is_run()) return false;
  const std::int64_t stride = first[1].offset - first->offset;
  for (const pattern_part* part = first + 1; part != last; ++part) {
    if (!part->is_run() || part->bytes != first->bytes || part->offset - part[-1].offset != stride) return false;
  }
  runs = {first->offset, first->bytes, number, stride};
  return true;
}

void append_part(byte_pattern& pattern, pattern_part part) {
  if (!pattern.empty()) {
    pattern_part& last = pattern.back();
    if (last.is_run() && part.is_run() && last.offset + last.bytes == part.offset) {
      last.bytes += part.bytes;
      return;
    }
  }
  pattern.push_back(std::move(part));
}

byte_pattern repeat_pattern(const byte_pattern& pattern, std::int64_t count, std::int64_t stride) {
  if (count == 1 || pattern.empty()) return pattern;
  if (pattern.size() == 1 && pattern[0].is_run() && pattern[0].bytes == stride) {
    byte_pattern run = pattern;
    run[0].bytes *= count;
    return run;
  }
  if (regular_runs runs; find_regular_runs(pattern, runs) && is_product(runs.count, runs.stride, stride)) {
    return loop_of({{runs.offset, runs.bytes, 1, 0, nullptr}}, runs.count * count, runs.stride);
  }
  if (count * static_cast<std::int64_t>(pattern.size()) > most_unrolled || !is_all_runs(pattern)) {
    return loop_of(pattern, count, stride);
  }
  byte_pattern unrolled;
  for (std::int64_t i = 0; i < count; ++i) {
    for (pattern_part part : pattern) {
      part.offset += i * stride;
      append_part(unrolled, part);
    }
  }
  return unrolled;
}

std::int64_t bytes_of(const byte_pattern& pattern) {
  std::int64_t bytes = 0;
  for (const pattern_part& part : pattern) bytes += part.bytes;
  return bytes;
}

}  // namespace stretto::ranks
