// reduction_operation.cpp - the table of predefined operations, and calls of programs' functions.
#include "ranks/collectives/reduction_operation.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include "ranks/call_error.hpp"
#include "ranks/datatypes/host_elements.hpp"

namespace stretto::ranks {

namespace {

constexpr auto predefined_operators = std::to_array<predefined_operator>(
    {predefined_operator::sum, predefined_operator::min, predefined_operator::max, predefined_operator::product,
     predefined_operator::bitwise_and, predefined_operator::bitwise_or, predefined_operator::bitwise_xor,
     predefined_operator::logical_and, predefined_operator::logical_or, predefined_operator::logical_xor,
     predefined_operator::min_location, predefined_operator::max_location, predefined_operator::replace,
     predefined_operator::no_operation});

/// Predefined operations by their handles. They are never destroyed, as predefined types.
struct operation_table {
  std::array<const reduction_operation*, 0x40> operations{};

  operation_table() {
    for (const predefined_operator which : predefined_operators) {
      operation_ref made(new reduction_operation(which));
      operations[static_cast<std::size_t>(which)] = made.release();
    }
  }
};

std::string name_of(const datatype& type) {
  if (type.basic()) return std::string(type.basic()->name);
  const auto pairs = pair_types();
  const auto pair = std::ranges::find_if(
      pairs, [&](const pair_type& candidate) { return predefined_type(candidate.number) == &type; });
  return pair == pairs.end() ? "a derived type" : std::string(pair->name);
}

}  // namespace

const reduction_operation* predefined_operation(std::uintptr_t handle) {
  static const auto& table = *new operation_table;
  return handle < table.operations.size() ? table.operations[handle] : nullptr;
}

combiner::combiner(const reduction_operation& which, const datatype& type) : operation_(&which), type_(&type) {
  if (which.is_user_defined()) return;
  loop_ = find_combine_function(which.which(), type);
  if (!loop_) throw call_error(error_class::op, "the operation is not defined for " + name_of(type));
}

void combiner::combine_on_host(const void* in, void* inout, std::int64_t count) const {
  const host_elements left(in, count, *type_);
  host_elements right(inout, count, *type_);
  combine(left.address(), right.address(), count);
  right.write_back();
}

void combiner::call_program(const void* in, void* inout, std::int64_t count) const {
  MPI_ABI_Datatype* handle = handle_of(*type_);
  auto* left = static_cast<std::byte*>(const_cast<void*>(in));
  auto* right = static_cast<std::byte*>(inout);
  if (large_user_function* function = operation_->large_function()) return function(left, right, &count, &handle);
  while (count > 0) {
    int part = static_cast<int>(std::min<std::int64_t>(count, std::numeric_limits<int>::max()));
    count -= part;
    const std::int64_t bytes = part * type_->extent();
    operation_->function()(left, right, &part, &handle);
    left += bytes;
    right += bytes;
  }
}

MPI_ABI_Datatype* handle_of(const datatype& type) {
  std::uintptr_t handle = reinterpret_cast<std::uintptr_t>(&type);
  if (type.basic()) {
    handle = type.basic()->number;
  } else if (type.is_predefined()) {
    for (const pair_type& pair : pair_types()) {
      if (predefined_type(pair.number) == &type) handle = pair.number;
    }
  }
  return reinterpret_cast<MPI_ABI_Datatype*>(handle);
}

}  // namespace stretto::ranks
