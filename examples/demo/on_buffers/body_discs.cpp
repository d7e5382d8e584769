#include "demo/on_buffers/body_discs.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>

#include "chart/chart.hpp"

namespace on_buffers {

using namespace stretto;
using gravity::bodies, gravity::vector3;

namespace {

constexpr double soft = 0.01, radius = 1, width_shown = 7;
constexpr int shades = 127;  // of each disc in the palette, from 1 and from 128 on

}  // namespace

bodies two_discs(int count) {
  bodies b{1.0 / count, soft, {}, {}};
  std::minstd_rand random(11);
  const auto number = [&random] {
    return static_cast<double>(random() - 1) / 2147483646;
  };  // as no two libraries' distributions are
  vector3 all{0, 0, 0};
  for (int i = 0; i < count; ++i) {
    const double side = i % 2 ? 1 : -1, r2 = radius * radius * number(), r = std::sqrt(r2),
                 angle = 2 * std::numbers::pi * number();
    const double within = 0.5 * r2 / (radius * radius), speed = std::sqrt(within * r2) / std::pow(r2 + soft, 0.75);
    b.x.push_back({side * 1.5 + r * std::cos(angle), side * 0.6 + r * std::sin(angle), 0.02 * (number() - 0.5)});
    b.v.push_back({-side * 0.35 - speed * std::sin(angle), speed * std::cos(angle), 0});
    all.x += b.v.back().x / count, all.y += b.v.back().y / count;
  }
  for (vector3& v : b.v) v.x -= all.x, v.y -= all.y;
  return b;
}

std::vector<double> energy_changes(const bodies& first, const std::vector<bodies>& moments) {
  const double before = gravity::energy(first);
  std::vector<double> changes;
  for (const bodies& b : moments) changes.push_back(std::abs(gravity::energy(b) / before - 1));
  return changes;
}

double drift_of_all(const bodies& b) {
  vector3 all{0, 0, 0};
  for (const vector3& v : b.v) all.x += v.x * b.mass, all.y += v.y * b.mass, all.z += v.z * b.mass;
  return gravity::distance(all, {0, 0, 0});
}

std::vector<wave::byte_image> pictures_of(const std::vector<bodies>& moments, int pixels) {
  std::vector<wave::byte_image> pictures;
  std::vector<double> trace[2];
  for (auto& one : trace) one.assign(static_cast<std::size_t>(pixels) * static_cast<std::size_t>(pixels), 0);
  for (const bodies& b : moments) {
    for (auto& one : trace)
      for (double& shade : one) shade *= 0.8;
    for (std::size_t i = 0; i < b.x.size(); ++i) {
      const auto at = [pixels](double place) {
        return static_cast<int>(std::floor((place / width_shown + 0.5) * pixels));
      };
      const int row = at(-b.x[i].y), column = at(b.x[i].x);
      for (int y = std::max(row, 0); y < std::min(row + 2, pixels); ++y)
        for (int x = std::max(column, 0); x < std::min(column + 2, pixels); ++x) {
          double& shade = trace[i % 2][static_cast<std::size_t>(y * pixels + x)];
          shade = std::min(1.0, shade + 0.6);
        }
    }
    wave::byte_image& picture = pictures.emplace_back(wave::byte_image{{pixels, pixels}, {}});
    for (std::size_t at = 0; at < trace[0].size(); ++at) {
      const double shade = std::max(trace[0][at], trace[1][at]);
      const int first = trace[0][at] >= trace[1][at] ? 0 : shades;
      picture.pixels.push_back(
          static_cast<std::uint8_t>(shade < 0.02 ? 0 : first + 1 + static_cast<int>((shades - 1) * shade)));
    }
  }
  return pictures;
}

std::vector<wave::rgb> disc_palette() {
  std::vector<wave::rgb> all{{10, 12, 22}};
  for (const auto& bright : {wave::rgb{255, 196, 110}, wave::rgb{120, 200, 255}})
    for (int n = 0; n < shades; ++n) {
      const double x = static_cast<double>(n) / (shades - 1), white = std::max(0.0, x - 0.7);
      const auto part = [&](int dark, int light) {
        return static_cast<std::uint8_t>(dark + x * (light - dark) + white * (255 - light));
      };
      all.push_back({part(10, bright.red), part(12, bright.green), part(22, bright.blue)});
    }
  return all;
}

std::string energy_chart(const std::vector<double>& changes, double apart) {
  tools::chart c{.title = "How much the energy of all bodies has changed",
                 .across = "time",
                 .names = {},
                 .panels = {{"millionths of it", {{}}}},
                 .at = {},
                 .least = 0};
  for (std::size_t m = 0; m < changes.size(); ++m) {
    c.panels[0].lines[0].push_back(changes[m] * 1e6);
    c.at.push_back(static_cast<double>(m + 1) * apart);
  }
  return tools::to_svg(c);
}

}  // namespace on_buffers
