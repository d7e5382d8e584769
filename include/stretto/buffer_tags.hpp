// buffer_tags.hpp - tags of launches and host tasks on buffers that split their range: in_tiles, in_pieces,
// reserve_elements.
//
//     STRETTO_KERNEL(average, (in<float, 2> u, out<float, 2> v), {
//       int i = global_id(0), j = global_id(1);
//       v(i, j) = (u(i-1, j) + u(i+1, j) + u(i, j-1) + u(i, j+1)) / 4;
//     })
//     void step(const buffer<float, 2>& u, const buffer<float, 2>& v) {
//       const box inside = u.elements().widened({-1, -1});
//       launch(in_tiles, average, inside, u(star(1)), v(one_to_one));      // each node computes a near-square tile
//       launch(in_pieces{4}, average, inside, v(star(1)), u(one_to_one));  // each device computes four pieces
//     }
//
// constrain_split of mapper.hpp is another such tag. Results do not depend on the split.
//
// Threads     tags are values.
#pragma once

#include <stretto/mapper.hpp>

#include <cstdint>

STRETTO_API_BEGIN

namespace stretto {

/// The type of in_tiles.
struct in_tiles_tag {};
/// The tag that splits a range among nodes along its first two axes, into near-square tiles. Without it, only the first
/// axis is split. On several nodes, stencils then send fewer elements.
inline constexpr in_tiles_tag in_tiles{};
/// The tag that splits the part of each device into this number of pieces: the device computes one piece while elements
/// of another one are being copied.
struct in_pieces {
  std::uint32_t number;  // >= 1
};
/// The tag that only announces a launch: it runs nothing, but allocations of this node until then are made large enough
/// for it. With it, a program whose launches use a growing part of a buffer does not reallocate and copy. Values are
/// ignored.
///
///     launch(reserve_elements{}, trace, box(0, all_rows), history(slice(0)), scene(all));
///     for (int n = 1; n <= all_rows; ++n) launch(trace, box(0, n), history(slice(0)), scene(all));
struct reserve_elements {};

namespace detail {

/// The options for splitting the range of a launch.
struct range_hints {
  bool is_in_tiles = false;
  std::uint32_t pieces = 1;
  extent multiple = unit;  // every cut lies on a multiple of this
};

template <class Request>
struct with_range_hints : Request {
  range_hints hints;
  using Request::apply;
  void apply(in_tiles_tag) noexcept { hints.is_in_tiles = true; }
  void apply(in_pieces p) noexcept { hints.pieces = p.number; }
  void apply(const split_constraint& c) noexcept { hints.multiple = c.multiple; }
};

}  // namespace detail
}  // namespace stretto

STRETTO_API_END
