#include "buffers/measured_window.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

namespace stretto::buffers {

bool measured_window::has_ended() const {
  return std::ranges::all_of(parts_, [](const part& p) { return p.done == event() || p.done.has_triggered(); });
}

event measured_window::ends(const std::source_location& where) const {
  std::vector<event> all;
  for (const part& p : parts_) all.push_back(ignore_failure(p.done, where));
  return merge(all, where);
}

std::vector<graph::measured_load> measured_window::loads(std::size_t processors) const {
  std::vector<timed_part> all;
  const auto seconds = [](operation_profile::clock::time_point t) {
    return std::chrono::duration<double>(t.time_since_epoch()).count();
  };
  for (const part& p : parts_) {
    if (!p.profile.is_ready() || p.profile.is_poisoned()) return std::vector<graph::measured_load>(processors);
    const operation_profile& profile = p.profile.get();
    if (profile.result != outcome::succeeded) return std::vector<graph::measured_load>(processors);
    all.push_back({p.by, p.items, seconds(profile.started), seconds(profile.ended)});
  }
  return loads_of(std::move(all), processors);
}

std::vector<graph::measured_load> loads_of(std::vector<timed_part> parts, std::size_t processors) {
  std::vector<graph::measured_load> loads(processors);
  std::vector<std::optional<double>> last(processors);
  std::ranges::stable_sort(parts, {}, &timed_part::ended);
  for (const timed_part& p : parts) {
    if (last[p.by]) {
      loads[p.by].items += p.items;
      loads[p.by].seconds += p.ended - std::max(p.began, *last[p.by]);
    }
    last[p.by] = p.ended;
  }
  return loads;
}

graph::measured_load together(const std::vector<graph::measured_load>& of) {
  double items = 0, speed = 0;
  for (const graph::measured_load& l : of)
    if (l.items > 0 && l.seconds > 0) items += l.items, speed += l.items / l.seconds;
  return speed > 0 ? graph::measured_load{items, items / speed} : graph::measured_load{};
}

}  // namespace stretto::buffers
