#include "mobile/load_measurement.hpp"

#include <utility>

namespace stretto::mobiles {

void load_measurement::begin(object_directory& objects, std::uint64_t now, double seconds_per_tick) {
  if (is_on_) return;
  seconds_per_tick_ = seconds_per_tick;
  window_begin_ = last_window_begin_ = now;
  // Set first, so that apply_to() measures objects that arrive from now on.
  is_on_ = true;
  objects.for_each_local([](local_object& o) { o.measure(); });
}

// An object in the range may be moved by the round. Any other object counts as background load of the node, which does
// not move. since_balanced() and since_background() each return what was added since their own last call.
load_report load_measurement::report(object_directory& objects, load_report row, object_id first, std::uint64_t count) {
  objects.for_each_local([&](local_object& o) {
    o.count_devices();
    object_load& load = o.load;
    if (!count || (o.id >= first && index_of(o.id, first) < count)) {
      row.objects.push_back(
          {o.id, load.workers.since_balanced(), load.hint, load.bytes, load.devices.since_balanced()});
    } else {
      row.background += load.workers.since_background();
      row.device_background += load.devices.since_background();
    }
  });
  return row;
}

// Covers the last window and the current one. The counts stay as they are until the next window begins.
load_report load_measurement::windowed_report(object_directory& objects, load_report row, window_step what,
                                              std::uint64_t now) {
  row.window = static_cast<double>(now - last_window_begin_.load()) * seconds_per_tick_;
  if (what == window_step::begin_next) last_window_begin_ = window_begin_.exchange(now);
  objects.for_each_local([&](local_object& o) {
    o.count_devices();
    object_load& load = o.load;
    row.objects.push_back(
        {o.id, load.workers.since_last_window(), load.hint, load.bytes, load.devices.since_last_window()});
    if (what == window_step::continue_window) return;
    load.workers.next_window();
    load.devices.next_window();
  });
  return row;
}

}  // namespace stretto::mobiles
