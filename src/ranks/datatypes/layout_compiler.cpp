// layout_compiler.cpp - from a datatype to a pattern of bytes, and from that to the steps of a layout.
#include <algorithm>
#include <cstddef>
#include <utility>

#include "ranks/datatypes/byte_pattern.hpp"
#include "ranks/datatypes/datatype.hpp"
#include "ranks/datatypes/type_layout.hpp"

namespace stretto::ranks {

namespace {

byte_pattern pattern_of(const datatype& type) {
  if (type.basic()) return {{0, type.size(), 1, 0, nullptr}};
  byte_pattern all, child;
  const datatype* expanded = nullptr;  // the type of `child`: most lists have one type only
  for (const type_block& block : type.map().blocks) {
    if (block.type.get() != expanded) child = pattern_of(*block.type);
    expanded = block.type.get();
    for (pattern_part part : repeat_pattern(child, block.length, expanded->extent())) {
      part.offset += block.displacement;
      append_part(all, std::move(part));
    }
  }
  return repeat_pattern(all, type.map().count, type.map().stride);
}

/// Writes the steps of a layout.
class step_writer {
 public:
  void add(const byte_pattern& pattern, std::int64_t offset) {
    const pattern_part* const end = pattern.data() + pattern.size();
    for (const pattern_part* part = pattern.data(); part != end;) {
      if (!part->is_run()) {
        add_loop(*part++, offset);
        continue;
      }
      const pattern_part* last = std::find_if_not(part, end, [](const pattern_part& p) { return p.is_run(); });
      add_runs(part, last, offset);
      part = last;
    }
  }

  std::vector<layout_step> steps;
  layout_tables tables;

 private:
  /// Regular runs within loops are better repeated as they are, where they are few.
  static constexpr std::ptrdiff_t few = 32;

  void add_leaf(const layout_leaf& leaf) { steps.push_back({layout_step::kind::leaf, leaf, 0}); }

  void add_runs(const pattern_part* first, const pattern_part* last, std::int64_t offset) {
    if (regular_runs runs; find_regular_runs(first, last, runs)) {
      layout_leaf leaf;
      leaf.offset = offset + runs.offset;
      leaf.count = runs.count;
      leaf.stride = runs.stride;
      leaf.bytes = leaf.block = runs.bytes;
      return add_leaf(leaf);
    }
    while (first != last) {
      const pattern_part* end =
          std::find_if_not(first + 1, last, [=](const pattern_part& p) { return is_near(*first, p); });
      layout_leaf leaf = leaf_of(first, end);
      leaf.offset += offset;
      add_leaf(leaf);
      first = end;
    }
  }

  /// Whether one table may hold the offsets of both.
  static bool is_near(const pattern_part& a, const pattern_part& b) {
    const std::int64_t first = b.offset - a.offset, last = first + b.bytes;
    return first == static_cast<std::int32_t>(first) && last == static_cast<std::int32_t>(last);
  }

  /// The length of blocks into which all runs can be cut without many more of them; 0 if there is none. A list of
  /// blocks of one length, some of which happen to be adjacent, stays one.
  static std::int64_t common_length(const pattern_part* first, const pattern_part* last) {
    std::int64_t least = first->bytes, bytes = 0;
    for (const pattern_part* run = first; run != last; ++run) {
      least = std::min(least, run->bytes);
      bytes += run->bytes;
    }
    const auto is_multiple = [=](const pattern_part& run) { return run.bytes % least == 0; };
    return bytes / least <= (last - first) * 5 / 4 && std::all_of(first, last, is_multiple) ? least : 0;
  }

  /// One repetition of runs.
  layout_leaf leaf_of(const pattern_part* first, const pattern_part* last) {
    layout_leaf leaf;
    leaf.offset = first->offset;
    leaf.bytes = leaf.block = first->bytes;
    if (last - first == 1) return leaf;
    leaf.block = common_length(first, last);
    std::vector<std::int32_t> offsets;
    offsets.reserve(static_cast<std::size_t>(last - first));
    leaf.bytes = 0;
    for (const pattern_part* run = first; run != last; ++run) {
      const std::int64_t step = leaf.block ? leaf.block : run->bytes;
      for (std::int64_t at = 0; at < run->bytes; at += step) {
        offsets.push_back(static_cast<std::int32_t>(run->offset + at - first->offset));
      }
      leaf.bytes += run->bytes;
    }
    leaf.runs = std::ssize(offsets);
    tables.offsets.push_back(std::move(offsets));
    leaf.offsets = tables.offsets.back().data();
    if (leaf.block == 0) leaf.starts = starts_of(first, last);
    return leaf;
  }

  const std::int64_t* starts_of(const pattern_part* first, const pattern_part* last) {
    std::vector<std::int64_t> starts{0};
    starts.reserve(static_cast<std::size_t>(last - first) + 1);
    for (const pattern_part* run = first; run != last; ++run) starts.push_back(starts.back() + run->bytes);
    tables.starts.push_back(std::move(starts));
    return tables.starts.back().data();
  }

  void add_loop(const pattern_part& loop, std::int64_t offset) {
    const byte_pattern& body = *loop.body;
    const pattern_part* const end = body.data() + body.size();
    regular_runs runs;
    const bool is_long = std::ssize(body) > few && find_regular_runs(body.data(), end, runs);
    const auto is_near_run = [&](const pattern_part& part) { return part.is_run() && is_near(body[0], part); };
    if ((body.size() == 1 && body[0].is_run()) || (!is_long && std::ranges::all_of(body, is_near_run))) {
      layout_leaf leaf = leaf_of(body.data(), end);
      leaf.offset += offset + loop.offset;
      leaf.count = loop.count;
      leaf.stride = loop.stride;
      return add_leaf(leaf);
    }
    const auto begin = static_cast<std::uint32_t>(steps.size());
    steps.push_back({layout_step::kind::loop, {}, 0});
    layout_leaf& header = steps.back().leaf;
    header.offset = offset + loop.offset;
    header.count = loop.count;
    header.stride = loop.stride;
    header.bytes = loop.bytes / loop.count;
    add(body, 0);
    steps[begin].partner = static_cast<std::uint32_t>(steps.size());
    steps.push_back({layout_step::kind::end_of_loop, {}, begin});
  }
};

}  // namespace

type_layout compile_layout(const datatype& type) {
  step_writer writer;
  writer.add(pattern_of(type), 0);
  return type_layout(std::move(writer.steps), std::move(writer.tables), type.size(), type.extent());
}

}  // namespace stretto::ranks
