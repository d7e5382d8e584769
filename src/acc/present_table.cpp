#include "acc/present_table.hpp"

#include <fmt/format.h>

#include <iterator>
#include <stretto/error.hpp>
#include <utility>

namespace stretto::acc {
namespace {

/// The last entry that begins at or below an address; null if there is none.
template <class Map>
auto last_up_to(Map& all, const std::byte* address) -> decltype(&all.begin()->second) {
  const auto next = all.upper_bound(address);
  return next == all.begin() ? nullptr : &std::prev(next)->second;
}

error partly_present(const mapping& there, const std::byte* first, std::size_t bytes, const std::string& name,
                     const char* where) {
  return error("O12", fmt::format("a part of \"{}\" is on the device already, as a part of \"{}\"", name, there.name))
      .fact("wanted", fmt::format("\"{}\", {}, at {}", name, range_text(first, bytes), where))
      .fact("present",
            fmt::format("\"{}\", {}, since {}", there.name, range_text(there.host, there.bytes), there.where))
      .because("memory is on the device whole or not at all: a larger part would need another copy of it")
      .remedy("name the whole array where it first goes to the device, or name the same part in both places");
}

}  // namespace

mapping* present_table::at_host(const std::byte* address) noexcept {
  mapping* const found = last_up_to(by_host_, address);
  return found && address < found->end() ? found : nullptr;
}

mapping* present_table::at_device(const std::byte* address) noexcept {
  mapping** const found = last_up_to(by_device_, address);
  return found && address < (*found)->device + (*found)->bytes ? *found : nullptr;
}

mapping* present_table::find(const std::byte* first, std::size_t bytes, const std::string& name, const char* where) {
  mapping* const found = at_host(first);
  if (bytes == 0) return found;
  if (found && first + bytes <= found->end()) return found;
  if (found) throw partly_present(*found, first, bytes, name, where);
  const auto next = by_host_.upper_bound(first);
  if (next != by_host_.end() && next->second.host < first + bytes)
    throw partly_present(next->second, first, bytes, name, where);
  return nullptr;
}

mapping& present_table::add(mapping one) {
  const std::byte* const key = one.host;
  mapping& added = by_host_.insert_or_assign(key, std::move(one)).first->second;
  by_device_[added.device] = &added;
  return added;
}

void present_table::remove(const mapping& one) {
  const std::byte* const key = one.host;
  by_device_.erase(one.device);
  by_host_.erase(key);
}

std::vector<const mapping*> present_table::all() const {
  std::vector<const mapping*> result;
  for (const auto& [host, one] : by_host_) result.push_back(&one);
  return result;
}

std::string range_text(const std::byte* first, std::size_t bytes) {
  return fmt::format("[{}, {}), {} bytes", static_cast<const void*>(first), static_cast<const void*>(first + bytes),
                     bytes);
}

}  // namespace stretto::acc
