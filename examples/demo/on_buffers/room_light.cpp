#include "demo/on_buffers/room_light.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <stretto/buffer.hpp>

#include "demo/on_buffers/picture_sheet.hpp"

namespace on_buffers {
namespace {

using namespace stretto;

// clang-format off
STRETTO_KERNEL(shine_on, (in<float, 2> earlier, in<float, 2> factor, in<int, 2> delay, out<float, 2> now, int count, float reflected, int lamp), {
  const int t = global_id(0);
  const int i = global_id(1);
  float lit = 0.0f;
  for (int j = 0; j < count; ++j)
    if (delay(i, j) <= t) lit += factor(i, j) * earlier(t - delay(i, j), j);
  now(t, i) = (t == 0 && i == lamp ? 1.0f : 0.0f) + reflected * lit;
})
// clang-format on

constexpr int columns_of_sheet = 2, rows_of_sheet = 4;

}  // namespace

std::vector<float> light_on_nodes(const room& r, const light& l) {
  const box rows({0, 0}, {l.steps, r.patches}), pairs({0, 0}, {r.patches, r.patches});
  const buffer<float, 2> radiated(rows, {.name = "radiated"}), factor(pairs, r.factor.data(), {.name = "factor"});
  const buffer<int, 2> delay(pairs, r.delay.data(), {.name = "delay"});
  const auto seen_by = [](const box& part, const box& all) {
    return box({part.min()[1], 0}, {part.max()[1], all.max()[1]});
  };
  for (int t = 0; t < l.steps; ++t)
    launch(shine_on, box({t, 0}, {t + 1, r.patches}), radiated(fixed({{0, 0}, {t, r.patches}})), factor(seen_by),
           delay(seen_by), radiated(one_to_one), r.patches, l.reflected, lamp_of(r));
  const auto seen = radiated.read().get();
  std::vector<float> result;
  for (int t = 0; t < l.steps; ++t)
    for (int i = 0; i < r.patches; ++i) result.push_back(seen.view()(t, i));
  return result;
}

std::vector<float> light_serially(const room& r, const light& l) {
  const auto patches = static_cast<std::size_t>(r.patches);
  std::vector<float> b(static_cast<std::size_t>(l.steps) * patches);
  for (int t = 0; t < l.steps; ++t)
    for (std::size_t i = 0; i < patches; ++i) {
      float lit = 0;
      for (std::size_t j = 0; j < patches; ++j) {
        const int from = t - r.delay[i * patches + j];
        if (from >= 0) lit += r.factor[i * patches + j] * b[static_cast<std::size_t>(from) * patches + j];
      }
      b[static_cast<std::size_t>(t) * patches + i] =
          (t == 0 && static_cast<int>(i) == lamp_of(r) ? 1.0f : 0.0f) + l.reflected * lit;
    }
  return b;
}

float largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  float most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

float brightest(const room& r, const std::vector<float>& radiated) {
  if (static_cast<int>(radiated.size()) <= r.patches) return 1;
  const float most = *std::max_element(radiated.begin() + r.patches, radiated.end());
  return most > 0 ? most : 1;
}

wave::rgb_image sheet_of(const room& r, const light& l, const std::vector<float>& radiated, int pixels) {
  std::vector<wave::byte_image> moments;
  for (int n = 0; n < rows_of_sheet * columns_of_sheet; ++n) {
    constexpr int last = rows_of_sheet * columns_of_sheet + 2;  // most is to be seen at first
    const int t = static_cast<int>(std::int64_t{n + 3} * (n + 3) * (l.steps - 1) / (last * last));
    moments.push_back(unfolded(r, &radiated[static_cast<std::size_t>(t * r.patches)], brightest(r, radiated), pixels));
  }
  return sheet_of(moments, heat_palette(), columns_of_sheet, 2 * pixels);
}

std::vector<std::byte> moving_picture_of(const room& r, const light& l, const std::vector<float>& radiated,
                                         int pixels) {
  const float most = brightest(r, radiated);
  wave::animated_png moving({3 * r.side * pixels, 6 * r.side * pixels}, heat_palette(), 12);
  for (int t = 0; t < l.steps; ++t)
    moving.add(unfolded(r, &radiated[static_cast<std::size_t>(t * r.patches)], most, pixels));
  return moving.finish();
}

}  // namespace on_buffers
