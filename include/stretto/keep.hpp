// keep.hpp - a value or an object under a name, to be saved in a checkpoint.
//
//     save_checkpoint("run.ckpt", {keep("step", step), keep("u", u), keep("cells", cells)});
//
//     auto saved = open_checkpoint("run.ckpt");                 // perhaps in another run
//     int step = saved.value<int>("step");
//     auto u = saved.value<object<double, 2>>("u");
//
// checkpoint.hpp saves and opens them; kept_here.hpp is for what each node keeps of its own.
//
// Threads     any thread of the runtime.
// Cost        a value: its bytes. An object: a handle; its content is copied at the checkpoint.
#pragma once

#include <stretto/detail/kept_shape.hpp>
#include <stretto/detail/object_handle.hpp>
#include <stretto/fields.hpp>
#include <stretto/object.hpp>
#include <stretto/zarr_type.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

STRETTO_API_BEGIN

namespace stretto {

/// A value under a name, to be saved. Made by keep().
struct kept {
  std::string name;
  detail::kept_shape shape;
  std::vector<std::byte> bytes;  // its elements, in the order of C
  detail::object_handle object;  // or whose they are
  std::source_location where;
};

/// Keeps the content that the object has at the checkpoint.
template <class T, std::size_t D>
kept keep(std::string_view name, const object<T, D>& o, std::source_location where = std::source_location::current()) {
  const box elements = o.elements(where);
  detail::kept_shape shape{detail::zarr_type<T>(), sizeof(T), {}, {}, {}};
  for (int axis = 0; axis < static_cast<int>(D); ++axis) {
    shape.lengths.push_back(elements.length(axis));
    shape.origin.push_back(elements.min()[axis]);
  }
  return {std::string(name), std::move(shape), {}, o.handle(), where};
}
/// Keeps the value that it has now. Numbers and vectors of numbers become arrays of that type, others the bytes of
/// their fields.
template <transferable T>
kept keep(std::string_view name, const T& value, std::source_location where = std::source_location::current()) {
  kept k{std::string(name), {}, {}, {}, where};
  if constexpr (detail::is_zarr_number<T>) {
    k.shape = detail::shape_of_number<T>({});
    k.bytes.resize(sizeof(T));
    std::memcpy(k.bytes.data(), &value, sizeof(T));
  } else if constexpr (detail::is_number_vector<T>) {
    k.shape = detail::shape_of_number<typename T::value_type>({static_cast<std::int64_t>(value.size())});
    k.bytes.resize(value.size() * sizeof(typename T::value_type));
    if (!value.empty()) std::memcpy(k.bytes.data(), value.data(), k.bytes.size());
  } else {
    k.bytes = to_bytes(value);
    k.shape = detail::shape_of_number<std::uint8_t>({static_cast<std::int64_t>(k.bytes.size())});
    k.shape.fields_of = detail::type_text<T>::text();
  }
  return k;
}

}  // namespace stretto

STRETTO_API_END
