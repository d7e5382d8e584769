// What the objects that are here cost, for balancers, and how many letters there were.
#include <stretto/platform.hpp>

#include <algorithm>
#include <mutex>

#include "mobile/mobile_objects.hpp"
#include "trace/clock.hpp"

namespace stretto::mobiles {

using sched::thread_state;

namespace {

/// Of the caller's node, without objects.
node_row row_of(const base::thread_context& context) {
  const auto* const machine = context.runtime->get<platform>(base::floor_slot::platform);
  return {.speed = static_cast<double>(static_cast<const thread_state&>(context).owner->workers.size()),
          .devices = static_cast<double>(machine->places(place_kind::gpu).size()),
          .objects = {}};
}

}  // namespace

void mobile_objects::measure() {
  if (measures_) return;
  seconds_per_tick_ = trace::clock::to_nanoseconds(1) * 1e-9;
  window_ = window_before_ = trace::clock::now();
  measures_ = true;
  for (shard& s : shards_) {
    const std::scoped_lock lock(s.lock);
    for (auto& [id, e] : s.all)
      if (e.here) e.here->measure();
  }
}

node_row mobile_objects::loads(object_id first, std::uint64_t count) {
  node_row row = row_of(here());
  for (shard& s : shards_) {
    const std::scoped_lock lock(s.lock);
    for (auto& [id, e] : s.all) {
      if (!e.here) continue;
      e.here->count_devices();
      object_load& load = e.here->load;
      if (!count || (id >= first && id - first < count)) {
        row.objects.push_back({id, load.workers.since_balanced(), load.hint, load.bytes, load.devices.since_balanced()});
      } else {
        row.background += load.workers.since_background();
        row.device_background += load.devices.since_background();
      }
    }
  }
  return row;
}

node_row mobile_objects::loads_in_windows(then what) {
  node_row row = row_of(here());
  const trace::ticks now = trace::clock::now();
  row.window = static_cast<double>(now - window_before_.load()) * seconds_per_tick_;
  if (what == then::begin_next) window_before_ = window_.exchange(now);
  for (shard& s : shards_) {
    const std::scoped_lock lock(s.lock);
    for (auto& [id, e] : s.all) {
      if (!e.here) continue;
      e.here->count_devices();
      object_load& load = e.here->load;
      row.objects.push_back({id, load.workers.in_windows(), load.hint, load.bytes, load.devices.in_windows()});
      if (what == then::go_on) continue;
      load.workers.next_window();
      load.devices.next_window();
    }
  }
  return row;
}

letter_counts mobile_objects::letters() noexcept {
  letter_counts all{.begun = 0, .ended = ended_apart_.load()};
  for (shard& s : shards_) {
    const std::scoped_lock lock(s.lock);
    all.ended += s.ended;
  }
  all.begun = begun_apart_.load();
  for (shard& s : shards_) {
    const std::scoped_lock lock(s.lock);
    all.begun += s.counted.near + s.counted.far;
  }
  all.handling = handling_.load();
  return all;
}

mobile_statistics mobile_objects::statistics() {
  mobile_statistics all;
  all.to_many = sent_to_many_;
  for (shard& s : shards_) {
    const std::scoped_lock lock(s.lock);
    all.objects += s.counted.objects;
    all.near += s.counted.near;
    all.far += s.counted.far;
    all.passed_on += s.counted.passed_on;
    all.most_hops = std::max(all.most_hops, s.counted.most_hops);
    all.moved_in += s.counted.moved_in;
    all.moved_out += s.counted.moved_out;
  }
  return all;
}

}  // namespace stretto::mobiles
