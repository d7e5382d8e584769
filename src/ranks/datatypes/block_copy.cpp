// block_copy.cpp - a loop for each length of blocks and each way in which they lie.
#include "ranks/datatypes/block_copy.hpp"

#include <algorithm>

namespace stretto::ranks {

namespace {

struct at_distance {
  std::byte* base;
  std::int64_t stride;
  std::byte* operator()(std::int64_t i) const { return moved(base, i * stride); }
};

struct at_offsets {
  std::byte* base;
  const std::int32_t* offsets;
  std::byte* operator()(std::int64_t i) const { return moved(base, offsets[i]); }
};

template <std::size_t bytes, typename To, typename From>
void copy_fixed(To to, From from, std::int64_t number) {
  for (std::int64_t i = 0; i < number; ++i) std::memcpy(to(i), from(i), bytes);
}

template <typename To, typename From>
void copy_list(To to, From from, std::int64_t number, std::int64_t bytes) {
  switch (bytes) {
    case 1: return copy_fixed<1>(to, from, number);
    case 2: return copy_fixed<2>(to, from, number);
    case 4: return copy_fixed<4>(to, from, number);
    case 8: return copy_fixed<8>(to, from, number);
    case 12: return copy_fixed<12>(to, from, number);
    case 16: return copy_fixed<16>(to, from, number);
    case 24: return copy_fixed<24>(to, from, number);
    case 32: return copy_fixed<32>(to, from, number);
    case 40: return copy_fixed<40>(to, from, number);
    case 48: return copy_fixed<48>(to, from, number);
    case 64: return copy_fixed<64>(to, from, number);
    default:
      for (std::int64_t i = 0; i < number; ++i) copy_bytes(to(i), from(i), bytes);
  }
}

template <typename To>
void copy_from(To to, const block_list& from, std::int64_t number, std::int64_t bytes) {
  if (from.offsets) return copy_list(to, at_offsets{from.base, from.offsets}, number, bytes);
  copy_list(to, at_distance{from.base, from.stride}, number, bytes);
}

}  // namespace

void copy_blocks(const block_list& to, const block_list& from, std::int64_t number, std::int64_t bytes) {
  if (to.offsets) return copy_from(at_offsets{to.base, to.offsets}, from, number, bytes);
  copy_from(at_distance{to.base, to.stride}, from, number, bytes);
}

namespace {

/// Where the runs of repetitions lie: in a leaf, or one after another.
struct repeated_runs {
  std::byte* base;
  std::int64_t stride;  // from repetition to repetition
  const layout_leaf* leaf;
  bool is_packed;

  std::byte* run(std::int64_t i) const { return moved(base, is_packed ? leaf->start_of(i) : leaf->offsets[i]); }
  repeated_runs after(std::int64_t repetitions) const {
    return {moved(base, repetitions * stride), stride, leaf, is_packed};
  }
};

repeated_runs runs_in(const layout_leaf& leaf, const std::byte* base) {
  return {const_cast<std::byte*>(base), leaf.stride, &leaf, false};
}

repeated_runs packed_runs(const layout_leaf& leaf, const std::byte* base) {
  return {const_cast<std::byte*>(base), leaf.bytes, &leaf, true};
}

/// Copies each run of all repetitions before the next run: then the copies are of one length.
void copy_by_runs(const repeated_runs& to, const repeated_runs& from, std::int64_t repetitions) {
  for (std::int64_t i = 0; i < from.leaf->runs; ++i) {
    copy_list(at_distance{to.run(i), to.stride}, at_distance{from.run(i), from.stride}, repetitions,
              from.leaf->length_of(i));
  }
}

void copy_by_repetitions(repeated_runs to, repeated_runs from, std::int64_t repetitions) {
  for (; repetitions > 0; --repetitions, to = to.after(1), from = from.after(1)) {
    for (std::int64_t i = 0; i < from.leaf->runs; ++i) copy_bytes(to.run(i), from.run(i), from.leaf->length_of(i));
  }
}

void copy_repeated(repeated_runs to, repeated_runs from, std::int64_t repetitions) {
  constexpr std::int64_t tile = 64;  // repetitions that the first cache holds
  if (repetitions < 8) return copy_by_repetitions(to, from, repetitions);
  for (; repetitions > 0; repetitions -= tile, to = to.after(tile), from = from.after(tile)) {
    copy_by_runs(to, from, std::min(repetitions, tile));
  }
}

}  // namespace

void gather_runs(std::byte* to, const layout_leaf& leaf, const std::byte* from, std::int64_t repetitions) {
  copy_repeated(packed_runs(leaf, to), runs_in(leaf, from), repetitions);
}

void scatter_runs(const layout_leaf& leaf, std::byte* to, const std::byte* from, std::int64_t repetitions) {
  copy_repeated(runs_in(leaf, to), packed_runs(leaf, from), repetitions);
}

void copy_runs(const layout_leaf& leaf, std::byte* to, const std::byte* from, std::int64_t repetitions) {
  copy_repeated(runs_in(leaf, to), runs_in(leaf, from), repetitions);
}

}  // namespace stretto::ranks
