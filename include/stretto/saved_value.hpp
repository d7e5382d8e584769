// saved_value.hpp - named values and objects for checkpoints.
//
//     future<void> save(int step, const object<double, 2>& u) {
//       return save_checkpoint("run.ckpt", {keep("step", step), keep("u", u), keep("scale", 0.5)});
//     }
//     int restore(object<double, 2>& u) {  // perhaps in another run
//       const checkpoint saved = open_checkpoint("run.ckpt");
//       u = saved.value<object<double, 2>>("u");
//       return saved.value<int>("step");
//     }
//
// checkpoint.hpp saves and opens checkpoints; per_node_values.hpp is for values of each node.
//
// Threads     any thread of the runtime.
// Cost        of a value a copy of its bytes; of an object a handle, whose elements are copied at the checkpoint.
#pragma once

#include <stretto/detail/object_handle.hpp>
#include <stretto/detail/saved_shape.hpp>
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

/// A named value or object for save_checkpoint. Made by keep().
struct saved_value {
  std::string name;              // of the array in the checkpoint
  detail::saved_shape shape;     // of the array in the file
  std::vector<std::byte> bytes;  // of a value, in C order
  detail::object_handle object;  // of an object
  std::source_location where;    // the call of keep()
};

/// Names an object for a checkpoint, which contains the elements that it has at that time. Throws B20, and A02 for an
/// empty object.
template <class T, std::size_t D>
saved_value keep(std::string_view name, const object<T, D>& o,
                 std::source_location where = std::source_location::current()) {
  const box elements = o.elements(where);
  detail::saved_shape shape{detail::zarr_type<T>(), sizeof(T), {}, {}, {}};
  for (int axis = 0; axis < static_cast<int>(D); ++axis) {
    shape.lengths.push_back(elements.length(axis));
    shape.origin.push_back(elements.min()[axis]);
  }
  return {std::string(name), std::move(shape), {}, o.handle(), where};
}
/// Names a copy of a value for a checkpoint. Numbers and vectors of numbers become arrays of their type; other values
/// become their serialised bytes. Throws what fields() throws.
template <transferable T>
saved_value keep(std::string_view name, const T& value, std::source_location where = std::source_location::current()) {
  saved_value k{std::string(name), {}, {}, {}, where};
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
