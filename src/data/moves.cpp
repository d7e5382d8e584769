#include "data/moves.hpp"

#include <cstring>

namespace stretto::data {

namespace {

/// Calls body with a constant element size for usual sizes, so that a copy is a single move.
template <class Body>
void with_size(std::uint32_t bytes, Body&& body) {
  switch (bytes) {
    case 1: return body(std::integral_constant<std::size_t, 1>{});
    case 2: return body(std::integral_constant<std::size_t, 2>{});
    case 4: return body(std::integral_constant<std::size_t, 4>{});
    case 8: return body(std::integral_constant<std::size_t, 8>{});
    case 12: return body(std::integral_constant<std::size_t, 12>{});
    case 16: return body(std::integral_constant<std::size_t, 16>{});
    case 24: return body(std::integral_constant<std::size_t, 24>{});
    case 32: return body(std::integral_constant<std::size_t, 32>{});
    default: return body(std::size_t{bytes});
  }
}

/// The loop along which the source is contiguous while the innermost one is not; none if there is no such loop.
template <std::size_t N>
int source_axis(const loop_nest<N>& n) {
  for (unsigned i = 0; i + 1 < n.rank; ++i)
    if (n.loops[i].stride[1] == n.element_bytes[1] && n.loops[n.rank - 1].stride[1] != n.element_bytes[1])
      return static_cast<int>(i);
  return -1;
}

/// Source and target are contiguous along different axes. Squares go through a buffer, so that each row of either array
/// is touched once: with strides that are powers of two, rows would otherwise evict one another from the cache.
template <class Size>
void copy_transposed(const loop_nest<2>& n, unsigned axis, Size size) noexcept {
  constexpr std::uint64_t tile = 32;
  const auto& fast = n.loops[n.rank - 1];  // contiguous in the target
  const auto& slow = n.loops[axis];        // contiguous in the source
  alignas(64) std::byte square[tile * tile * 32];
  const auto plane = [&](std::byte* to, const std::byte* from) {
    for (std::uint64_t i0 = 0; i0 < slow.count; i0 += tile)
      for (std::uint64_t j0 = 0; j0 < fast.count; j0 += tile) {
        const std::uint64_t in = std::min(tile, slow.count - i0), jn = std::min(tile, fast.count - j0);
        const auto at = [](std::uint64_t i, std::int64_t step) { return static_cast<std::int64_t>(i) * step; };
        for (std::uint64_t j = 0; j < jn; ++j) {
          const std::byte* row = from + at(i0, slow.stride[1]) + at(j0 + j, fast.stride[1]);
          for (std::uint64_t i = 0; i < in; ++i)
            std::memcpy(square + (i * tile + j) * size, row + i * std::size_t{size}, size);
        }
        for (std::uint64_t i = 0; i < in; ++i) {
          std::byte* row = to + at(i0 + i, slow.stride[0]) + at(j0, fast.stride[0]);
          for (std::uint64_t j = 0; j < jn; ++j)
            std::memcpy(row + at(j, fast.stride[0]), square + (i * tile + j) * size, size);
        }
      }
  };
  if (n.rank == 2) return plane(n.first[0], n.first[1]);
  const auto& other = n.loops[1 - axis];  // rank 3: axis is 0 or 1, the innermost loop is 2
  for (std::uint64_t k = 0; k < other.count; ++k)
    plane(n.first[0] + static_cast<std::int64_t>(k) * other.stride[0],
          n.first[1] + static_cast<std::int64_t>(k) * other.stride[1]);
}

template <class Index>
Index load(const std::byte* at) noexcept {
  Index i;
  std::memcpy(&i, at, sizeof i);
  return i;
}

point index_at(const std::byte* at, index_kind kind) noexcept {
  switch (kind) {
    case index_kind::int32: return {load<std::int32_t>(at), 0, 0};
    case index_kind::uint32: return {load<std::uint32_t>(at), 0, 0};
    case index_kind::int64:
    case index_kind::uint64:  // beyond 2^63 it is negative, hence out of any box that starts at 0 or above
    case index_kind::point1: return {load<std::int64_t>(at), 0, 0};
    case index_kind::point2: return {load<std::int64_t>(at), load<std::int64_t>(at + 8), 0};
    case index_kind::point3: return {load<std::int64_t>(at), load<std::int64_t>(at + 8), load<std::int64_t>(at + 16)};
  }
  return {};
}

enum class direction { gather, scatter };

template <direction Way>
std::optional<bad_index> move_indexed(const loop_nest<2>& walk, const operand& table, index_kind kind) noexcept {
  std::optional<bad_index> bad;
  std::uint64_t position = 0;
  with_size(walk.element_bytes[0], [&](auto size) {
    for_each_run(walk, [&](const auto& at, std::uint64_t count, const auto& stride) {
      std::byte* value = at[0];
      const std::byte* index = at[1];
      for (std::uint64_t i = 0; i < count && !bad; ++i, value += stride[0], index += stride[1], ++position) {
        const point p = index_at(index, kind);
        if (!table.shape.box.contains(p)) [[unlikely]] {
          bad = bad_index{p, position};
          return;
        }
        std::byte* const entry = table.first + table.shape.offset_of(p);
        if constexpr (Way == direction::gather) std::memcpy(value, entry, size);
        else std::memcpy(entry, value, size);
      }
    });
  });
  return bad;
}

}  // namespace

void copy_elements(const loop_nest<2>& walk) noexcept {
  if (walk.empty) return;
  const auto run = walk.run();
  const std::uint32_t bytes = walk.element_bytes[0];
  if (run.stride[0] == bytes && run.stride[1] == bytes) {
    for_each_run(
        walk, [bytes](const auto& at, std::uint64_t count, const auto&) { std::memcpy(at[0], at[1], count * bytes); });
    return;
  }
  with_size(bytes, [&](auto size) {
    if (const int axis = bytes <= 32 ? source_axis(walk) : -1; axis >= 0)
      return copy_transposed(walk, static_cast<unsigned>(axis), size);
    for_each_run(walk, [size](const auto& at, std::uint64_t count, const auto& stride) {
      std::byte* to = at[0];
      const std::byte* from = at[1];
      for (std::uint64_t i = 0; i < count; ++i, to += stride[0], from += stride[1]) std::memcpy(to, from, size);
    });
  });
}

void fill_elements(const loop_nest<1>& walk, const std::byte* value) noexcept {
  if (walk.empty) return;
  const std::uint32_t bytes = walk.element_bytes[0];
  const bool same_bytes = std::all_of(value, value + bytes, [&](std::byte b) { return b == value[0]; });
  if (same_bytes && walk.run().stride[0] == bytes) {
    for_each_run(walk, [&](const auto& at, std::uint64_t count, const auto&) {
      std::memset(at[0], std::to_integer<int>(value[0]), count * bytes);
    });
    return;
  }
  with_size(bytes, [&](auto size) {
    for_each_run(walk, [&](const auto& at, std::uint64_t count, const auto& stride) {
      std::byte* to = at[0];
      if (stride[0] == static_cast<std::int64_t>(std::size_t{size})) {  // a constant step allows vector instructions
        for (std::uint64_t i = 0; i < count; ++i) std::memcpy(to + i * std::size_t{size}, value, size);
        return;
      }
      for (std::uint64_t i = 0; i < count; ++i, to += stride[0]) std::memcpy(to, value, size);
    });
  });
}

std::uint32_t bytes_of(index_kind kind) noexcept {
  switch (kind) {
    case index_kind::int32:
    case index_kind::uint32: return 4;
    case index_kind::int64:
    case index_kind::uint64:
    case index_kind::point1: return 8;
    case index_kind::point2: return 16;
    case index_kind::point3: return 24;
  }
  return 8;
}

std::optional<bad_index> gather_elements(const loop_nest<2>& walk, const operand& table, index_kind kind) noexcept {
  return move_indexed<direction::gather>(walk, table, kind);
}

std::optional<bad_index> scatter_elements(const loop_nest<2>& walk, const operand& table, index_kind kind) noexcept {
  return move_indexed<direction::scatter>(walk, table, kind);
}

}  // namespace stretto::data
