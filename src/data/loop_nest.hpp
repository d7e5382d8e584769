// loop_nest.hpp - a walk over one box of N strided arrays: few loops, long runs.
//
// Threads     pure values.
// Cost        planning: a few dozen instructions; walking: one call per run.
// Invariants  (1) each element of the box is visited exactly once, for all layouts. (2) loops are ordered so that
//             operand 0, the one written, is written in address order. (3) loops that continue one another in every
//             operand are merged.
#pragma once

#include <stretto/instance.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace stretto::data {

/// One operand of a walk.
struct operand {
  std::byte* first = nullptr;  // the element at layout.box.min
  layout shape;
};

/// The same for planning: the address of the element at the origin, which need not exist.
struct reach {
  std::byte* origin = nullptr;
  point stride;
  std::uint32_t element_bytes = 1;

  /// `shift` is added to a coordinate of the walk to find the operand's own.
  static reach of(std::byte* first, const layout& shape, const point& shift = {}) noexcept {
    return {first + (shape.offset_of(shift)), shape.stride, shape.element_bytes};
  }
  std::byte* at(const point& p) const noexcept {
    return origin + (p[0] * stride[0] + p[1] * stride[1] + p[2] * stride[2]);
  }
};

template <std::size_t N>
struct loop_nest {
  struct loop {
    std::uint64_t count = 1;
    std::array<std::int64_t, N> stride{};  // bytes
  };
  std::array<std::byte*, N> first{};
  std::array<std::uint32_t, N> element_bytes{};
  unsigned rank = 0;  // loops, outermost first; 0: one element
  std::array<loop, 3> loops{};
  bool empty = false;

  std::uint64_t volume() const noexcept {
    std::uint64_t v = empty ? 0 : 1;
    for (unsigned i = 0; i < rank; ++i) v *= loops[i].count;
    return v;
  }
  /// The innermost loop, or a single element.
  loop run() const noexcept {
    if (rank) return loops[rank - 1];
    loop one;
    for (std::size_t k = 0; k < N; ++k) one.stride[k] = element_bytes[k];
    return one;
  }
};

/// The walk over `box`, which the box of each operand must contain.
template <std::size_t N>
loop_nest<N> plan(const box& box, const std::array<reach, N>& operands) noexcept {
  loop_nest<N> n;
  using loop = typename loop_nest<N>::loop;
  n.empty = box.is_empty();
  for (std::size_t k = 0; k < N; ++k) {
    n.element_bytes[k] = operands[k].element_bytes;
    n.first[k] = n.empty ? nullptr : operands[k].at(box.min());
  }
  if (n.empty) return n;
  for (int a = 0; a < 3; ++a) {
    const auto count = static_cast<std::uint64_t>(box.max()[a] - box.min()[a]);
    if (count == 1) continue;
    loop l;
    l.count = count;
    for (std::size_t k = 0; k < N; ++k) l.stride[k] = operands[k].stride[a];
    unsigned at = n.rank++;  // insertion keeps the larger strides of operand 0 outside; equal ones keep their order
    while (at > 0 && std::abs(n.loops[at - 1].stride[0]) < std::abs(l.stride[0])) {
      n.loops[at] = n.loops[at - 1];
      --at;
    }
    n.loops[at] = l;
  }
  for (unsigned i = n.rank; i-- > 1;) {  // merge loop i with the one around it
    loop& outer = n.loops[i - 1];
    const loop& inner = n.loops[i];
    bool continues = true;
    for (std::size_t k = 0; k < N; ++k)
      continues = continues && outer.stride[k] == inner.stride[k] * static_cast<std::int64_t>(inner.count);
    if (!continues) continue;
    outer.count *= inner.count;
    outer.stride = inner.stride;
    for (unsigned j = i; j + 1 < n.rank; ++j) n.loops[j] = n.loops[j + 1];
    --n.rank;
  }
  return n;
}

template <std::size_t N>
loop_nest<N> plan(const box& box, const std::array<operand, N>& operands) noexcept {
  std::array<reach, N> reaches;
  for (std::size_t k = 0; k < N; ++k) reaches[k] = reach::of(operands[k].first, operands[k].shape);
  return plan(box, reaches);
}

/// Calls body(pointers, count, strides) for each innermost run.
template <std::size_t N, class Body>
void for_each_run(const loop_nest<N>& n, Body&& body) {
  if (n.empty) return;
  const auto run = n.run();
  const auto call = [&](const std::array<std::byte*, N>& at) { body(at, run.count, run.stride); };
  const auto stepped = [](std::array<std::byte*, N> at, const typename loop_nest<N>::loop& l, std::uint64_t i) {
    for (std::size_t k = 0; k < N; ++k) at[k] += static_cast<std::int64_t>(i) * l.stride[k];
    return at;
  };
  if (n.rank <= 1) return call(n.first);
  for (std::uint64_t i = 0; i < n.loops[0].count; ++i) {
    const auto row = stepped(n.first, n.loops[0], i);
    if (n.rank == 2) {
      call(row);
      continue;
    }
    for (std::uint64_t j = 0; j < n.loops[1].count; ++j) call(stepped(row, n.loops[1], j));
  }
}

/// Part `which` of `parts` nearly equal parts. Cuts the first loop with enough steps, or else the one with most steps.
/// Parts are disjoint and cover the walk. Some are empty if there are more parts than steps.
template <std::size_t N>
loop_nest<N> part_of(loop_nest<N> n, std::uint64_t which, std::uint64_t parts) noexcept {
  if (n.empty || n.rank == 0) {
    n.empty = n.empty || which != 0;
    return n;
  }
  unsigned cut = 0;
  for (unsigned i = 1; i < n.rank && n.loops[cut].count < parts; ++i)
    if (n.loops[i].count > n.loops[cut].count) cut = i;
  auto& l = n.loops[cut];
  // Cuts of a contiguous run lie on multiples of 64 elements, so that no two workers write one cache line.
  const std::uint64_t grain = cut + 1 == n.rank && l.count >= 128 * parts ? 64 : 1;
  const auto position = [&](std::uint64_t i) {
    const auto wide = static_cast<unsigned __int128>(l.count) * i / parts;
    return i == parts ? l.count : static_cast<std::uint64_t>(wide) / grain * grain;
  };
  const std::uint64_t from = position(which), to = position(which + 1);
  for (std::size_t k = 0; k < N; ++k) n.first[k] += static_cast<std::int64_t>(from) * l.stride[k];
  l.count = to - from;
  n.empty = l.count == 0;
  return n;
}

}  // namespace stretto::data
