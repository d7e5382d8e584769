// argument_record.hpp - collects the arguments of a constructor in the order in which MPI returns them.
#pragma once

#include <cstdint>
#include <utility>

#include "ranks/datatypes/counts.hpp"
#include "ranks/datatypes/datatype.hpp"

namespace stretto::ranks {

class argument_record {
 public:
  argument_record(type_constructor constructor, count_kind kind) : is_large_(kind == count_kind::large) {
    arguments_.constructor = constructor;
  }

  argument_record& integer(int value) {
    arguments_.integers.push_back(value);
    return *this;
  }
  /// An integer, but of functions for large counts a large count.
  argument_record& count(std::int64_t value) {
    if (is_large_) arguments_.large_counts.push_back(value);
    else arguments_.integers.push_back(static_cast<int>(value));
    return *this;
  }
  argument_record& count_all(counts values) {
    for (const std::int64_t value : values) count(value);
    return *this;
  }
  /// An address, but of functions for large counts a large count.
  argument_record& address(std::int64_t value) {
    (is_large_ ? arguments_.large_counts : arguments_.addresses).push_back(value);
    return *this;
  }
  argument_record& addresses(counts values) {
    for (const std::int64_t value : values) address(value);
    return *this;
  }
  argument_record& type(const datatype& value) {
    arguments_.types.emplace_back(&value);
    return *this;
  }
  type_arguments take() { return std::move(arguments_); }

 private:
  type_arguments arguments_;
  bool is_large_;
};

}  // namespace stretto::ranks
