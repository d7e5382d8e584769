#include "demo/jacobi3d/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string_view>

#include <stretto/error.hpp>

namespace jacobi3d {
namespace {

constexpr std::uint32_t most_cells = 4096, most_factor = 64;  // along an axis; cuboids of a worker

/// Walks over the cells of a layer: f(index) for each, in the same order for both sides.
template <class F>
void each_of_layer(const field& f, unsigned axis, std::size_t layer, F&& visit) {
  const unsigned inner = axis == 0 ? 1 : 0, outer = axis == 2 ? 1 : 2;
  const std::size_t begin = layer * f.stride(axis) + f.stride(inner) + f.stride(outer);
  for (std::size_t j = 0; j < f.size[outer]; ++j)
    for (std::size_t i = 0; i < f.size[inner]; ++i) visit(begin + i * f.stride(inner) + j * f.stride(outer));
}

std::size_t face_cells(const field& f, unsigned axis) { return cells(f.size) / f.size[axis]; }

std::uint32_t number(std::string_view text, std::uint32_t most, const char* flag, const std::string& all) {
  std::uint32_t n = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (fault == std::errc() && end == text.data() + text.size() && n > 0 && n <= most) return n;
  throw stretto::error("W33", fmt::format("{} cannot be \"{}\"", flag, all))
      .fact("allowed", fmt::format("numbers from 1 to {}", most))
      .remedy(flag == std::string_view("--size") ? "--size 96, or --size 128x96x64"
                                                 : "--overdecompose 2, or --overdecompose 1,2,4");
}

std::vector<std::uint32_t> numbers(const std::string& text, char between, std::uint32_t most, const char* flag) {
  std::vector<std::uint32_t> all;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(between, at), text.size());
    all.push_back(number(std::string_view(text).substr(at, end - at), most, flag, text));
    at = end + 1;
  }
  return all;
}

}  // namespace

field::field(const problem& p, const block& b) : size(b.size), values(cells({size[0] + 2, size[1] + 2, size[2] + 2})) {
  const double h = 1.0 / (std::max({p.size[0], p.size[1], p.size[2]}) + 1);
  // Positions are one more than the cells', so that those around are not negative.
  const auto is_inside = [&](unsigned axis, std::size_t i) { return i > 0 && i <= p.size[axis]; };
  for (std::uint32_t z = 0; z < size[2] + 2; ++z)
    for (std::uint32_t y = 0; y < size[1] + 2; ++y)
      for (std::uint32_t x = 0; x < size[0] + 2; ++x) {
        const std::size_t i = b.first[0] + x, j = b.first[1] + y, k = b.first[2] + z;
        if (is_inside(0, i) && is_inside(1, j) && is_inside(2, k)) continue;
        const double u = static_cast<double>(i) * h, v = static_cast<double>(j) * h;
        values[x + y * stride(1) + z * stride(2)] = u * u - v * v;
      }
}

void relax(const field& now, field& next) {
  const std::size_t row = now.stride(1), plane = now.stride(2), nx = now.size[0];
  constexpr double sixth = 1.0 / 6;
  for (std::uint32_t z = 0; z < now.size[2]; ++z)
    for (std::uint32_t y = 0; y < now.size[1]; ++y) {
      const double* const a = now.values.data() + now.at(0, y, z);
      double* const b = next.values.data() + next.at(0, y, z);
      for (std::size_t x = 0; x < nx; ++x)
        b[x] = ((a[x - 1] + a[x + 1]) + (a[x - row] + a[x + row]) + (a[x - plane] + a[x + plane])) * sixth;
    }
}

double largest_change(const field& now, const field& next) {
  double most = 0;
  for (std::uint32_t z = 0; z < now.size[2]; ++z)
    for (std::uint32_t y = 0; y < now.size[1]; ++y)
      for (std::uint32_t x = 0; x < now.size[0]; ++x)
        most = std::max(most, std::fabs(next.values[next.at(x, y, z)] - now.values[now.at(x, y, z)]));
  return most;
}

double largest_difference(const field& one, const block& where, const field& whole) {
  double most = 0;
  for (std::uint32_t z = 0; z < where.size[2]; ++z)
    for (std::uint32_t y = 0; y < where.size[1]; ++y)
      for (std::uint32_t x = 0; x < where.size[0]; ++x) {
        const double expected = whole.values[whole.at(where.first[0] + x, where.first[1] + y, where.first[2] + z)];
        const double off = std::fabs(one.values[one.at(x, y, z)] - expected);
        if (std::isnan(off)) return off;
        most = std::max(most, off);
      }
  return most;
}

std::vector<double> face(const field& f, unsigned side) {
  std::vector<double> values;
  values.reserve(face_cells(f, side / 2));
  each_of_layer(f, side / 2, side % 2 ? f.size[side / 2] : 1, [&](std::size_t i) { values.push_back(f.values[i]); });
  return values;
}

void put_face(field& f, unsigned side, const std::vector<double>& values) {
  if (values.size() != face_cells(f, side / 2)) throw std::length_error("a face of another size");
  const double* from = values.data();
  each_of_layer(f, side / 2, side % 2 ? f.size[side / 2] + 1 : 0, [&](std::size_t i) { f.values[i] = *from++; });
}

triple cut(const triple& size, std::uint32_t blocks) {
  triple best = {};
  double least = std::numeric_limits<double>::infinity();
  for (std::uint32_t x = 1; x <= blocks; ++x)
    for (std::uint32_t y = 1; blocks % x == 0 && y <= blocks / x; ++y) {
      if (blocks / x % y) continue;
      const triple parts{x, y, blocks / x / y};
      if (parts[0] > size[0] || parts[1] > size[1] || parts[2] > size[2]) continue;
      double surface = 0;
      for (unsigned axis = 0; axis < 3; ++axis)
        surface += static_cast<double>(parts[axis] - 1) * static_cast<double>(cells(size)) / size[axis];
      if (surface < least) least = surface, best = parts;
    }
  if (best[0]) return best;
  throw stretto::error(
      "W33", fmt::format("{} x {} x {} cells cannot be split into {} cuboids", size[0], size[1], size[2], blocks))
      .because("no split along the axes gives that many cuboids of at least one cell each")
      .remedy("a larger --size, or a smaller factor for --overdecompose");
}

block block_at(const triple& size, const triple& parts, const triple& position) {
  block b;
  for (unsigned axis = 0; axis < 3; ++axis) {
    const auto begin = [&](std::uint64_t i) { return static_cast<std::uint32_t>(i * size[axis] / parts[axis]); };
    b.first[axis] = begin(position[axis]);
    b.size[axis] = begin(position[axis] + 1) - b.first[axis];
  }
  return b;
}

field relaxed_serially(const problem& p, double& last_change) {
  const block all{{}, p.size};
  field now(p, all), next = now;
  for (std::uint32_t i = 0; i < p.iterations; ++i) {
    relax(now, next);
    std::swap(now, next);
  }
  last_change = largest_change(next, now);
  return now;
}

triple read_size(const std::string& text) {
  const auto all = numbers(text, 'x', most_cells, "--size");
  if (all.size() == 1) return {all[0], all[0], all[0]};
  if (all.size() == 3) return {all[0], all[1], all[2]};
  throw stretto::error("W33", fmt::format("--size cannot be \"{}\"", text))
      .because("it must be one number, or one number for each of three axes")
      .remedy("--size 96, or --size 128x96x64");
}

std::vector<std::uint32_t> read_factors(const std::string& text) {
  return numbers(text, ',', most_factor, "--overdecompose");
}

}  // namespace jacobi3d
