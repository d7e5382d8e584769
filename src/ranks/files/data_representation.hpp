// data_representation.hpp - how data lies in a file, where it is not as in memory: external32, or as a program says.
//
// Data is converted as a whole: from elements in memory to adjacent bytes, which the file's view then distributes.
//
// Threads     those of the calling rank: functions of the program may be called.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ranks/datatypes/datatype.hpp"

namespace stretto::ranks {

class data_representation {
 public:
  virtual ~data_representation() = default;

  virtual const std::string& name() const = 0;
  /// Bytes of a value of a basic type in a file.
  virtual std::int64_t bytes_of(const datatype& basic) const = 0;
  /// `count` elements as they lie in the file.
  virtual std::vector<std::byte> to_file(const datatype& type, const void* elements, std::int64_t count) const = 0;
  /// The elements of which all bytes are there; returns the bytes that they have in memory.
  virtual std::int64_t from_file(const datatype& type, void* elements, std::span<const std::byte> bytes) const = 0;
};

using representation_ref = std::shared_ptr<const data_representation>;

/// Bytes of `count` elements in a file.
std::int64_t bytes_in_file(const data_representation& as, const datatype& type, std::int64_t count);

const representation_ref& external32_representation();

}  // namespace stretto::ranks
