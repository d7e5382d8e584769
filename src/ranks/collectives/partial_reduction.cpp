// partial_reduction.cpp - the pieces of reductions of large data: folds to a power of two, recursive halving.
//
// Source      Thakur, Rabenseifner, Gropp 2005, sections 4.4 and 4.5.
#include "ranks/collectives/algorithms.hpp"

namespace stretto::ranks {

namespace {

/// Receives the elements from `first` to before `last` and combines them with the current ones into `result`.
void receive_and_combine(schedule& steps, peer_rank from, partial_values& values, std::int64_t first,
                         std::int64_t last) {
  const datatype& type = steps.operation_of_steps().type();
  const bool is_apart = values.current != values.result;
  void* arriving = is_apart ? values.result : values.received;
  receive_some(steps, from, element_range(type, arriving, first, last));
  steps.wait_all();
  const void* in = is_apart ? values.current : values.received;
  steps.combine(element(type, in, first), element(type, values.result, first), last - first);
}

}  // namespace

block_bounds equal_blocks(std::int64_t count, int blocks) {
  block_bounds bounds(static_cast<std::size_t>(blocks) + 1);
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    const auto index = static_cast<std::int64_t>(i);
    bounds[i] = count / blocks * index + std::min(index, count % blocks);
  }
  return bounds;
}

bool append_fold(schedule& steps, const team& members, int first, partial_values& values, std::int64_t count) {
  const int index = members.index_from(first);
  const folded_team folded(index, members.size);
  if (folded.index == -1) {
    const datatype& type = steps.operation_of_steps().type();
    send_some(steps, members.member_from(first, index - 1), element_range(type, values.current, 0, count));
    steps.wait_all();
    return false;
  }
  if (folded.index >= folded.rest) return true;
  receive_and_combine(steps, members.member_from(first, index + 1), values, 0, count);
  values.current = values.result;
  return true;
}

void append_halving(schedule& steps, const team& members, int first, partial_values& values,
                    const block_bounds& bounds) {
  const datatype& type = steps.operation_of_steps().type();
  const folded_team folded(members.index_from(first), members.size);
  const auto bound = [&](int block) { return bounds[static_cast<std::size_t>(block)]; };
  int begin = 0;
  for (int mask = folded.size / 2; mask > 0; mask /= 2) {
    const int other = (folded.index & mask) == 0 ? begin + mask : begin;
    begin += folded.index & mask;
    const peer_rank peer = members.member_from(first, folded.unfolded(folded.index ^ mask));
    send_some(steps, peer, element_range(type, values.current, bound(other), bound(other + mask)));
    receive_and_combine(steps, peer, values, bound(begin), bound(begin + mask));
    values.current = values.result;
  }
}

}  // namespace stretto::ranks
