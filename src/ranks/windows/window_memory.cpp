#include "ranks/windows/window_memory.hpp"

#include <algorithm>
#include <mutex>
#include <string>

#include "ranks/call_error.hpp"
#include "ranks/datatypes/checked_number.hpp"
#include "ranks/datatypes/layout_cursor.hpp"

namespace stretto::ranks {
namespace {

[[noreturn]] void refuse_range(const std::string& text) { throw call_error(error_class::rma_range, text); }

bool is_within(const byte_span& data, std::int64_t offset, std::int64_t size) {
  std::int64_t first, end;
  return !__builtin_add_overflow(offset, data.first, &first) && !__builtin_add_overflow(offset, data.end, &end) &&
         first >= 0 && end <= size;
}

}  // namespace

byte_span span_of(const datatype& type, std::int64_t count) {
  if (count == 0 || type.size() == 0) return {};
  const std::int64_t last = product(count - 1, type.extent());
  const type_bounds& bounds = type.bounds();
  return {sum(bounds.true_lb, std::min<std::int64_t>(last, 0)), sum(bounds.true_ub, std::max<std::int64_t>(last, 0))};
}

void window_memory::attach(std::byte* base, std::int64_t size) {
  if (fixed_) throw call_error(error_class::rma_flavor, "the window is not dynamic");
  if (size < 0) throw call_error(error_class::size, "the size is " + std::to_string(size));
  if (!base && size > 0) throw call_error(error_class::argument, "the base is a null pointer");
  const std::lock_guard guard(lock_);
  attached_.emplace(base, size);
}

void window_memory::detach(const std::byte* base) {
  if (fixed_) throw call_error(error_class::rma_flavor, "the window is not dynamic");
  const std::lock_guard guard(lock_);
  const auto found = attached_.find(base);
  if (found == attached_.end()) throw call_error(error_class::rma_attach, "no memory is attached at this address");
  attached_.erase(found);
}

std::byte* window_memory::address_of(const target_place& place) const {
  if (!fixed_) return dynamic_address(place);
  if (place.displacement < 0) [[unlikely]]
    throw call_error(error_class::displacement, "the displacement is " + std::to_string(place.displacement));
  const byte_span data = span_of(*place.type, place.count);
  std::int64_t offset;
  if (__builtin_mul_overflow(place.displacement, fixed_->unit, &offset) ||
      (data.end != data.first && !is_within(data, offset, fixed_->size))) [[unlikely]]
    refuse_range("the window has " + std::to_string(fixed_->size) + " bytes; displacement " +
                 std::to_string(place.displacement) + " of " + std::to_string(fixed_->unit) + " bytes, and data from " +
                 std::to_string(data.first) + " to " + std::to_string(data.end) + " from there");
  return fixed_->base + offset;
}

std::byte* window_memory::dynamic_address(const target_place& place) const {
  auto* const address = reinterpret_cast<std::byte*>(place.displacement);
  const byte_span data = span_of(*place.type, place.count);
  const std::lock_guard guard(lock_);
  if (is_attached(address + data.first, data.end - data.first)) return address;
  layout_cursor runs(place.type->layout(), address, place.count);
  for (; runs.left() > 0; runs.advance(runs.run_left()))
    if (!is_attached(runs.address(), runs.run_left())) refuse_range("the target has not attached all of the memory");
  return address;
}

/// Ranges that follow one another count as one. They may overlap, so all that begin before are looked at.
bool window_memory::is_attached(const std::byte* first, std::int64_t bytes) const {
  const std::byte* const end = first + bytes;
  while (first < end) {
    const std::byte* covered = first;
    for (auto next = attached_.begin(); next != attached_.end() && next->first <= first; ++next)
      covered = std::max(covered, next->first + next->second);
    if (covered == first) return false;
    first = covered;
  }
  return true;
}

}  // namespace stretto::ranks
