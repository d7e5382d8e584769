// direct_collective.cpp - the parts of each kind: by receiving rank, by block of elements, or one for all.
#include "ranks/collectives/direct_collective.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "ranks/collectives/algorithms.hpp"
#include "ranks/datatypes/host_elements.hpp"
#include "ranks/heap/readonly_buffers.hpp"

namespace stretto::ranks {

namespace {

constexpr std::int64_t broadcast_part = 256 << 10;  // bytes
constexpr std::int64_t combined_block = 16 << 10;   // bytes, so that the result stays in the first cache

std::int64_t parts_of(std::int64_t all, std::int64_t each) {
  return std::max<std::int64_t>(1, (all + each - 1) / each);
}

}  // namespace

collective_member::collective_member(const collective_call& with) : call(with) {
  if (call.combines()) operation = combiner(*call.values.combined_by, *call.values.type);
}

direct_collective::direct_collective(members all) : all_(all) {
  const collective_call& any = call_of(0);
  switch (any.kind) {
    case collective_kind::barrier: parts_ = 0; break;
    case collective_kind::broadcast: {
      const data_buffer& root = call_of(any.root).own;
      const std::int64_t bytes = root.count * root.type->size();
      part_per_rank_ = parts_of(bytes, broadcast_part);
      parts_ = size() * part_per_rank_;
      bytes_ = size() * bytes;
      break;
    }
    case collective_kind::gather:
    case collective_kind::gatherv:
      parts_ = size();
      bytes_ = bytes_of_blocks(call_of(any.root).received, size());
      break;
    case collective_kind::scatter:
    case collective_kind::scatterv:
      parts_ = size();
      bytes_ = bytes_of_blocks(call_of(any.root).sent, size());
      break;
    case collective_kind::allgather:
    case collective_kind::alltoall:
      parts_ = size();
      bytes_ = size() * bytes_of_blocks(any.received, size());
      break;
    case collective_kind::reduce:
    case collective_kind::allreduce: {
      const std::int64_t each = std::max<std::int64_t>(any.values.type->size(), 1);
      elements_ = std::max<std::int64_t>(combined_block / each, 1);
      parts_ = parts_of(any.values.count, elements_);
      bytes_ = 2 * size() * any.values.count * each;
      break;
    }
    default: break;
  }
  share_blocks();
}

/// Ahead of all parts: a rank that shares its block has given back the memory that parts would copy to.
void direct_collective::share_blocks() {
  for (int rank = 0; rank < size(); ++rank) {
    collective_member* const one = all_[static_cast<std::size_t>(rank)];
    if (!one->call.variable) continue;
    const collective_call& root = call_of(one->call.root);
    data_part into = one->call.own.data();
    data_part from = one->call.kind == collective_kind::broadcast ? root.own.data() : root.sent[rank];
    into.mark_received(one->call.variable);
    if (root.is_readonly) from.mark_readonly();
    one->shares_block = try_share_block(into, from);
  }
}

void direct_collective::perform(std::int64_t part, const collective_member& by) const {
  const int rank = static_cast<int>(part);
  switch (by.call.kind) {
    case collective_kind::barrier: break;
    case collective_kind::broadcast: return broadcast(part);
    case collective_kind::gather:
    case collective_kind::gatherv: return gather(rank);
    case collective_kind::scatter:
    case collective_kind::scatterv: return scatter(rank);
    case collective_kind::allgather: return allgather(rank);
    case collective_kind::alltoall: return alltoall(rank);
    case collective_kind::reduce:
    case collective_kind::allreduce: return reduce(part, by.operation);
    case collective_kind::reduce_scatter:
    case collective_kind::reduce_scatter_block: return reduce_and_scatter(by.operation);
    case collective_kind::scan:
    case collective_kind::exscan: return scan(by.operation);
  }
}

void direct_collective::copy(collective_member& to, const data_part& into, const data_part& from) const {
  if (from.bytes() > into.bytes()) to.note(error_class::truncate);
  copy_part(into, from);
}

void direct_collective::broadcast(std::int64_t part) const {
  const std::int64_t rank = part / part_per_rank_, first = part % part_per_rank_ * broadcast_part;
  const int root = call_of(rank).root;
  if (rank == root || all_[static_cast<std::size_t>(rank)]->shares_block) return;
  const data_part from = call_of(root).own.data(), into = call_of(rank).own.data();
  if (from.bytes() > into.bytes()) all_[static_cast<std::size_t>(rank)]->note(error_class::truncate);
  copy_part(into.part(first, broadcast_part), from.part(first, broadcast_part));
}

void direct_collective::gather(int rank) const {
  const collective_call& one = call_of(rank);
  collective_member& root = *all_[static_cast<std::size_t>(one.root)];
  if (!one.own.is_in_place()) copy(root, root.call.received[rank], one.own.data());
}

void direct_collective::scatter(int rank) const {
  collective_member& one = *all_[static_cast<std::size_t>(rank)];
  if (!one.call.own.is_in_place() && !one.shares_block)
    copy(one, one.call.own.data(), call_of(one.call.root).sent[rank]);
}

void direct_collective::allgather(int rank) const {
  collective_member& one = *all_[static_cast<std::size_t>(rank)];
  for (int i = 0; i < size(); ++i) {
    const collective_call& from = call_of(i);
    if (i == rank && from.own.is_in_place()) continue;
    copy(one, one.call.received[i], from.own.is_in_place() ? from.received[i] : from.own.data());
  }
}

void direct_collective::alltoall(int rank) const {
  collective_member& one = *all_[static_cast<std::size_t>(rank)];
  if (one.call.sent.is_in_place()) return exchange_in_place(rank);
  for (int i = 0; i < size(); ++i) copy(one, one.call.received[i], call_of(i).sent[rank]);
}

/// With the ranks above, so that each pair of blocks is exchanged once.
void direct_collective::exchange_in_place(int rank) const {
  std::vector<std::byte> bytes;
  for (int i = rank + 1; i < size(); ++i) {
    const data_part own = call_of(rank).received[i], other = call_of(i).received[rank];
    bytes.resize(static_cast<std::size_t>(own.bytes()));
    const data_part kept(bytes.data(), own.bytes());
    copy_part(kept, own);
    copy(*all_[static_cast<std::size_t>(rank)], own, other);
    copy(*all_[static_cast<std::size_t>(i)], other, kept);
  }
}

/// Combines the elements from `first` to before `last` of all ranks.
void direct_collective::combine(const combiner& by, std::int64_t first, std::int64_t last, void* result) const {
  const datatype& type = by.type();
  const int last_rank = size() - 1;
  copy_part(data_part(result, last - first, type), element_range(type, call_of(last_rank).values.input(), first, last));
  for (int i = last_rank - 1; i >= 0; --i) by(element(type, call_of(i).values.input(), first), result, last - first);
}

/// Gives a rank its elements from `first` to before `last`.
void direct_collective::give(std::int64_t rank, std::int64_t first, std::int64_t last, const void* result) const {
  const reduction_buffers& to = call_of(rank).values;
  copy_part(element_range(*to.type, to.out, first, last), data_part(result, last - first, *to.type));
}

void direct_collective::reduce(std::int64_t part, const combiner& by) const {
  const collective_call& any = call_of(0);
  const std::int64_t first = part * elements_, last = std::min(first + elements_, any.values.count);
  if (first >= last) return;
  value_memory memory;
  void* const result = memory.make(last - first, by.type());
  combine(by, first, last, result);
  if (any.kind == collective_kind::reduce) return give(any.root, first, last, result);
  for (int i = 0; i < size(); ++i) give(i, first, last, result);
}

/// All at once: a result in place lies over values that others still need.
void direct_collective::reduce_and_scatter(const combiner& by) const {
  const collective_call& any = call_of(0);
  const bool is_regular = any.kind == collective_kind::reduce_scatter_block;
  const std::int64_t count = any.values.count * (is_regular ? size() : 1);
  if (count == 0) return;
  value_memory memory;
  std::byte* const result = memory.make(count, by.type());
  combine(by, 0, count, result);
  std::int64_t first = 0;
  for (int i = 0; i < size(); ++i) {
    const std::int64_t own = is_regular ? any.values.count : call_of(i).counts[i];
    give(i, 0, own, element(by.type(), result, first));
    first += own;
  }
}

void direct_collective::scan(const combiner& by) const {
  const std::int64_t count = call_of(0).values.count;
  if (count == 0) return;
  const bool is_inclusive = call_of(0).kind == collective_kind::scan;
  value_memory memory[2];
  std::byte *lower = memory[0].make(count, by.type()), *with_own = memory[1].make(count, by.type());
  for (int i = 0; i < size(); ++i) {
    copy_part(data_part(with_own, count, by.type()), data_part(call_of(i).values.input(), count, by.type()));
    if (i > 0) by(lower, with_own, count);
    if (is_inclusive) give(i, 0, count, with_own);
    else if (i > 0) give(i, 0, count, lower);
    std::swap(lower, with_own);
  }
}

}  // namespace stretto::ranks
