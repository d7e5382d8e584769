#include "data/imported_memories.hpp"

#include "base/node_numbers.hpp"

namespace stretto::data {

imported_memories::shared imported_memories::find(const exported_device_elements& from, std::uint16_t of,
                                                  device::attached_device* by) {
  if (!by) {
    for (const auto& d : devices_.all())
      if (shared found = find(from, of, d.get())) return found;
    return nullptr;
  }
  const std::scoped_lock lock(lock_);
  const auto [at, is_new] = all_.try_emplace({from.token, by});
  known& k = at->second;
  if (!is_new) return k.is;
  k.node = of;
  std::byte* const first = by->is().import_memory(from.token, from.memory_bytes);
  if (!first) return nullptr;
  try {
    k.is = std::make_shared<const memory>(*by, first);
  } catch (...) {
    by->is().give_back(first);
    throw;
  }
  if (inform_)
    inform_("device " + by->name() + " copies from the memory of a device of " + base::node_name(of) + " itself");
  return k.is;
}

void imported_memories::forget(std::uint16_t node) noexcept {
  for (;;) {
    shared removed;  // destroyed after the lock is released
    const std::scoped_lock lock(lock_);
    for (auto& [name, k] : all_)
      if (!removed && k.node == node && k.is) removed = std::exchange(k.is, nullptr);
    if (!removed) return;
  }
}

}  // namespace stretto::data
