#include "objects/launch_division.hpp"

#include <stretto/error.hpp>

#include <algorithm>
#include <limits>

#include "objects/split_by_speed.hpp"

namespace stretto::objects {

namespace {

// Fixed cost of taking part: of a task on the host, of a driver's launch on a device.
constexpr double host_overhead = 5e-6, device_overhead = 30e-6;
constexpr double worth_moving = 1.1;

/// Predicted seconds until the last part ends; infinity if the speed of a participant is unknown.
double end_of(std::span<const box> parts, std::span<execution_place* const> places, const task& t, objects_state& s) {
  double last = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].is_empty()) continue;
    const auto seconds = s.measured.estimate(s.speed_number(*t.code, places[i]->view.index), parts[i].volume());
    if (!seconds) return std::numeric_limits<double>::infinity();
    last = std::max(last, *seconds + (places[i]->device ? device_overhead : host_overhead));
  }
  return last;
}

/// Items per second depend on the size of a part. A few rounds alternate between the sizes that the speeds imply and
/// the speeds at those sizes.
std::vector<box> best_parts(std::span<execution_place* const> places, const task& t, coordinate grain,
                            objects_state& s) {
  const box& ids = t.range->ids;
  std::vector<device_speed> speeds(places.size());
  std::vector<std::uint64_t> sizes(places.size(), std::max<std::uint64_t>(1, ids.volume() / places.size()));
  std::vector<box> parts;
  for (int round = 0; round < 4; ++round) {
    double known = 0;
    std::size_t count = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const auto seconds = s.measured.estimate(s.speed_number(*t.code, places[i]->view.index), sizes[i]);
      speeds[i] = {seconds ? static_cast<double>(sizes[i]) / *seconds : 0,
                   places[i]->device ? device_overhead : host_overhead};
      if (seconds) known += speeds[i].items_per_second, ++count;
    }
    for (device_speed& d : speeds)
      // unknown: an even share, to measure it
      if (d.items_per_second == 0) d = {count ? known / static_cast<double>(count) : 1, 0};
    parts = split_by_speed(ids, speeds, grain);
    for (std::size_t i = 0; i < places.size(); ++i)
      if (!parts[i].is_empty()) sizes[i] = parts[i].volume();
  }
  return parts;
}

}  // namespace

coordinate grain_of_cut(const box& ids, const extent& grain) noexcept {
  int axis = 0;
  while (axis < max_axes - 1 && ids.length(axis) <= 1) ++axis;
  return ids.length(axis) > 1 ? grain[axis] : grain[0];
}

std::vector<share> divide(const task& t, const extent& each, objects_state& s) {
  std::vector<execution_place*> places;
  for (execution_place& at : s.execution_places)
    if (t.can_run_on(at)) places.push_back(&at);
  if (places.size() < 2 || t.range->ids.is_empty()) return {};
  std::vector<last_division>& kept = s.divisions[t.code];
  const coordinate grain = grain_of_cut(t.range->ids, each);
  const auto before =
      std::ranges::find_if(kept, [&](const last_division& d) { return d.ids == t.range->ids && d.grain == grain; });
  std::vector<box> parts = best_parts(places, t, grain, s);
  if (before != kept.end() && before->parts.size() == parts.size() &&
      end_of(before->parts, places, t, s) <= worth_moving * end_of(parts, places, t, s)) {
    parts = before->parts;
  } else if (before != kept.end()) {
    before->parts = parts;
  } else {
    if (kept.size() == last_division::most) kept.erase(kept.begin());
    kept.push_back({t.range->ids, grain, parts});
  }
  std::vector<share> shares;
  for (std::size_t i = 0; i < places.size(); ++i)
    if (!parts[i].is_empty()) shares.push_back({places[i], parts[i]});
  return shares;
}

void refuse_overlapping_writes(std::span<const task_pointer> parts) {
  for (std::size_t n = 0; n < parts.size(); ++n)
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t u = 0; u < parts[n]->uses.size(); ++u) {
        const object_use &mine = parts[n]->uses[u], &other = parts[k]->uses[u];
        const bool writes = mine.how.changes_content() && mine.how.is != data::usage::mode::reduce;
        if (!writes || !mine.where.meets(other.where)) continue;
        throw error("A07", "parts of " + parts[n]->describe() + " would write the same elements of " +
                               describe(*mine.object.get()))
            .fact("submitted", parts[n]->where)
            .fact("one part", "ids " + parts[k]->range->ids.text() + " write " + other.where.text())
            .fact("another", "ids " + parts[n]->range->ids.text() + " write " + mine.where.text())
            .because("a launch with mappers may be split among devices, which run its parts concurrently")
            .remedy(
                "write through a mapper whose regions do not overlap, such as one_to_one, or pass the object itself");
      }
}

}  // namespace stretto::objects
