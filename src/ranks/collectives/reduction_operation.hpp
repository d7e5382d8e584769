// reduction_operation.hpp - the operations of reductions: those of MPI on the types that MPI allows, and those of
// programs.
//
// Threads     immutable; counts of references are atomic. A program's function runs on the thread that combines.
// Cost        predefined ones: a loop without calls, vectorized where the processor can.
#pragma once

#include <cstdint>

#include "ranks/counted_ref.hpp"
#include "ranks/datatypes/datatype.hpp"
#include "ranks/datatypes/device_memory.hpp"

struct MPI_ABI_Datatype;

namespace stretto::ranks {

/// inout[i] = in[i] op inout[i], for each i below `count`. The two do not overlap.
using combine_function = void (*)(const void* in, void* inout, std::int64_t count);

/// The functions of programs, as mpi.h declares them.
using user_function = void(void* in, void* inout, int* count, MPI_ABI_Datatype** type);
using large_user_function = void(void* in, void* inout, std::int64_t* count, MPI_ABI_Datatype** type);

enum class commutativity : std::uint8_t { ordered, commutative };

/// The predefined operations; the numbers are their handles in the ABI.
enum class predefined_operator : std::uint16_t {
  none,  // a program's own
  sum = 0x21,
  min,
  max,
  product,
  bitwise_and = 0x28,
  bitwise_or,
  bitwise_xor,
  logical_and = 0x30,
  logical_or,
  logical_xor,
  min_location = 0x38,
  max_location,
  replace = 0x3c,
  no_operation
};

class reduction_operation : public counted {
 public:
  explicit reduction_operation(predefined_operator which) : which_(which), commutes_(commutativity::commutative) {}
  reduction_operation(user_function* function, commutativity commutes) : function_(function), commutes_(commutes) {}
  reduction_operation(large_user_function* function, commutativity commutes)
      : large_function_(function), commutes_(commutes) {}

  predefined_operator which() const { return which_; }
  bool is_commutative() const { return commutes_ == commutativity::commutative; }
  bool is_user_defined() const { return function_ || large_function_; }
  user_function* function() const { return function_; }
  large_user_function* large_function() const { return large_function_; }

 private:
  const predefined_operator which_ = predefined_operator::none;
  user_function* const function_ = nullptr;
  large_user_function* const large_function_ = nullptr;
  const commutativity commutes_;
};

using operation_ref = counted_ref<const reduction_operation>;

/// The predefined operation with this handle of the ABI; it lives until the process ends. Null if there is none.
const reduction_operation* predefined_operation(std::uintptr_t handle);

/// The loop of a predefined operation for a type, or null where MPI does not define it. Reductions allow neither
/// MPI_REPLACE nor MPI_NO_OP: these have no loop.
combine_function find_combine_function(predefined_operator which, const datatype& type);

/// An operation on elements of one type, which it keeps.
class combiner {
 public:
  combiner() = default;
  /// Throws call_error of the class op if MPI does not define a predefined operation for the type.
  combiner(const reduction_operation& which, const datatype& type);

  /// inout[i] = in[i] op inout[i]
  void operator()(const void* in, void* inout, std::int64_t count) const {
    if (has_device_memory()) [[unlikely]]
      combine_on_host(in, inout, count);
    else combine(in, inout, count);
  }
  const datatype& type() const { return *type_; }
  bool is_commutative() const { return operation_->is_commutative(); }
  bool is_user_defined() const { return operation_->is_user_defined(); }

 private:
  void combine(const void* in, void* inout, std::int64_t count) const {
    if (loop_) loop_(in, inout, count);
    else if (count > 0) call_program(in, inout, count);
  }
  /// The same where elements may be in the memory of a device.
  void combine_on_host(const void* in, void* inout, std::int64_t count) const;
  void call_program(const void* in, void* inout, std::int64_t count) const;

  combine_function loop_ = nullptr;  // null: a program's function
  operation_ref operation_;
  datatype_ref type_;
};

/// MPI's handle of a datatype: the number of a predefined one, the address of others.
MPI_ABI_Datatype* handle_of(const datatype& type);

}  // namespace stretto::ranks
