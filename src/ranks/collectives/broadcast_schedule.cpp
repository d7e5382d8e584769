// broadcast_schedule.cpp - broadcasts: a binomial tree, or for large data a scatter and an exchange of its parts.
//
// Source      van de Geijn's scatter and allgather, as in Thakur, Rabenseifner, Gropp 2005, section 4.2.
#include "ranks/collectives/algorithms.hpp"
#include "ranks/collectives/two_levels.hpp"

namespace stretto::ranks {

namespace {

// Thresholds of the source, in bytes.
constexpr std::int64_t least_scattered_bytes = 12 * 1024;
constexpr std::int64_t least_for_block_ring = 512 * 1024;

/// A scatter by a binomial tree of the bytes of `data`; member i from the root keeps those of block i.
void append_byte_scatter(schedule& steps, const team& members, const data_part& data, int root, std::int64_t block) {
  const int index = members.index_from(root), size = members.size;
  int mask = 1;
  while (mask < size && (index & mask) == 0) mask *= 2;
  if (index != 0) {
    receive_some(steps, members.member_from(root, index - mask), data.part(index * block, mask * block));
    steps.wait_all();
  }
  for (mask /= 2; mask > 0; mask /= 2) {
    if (index + mask >= size) continue;
    send_some(steps, members.member_from(root, index + mask), data.part((index + mask) * block, mask * block));
  }
  steps.wait_all();
}

void append_scattered_broadcast(schedule& steps, const team& members, const data_part& data, int root) {
  const std::int64_t block = (data.bytes() + members.size - 1) / members.size;
  append_byte_scatter(steps, members, data, root, block);
  if (data.bytes() < least_for_block_ring && std::has_single_bit(static_cast<unsigned>(members.size))) {
    append_doubling(steps, members, root, data, block);
  } else {
    append_ring(steps, members, root, [&](int i) { return data.part(i * block, block); });
  }
}

}  // namespace

void append_tree_broadcast(schedule& steps, const team& members, const data_part& data, int root) {
  const int index = members.index_from(root), size = members.size;
  int mask = 1;
  while (mask < size && (index & mask) == 0) mask *= 2;
  if (index != 0) {
    steps.receive(members.member_from(root, index - mask), data);
    steps.wait_all();
  }
  for (mask /= 2; mask > 0; mask /= 2) {
    if (index + mask < size) steps.send(members.member_from(root, index + mask), data);
  }
  steps.wait_all();
}

void append_broadcast(schedule& steps, const team& members, const data_part& data, int root) {
  const bool is_small = data.bytes() < least_scattered_bytes || members.size < 8;
  if (is_small || members.prefers_few_messages()) append_tree_broadcast(steps, members, data, root);
  else append_scattered_broadcast(steps, members, data, root);
}

void build_broadcast(schedule& steps, const collective_group& group, const data_buffer& data, int root) {
  check_root(group, root);
  if (group.is_inter()) return append_inter_broadcast(steps, group, data, root);
  steps.keep(*data.type);
  const data_part all = data.data();
  if (all.bytes() == 0) return;
  if (!two_levels::are_useful(group)) return append_broadcast(steps, team_of(group), all, root);
  const two_levels levels(group, root);
  if (levels.is_leader()) append_broadcast(steps, levels.leaders(), all, levels.root_leader());
  append_broadcast(steps, levels.node(), all, levels.leader());
}

}  // namespace stretto::ranks
