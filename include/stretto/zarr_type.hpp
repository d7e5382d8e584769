// zarr_type.hpp - the Zarr names of element types.
//
//     struct pair_of_doubles { double first, second; };
//
//     bool are_the_names_of_zarr() {
//       using stretto::detail::zarr_type;
//       return zarr_type<float>() == "float32" && zarr_type<pair_of_doubles>() == "r128";
//     }
//
// Threads     any; pure functions.
// Source      Zarr core specification, version 3.
#pragma once

#include <stretto/compiler.hpp>

#include <string>
#include <type_traits>

STRETTO_API_BEGIN

namespace stretto::detail {

/// The Zarr data type of elements of type T: "float64", "int32"; "r128" for a structure of 16 bytes.
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
