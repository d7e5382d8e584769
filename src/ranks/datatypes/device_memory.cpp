// device_memory.cpp - the registered ranges.
#include "ranks/datatypes/device_memory.hpp"

#include <iterator>
#include <map>
#include <mutex>
#include <shared_mutex>

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

}  // namespace stretto::ranks
