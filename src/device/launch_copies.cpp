#include "device/launch_copies.hpp"

#include <algorithm>

#include "device/native_code.hpp"
#include "device/unwritten_elements.hpp"

namespace stretto::device {

namespace {

constexpr std::size_t alignment = 64;

bool lies_in_memory(const kernel_parameter& p) noexcept { return is_array(p) && p.mode != access::local; }

bool has_unwritten(const kernel_argument& a, const kernel_parameter& p) {
  if (!has_recorded_launches() || !can_be_unwritten(p.element_bytes) ||
      (p.mode != access::in && p.mode != access::inout))
    return false;
  return !each_element(a, p,
                       [&](const std::int64_t*, const std::byte* e) { return !is_unwritten(e, p.element_bytes); });
}

/// Other launches may write elements between those of this launch. Their bytes are copied too but never used, so this
/// is no race of the program.
__attribute__((no_sanitize("thread"))) void copy(launch_copies::block& b) {
  b.bytes.resize(b.size() + alignment);
  const auto at = reinterpret_cast<std::uintptr_t>(b.bytes.data());
  const auto wanted = static_cast<std::uintptr_t>(b.is.first) % alignment;
  b.first = b.bytes.data() + (wanted + alignment - at % alignment) % alignment;
  // ThreadSanitizer intercepts memcpy
  const auto* const from = reinterpret_cast<const volatile std::byte*>(b.is.first);
  for (std::size_t i = 0; i < b.size(); ++i) b.first[i] = from[i];
}

}  // namespace

launch_copies::launch_copies(const kernel_code& code, std::span<const kernel_argument> given)
    : arguments_(given.begin(), given.end()), block_of_(given.size(), -1) {
  for (std::size_t n = 0; n < arguments_.size(); ++n)
    if (lies_in_memory(code.parameters[n])) add(arguments_[n], code.parameters[n]);
  std::erase_if(blocks_, [](const block& b) { return !b.is_written && !b.has_unwritten; });
  for (block& b : blocks_) copy(b);
  for (std::size_t n = 0; n < arguments_.size(); ++n) {
    if (!lies_in_memory(code.parameters[n])) continue;
    const address_span s(arguments_[n], code.parameters[n]);
    const auto found = std::ranges::find_if(blocks_, [&](const block& b) { return s.meets(b.is); });
    if (found == blocks_.end()) continue;
    block_of_[n] = static_cast<int>(found - blocks_.begin());
    // The origin may lie outside of the array; addresses are numbers here.
    const auto moved = reinterpret_cast<std::uintptr_t>(found->first) - static_cast<std::uintptr_t>(found->is.first);
    arguments_[n].origin = reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(arguments_[n].origin) + moved);
  }
}

void launch_copies::add(const kernel_argument& a, const kernel_parameter& p) {
  const address_span s(a, p);
  if (s.first == s.end) return;
  block all{s, p.mode != access::in, p.mode == access::out, has_unwritten(a, p), p.element_bytes};
  std::erase_if(blocks_, [&](const block& b) {
    if (!b.is.meets(all.is)) return false;
    all.is.first = std::min(all.is.first, b.is.first);
    all.is.end = std::max(all.is.end, b.is.end);
    all.is_written = all.is_written || b.is_written;
    all.is_only_out = all.is_only_out && b.is_only_out;
    all.has_unwritten = all.has_unwritten || b.has_unwritten;
    all.slot_bytes = std::min(all.slot_bytes, b.slot_bytes);
    return true;
  });
  blocks_.push_back(std::move(all));
}

}  // namespace stretto::device
