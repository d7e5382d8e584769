// reduce_schedule.cpp - reductions to a root: a tree in the order of ranks, or for large data halves and a gather.
//
// Source      Rabenseifner, "Optimization of Collective Reduction Operations", 2004: recursive halving, then a
//             binomial gather. Here the rank that a fold leaves out is never the root, so that no pair is swapped.
#include <array>

#include "ranks/collectives/algorithms.hpp"
#include "ranks/collectives/two_levels.hpp"

namespace stretto::ranks {

namespace {

constexpr std::int64_t least_for_halved_reduce = 8 * 1024;  // bytes
constexpr std::int64_t largest_received_early = 1 << 16;    // bytes of a value

/// The children of a member in a binomial tree; number i is 2^i further.
std::size_t number_of_children(int index, int size) {
  std::size_t children = 0;
  for (int mask = 1; (index & mask) == 0 && index + mask < size; mask *= 2) ++children;
  return children;
}

/// Receives the values of all children and combines them in order; returns where the result is. `out`, if not null,
/// is where it should be.
const void* combine_children(schedule& steps, const team& members, int top, const team_reduction& values, void* out) {
  const datatype& type = steps.operation_of_steps().type();
  const int index = members.index_from(top);
  const std::size_t children = number_of_children(index, members.size);
  // Of large values, one is received while another is combined.
  const bool are_small = values.count * type.size() <= largest_received_early;
  const std::size_t buffers = are_small ? children : std::min<std::size_t>(children, 2);
  std::array<void*, 32> places;
  for (std::size_t i = 0; i < children; ++i) {
    places[i] = i < buffers ? steps.temporary(values.count, type) : places[i - buffers];
  }
  if (out && out != values.in && children > 0) places[children - 1] = out;
  std::array<transfer_number, 32> receives;
  const void* result = values.in;
  for (std::size_t i = 0, begun = 0; i < children; ++i) {
    for (; begun < children && begun + 2 <= std::max(buffers + 1, i + buffers); ++begun) {
      const peer_rank child = members.member_from(top, index + (1 << begun));
      receives[begun] = steps.receive(child, element_range(type, places[begun], 0, values.count));
    }
    steps.wait(receives[i]);
    steps.combine(result, places[i], values.count);
    result = places[i];
  }
  return result;
}

void append_halving_reduce(schedule& steps, const team& members, const team_reduction& values, int root) {
  const datatype& type = steps.operation_of_steps().type();
  const bool is_root = members.index == root;
  const folded_team folded(members.index_from(root), members.size);
  partial_values partial{values.in, is_root ? values.out : steps.temporary(values.count, type),
                         steps.temporary(values.count, type)};
  if (!append_fold(steps, members, root, partial, values.count)) return;
  const block_bounds bounds = equal_blocks(values.count, folded.size);
  append_halving(steps, members, root, partial, bounds);
  const auto blocks = [&](int first, int last) {
    return element_range(type, partial.result, bounds[static_cast<std::size_t>(first)],
                         bounds[static_cast<std::size_t>(last)]);
  };
  int mask = 1;
  for (; mask < folded.size && (folded.index & mask) == 0; mask *= 2) {
    const int child = folded.index + mask;
    receive_some(steps, members.member_from(root, folded.unfolded(child)), blocks(child, child + mask));
  }
  steps.wait_all();
  if (folded.index == 0) return;
  send_some(steps, members.member_from(root, folded.unfolded(folded.index - mask)),
            blocks(folded.index, folded.index + mask));
  steps.wait_all();
}

void append_two_level_reduce(schedule& steps, const collective_group& group, const team_reduction& values, int root) {
  const two_levels levels(group, root);
  const datatype& type = steps.operation_of_steps().type();
  team_reduction on_node = values;
  if (levels.is_leader() && group.rank != root) on_node.out = steps.temporary(values.count, type);
  append_reduce(steps, levels.node(), on_node, levels.leader());
  if (!levels.is_leader()) return;
  append_reduce(steps, levels.leaders(), {on_node.out, on_node.out, values.count}, levels.root_leader());
}

}  // namespace

void append_tree_reduce(schedule& steps, const team& members, const team_reduction& values, int root) {
  const datatype& type = steps.operation_of_steps().type();
  // Operations that do not commute are combined in the order of ranks, wherever the root is.
  const int top = steps.operation_of_steps().is_commutative() ? root : 0;
  const int index = members.index_from(top);
  const bool is_top = index == 0, is_root = members.index == root;
  const void* result = combine_children(steps, members, top, values, is_top && is_root ? values.out : nullptr);
  const data_part data = element_range(type, result, 0, values.count);
  if (!is_top) {
    steps.send(members.member_from(top, index - (index & -index)), data);
  } else if (!is_root) {
    steps.send(members.member(root), data);
  } else if (result != values.out) {
    steps.copy(element_range(type, values.out, 0, values.count), data);
  }
  steps.wait_all();
  if (is_top || !is_root) return;
  steps.receive(members.member(top), element_range(type, values.out, 0, values.count));
  steps.wait_all();
}

void append_reduce(schedule& steps, const team& members, const team_reduction& values, int root) {
  if (values.count == 0) return;
  const combiner& operation = steps.operation_of_steps();
  const bool is_small = values.count * operation.type().size() < least_for_halved_reduce || values.count < members.size;
  if (is_small || !operation.is_commutative() || members.size < 4) append_tree_reduce(steps, members, values, root);
  else append_halving_reduce(steps, members, values, root);
}

void build_reduce(schedule& steps, const collective_group& group, const reduction_buffers& buffers, int root) {
  check_root(group, root);
  if (group.is_inter()) return append_inter_reduce(steps, group, buffers, root);
  steps.set_operation(*buffers.combined_by, *buffers.type);
  const team_reduction values{buffers.input(), buffers.out, buffers.count};
  const bool may_combine_by_nodes = buffers.combined_by->is_commutative() || two_levels::are_ordered(group);
  if (two_levels::are_useful(group) && may_combine_by_nodes) append_two_level_reduce(steps, group, values, root);
  else append_reduce(steps, team_of(group), values, root);
}

}  // namespace stretto::ranks
