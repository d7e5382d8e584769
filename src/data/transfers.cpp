#include "data/transfers.hpp"

#include <boost/container/static_vector.hpp>

#include <algorithm>

namespace stretto::data {

namespace {

bool has_positive_strides(const loop_nest<2>::loop& l) noexcept { return l.stride[0] >= 0 && l.stride[1] >= 0; }

}  // namespace

std::vector<transfer> transfers_of(const loop_nest<2>& walk, place from, place to) {
  if (walk.empty) return {};
  const auto run = walk.run();
  const bool contiguous = run.stride[0] == walk.element_bytes[0] && run.stride[1] == walk.element_bytes[1];
  boost::container::static_vector<loop_nest<2>::loop, 3> loops(walk.loops.begin(), walk.loops.begin() + walk.rank);
  transfer t;
  t.target = {to, walk.first[0], 0, 0};
  t.source = {from, walk.first[1], 0, 0};
  t.shape.row_bytes = walk.element_bytes[0];
  if (contiguous && !loops.empty()) {
    t.shape.row_bytes = run.count * walk.element_bytes[0];
    loops.pop_back();
  }
  // A device handles two loops, the innermost ones with positive strides.
  const auto take = [&](std::size_t& count, std::size_t& target_stride, std::size_t& source_stride) {
    const auto at = std::find_if(loops.rbegin(), loops.rend(), has_positive_strides);
    if (at == loops.rend()) return;
    count = at->count;
    target_stride = static_cast<std::size_t>(at->stride[0]);
    source_stride = static_cast<std::size_t>(at->stride[1]);
    loops.erase(std::next(at).base());
  };
  take(t.shape.rows, t.target.row_stride, t.source.row_stride);
  take(t.shape.planes, t.target.plane_stride, t.source.plane_stride);
  std::vector<transfer> all{t};
  for (const auto& l : loops) {
    const std::size_t before = all.size();
    all.reserve(before * l.count);
    for (std::uint64_t n = 1; n < l.count; ++n)
      for (std::size_t i = 0; i < before; ++i) {
        transfer next = all[i];
        next.target.address += static_cast<std::int64_t>(n) * l.stride[0];
        next.source.address += static_cast<std::int64_t>(n) * l.stride[1];
        all.push_back(next);
      }
  }
  return all;
}

}  // namespace stretto::data
