#include "report/utilisation.hpp"

#include <algorithm>

namespace stretto::report {

utilisations find_utilisation(const run& r) {
  utilisations all;
  for (const auto& name : r.tracks) all.tracks.push_back({name});
  for (const auto& name : r.places) all.places.push_back({name});
  std::vector<nanoseconds> track_until(r.tracks.size(), 0), place_until(r.places.size(), 0);
  // Records come by start, so the union of their times grows at its end only.
  const auto cover = [](utilisation& u, nanoseconds& until, const record& one) {
    ++u.count;
    u.busy += std::max<nanoseconds>(0, one.end - std::max(one.start, until));
    until = std::max(until, one.end);
  };
  for (std::uint32_t i = 0; i < r.records.size(); ++i) {
    const record& one = r.records[i];
    const std::uint32_t track = r.track_of(i);
    if (is_work(one.kind)) {
      cover(all.tracks[track], track_until[track], one);
      if (one.place != no_place) cover(all.places[one.place], place_until[one.place], one);
    } else if (is_wait(one.kind)) {
      all.tracks[track].asleep += one.self;
    }
  }
  return all;
}

}  // namespace stretto::report
