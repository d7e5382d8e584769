// held_contributions.hpp - what the compiled core does with contributions until a sweep applies them.
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

/// What a contributor needs at hand: a dense array, or the free part of the log's last chunk.
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
/// Throws D25 for a contribution to an element that the reduction does not have.
[[noreturn]] void refuse_contribution(const instance_handle& h, const box& elements, const coordinate* at,
                                      std::size_t axes);
/// The log's chunk is full: another one, or an array instead. Throws D16 if the memory has no room.
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
