// held_contributions.hpp - the functions of the compiled core for contributions of reduction instances.
#pragma once

#include <stretto/detail/instance_handle.hpp>
#include <stretto/detail/reduction_kind.hpp>

#include <cstddef>
#include <cstdint>
#include <source_location>

STRETTO_API_BEGIN

namespace stretto {

struct reduction_options;

namespace detail {

struct contribution;  // one contributor's share of a reduction

/// The state of an open contributor: a dense array, or the free part of the last chunk of its log.
struct open_contribution {
  contribution* share = nullptr;
  std::byte* dense = nullptr;
  std::byte* next = nullptr;
  std::byte* end = nullptr;
  bool is_shared = false;
};
inline constexpr std::uint32_t any_contributor = 0xffffffffu;

instance_handle create_reduction(place memory, const box& elements, std::uint8_t dimensions, const reduction_kind& kind,
                                 const reduction_options& options, const std::source_location& where);
instance_handle create_reduction_at(std::uint32_t node, place memory, const box& elements, std::uint8_t dimensions,
                                    const reduction_kind& kind, const reduction_options& options,
                                    const std::source_location& where);
open_contribution open(const instance_handle& h, std::uint32_t number, const std::source_location& where);
/// Throws D25 for a contribution outside of the reduction's box.
[[noreturn]] void refuse_contribution(const instance_handle& h, const box& elements, const coordinate* at,
                                      std::size_t axes);
/// Replaces a full chunk of the log by a new one, or by a dense array. Throws D16 if the memory is full.
void refill(const instance_handle& h, open_contribution& c);
void close(const instance_handle& h, open_contribution& c) noexcept;

event reduce_held(const instance_handle& from, const instance_handle& to, const reduction_kind& kind,
                  const preconditions& after, const std::source_location& where);
event reduce_values(const instance_handle& from, const instance_handle& to, const box* part, const reduction_kind& kind,
                    const preconditions& after, const std::source_location& where);
event fold_held(const instance_handle& from, const instance_handle& to, std::uint32_t contributor,
                const reduction_kind& kind, const preconditions& after, const std::source_location& where);
event clear_held(const instance_handle& h, const preconditions& after, const std::source_location& where);

}  // namespace detail
}  // namespace stretto

STRETTO_API_END
