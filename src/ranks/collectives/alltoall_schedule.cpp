// alltoall_schedule.cpp - exchanges of a block between all pairs: Bruck's algorithm for small blocks, else directly.
//
// Source      Bruck, Ho, Kipnis, Upfal, Weathersby, "Efficient algorithms for all-to-all communications", 1997; the
//             pairwise exchange: Thakur, Rabenseifner, Gropp 2005, section 4.3.
#include "ranks/collectives/algorithms.hpp"

namespace stretto::ranks {

namespace {

constexpr std::int64_t largest_in_bruck = 256;     // bytes of a block
constexpr std::int64_t largest_at_once = 1 << 15;  // bytes of a block
constexpr int pairs_at_once = 64;                  // of such blocks
constexpr int large_pairs_at_once = 4;

/// Copies the blocks whose number has the bit `mask` between their places in `all` and `packed`.
enum class pack_direction : std::uint8_t { pack, unpack };
std::int64_t append_packing(schedule& steps, const data_part& all, const data_part& packed, int mask,
                            pack_direction direction, std::int64_t bytes) {
  std::int64_t position = 0;
  for (std::int64_t first = mask * bytes; first < all.bytes(); first += 2 * mask * bytes) {
    const data_part run = all.part(first, mask * bytes), place = packed.part(position, run.bytes());
    position += run.bytes();
    if (direction == pack_direction::pack) steps.copy(place, run);
    else steps.copy(run, place);
  }
  return position;
}

/// Block i travels to the rank i further, by one bit of i in each round.
void append_bruck_exchange(schedule& steps, const team& members, const data_part& sent, const block_buffer& received) {
  const int size = members.size, index = members.index;
  const std::int64_t bytes = received.bytes(0), whole = size * bytes;
  const data_part all(steps.temporary(whole), whole);
  const data_part packed(steps.temporary(whole), whole), arrived(steps.temporary(whole), whole);
  steps.copy(all, sent.part(index * bytes, whole));
  steps.copy(all.part((size - index) * bytes, whole), sent.part(0, index * bytes));
  for (int mask = 1; mask < size; mask *= 2) {
    const std::int64_t moved = append_packing(steps, all, packed, mask, pack_direction::pack, bytes);
    steps.receive(members.member_from(index, size - mask), arrived.part(0, moved));
    steps.send(members.member_from(index, mask), packed.part(0, moved));
    steps.wait_all();
    append_packing(steps, all, arrived, mask, pack_direction::unpack, bytes);
  }
  for (int i = 0; i < size; ++i) steps.copy(received[(index - i + size) % size], all.part(i * bytes, bytes));
}

/// A copy of the blocks in place, which are sent while others are received there.
std::vector<data_part> copy_of_blocks(schedule& steps, const team& members, const block_buffer& blocks) {
  std::vector<data_part> copies;
  for (int i = 0; i < members.size; ++i) {
    const std::int64_t bytes = blocks.bytes(i);
    copies.emplace_back(steps.temporary(bytes), bytes);
    steps.copy(copies.back(), blocks[i]);
  }
  return copies;
}

template <typename Block>
void append_pairs(schedule& steps, const team& members, const Block& sent, const block_buffer& received) {
  const int size = members.size, index = members.index;
  const int at_once = bytes_of_blocks(received, size) / size <= largest_at_once ? pairs_at_once : large_pairs_at_once;
  steps.copy(received[index], sent(index));
  for (int i = 1; i < size; ++i) {
    const int source = (index - i + size) % size, target = (index + i) % size;
    receive_some(steps, members.member(source), received[source]);
    send_some(steps, members.member(target), sent(target));
    if (i % at_once == 0) steps.wait_all();
  }
  steps.wait_all();
}

void append_inter_pairs(schedule& steps, const collective_group& group, const block_buffer& sent,
                        const block_buffer& received) {
  const int all = std::max(group.size, group.remote_size);
  for (int i = 0; i < all; ++i) {
    const int source = (group.rank - i + all) % all, target = (group.rank + i) % all;
    if (source < group.remote_size) receive_some(steps, {source, group_side::remote}, received[source]);
    if (target < group.remote_size) send_some(steps, {target, group_side::remote}, sent[target]);
  }
  steps.wait_all();
}

void keep_types(schedule& steps, const block_buffer& blocks, int number) {
  if (blocks.is_in_place()) return;
  for (int i = 0; i < (blocks.is_regular() ? 1 : number); ++i) steps.keep(blocks.type(i));
}

}  // namespace

void build_alltoall(schedule& steps, const collective_group& group, const block_buffer& sent,
                    const block_buffer& received) {
  const int peers = group.is_inter() ? group.remote_size : group.size;
  keep_types(steps, sent, peers);
  keep_types(steps, received, peers);
  if (group.is_inter()) return append_inter_pairs(steps, group, sent, received);
  const team members = team_of(group);
  if (received.is_regular()) {
    if (received.bytes(0) == 0) return;
    if (received.bytes(0) <= largest_in_bruck && group.size >= 8) {
      const data_part all = sent.is_in_place() ? received.all(group.size) : sent.all(group.size);
      return append_bruck_exchange(steps, members, all, received);
    }
  }
  if (!sent.is_in_place()) return append_pairs(steps, members, [&](int i) { return sent[i]; }, received);
  const std::vector<data_part> copies = copy_of_blocks(steps, members, received);
  append_pairs(steps, members, [&](int i) { return copies[static_cast<std::size_t>(i)]; }, received);
}

}  // namespace stretto::ranks
