// saved_shape.hpp - the metadata of arrays in checkpoints, and the functions that read them.
#pragma once

#include <stretto/fields.hpp>
#include <stretto/zarr_type.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

STRETTO_API_BEGIN

namespace stretto::detail {

template <class T>
inline constexpr bool is_zarr_number =
    (std::is_integral_v<T> || std::is_same_v<T, float> || std::is_same_v<T, double>) && sizeof(T) <= 8;
template <class T>
inline constexpr bool is_number_vector = false;
template <class N, class A>
inline constexpr bool is_number_vector<std::vector<N, A>> = is_zarr_number<N> && !std::is_same_v<N, bool>;

/// The metadata of one array of a checkpoint.
struct saved_shape {
  std::string type;  // the Zarr data type
  std::uint32_t element_bytes = 1;
  std::vector<std::int64_t> lengths;  // of its axes; none: one element
  std::vector<std::int64_t> origin;   // of an object
  std::string fields_of;              // the type whose fields its bytes are; empty: elements
  std::int64_t rows = 0;              // of a chunk, along axis 0; 0: as many as 64 MiB hold

  template <class Archive>
  friend void fields(Archive& a, archived<saved_shape, Archive>& s) {
    a(s.type, s.element_bytes, s.lengths, s.origin, s.fields_of, s.rows);
  }
};
template <class T>
struct type_text {
  static std::string text() {
    const std::string_view all = __PRETTY_FUNCTION__;
    const auto from = all.find("T = ") + 4, to = all.find(';', from);
    return std::string(all.substr(from, (to == all.npos ? all.rfind(']') : to) - from));
  }
};
template <class T>
saved_shape shape_of_number(std::vector<std::int64_t> lengths) {
  return {zarr_type<T>(), sizeof(T), std::move(lengths), {}, {}};
}

struct checkpoint_content;
class opened_checkpoint;
/// The name of a value in a checkpoint, and the node that kept it of its own; no node: the caller of save_checkpoint
/// gave it.
struct saved_name {
  std::string_view name;
  std::optional<std::uint32_t> node = {};
};
/// Throws C04 if there is no such value, C05 if it has another type, C02 if its file is damaged.
std::vector<std::byte> read_kept(const checkpoint_content& from, const saved_name& name, const saved_shape& like,
                                 saved_shape& is, const std::source_location& where);
void restore_mobile_objects(const checkpoint_content& from, const std::source_location& where);

}  // namespace stretto::detail

STRETTO_API_END
