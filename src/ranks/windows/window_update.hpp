// window_update.hpp - reads and changes elements of a target's memory, each element as one: accumulates.
//
// Threads     any. Updates under the same lock are atomic per element.
// Cost        dense data: the loop of the operation, 4 KiB at a time under the lock. Other data is copied to a buffer
//             of 4 KiB and back.
// Errors      call_error: type if the elements are not of one predefined type, op where MPI does not define an
//             operation for it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/spin_lock.hpp"
#include "ranks/collectives/reduction_operation.hpp"
#include "ranks/datatypes/data_part.hpp"
#include "ranks/datatypes/datatype.hpp"

namespace stretto::ranks {

/// The operation of an accumulate on the elements of one type.
class element_update {
 public:
  element_update(const reduction_operation& operation, const datatype& target);

  bool reads_origin() const { return which_ != predefined_operator::no_operation; }
  const datatype& element() const { return *element_; }
  /// target[i] = origin[i] op target[i]; the arrays are aligned for the element.
  void apply(const std::byte* origin, std::byte* target, std::int64_t count) const;

 private:
  predefined_operator which_;
  const datatype* element_;  // predefined
  combine_function loop_ = nullptr;
};

/// Elements of three layouts. `origin` has none for MPI_NO_OP, `result` none where nothing is fetched.
struct update_data {
  data_part origin;
  data_part target;
  data_part result;  // gets what the target had before
};
void update_elements(const element_update& update, const update_data& data, base::spin_lock& lock);

/// Writes `desired` over a value that equals `expected`; `result` gets what it was.
struct value_exchange {
  const void* desired = nullptr;
  const void* expected = nullptr;
  void* result = nullptr;
  std::int64_t bytes = 0;
};
void exchange_value(std::byte* target, const value_exchange& values, base::spin_lock& lock);

}  // namespace stretto::ranks
