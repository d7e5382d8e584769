#include "device/touched.hpp"

namespace stretto {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;

void lower(std::atomic<std::int64_t>& to, std::int64_t v) noexcept {
  std::int64_t now = to.load(relaxed);
  while (v < now && !to.compare_exchange_weak(now, v, relaxed)) {}
}
void raise(std::atomic<std::int64_t>& to, std::int64_t v) noexcept {
  std::int64_t now = to.load(relaxed);
  while (v > now && !to.compare_exchange_weak(now, v, relaxed)) {}
}

}  // namespace

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

void kernels::note_touched(touched_elements& in, const std::int64_t* at, std::size_t axes) noexcept {
  int beyond = 0;
  for (std::size_t a = 0; a < axes; ++a) {
    lower(in.min[a], at[a]);
    raise(in.max[a], at[a]);
    beyond += at[a] < in.own.min()[static_cast<int>(a)] || at[a] >= in.own.max()[static_cast<int>(a)];
  }
  if (beyond > 1 && !in.corners.load(relaxed)) in.corners.store(true, relaxed);
}

}  // namespace stretto
