// buffer_tags.hpp - tags of launches and host tasks on buffers that say how their range is cut, or what is to come.
//
//     launch(in_tiles, jacobi, inside, u(star(1)), v(one_to_one), 0.1f);
//     launch(in_pieces{4}, smooth, rows, u(neighborhood(1)), v(one_to_one));
//     host_task(in_pieces{8}, u.elements(), write_rows, u.in(one_to_one));
//     launch(to_come{}, shine, box(0, all_rows), history(slice{0}), room(all));
//
// constrain_split of mapper.hpp is another one. Results do not depend on how a range is cut.
//
// Threads     tags are values.
#pragma once

#include <stretto/mapper.hpp>

#include <cstdint>

STRETTO_API_BEGIN

namespace stretto {

/// Tags of launches and host tasks. A range is cut along its first axis; or along two, into tiles that are nearly
/// square: on several nodes stencils then send less.
struct in_tiles_tag {};
inline constexpr in_tiles_tag in_tiles{};
/// Each device's part is cut into so many pieces, so that one is computed while another's elements are on their way.
struct in_pieces {
  std::uint32_t number;  // >= 1
};
/// This launch does nothing now, but one on such elements will come: what is allocated until then gets room for it, so
/// that arrays which launches use more and more of are not allocated and copied again. For this node alone; values are
/// not looked at.
///
///     launch(to_come{}, shine, box(0, all_rows), history(slice{0}), room(all));  // then launch(shine, box(0, rows),
///     ...), row by row
struct to_come {};

namespace detail {

/// How the range of a launch is cut.
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
