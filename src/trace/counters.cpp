#include "trace/counters.hpp"

#include <memory>
#include <stretto/error.hpp>

namespace stretto::trace {

counters::slab::~slab() {
  for (auto& b : blocks_) delete b.load(std::memory_order_relaxed);
}

// The shared slab has many writers, so the first to store its block wins.
counters::slab::block* counters::slab::make_block(std::size_t i) {
  auto fresh = std::make_unique<block>();
  block* present = nullptr;
  if (blocks_[i].compare_exchange_strong(present, fresh.get(), std::memory_order_acq_rel)) return fresh.release();
  return present;
}

counter_id counters::declare(std::string_view module, std::string_view what, std::string_view place) {
  const std::lock_guard lock(lock_);
  for (std::size_t i = 0; i < declared_.size(); ++i)
    if (const auto& c = declared_[i]; c.module == module && c.what == what && c.place == place)
      return static_cast<counter_id>(i);
  if (declared_.size() == most_counters)
    throw error("T03", "too many statistics counters")
        .fact("module", std::string(module))
        .fact("counter", std::string(what))
        .fact("at most", std::to_string(most_counters) + " counters in one runtime")
        .remedy("declare one counter per module and place, not per task");
  declared_.push_back({std::string(module), std::string(what), std::string(place)});
  return static_cast<counter_id>(declared_.size() - 1);
}

counters::slab& counters::add_slab() {
  const std::lock_guard lock(lock_);
  return slabs_.emplace_back();
}

void counters::add_from_anywhere(counter_id id, std::uint64_t count, ticks time, std::uint64_t amount) {
  cell& c = shared_.at(id);
  c.count.fetch_add(count, std::memory_order_relaxed);
  c.time.fetch_add(time, std::memory_order_relaxed);
  c.amount.fetch_add(amount, std::memory_order_relaxed);
}

std::vector<counter_value> counters::read() const {
  const std::lock_guard lock(lock_);
  std::vector<counter_value> values(declared_.begin(), declared_.end());
  const auto add = [&values](const slab& from) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto* b = from.blocks_[i / block_cells].load(std::memory_order_acquire);
      if (!b) continue;
      const cell& c = (*b)[i % block_cells];
      values[i].count += c.count.load(std::memory_order_relaxed);
      values[i].time += c.time.load(std::memory_order_relaxed);
      values[i].amount += c.amount.load(std::memory_order_relaxed);
    }
  };
  for (const slab& s : slabs_) add(s);
  add(shared_);
  return values;
}

}  // namespace stretto::trace
