// operation_request.hpp - the description of a copy, fill, gather, scatter or reduction.
//
// Threads     a value until it is submitted; then immutable.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <source_location>
#include <span>
#include <string>

#include "data/handle.hpp"
#include "data/moves.hpp"
#include "trace/record.hpp"

namespace stretto {
namespace detail {
struct reduction_kind;
}
namespace data {

struct operation_request;

/// The properties of a kind of operation: copy, fill, gather ...
struct operation_kind {
  const char* verb;
  trace::kind shown;  // in the trace
  /// Does part `part` of `parts`. An exception poisons the event.
  void (*run)(const operation_request& r, unsigned part, unsigned parts);
  enum class cut : std::uint8_t { allowed, forbidden } parts = cut::allowed;
  bool only_moves = false;  // elements are not changed, so channels and devices can do it
  bool updates = false;     // reads its target; such operations exclude one another
};

/// An operation; copying this struct allocates nothing. used[0] is written, the others are read.
struct operation_request {
  const operation_kind* kind = nullptr;
  std::array<detail::instance_handle, 3> used{};
  unsigned used_count = 0;
  box first_box;            // in used[0]
  point shift;              // added to a coordinate of used[0] to find it in used[1]
  std::uint64_t bytes = 0;  // an estimate of the work
  index_kind indices = index_kind::int64;
  const detail::reduction_kind* reduction = nullptr;
  std::uint32_t contributor = 0;                   // of used[0], in a fold of reductions
  std::array<std::byte, 32> value{};               // of a fill, if it fits
  std::shared_ptr<const std::byte[]> large_value;  // of a fill otherwise
  std::shared_ptr<const box[]> boxes;              // if there are several boxes: all of them, with `first_box`
  std::size_t box_count = 1;
  bool owns_ends = false;  // the used instances are bare and are freed with the operation
  std::source_location where;

  const std::byte* fill_value() const noexcept { return large_value ? large_value.get() : value.data(); }
  const box& box_at(std::size_t i) const noexcept { return boxes ? boxes[i] : first_box; }
};

/// `copy of instance "u" to instance "v"`.
std::string describe(const operation_kind& kind, std::span<const detail::instance_handle> used);
inline std::string describe(const operation_request& r) { return describe(*r.kind, {r.used.data(), r.used_count}); }

/// Throws D08 if an instance was destroyed before the operation ran.
void require_alive(const operation_request& r);

/// An instance as an operand of a walk; `shift` is added to a coordinate of the walk to find its own.
inline reach reach_of(const detail::instance_handle& h, const point& shift = {}) noexcept {
  return reach::of(h.record->first, h.record->shape, shift);
}
inline operand operand_of(const detail::instance_handle& h) noexcept { return {h.record->first, h.record->shape}; }

}  // namespace data
}  // namespace stretto
