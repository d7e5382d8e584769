// device_memory.cpp - the registered ranges, and copies between two sides.
#include "ranks/datatypes/device_memory.hpp"

#include <iterator>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <vector>

namespace stretto::ranks {

namespace {

struct device_range {
  const std::byte* end;
  device_memory* of;
};

struct range_table {
  std::shared_mutex mutex;
  std::map<const std::byte*, device_range> ranges;  // by their first byte
};

range_table& registered() {
  static range_table all;
  return all;
}

}  // namespace

std::atomic<int> device_memory_ranges{0};

void add_device_memory(const std::byte* first, std::size_t bytes, device_memory& of) {
  const std::unique_lock lock(registered().mutex);
  registered().ranges.insert_or_assign(first, device_range{first + bytes, &of});
  device_memory_ranges.store(static_cast<int>(registered().ranges.size()), std::memory_order_relaxed);
}

void remove_device_memory(const std::byte* first, const device_memory& of) {
  const std::unique_lock lock(registered().mutex);
  const auto found = registered().ranges.find(first);
  if (found == registered().ranges.end() || found->second.of != &of) return;
  registered().ranges.erase(found);
  device_memory_ranges.store(static_cast<int>(registered().ranges.size()), std::memory_order_relaxed);
}

device_memory* find_device_memory(const void* address) {
  const auto* const at = static_cast<const std::byte*>(address);
  const std::shared_lock lock(registered().mutex);
  const auto next = registered().ranges.upper_bound(at);
  if (next == registered().ranges.begin()) return nullptr;
  const device_range& range = std::prev(next)->second;
  return at < range.end ? range.of : nullptr;
}

void copy_rows_anywhere(const memory_rows& to, const memory_rows& from, std::int64_t bytes, std::int64_t rows) {
  device_memory *const target = device_memory_at(to.first), *const source = device_memory_at(from.first);
  if (!target && !source) {
    for (std::int64_t i = 0; i < rows; ++i)
      std::memcpy(to.first + i * to.distance, from.first + i * from.distance, static_cast<std::size_t>(bytes));
  } else if (!target || (source && source->reaches(*target))) {
    source->copy(to, from, bytes, rows);
  } else if (!source || target->reaches(*source)) {
    target->copy(to, from, bytes, rows);
  } else {
    std::vector<std::byte> on_host(static_cast<std::size_t>(bytes * rows));
    source->copy({on_host.data(), bytes}, from, bytes, rows);
    target->copy(to, {on_host.data(), bytes}, bytes, rows);
  }
}

}  // namespace stretto::ranks
