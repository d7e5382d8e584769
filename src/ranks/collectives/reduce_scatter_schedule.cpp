// reduce_scatter_schedule.cpp - reductions whose blocks go to the ranks: halves, pairs, or a reduction and a scatter.
//
// Source      Thakur, Rabenseifner, Gropp 2005, section 4.4.
#include "ranks/collectives/algorithms.hpp"

namespace stretto::ranks {

namespace {

constexpr std::int64_t least_for_pairs = 512 * 1024;  // bytes of all blocks

struct scattered_reduction {
  const void* in;
  void* out;  // may be `in`
  const block_bounds& bounds;

  std::int64_t begin(int block) const { return bounds[static_cast<std::size_t>(block)]; }
  std::int64_t count(int block) const { return begin(block + 1) - begin(block); }
};

/// Each rank gets its block of all others.
void append_pairs_of_blocks(schedule& steps, const team& members, const scattered_reduction& values) {
  const datatype& type = steps.operation_of_steps().type();
  const int size = members.size, index = members.index;
  const std::int64_t count = values.count(index);
  const auto block = [&](int i) { return element_range(type, values.in, values.begin(i), values.begin(i + 1)); };
  // In place, the result would overwrite blocks that are still to be sent.
  void* result = values.in == values.out ? steps.temporary(count, type) : values.out;
  void* arriving[2] = {steps.temporary(count, type), steps.temporary(count, type)};
  std::vector<transfer_number> receives(static_cast<std::size_t>(size) + 1);
  const auto begin_pair = [&](int i) {
    const peer_rank source = members.member_from(index, size - i), target = members.member_from(index, i);
    if (count > 0) {
      receives[static_cast<std::size_t>(i)] = steps.receive(source, element_range(type, arriving[i % 2], 0, count));
    }
    send_some(steps, target, block((index + i) % size));
  };
  steps.copy(element_range(type, result, 0, count), block(index));
  begin_pair(1);
  for (int i = 1; i < size; ++i) {
    if (i + 1 < size) begin_pair(i + 1);
    if (count > 0) steps.wait(receives[static_cast<std::size_t>(i)]);
    steps.combine(arriving[i % 2], result, count);
  }
  steps.wait_all();
  if (result != values.out) {
    steps.copy(element_range(type, values.out, 0, count), element_range(type, result, 0, count));
  }
}

/// The block of a folded member is that of all members that it stands for.
void append_halves(schedule& steps, const team& members, const scattered_reduction& values) {
  const datatype& type = steps.operation_of_steps().type();
  const folded_team folded(members.index, members.size);
  const std::int64_t all = values.bounds.back(), count = values.count(members.index);
  partial_values partial{values.in, steps.temporary(all, type), steps.temporary(all, type)};
  const data_part out = element_range(type, values.out, 0, count);
  if (!append_fold(steps, members, 0, partial, all)) {
    receive_some(steps, members.member(members.index - 1), out);
    return steps.wait_all();
  }
  block_bounds bounds;
  for (int i = 0; i < folded.size; ++i) bounds.push_back(values.begin(folded.unfolded(i)));
  bounds.push_back(all);
  append_halving(steps, members, 0, partial, bounds);
  const int index = members.index;
  if (folded.index < folded.rest) {
    send_some(steps, members.member(index + 1),
              element_range(type, partial.current, values.begin(index + 1), values.begin(index + 2)));
  }
  steps.copy(out, element_range(type, partial.current, values.begin(index), values.begin(index + 1)));
  steps.wait_all();
}

void append_reduce_and_scatter(schedule& steps, const team& members, const scattered_reduction& values) {
  const datatype& type = steps.operation_of_steps().type();
  const std::int64_t all = values.bounds.back(), count = values.count(members.index);
  void* result = members.index == 0 ? steps.temporary(all, type) : nullptr;
  append_reduce(steps, members, {values.in, result, all}, 0);
  const data_part out = element_range(type, values.out, 0, count);
  if (members.index != 0) {
    receive_some(steps, members.member(0), out);
    return steps.wait_all();
  }
  for (int i = 1; i < members.size; ++i) {
    send_some(steps, members.member(i), element_range(type, result, values.begin(i), values.begin(i + 1)));
  }
  steps.copy(out, element_range(type, result, 0, count));
  steps.wait_all();
}

void append_reduce_scatter(schedule& steps, const collective_group& group, const reduction_buffers& buffers,
                           const block_bounds& bounds) {
  steps.set_operation(*buffers.combined_by, *buffers.type);
  if (group.is_inter()) return append_inter_reduce_scatter(steps, group, buffers, bounds);
  if (bounds.back() == 0) return;
  const team members = team_of(group);
  const scattered_reduction values{buffers.input(), buffers.out, bounds};
  const std::int64_t bytes = bounds.back() * buffers.type->size();
  const bool is_small = bytes < least_for_pairs;
  if (group.size == 1 || !buffers.combined_by->is_commutative() || (is_small && members.prefers_few_messages())) {
    append_reduce_and_scatter(steps, members, values);
  } else if (is_small) {
    append_halves(steps, members, values);
  } else {
    append_pairs_of_blocks(steps, members, values);
  }
}

}  // namespace

void build_reduce_scatter(schedule& steps, const collective_group& group, const reduction_buffers& buffers,
                          number_list counts) {
  block_bounds bounds{0};
  for (int i = 0; i < group.size; ++i) bounds.push_back(bounds.back() + counts[i]);
  append_reduce_scatter(steps, group, buffers, bounds);
}

void build_reduce_scatter_block(schedule& steps, const collective_group& group, const reduction_buffers& buffers) {
  block_bounds bounds;
  for (int i = 0; i <= group.size; ++i) bounds.push_back(i * buffers.count);
  append_reduce_scatter(steps, group, buffers, bounds);
}

}  // namespace stretto::ranks
