// allgather_schedule.cpp - allgathers: recursive doubling or Bruck's algorithm for small data, a ring for large.
//
// Source      Bruck, Ho, Kipnis, Upfal, Weathersby, "Efficient algorithms for all-to-all communications", 1997;
//             thresholds: Thakur, Rabenseifner, Gropp 2005, section 4.1.
#include "ranks/collectives/algorithms.hpp"

namespace stretto::ranks {

namespace {

constexpr std::int64_t least_for_ring_of_blocks = 80 * 1024;         // bytes of all blocks
constexpr std::int64_t least_for_ring_of_equal_blocks = 512 * 1024;  // the same, of equal blocks and 2^n ranks

/// Copies the blocks, which begin with the own one, to their places.
void copy_rotated(schedule& steps, const team& members, const data_part& rotated,
                  const std::vector<std::int64_t>& starts, const block_buffer& blocks) {
  const int size = members.size;
  if (blocks.is_regular()) {
    const std::int64_t before = members.index * blocks.bytes(0), after = rotated.bytes() - before;
    const data_part all = blocks.all(size);
    steps.copy(all.part(before, after), rotated);
    steps.copy(all.part(0, before), rotated.part(after, before));
    return;
  }
  for (int i = 0; i < size; ++i) {
    const auto start = starts[static_cast<std::size_t>(i)];
    const data_part block = blocks[(members.index + i) % size];
    steps.copy(block, rotated.part(start, block.bytes()));
  }
}

/// Each member has the block with its index in `own`.
void append_bruck(schedule& steps, const team& members, const data_part& own, const block_buffer& blocks) {
  const int size = members.size;
  std::vector<std::int64_t> starts{0};
  for (int i = 0; i < size; ++i) starts.push_back(starts.back() + blocks.bytes((members.index + i) % size));
  const auto start = [&](int i) { return starts[static_cast<std::size_t>(i)]; };
  const data_part rotated(steps.temporary(starts.back()), starts.back());
  steps.copy(rotated, own);
  for (int have = 1; have < size; have *= 2) {
    const int more = std::min(have, size - have);
    receive_some(steps, members.member_from(members.index, have),
                 rotated.part(start(have), start(have + more) - start(have)));
    send_some(steps, members.member_from(members.index, size - have), rotated.part(0, start(more)));
    steps.wait_all();
  }
  copy_rotated(steps, members, rotated, starts, blocks);
}

/// The own block is in its place.
void append_exchange(schedule& steps, const team& members, const block_buffer& blocks, std::int64_t bytes) {
  const bool is_power_of_two = std::has_single_bit(static_cast<unsigned>(members.size));
  if (blocks.is_regular() && is_power_of_two && bytes < least_for_ring_of_equal_blocks) {
    append_doubling(steps, members, 0, blocks.all(members.size), blocks.bytes(0));
  } else {
    append_ring(steps, members, 0, [&](int i) { return blocks[i]; });
  }
}

void append_gather_and_broadcast(schedule& steps, const team& members, const block_buffer& blocks) {
  const data_part own = blocks[members.index], all = blocks.all(members.size);
  append_tree_gather(steps, members, {blocks.bytes(0), members.index == 0 ? nullptr : &own, all}, 0);
  append_tree_broadcast(steps, members, all, 0);
}

}  // namespace

void append_doubling(schedule& steps, const team& members, int first, const data_part& all, std::int64_t bytes) {
  const int index = members.index_from(first);
  for (int mask = 1; mask < members.size; mask *= 2) {
    const int begin = index & ~(mask - 1), other = begin ^ mask;
    const peer_rank peer = members.member_from(first, index ^ mask);
    receive_some(steps, peer, all.part(other * bytes, mask * bytes));
    send_some(steps, peer, all.part(begin * bytes, mask * bytes));
    steps.wait_all();
  }
}

void build_allgather(schedule& steps, const collective_group& group, const data_buffer& own,
                     const block_buffer& blocks) {
  if (group.is_inter()) return append_inter_allgather(steps, group, own, blocks);
  const team members = team_of(group);
  const std::int64_t bytes = bytes_of_blocks(blocks, group.size);
  if (bytes == 0) return;
  for (int i = 0; i < (blocks.is_regular() ? 1 : group.size); ++i) steps.keep(blocks.type(i));
  if (!own.is_in_place()) steps.keep(*own.type);
  const data_part source = own.is_in_place() ? blocks[group.rank] : own.data();
  const bool is_few = members.prefers_few_messages() && blocks.is_regular();
  const bool is_power_of_two = std::has_single_bit(static_cast<unsigned>(group.size));
  if (bytes < least_for_ring_of_blocks && !is_few && !(is_power_of_two && blocks.is_regular())) {
    return append_bruck(steps, members, source, blocks);
  }
  if (!own.is_in_place()) steps.copy(blocks[group.rank], source);
  if (bytes < least_for_ring_of_blocks && is_few) append_gather_and_broadcast(steps, members, blocks);
  else append_exchange(steps, members, blocks, bytes);
}

}  // namespace stretto::ranks
