// allreduce_schedule.cpp - reductions to all ranks: exchanges of all values for small data, else halves or a ring.
//
// Source      recursive doubling and Rabenseifner's algorithm: Thakur, Rabenseifner, Gropp 2005, section 4.5; the ring:
//             Patarasuk, Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations", 2009.
#include <array>
#include <utility>

#include "ranks/collectives/algorithms.hpp"
#include "ranks/collectives/two_levels.hpp"

namespace stretto::ranks {

namespace {

constexpr std::int64_t least_for_halved_allreduce = 8 * 1024;  // bytes
constexpr std::int64_t least_for_reduced_ring = 64 * 1024;     // bytes, where ranks are no power of two

/// Values that are exchanged as a whole: the current ones, and a buffer for those that arrive. All ranks combine the
/// values of lower ranks from the left, so that all get the same bits.
class whole_exchange {
 public:
  /// Of the exchanges that follow, `higher` are with higher ranks: each moves the current values to the other buffer.
  /// So the last result is in `out`, unless the input is there.
  whole_exchange(schedule& steps, const team_reduction& values, int higher)
      : steps_(steps), type_(steps.operation_of_steps().type()), count_(values.count), current_(values.in) {
    buffers_ = {values.out, steps.temporary(count_, type_)};
    if (current_ != values.out && higher % 2 == 0) std::swap(buffers_[0], buffers_[1]);
  }

  void send(peer_rank to) { steps_.send(to, part(current_)); }
  void combine_with_higher(peer_rank from) {
    void* arriving = receive(from);
    steps_.combine(current_, arriving, count_);
    current_ = arriving;
  }
  void combine_with_lower(peer_rank from) {
    void* arriving = receive(from);
    void* result = arriving == buffers_[0] ? buffers_[1] : buffers_[0];
    if (current_ != result) steps_.copy(part(result), part(current_));
    steps_.combine(arriving, result, count_);
    current_ = result;
  }
  void finish(void* out) {
    if (current_ != out) steps_.copy(part(out), part(current_));
  }

 private:
  /// Waits for the sends, too; returns where the values are.
  void* receive(peer_rank from) {
    void* arriving = buffers_[0] == current_ ? buffers_[1] : buffers_[0];
    steps_.receive(from, part(arriving));
    steps_.wait_all();
    return arriving;
  }
  data_part part(const void* values) const { return element_range(type_, values, 0, count_); }

  schedule& steps_;
  const datatype& type_;
  std::int64_t count_;
  const void* current_;  // the input or one of the buffers
  std::array<void*, 2> buffers_;
};

/// Gives the result to the members that a fold left out.
void append_unfold(schedule& steps, const team& members, const team_reduction& values) {
  const folded_team folded(members.index, members.size);
  const data_part result = element_range(steps.operation_of_steps().type(), values.out, 0, values.count);
  if (folded.index == -1) steps.receive(members.member(members.index - 1), result);
  else if (folded.index < folded.rest) steps.send(members.member(members.index + 1), result);
  steps.wait_all();
}

void append_doubling_allreduce(schedule& steps, const team& members, const team_reduction& values) {
  const folded_team folded(members.index, members.size);
  if (folded.index == -1) {
    steps.send(members.member(members.index - 1),
               element_range(steps.operation_of_steps().type(), values.in, 0, values.count));
    steps.wait_all();
    return append_unfold(steps, members, values);
  }
  const int rounds = std::countr_zero(static_cast<unsigned>(folded.size));
  const int lower = std::popcount(static_cast<unsigned>(folded.index));
  const bool has_folded = folded.index < folded.rest;
  whole_exchange exchange(steps, values, rounds - lower + (has_folded ? 1 : 0));
  if (has_folded) exchange.combine_with_higher(members.member(members.index + 1));
  for (int mask = 1; mask < folded.size; mask *= 2) {
    const peer_rank peer = members.member(folded.unfolded(folded.index ^ mask));
    exchange.send(peer);
    if ((folded.index & mask) != 0) exchange.combine_with_lower(peer);
    else exchange.combine_with_higher(peer);
  }
  exchange.finish(values.out);
  append_unfold(steps, members, values);
}

void append_halving_allreduce(schedule& steps, const team& members, const team_reduction& values) {
  const datatype& type = steps.operation_of_steps().type();
  const folded_team folded(members.index, members.size);
  partial_values partial{values.in, values.out, steps.temporary(values.count, type)};
  if (append_fold(steps, members, 0, partial, values.count)) {
    const block_bounds bounds = equal_blocks(values.count, folded.size);
    append_halving(steps, members, 0, partial, bounds);
    const auto blocks = [&](int first, int number) {
      return element_range(type, values.out, bounds[static_cast<std::size_t>(first)],
                           bounds[static_cast<std::size_t>(first + number)]);
    };
    for (int mask = 1; mask < folded.size; mask *= 2) {
      const int begin = folded.index & ~(mask - 1);
      const peer_rank peer = members.member(folded.unfolded(folded.index ^ mask));
      receive_some(steps, peer, blocks(begin ^ mask, mask));
      send_some(steps, peer, blocks(begin, mask));
      steps.wait_all();
    }
  }
  append_unfold(steps, members, values);
}

/// Partial results of each block travel once around the ring; then the blocks do.
void append_ring_allreduce(schedule& steps, const team& members, const team_reduction& values) {
  const datatype& type = steps.operation_of_steps().type();
  const int size = members.size, index = members.index;
  const block_bounds bounds = equal_blocks(values.count, size);
  const auto begin = [&](int block) { return bounds[static_cast<std::size_t>(block)]; };
  const auto part = [&](const void* memory, int block) {
    return element_range(type, memory, begin(block), begin(block + 1));
  };
  const bool is_in_place = values.in == values.out;
  void* arriving = is_in_place ? steps.temporary(values.count, type) : values.out;
  const peer_rank left = members.member_from(index, size - 1), right = members.member_from(index, 1);
  std::vector<transfer_number> receives;
  for (int i = 1; i < size; ++i) receives.push_back(steps.receive(left, part(arriving, (index - i + size) % size)));
  steps.send(right, part(values.in, index));
  for (int i = 1; i < size; ++i) {
    const int block = (index - i + size) % size;
    steps.wait(receives[static_cast<std::size_t>(i - 1)]);
    const void* in = is_in_place ? arriving : values.in;
    steps.combine(element(type, in, begin(block)), element(type, values.out, begin(block)),
                  begin(block + 1) - begin(block));
    if (i < size - 1) steps.send(right, part(values.out, block));
  }
  steps.wait_all();
  // Member i has block i + 1 now.
  append_ring(steps, members, size - 1, [&](int i) { return part(values.out, i); });
}

void append_two_level_allreduce(schedule& steps, const collective_group& group, const team_reduction& values) {
  const two_levels levels(group);
  append_reduce(steps, levels.node(), values, levels.leader());
  if (levels.is_leader()) append_allreduce(steps, levels.leaders(), {values.out, values.out, values.count});
  const datatype& type = steps.operation_of_steps().type();
  append_broadcast(steps, levels.node(), element_range(type, values.out, 0, values.count), levels.leader());
}

}  // namespace

void append_allreduce(schedule& steps, const team& members, const team_reduction& values) {
  if (values.count == 0) return;
  const datatype& type = steps.operation_of_steps().type();
  const std::int64_t bytes = values.count * type.size();
  const bool is_power_of_two = std::has_single_bit(static_cast<unsigned>(members.size));
  const bool may_be_cut =
      members.size > 1 && values.count >= members.size && steps.operation_of_steps().is_commutative();
  if (bytes < least_for_halved_allreduce && members.prefers_few_messages()) {
    append_tree_reduce(steps, members, values, 0);
    append_tree_broadcast(steps, members, element_range(type, values.out, 0, values.count), 0);
  } else if (bytes < least_for_halved_allreduce || !may_be_cut) {
    append_doubling_allreduce(steps, members, values);
  } else if (is_power_of_two || bytes < least_for_reduced_ring) {
    append_halving_allreduce(steps, members, values);
  } else {
    append_ring_allreduce(steps, members, values);
  }
}

void build_allreduce(schedule& steps, const collective_group& group, const reduction_buffers& buffers) {
  steps.set_operation(*buffers.combined_by, *buffers.type);
  if (group.is_inter()) return append_inter_allreduce(steps, group, buffers);
  const team_reduction values{buffers.input(), buffers.out, buffers.count};
  const bool may_combine_by_nodes = buffers.combined_by->is_commutative() || two_levels::are_ordered(group);
  if (two_levels::are_useful(group) && may_combine_by_nodes) append_two_level_allreduce(steps, group, values);
  else append_allreduce(steps, team_of(group), values);
}

}  // namespace stretto::ranks
