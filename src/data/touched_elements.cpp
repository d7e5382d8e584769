#include "data/touched_elements.hpp"

#include <bit>
#include <span>
#include <vector>

namespace stretto {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;

void lower(std::atomic<std::int64_t>& to, std::int64_t v) noexcept {
  std::int64_t now = to.load(relaxed);
  while (v < now && !to.compare_exchange_weak(now, v, relaxed)) {
  }
}
void raise(std::atomic<std::int64_t>& to, std::int64_t v) noexcept {
  std::int64_t now = to.load(relaxed);
  while (v > now && !to.compare_exchange_weak(now, v, relaxed)) {
  }
}

std::size_t words_of(const box& all) noexcept { return (all.volume() + 63) / 64; }
std::uint64_t index_of(const box& all, const point& at) noexcept {
  std::uint64_t i = 0;
  for (int a = 0; a < max_axes; ++a)
    i = i * static_cast<std::uint64_t>(all.length(a)) + static_cast<std::uint64_t>(at[a] - all.min()[a]);
  return i;
}

/// The pattern at one coordinate of an axis is compared with that at the previous one: equal patterns extend its boxes.
class bands {
 public:
  explicit bands(int axis) : axis_(axis) {}
  void add(coordinate at, const std::vector<box>& here) {
    if (here != now_) {
      flush(at);
      now_ = here;
    }
  }
  void flush(coordinate end) {
    for (const box& b : now_) {
      point min = b.min(), max = b.max();
      min[axis_] = from_, max[axis_] = end;
      all.push_back(box::between(min, max));
    }
    now_.clear();
    from_ = end;
  }
  void begin(coordinate at) {
    all.clear();
    from_ = at;
  }

  std::vector<box> all;

 private:
  const int axis_;
  coordinate from_ = 0;
  std::vector<box> now_;  // for any interval along the axis
};

}  // namespace

touched_elements::touched_elements(const box& its, const box& whole) : own(its), all(whole) {
  if (all.volume() <= most_marked) marks = std::make_unique<std::atomic<std::uint64_t>[]>(words_of(all));
}

box touched_elements::bounds() const {
  if (min[0].load(relaxed) == none) return {};
  point low, high;
  for (int a = 0; a < max_axes; ++a) {
    const bool is_named = min[a].load(relaxed) != none;
    low[a] = is_named ? min[a].load(relaxed) : 0;
    high[a] = is_named ? max[a].load(relaxed) + 1 : 1;
  }
  return box::between(low, high);
}

std::optional<region> touched_elements::elements() const {
  if (!marks) return std::nullopt;
  const box within = intersection(bounds(), all);
  if (within.is_empty()) return region();
  bands planes(0), rows(1);
  std::vector<box> runs;
  planes.begin(within.min()[0]);
  for (coordinate i = within.min()[0]; i < within.max()[0]; ++i) {
    rows.begin(within.min()[1]);
    for (coordinate j = within.min()[1]; j < within.max()[1]; ++j) {
      runs.clear();
      for (coordinate k = within.min()[2], from = k; k <= within.max()[2]; ++k) {
        const std::uint64_t at = index_of(all, {i, j, k});
        const bool is_marked = k < within.max()[2] && (marks[at / 64].load(relaxed) >> at % 64 & 1);
        if (is_marked) continue;
        if (from < k) runs.push_back(box::between({0, 0, from}, {1, 1, k}));
        from = k + 1;
      }
      rows.add(j, runs);
    }
    rows.flush(within.max()[1]);
    planes.add(i, rows.all);
    if (planes.all.size() + rows.all.size() > most_boxes) return std::nullopt;
  }
  planes.flush(within.max()[0]);
  return region(std::span<const box>(planes.all));
}

std::uint64_t touched_elements::count() const {
  std::uint64_t sum = 0;
  if (marks)
    for (std::size_t w = 0; w < words_of(all); ++w)
      sum += static_cast<std::uint64_t>(std::popcount(marks[w].load(relaxed)));
  return sum;
}

void kernels::note_touched(touched_elements& in, const std::int64_t* at, std::size_t axes) noexcept {
  int beyond = 0;
  point p;
  for (std::size_t a = 0; a < axes; ++a) {
    lower(in.min[a], at[a]);
    raise(in.max[a], at[a]);
    p[static_cast<int>(a)] = at[a];
    beyond += at[a] < in.own.min()[static_cast<int>(a)] || at[a] >= in.own.max()[static_cast<int>(a)];
  }
  if (beyond > 1 && !in.corners.load(relaxed)) in.corners.store(true, relaxed);
  if (!in.marks || !in.all.contains(p)) return;
  const std::uint64_t i = index_of(in.all, p), bit = std::uint64_t{1} << i % 64;
  std::atomic<std::uint64_t>& word = in.marks[i / 64];
  if (!(word.load(relaxed) & bit)) word.fetch_or(bit, relaxed);
}

}  // namespace stretto
