// posted_copies.hpp - posts receives, and copies to posted receives of other nodes, as a floor above does.
#pragma once

#include <stretto/copy.hpp>
#include <stretto/instance.hpp>

#include <source_location>
#include <span>
#include <vector>

#include "base/context.hpp"
#include "data/data_state.hpp"
#include "dist/remote_instances.hpp"

namespace stretto::test {

inline dist::remote_instances& remote_instances_here() {
  return static_cast<dist::remote_instances&>(*data::state_of(base::require_current("test")).others);
}

template <class T, std::size_t D>
std::vector<event> post(std::uint64_t number, const instance<T, D>& target, std::span<const box> parts,
                        event behind = {}, const std::source_location& where = std::source_location::current()) {
  std::vector<event> done(parts.size());
  remote_instances_here().post(number, target.handle(), parts, done, after_range{{&behind, 1}}, where);
  return done;
}

/// `boxes` are in target coordinates; `shift` is added to get source coordinates.
template <class T, std::size_t D>
event push(const instance<T, D>& source, std::uint32_t node, std::uint64_t number, std::span<const box> boxes,
           event behind = {}, const point& shift = {},
           const std::source_location& where = std::source_location::current()) {
  return detail::copy_boxes(remote_instances_here().posted_name(node, number), source.handle(), boxes, shift,
                            after_range{{&behind, 1}}, where);
}

}  // namespace stretto::test
