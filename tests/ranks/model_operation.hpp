// model_operation.hpp - functions of programs that combine elements of any datatype, and their model.
#pragma once

#include <cstdint>
#include <vector>

#include "ranks/collective_data.hpp"
#include "ranks/collectives/reduction_operation.hpp"

namespace stretto::test {

/// Integers in pairs (a, b) are maps x -> a * x + b: their composition is associative but does not commute.
inline void compose_maps(const integers& left, integers& right) {
  for (std::size_t i = 0; i + 1 < left.size(); i += 2) {
    right[i + 1] += right[i] * left[i + 1];
    right[i] *= left[i];
  }
}

inline void add_all(const integers& left, integers& right) {
  for (std::size_t i = 0; i < left.size(); ++i) right[i] += left[i];
}

/// Calls a model for elements of the type that a handle stands for.
template <auto model, typename Count>
void combine_elements(void* in, void* inout, Count* count, MPI_ABI_Datatype** handle) {
  const auto number = reinterpret_cast<std::uintptr_t>(*handle);
  const ranks::datatype* type = ranks::predefined_type(number);
  if (!type) type = reinterpret_cast<const ranks::datatype*>(*handle);
  const std::int64_t bytes = *count * type->size();
  integers left(static_cast<std::size_t>(bytes) / 4), right = left;
  std::int64_t position = 0;
  pack(*type, in, *count, std::as_writable_bytes(std::span(left)), position);
  position = 0;
  pack(*type, inout, *count, std::as_writable_bytes(std::span(right)), position);
  model(left, right);
  position = 0;
  unpack(*type, inout, *count, std::as_bytes(std::span(right)), position);
}

/// An operation with its model.
struct modelled_operation {
  ranks::operation_ref operation;
  void (*model)(const integers& left, integers& right) = nullptr;
  std::int64_t integers_at_least = 1;  // in an element
};

inline modelled_operation any_operation(collective_random& random) {
  using ranks::commutativity, ranks::operation_ref, ranks::reduction_operation;
  constexpr auto small = combine_elements<compose_maps, int>;
  constexpr auto large = combine_elements<compose_maps, std::int64_t>;
  switch (random.number(0, 4)) {
    case 0: return {operation_ref(ranks::predefined_operation(0x21)), add_all, 0};
    case 1:
      return {operation_ref(new reduction_operation(combine_elements<add_all, int>, commutativity::commutative)),
              add_all, 1};
    case 2: return {operation_ref(new reduction_operation(large, commutativity::ordered)), compose_maps, 2};
    default: return {operation_ref(new reduction_operation(small, commutativity::ordered)), compose_maps, 2};
  }
}

/// A committed type for an operation: an integer for a predefined one, any type for functions of programs.
inline integer_type type_for(collective_random& random, const modelled_operation& combined_by) {
  const ranks::datatype& integer = *ranks::predefined_type(0x209);
  if (combined_by.integers_at_least == 0) return {ranks::datatype_ref(&integer), 1};
  integer_type made = random.type_for(6);
  if (made.integers % combined_by.integers_at_least == 0) return made;
  made = {ranks::make_vector(2, 1, 3, integer), 2};
  made.type->commit();
  return made;
}

}  // namespace stretto::test
