// gather_schedule.cpp - gathers and scatters: small blocks by a binomial tree, others directly from or to the root.
//
// Source      Thakur, Rabenseifner, Gropp 2005, section 3. Large blocks take no tree here: each would be copied
//             several times, where a message is one copy.
#include "ranks/collectives/algorithms.hpp"

namespace stretto::ranks {

namespace {

constexpr std::int64_t largest_in_tree = 2048;  // bytes of a block

/// The members of a subtree of a binomial tree, by their index from the root.
struct subtree {
  int first;
  int size;
};

/// The subtree of the child `index + mask`, which may be empty.
subtree child_of(int index, int mask, int members) {
  const int first = index + mask;
  return {first, std::max(0, std::min(mask, members - first))};
}

/// Where the blocks of a subtree lie at the root, as at most two parts.
struct root_parts {
  data_part first, second;
};

root_parts parts_at_root(const tree_blocks& blocks, const team& members, int root, const subtree& child) {
  const int begin = (child.first + root) % members.size, before_end = std::min(child.size, members.size - begin);
  return {blocks.all.part(begin * blocks.bytes, before_end * blocks.bytes),
          blocks.all.part(0, (child.size - before_end) * blocks.bytes)};
}

void gather_at_root(schedule& steps, const team& members, const tree_blocks& blocks, int root) {
  data_part wrapped;
  root_parts wrapped_parts;
  for (int mask = 1; mask < members.size; mask *= 2) {
    const subtree child = child_of(0, mask, members.size);
    const root_parts parts = parts_at_root(blocks, members, root, child);
    const peer_rank from = members.member_from(root, child.first);
    if (parts.second.bytes() == 0) {
      steps.receive(from, parts.first);
      continue;
    }
    wrapped_parts = parts;
    wrapped = data_part(steps.temporary(child.size * blocks.bytes), child.size * blocks.bytes);
    steps.receive(from, wrapped);
  }
  if (blocks.own) steps.copy(blocks.all.part(root * blocks.bytes, blocks.bytes), *blocks.own);
  steps.wait_all();
  if (wrapped.bytes() == 0) return;
  steps.copy(wrapped_parts.first, wrapped);
  steps.copy(wrapped_parts.second, wrapped.part(wrapped_parts.first.bytes(), wrapped_parts.second.bytes()));
}

void scatter_from_root(schedule& steps, const team& members, const tree_blocks& blocks, int root) {
  const int largest = static_cast<int>(std::bit_ceil(static_cast<unsigned>(members.size))) / 2;
  for (int mask = largest; mask > 0; mask /= 2) {
    const subtree child = child_of(0, mask, members.size);
    if (child.size == 0) continue;
    const root_parts parts = parts_at_root(blocks, members, root, child);
    const peer_rank to = members.member_from(root, child.first);
    if (parts.second.bytes() == 0) {
      steps.send(to, parts.first);
      continue;
    }
    const data_part wrapped(steps.temporary(child.size * blocks.bytes), child.size * blocks.bytes);
    steps.copy(wrapped, parts.first);
    steps.copy(wrapped.part(parts.first.bytes(), parts.second.bytes()), parts.second);
    steps.send(to, wrapped);
  }
  if (blocks.own) steps.copy(*blocks.own, blocks.all.part(root * blocks.bytes, blocks.bytes));
  steps.wait_all();
}

/// The bit by which a member that is not the root has its parent.
int parent_bit(int index) { return index & -index; }

void linear_gather(schedule& steps, const team& members, const data_buffer& own, const block_buffer& blocks, int root) {
  if (members.index != root) {
    send_some(steps, members.member(root), own.data());
    return steps.wait_all();
  }
  for (int i = 0; i < members.size; ++i) {
    steps.keep(blocks.type(i));
    if (i != root) receive_some(steps, members.member(i), blocks[i]);
  }
  if (!own.is_in_place()) steps.copy(blocks[root], own.data());
  steps.wait_all();
}

void linear_scatter(schedule& steps, const team& members, const block_buffer& blocks, const data_buffer& own,
                    int root) {
  if (members.index != root) {
    receive_some(steps, members.member(root), own.data());
    return steps.wait_all();
  }
  for (int i = 0; i < members.size; ++i) {
    steps.keep(blocks.type(i));
    if (i != root) send_some(steps, members.member(i), blocks[i]);
  }
  if (!own.is_in_place()) steps.copy(own.data(), blocks[root]);
  steps.wait_all();
}

/// The bytes of a block, which all ranks know.
std::int64_t block_bytes(const data_buffer& own, const block_buffer& blocks, bool is_root) {
  return is_root ? blocks.bytes(0) : own.count * own.type->size();
}

void keep_own(schedule& steps, const data_buffer& own) {
  if (!own.is_in_place()) steps.keep(*own.type);
}

}  // namespace

void append_tree_gather(schedule& steps, const team& members, const tree_blocks& blocks, int root) {
  if (members.index == root) return gather_at_root(steps, members, blocks, root);
  const int index = members.index_from(root), bit = parent_bit(index);
  const int size = std::min(bit, members.size - index);
  data_part all = *blocks.own;
  if (size > 1) {
    all = data_part(steps.temporary(size * blocks.bytes), size * blocks.bytes);
    for (int mask = 1; mask < bit; mask *= 2) {
      const subtree child = child_of(index, mask, members.size);
      if (child.size == 0) break;
      steps.receive(members.member_from(root, child.first), all.part(mask * blocks.bytes, child.size * blocks.bytes));
    }
    steps.copy(all, *blocks.own);
    steps.wait_all();
  }
  steps.send(members.member_from(root, index - bit), all);
  steps.wait_all();
}

void append_tree_scatter(schedule& steps, const team& members, const tree_blocks& blocks, int root) {
  if (members.index == root) return scatter_from_root(steps, members, blocks, root);
  const int index = members.index_from(root), bit = parent_bit(index);
  const int size = std::min(bit, members.size - index);
  const bool has_children = size > 1;
  const data_part all =
      has_children ? data_part(steps.temporary(size * blocks.bytes), size * blocks.bytes) : *blocks.own;
  steps.receive(members.member_from(root, index - bit), all);
  steps.wait_all();
  if (!has_children) return;
  for (int mask = bit / 2; mask > 0; mask /= 2) {
    const subtree child = child_of(index, mask, members.size);
    if (child.size == 0) continue;
    steps.send(members.member_from(root, child.first), all.part(mask * blocks.bytes, child.size * blocks.bytes));
  }
  steps.copy(*blocks.own, all);
  steps.wait_all();
}

void build_gather(schedule& steps, const collective_group& group, const data_buffer& own, const block_buffer& blocks,
                  int root) {
  check_root(group, root);
  if (group.is_inter()) return append_inter_gather(steps, group, own, blocks, root);
  const std::int64_t bytes = block_bytes(own, blocks, group.rank == root);
  if (bytes == 0) return;
  if (bytes > largest_in_tree) return build_gatherv(steps, group, own, blocks, root);
  keep_own(steps, own);
  tree_blocks tree{bytes, nullptr, {}};
  const data_part part = own.is_in_place() ? data_part() : own.data();
  if (!own.is_in_place()) tree.own = &part;
  if (group.rank == root) {
    steps.keep(blocks.type(0));
    tree.all = blocks.all(group.size);
  }
  append_tree_gather(steps, team_of(group), tree, root);
}

void build_gatherv(schedule& steps, const collective_group& group, const data_buffer& own, const block_buffer& blocks,
                   int root) {
  check_root(group, root);
  if (group.is_inter()) return append_inter_gather(steps, group, own, blocks, root);
  keep_own(steps, own);
  linear_gather(steps, team_of(group), own, blocks, root);
}

void build_scatter(schedule& steps, const collective_group& group, const block_buffer& blocks, const data_buffer& own,
                   int root) {
  check_root(group, root);
  if (group.is_inter()) return append_inter_scatter(steps, group, blocks, own, root);
  const std::int64_t bytes = block_bytes(own, blocks, group.rank == root);
  if (bytes == 0) return;
  if (bytes > largest_in_tree) return build_scatterv(steps, group, blocks, own, root);
  keep_own(steps, own);
  tree_blocks tree{bytes, nullptr, {}};
  const data_part part = own.is_in_place() ? data_part() : own.data();
  if (!own.is_in_place()) tree.own = &part;
  if (group.rank == root) {
    steps.keep(blocks.type(0));
    tree.all = blocks.all(group.size);
  }
  append_tree_scatter(steps, team_of(group), tree, root);
}

void build_scatterv(schedule& steps, const collective_group& group, const block_buffer& blocks, const data_buffer& own,
                    int root) {
  check_root(group, root);
  if (group.is_inter()) return append_inter_scatter(steps, group, blocks, own, root);
  keep_own(steps, own);
  linear_scatter(steps, team_of(group), blocks, own, root);
}

}  // namespace stretto::ranks
