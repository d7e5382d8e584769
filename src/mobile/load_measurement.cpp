// load_measurement.cpp - costs of local objects, for balancers, and counts of messages.
#include <stretto/platform.hpp>

#include <algorithm>
#include <mutex>

#include "mobile/mobile_objects.hpp"
#include "trace/clock.hpp"

namespace stretto::mobiles {

using sched::thread_state;

namespace {

/// The report of the calling node, without its objects.
load_report row_of(const base::thread_context& context) {
  const auto* const machine = context.runtime->get<platform>(base::floor_slot::platform);
  return {.speed = static_cast<double>(static_cast<const thread_state&>(context).owner->workers.size()),
          .devices = static_cast<double>(machine->places(place_kind::gpu).size()),
          .objects = {}};
}

}  // namespace

void mobile_objects::measure() {
  if (is_measuring_) return;
  seconds_per_tick_ = trace::clock::to_nanoseconds(1) * 1e-9;
  window_begin_ = last_window_begin_ = trace::clock::now();
  is_measuring_ = true;
  for (shard& s : shards_) {
    const std::scoped_lock lock(s.lock);
    for (auto& [id, e] : s.all)
      if (e.local) e.local->measure();
  }
}

load_report mobile_objects::load_report_of(object_id first, std::uint64_t count) {
  load_report row = row_of(current_thread());
  for (shard& s : shards_) {
    const std::scoped_lock lock(s.lock);
    for (auto& [id, e] : s.all) {
      if (!e.local) continue;
      e.local->count_devices();
      object_load& load = e.local->load;
      if (!count || (id >= first && id - first < count)) {
        row.objects.push_back(
            {id, load.workers.since_balanced(), load.hint, load.bytes, load.devices.since_balanced()});
      } else {
        row.background += load.workers.since_background();
        row.device_background += load.devices.since_background();
      }
    }
  }
  return row;
}

load_report mobile_objects::windowed_load_report(window_step what) {
  load_report row = row_of(current_thread());
  const trace::ticks now = trace::clock::now();
  row.window = static_cast<double>(now - last_window_begin_.load()) * seconds_per_tick_;
  if (what == window_step::begin_next) last_window_begin_ = window_begin_.exchange(now);
  for (shard& s : shards_) {
    const std::scoped_lock lock(s.lock);
    for (auto& [id, e] : s.all) {
      if (!e.local) continue;
      e.local->count_devices();
      object_load& load = e.local->load;
      row.objects.push_back(
          {id, load.workers.since_last_window(), load.hint, load.bytes, load.devices.since_last_window()});
      if (what == window_step::continue_window) continue;
      load.workers.next_window();
      load.devices.next_window();
    }
  }
  return row;
}

message_counts mobile_objects::message_totals() noexcept {
  message_counts all{.begun = 0, .ended = extra_ended_.load()};
  for (shard& s : shards_) {
    const std::scoped_lock lock(s.lock);
    all.ended += s.ended;
  }
  all.begun = extra_begun_.load();
  for (shard& s : shards_) {
    const std::scoped_lock lock(s.lock);
    all.begun += s.counters.near + s.counters.far;
  }
  all.handling = remote_handlers_running_.load();
  return all;
}

mobile_statistics mobile_objects::statistics() {
  mobile_statistics all;
  all.to_many = broadcast_messages_sent_;
  for (shard& s : shards_) {
    const std::scoped_lock lock(s.lock);
    all.objects += s.counters.objects;
    all.near += s.counters.near;
    all.far += s.counters.far;
    all.passed_on += s.counters.passed_on;
    all.most_hops = std::max(all.most_hops, s.counters.most_hops);
    all.moved_in += s.counters.moved_in;
    all.moved_out += s.counters.moved_out;
  }
  return all;
}

}  // namespace stretto::mobiles
