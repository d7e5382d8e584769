// block_copy.cpp - a loop for each length of blocks and each way in which they lie.
#include "ranks/datatypes/block_copy.hpp"

namespace stretto::ranks {

namespace {

struct at_distance {
  std::byte* base;
  std::int64_t stride;
  std::byte* operator()(std::int64_t i) const { return base + i * stride; }
};

struct at_offsets {
  std::byte* base;
  const std::int64_t* offsets;
  std::byte* operator()(std::int64_t i) const { return base + offsets[i]; }
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

void gather_runs(std::byte* to, const layout_leaf& leaf, const std::byte* from, std::int64_t repetitions) {
  for (; repetitions > 0; --repetitions, to += leaf.bytes, from += leaf.stride) {
    for (std::int64_t i = 0; i < leaf.runs; ++i) {
      copy_bytes(to + leaf.starts[i], from + leaf.offsets[i], leaf.starts[i + 1] - leaf.starts[i]);
    }
  }
}

void scatter_runs(const layout_leaf& leaf, std::byte* to, const std::byte* from, std::int64_t repetitions) {
  for (; repetitions > 0; --repetitions, to += leaf.stride, from += leaf.bytes) {
    for (std::int64_t i = 0; i < leaf.runs; ++i) {
      copy_bytes(to + leaf.offsets[i], from + leaf.starts[i], leaf.starts[i + 1] - leaf.starts[i]);
    }
  }
}

void copy_runs(const layout_leaf& leaf, std::byte* to, const std::byte* from, std::int64_t repetitions) {
  for (; repetitions > 0; --repetitions, to += leaf.stride, from += leaf.stride) {
    for (std::int64_t i = 0; i < leaf.runs; ++i) {
      const std::int64_t offset = leaf.offsets[i];
      copy_bytes(to + offset, from + offset, leaf.starts[i + 1] - leaf.starts[i]);
    }
  }
}

}  // namespace stretto::ranks
