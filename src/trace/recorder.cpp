#include "trace/recorder.hpp"

namespace stretto::trace {

const char* name(level l) noexcept {
  switch (l) {
    case level::off: return "off";
    case level::sampled: return "sampled";
    case level::full: return "full";
  }
  return "unknown";
}

recorder::recorder(const recorder_options& options)
    : options_(options), level_(options.level), budget_(options.memory_limit), names_(std::make_shared<name_table>()) {
  clock::start();
}

ring& recorder::add_ring(std::string track_name) {
  const std::size_t records = level() == level::full ? options_.memory_limit / sizeof(record) : options_.ring_records;
  const std::lock_guard lock(lock_);
  return rings_.emplace_back(std::move(track_name), records, budget_).records;
}

void recorder::name_places(std::vector<std::string> places) {
  const std::lock_guard lock(lock_);
  places_ = std::move(places);
}

void recorder::name_modules(module_owners owners) {
  const std::lock_guard lock(lock_);
  modules_ = std::move(owners);
}

snapshot recorder::take_snapshot() const {
  snapshot s;
  s.node = options_.node;
  s.job_nodes = options_.job_nodes;
  s.node_name = options_.node_name.empty() ? "node " + std::to_string(options_.node) : options_.node_name;
  s.level = level();
  s.memory_limit = options_.memory_limit;
  s.clock_source = clock::name(clock::chosen_source());
  s.clock_offset_ns = clock_offset_ns_.load(std::memory_order_relaxed);
  s.names = names_;
  {
    const std::lock_guard lock(lock_);
    s.places = places_;
    s.modules = modules_;
    s.tracks.reserve(rings_.size());
    for (const named_ring& r : rings_) {
      auto contents = r.records.read();
      s.tracks.push_back({r.name, std::move(contents.records), contents.overwritten});
    }
  }
  s.calibration = clock::calibrate();
  return s;
}

}  // namespace stretto::trace
