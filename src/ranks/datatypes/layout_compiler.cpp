// layout_compiler.cpp - from a datatype to a pattern of bytes, and from that to the steps of a layout.
#include "ranks/datatypes/layout_compiler.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "ranks/datatypes/byte_pattern.hpp"
#include "ranks/datatypes/datatype.hpp"

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
  std::vector<std::unique_ptr<std::int64_t[]>> tables;

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
    layout_leaf leaf = leaf_of(first, last);
    leaf.offset += offset;
    add_leaf(leaf);
  }

  /// One repetition of runs.
  layout_leaf leaf_of(const pattern_part* first, const pattern_part* last) {
    layout_leaf leaf;
    leaf.runs = last - first;
    leaf.block = first->bytes;
    if (leaf.runs == 1) {
      leaf.offset = first->offset;
      leaf.bytes = first->bytes;
      return leaf;
    }
    const auto number = static_cast<std::size_t>(leaf.runs);
    std::int64_t* offsets = new_table(number);
    for (std::size_t i = 0; i < number; ++i) {
      offsets[i] = first[i].offset;
      leaf.bytes += first[i].bytes;
      if (first[i].bytes != first->bytes) leaf.block = 0;
    }
    leaf.offsets = offsets;
    if (leaf.block == 0) leaf.starts = starts_of(first, number);
    return leaf;
  }

  const std::int64_t* starts_of(const pattern_part* runs, std::size_t number) {
    std::int64_t* starts = new_table(number + 1);
    starts[0] = 0;
    for (std::size_t i = 0; i < number; ++i) starts[i + 1] = starts[i] + runs[i].bytes;
    return starts;
  }

  std::int64_t* new_table(std::size_t number) {
    tables.push_back(std::make_unique<std::int64_t[]>(number));
    return tables.back().get();
  }

  void add_loop(const pattern_part& loop, std::int64_t offset) {
    const byte_pattern& body = *loop.body;
    const pattern_part* const end = body.data() + body.size();
    regular_runs runs;
    const bool is_long = std::ssize(body) > few && find_regular_runs(body.data(), end, runs);
    if (!is_long && std::ranges::all_of(body, &pattern_part::is_run)) {
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
