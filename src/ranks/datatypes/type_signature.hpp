// type_signature.hpp - the sequence of basic types in data: whether a message matches its receive, counts of elements.
//
// Threads     pure.
// Cost        comparisons: O(1) where both sides are whole elements of equal signatures, or of one basic type; else
//             O(basic elements).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ranks/datatypes/datatype.hpp"

namespace stretto::ranks {

/// The first element at which a message differs from its receive.
struct signature_difference {
  std::int64_t index = 0;  // counted in basic elements
  const basic_type* sent = nullptr;
  const basic_type* received = nullptr;  // null: the message is longer
};

/// Compares a message with its receive, which may be longer. Packed data matches everything.
std::optional<signature_difference> compare_signatures(const datatype& sent, std::int64_t sent_count,
                                                       const datatype& received, std::int64_t received_count);

/// Equal basic types that follow each other.
struct type_run {
  std::uint16_t number = 0;  // of the basic type (basic_type::number)
  std::int64_t elements = 0;
};

/// One element of a type as runs, so that another node can compare it; nothing if there are more than `most`.
std::optional<std::vector<type_run>> runs_of(const datatype& type, std::size_t most);
/// A type with these runs, for comparisons; null for runs that no type of MPI has.
datatype_ref type_with_runs(std::span<const type_run> runs);

/// The number of basic elements of a type in `bytes` of data; nothing if the data ends within one, or if there is data
/// and the type has none.
std::optional<std::int64_t> elements_in(const datatype& type, std::int64_t bytes);

/// The bytes of the first basic elements of an array of a type; throws call_error(argument) if the type has none.
std::int64_t bytes_of_elements(const datatype& type, std::int64_t elements);

}  // namespace stretto::ranks
