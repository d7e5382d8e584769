#include "acc/array_part.hpp"

namespace stretto::acc {
namespace {

using extents = std::span<const stretto_acc_extent>;

/// The dimensions of the array itself, without those behind pointers.
extents own_extents(const stretto_acc_data& part) {
  const int count = part.pointer_level > 0 ? part.pointer_level : part.extent_count;
  return {part.extents, static_cast<std::size_t>(count)};
}

/// Whether the part of the dimensions inside is the whole element of the one outside.
bool fills(const stretto_acc_extent& outside, extents inside) {
  if (inside.empty()) return true;
  const stretto_acc_extent& next = inside.front();
  return next.first == 0 && next.count * next.bytes == outside.bytes && fills(next, inside.subspan(1));
}

void append_ranges(std::byte* base, extents all, std::vector<byte_range>& into) {
  const stretto_acc_extent& outside = all.front();
  const extents inside = all.subspan(1);
  if (fills(outside, inside)) {
    if (outside.count > 0) into.push_back({base + outside.first * outside.bytes, outside.count * outside.bytes});
    return;
  }
  for (unsigned long i = outside.first; i < outside.first + outside.count; ++i)
    append_ranges(base + i * outside.bytes, inside, into);
}

}  // namespace

byte_range whole_range(const stretto_acc_data& part) {
  const extents all = own_extents(part);
  if (all.empty()) return {static_cast<std::byte*>(part.base), 0};
  byte_range result{static_cast<std::byte*>(part.base), all.back().bytes};
  for (const stretto_acc_extent& one : all) {
    result.first += one.first * one.bytes;
    if (one.count == 0) return {result.first, 0};
    result.bytes += (one.count - 1) * one.bytes;
  }
  return result;
}

std::vector<byte_range> contiguous_ranges(const stretto_acc_data& part) {
  std::vector<byte_range> all;
  if (const extents own = own_extents(part); !own.empty()) append_ranges(static_cast<std::byte*>(part.base), own, all);
  return all;
}

std::vector<pointed_row> rows(const stretto_acc_data& part) {
  std::vector<pointed_row> all;
  if (part.pointer_level == 0) return all;
  stretto_acc_data row = part;
  row.extents += part.pointer_level;
  row.extent_count -= part.pointer_level;
  row.pointer_level = 0;
  for (const byte_range& range : contiguous_ranges(part))
    for (std::byte* at = range.first; at < range.first + range.bytes; at += sizeof(void*)) {
      row.base = *reinterpret_cast<void**>(at);
      row.pointer = reinterpret_cast<void**>(at);
      if (row.base) all.push_back({at, row});
    }
  return all;
}

}  // namespace stretto::acc
