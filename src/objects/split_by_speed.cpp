#include "objects/split_by_speed.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

namespace stretto::objects {

namespace {

coordinate floor_div(coordinate a, coordinate b) { return a / b - (a % b < 0 ? 1 : 0); }

// How many of `cells` equal cells each device gets.
std::vector<coordinate> shares(coordinate cells, double items_per_cell, std::span<const device_speed> speeds) {
  std::vector<coordinate> share(speeds.size(), 0);
  std::vector<std::size_t> order;
  for (std::size_t d = 0; d < speeds.size(); ++d)
    if (speeds[d].items_per_second > 0) order.push_back(d);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return speeds[a].overhead_seconds < speeds[b].overhead_seconds;
  });
  // The time at which all would end if cells were divisible: a device takes part if its overhead is below that time.
  double rate = 0, idle = 0, end = 0;
  for (const std::size_t d : order) {
    const double cells_per_second = speeds[d].items_per_second / items_per_cell;
    if (rate > 0 && speeds[d].overhead_seconds >= end) break;
    rate += cells_per_second;
    idle += speeds[d].overhead_seconds * cells_per_second;
    end = (static_cast<double>(cells) + idle) / rate;
  }
  coordinate given = 0;
  for (const std::size_t d : order) {
    const double whole = std::floor((end - speeds[d].overhead_seconds) * speeds[d].items_per_second / items_per_cell);
    share[d] = std::clamp<coordinate>(static_cast<coordinate>(std::max(0.0, whole)), 0, cells - given);
    given += share[d];
  }
  // Distributes the rest of the rounding, cell by cell, to the device that would end first.
  for (; given < cells; ++given) {
    const auto end_with_one_more = [&](std::size_t d) {
      return speeds[d].overhead_seconds +
             static_cast<double>(share[d] + 1) * items_per_cell / speeds[d].items_per_second;
    };
    ++share[*std::min_element(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return end_with_one_more(a) < end_with_one_more(b);
    })];
  }
  return share;
}

}  // namespace

std::vector<box> split_by_speed(const box& range, std::span<const device_speed> speeds, coordinate grain) {
  if (std::none_of(speeds.begin(), speeds.end(), [](const device_speed& d) { return d.items_per_second > 0; })) {
    split_error e("B34", "cannot split a range between no devices");
    e.fact("range", range.text()).remedy("give at least one device a speed");
    throw e;
  }
  if (grain < 1) {
    split_error e("B35", "the grain of a split must be at least 1 element");
    e.fact("range", range.text()).fact("grain", std::to_string(grain) + " elements").remedy("leave the grain out");
    throw e;
  }
  std::vector<box> parts(speeds.size());
  if (range.is_empty()) return parts;
  const int axis = range.length(0) > 1 ? 0 : range.length(1) > 1 ? 1 : range.length(2) > 1 ? 2 : 0;
  const coordinate first = floor_div(range.min()[axis], grain), last = floor_div(range.max()[axis] - 1, grain) + 1;
  const auto cells = last - first;
  const auto share = shares(cells, static_cast<double>(range.volume()) / static_cast<double>(cells), speeds);
  coordinate at = first;
  for (std::size_t d = 0; d < speeds.size(); ++d) {
    if (share[d] == 0) continue;
    point min = range.min(), max = range.max();
    min[axis] = std::max(min[axis], at * grain);
    max[axis] = std::min(max[axis], (at += share[d]) * grain);
    parts[d] = box::between(min, max);
  }
  return parts;
}

}  // namespace stretto::objects
