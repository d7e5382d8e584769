// zarr_type.hpp - the names that Zarr has for types of elements.
//
// Threads     pure.
// Source      Zarr core specification, version 3.
#pragma once

#include <stretto/compiler.hpp>

#include <string>
#include <type_traits>

STRETTO_API_BEGIN

namespace stretto::detail {

/// As Zarr calls elements: "float64"; "r128" for 16 bytes of which nothing is known.
template <class T>
std::string zarr_type() {
  if constexpr (std::is_same_v<T, bool>) return "bool";
  else if constexpr (std::is_same_v<T, float>) return "float32";
  else if constexpr (std::is_same_v<T, double>) return "float64";
  else if constexpr (std::is_integral_v<T>)
    return (std::is_signed_v<T> ? "int" : "uint") + std::to_string(8 * sizeof(T));
  else return "r" + std::to_string(8 * sizeof(T));
}

}  // namespace stretto::detail

STRETTO_API_END
