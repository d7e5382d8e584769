// transferable.hpp - the concept of serialisable types. Programs include fields.hpp, because the concept depends on
// archives.
#pragma once

#include <stretto/detail/left_behind.hpp>
#include <stretto/plain_value.hpp>

STRETTO_API_BEGIN

namespace stretto {

/// Whether values of T can be serialised: sent to other nodes, and stored in checkpoints.
template <class T>
concept transferable = detail::left_behind<T>() == detail::stays_behind::nothing;

namespace detail {

/// Fails to compile with the reason why values of T cannot be serialised; otherwise true.
template <class T>
consteval bool explain_travel() {
  return explain<left_behind<T>(), T>();
}

}  // namespace detail
}  // namespace stretto

STRETTO_API_END
