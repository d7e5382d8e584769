#include "report/overview.hpp"

#include <algorithm>

namespace stretto::report {
namespace {

constexpr std::size_t most_cells = std::size_t{1} << 18;

struct sums {
  nanoseconds busy = 0, most = 0;  // `most`: of the label that has it
};

}  // namespace

overview find_overview(const run& r, std::uint32_t most_slices) {
  overview o;
  if (r.lanes.empty()) return o;
  const auto fit = std::max<std::size_t>(1, most_cells / r.lanes.size());
  const auto length = static_cast<std::uint64_t>(std::max<nanoseconds>(r.length, 1));
  o.slices = static_cast<std::uint32_t>(std::min<std::uint64_t>({most_slices, fit, length}));
  o.cells.assign(r.lanes.size() * o.slices, {0, static_cast<std::uint32_t>(r.labels.size())});
  std::vector<sums> found(o.cells.size());
  // Slice k begins at edge(k): computed so that no product overflows and every nanosecond is in one slice.
  const double slice = static_cast<double>(length) / o.slices;
  const auto edge = [&](std::uint32_t k) { return static_cast<nanoseconds>(k * slice); };
  const auto end_of = [&](std::uint32_t k) { return k + 1 == o.slices ? r.length : edge(k + 1); };
  const auto slice_of = [&](nanoseconds t) {
    auto k = static_cast<std::uint32_t>(std::min<double>(static_cast<double>(t) / slice, o.slices - 1));
    while (k > 0 && edge(k) > t) --k;
    while (k + 1 < o.slices && edge(k + 1) <= t) ++k;
    return k;
  };
  for (const record& one : r.records) {
    if (!is_work(one.kind)) continue;
    const std::size_t row = std::size_t{one.lane} * o.slices;
    for (std::uint32_t k = slice_of(one.start); k < o.slices && (edge(k) < one.end || edge(k) <= one.start); ++k) {
      const nanoseconds part = std::min(one.end, end_of(k)) - std::max(one.start, edge(k));
      // Of what is nested only its share counts, so that nothing counts twice; each label's longest
      // piece stands for it.
      const double own = one.end == one.start ? 0 : static_cast<double>(one.self) / static_cast<double>(one.length());
      const auto time = static_cast<nanoseconds>(static_cast<double>(part) * own);
      sums& s = found[row + k];
      s.busy += time;
      if (time >= s.most) s.most = time, o.cells[row + k].label = one.label;
    }
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto k = static_cast<std::uint32_t>(i % o.slices);
    const nanoseconds whole = std::max<nanoseconds>(1, end_of(k) - edge(k));
    o.cells[i].busy = static_cast<std::uint8_t>(std::clamp<nanoseconds>(255 * found[i].busy / whole, 0, 255));
  }
  return o;
}

}  // namespace stretto::report
