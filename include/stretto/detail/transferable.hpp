// transferable.hpp - whether values of a type can be sent to another node, and kept. Programs include fields.hpp: what
// travels is known once archives are.
#pragma once

#include <stretto/detail/left_behind.hpp>
#include <stretto/plain_value.hpp>

STRETTO_API_BEGIN

namespace stretto {

/// Whether values of T can be sent to another node, and kept.
template <class T>
concept transferable = detail::left_behind<T>() == detail::stays_behind::nothing;

namespace detail {

/// Says at compile time why values of T do not travel.
template <class T>
consteval bool explain_travel() {
  return explain<left_behind<T>(), T>();
}

}  // namespace detail
}  // namespace stretto

STRETTO_API_END
