// collective_buffers.hpp - the buffers that a program passes to a collective: one part, or a block for each rank.
//
// Threads     values that refer to arrays and memory of the caller; those must live until the schedule is built.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ranks/collectives/reduction_operation.hpp"
#include "ranks/datatypes/data_part.hpp"

namespace stretto::ranks {

/// MPI_IN_PLACE.
inline const void* in_place_buffer() { return reinterpret_cast<const void*>(std::uintptr_t{1}); }

/// `count` elements.
struct data_buffer {
  const void* memory = nullptr;
  std::int64_t count = 0;
  const datatype* type = nullptr;  // committed

  bool is_in_place() const { return memory == in_place_buffer(); }
  data_part data() const { return data_part(memory, count, *type); }
};

/// Counts or displacements, as arrays of `int` or for large counts.
class number_list {
 public:
  number_list() = default;
  number_list(const int* numbers) : small_(numbers) {}
  number_list(const std::int64_t* numbers) : large_(numbers) {}

  std::int64_t operator[](int index) const { return large_ ? large_[index] : small_[index]; }

 private:
  const int* small_ = nullptr;
  const std::int64_t* large_ = nullptr;
};

/// A block of elements for each rank or neighbour.
class block_buffer {
 public:
  /// None: at ranks where the buffer is not significant.
  block_buffer() = default;
  /// Blocks of `count` elements, one after another.
  block_buffer(const void* memory, std::int64_t count, const datatype& type)
      : memory_(memory), count_(count), type_(&type) {}
  /// Blocks at displacements in elements.
  block_buffer(const void* memory, number_list counts, number_list displacements, const datatype& type)
      : memory_(memory), counts_(counts), displacements_(displacements), type_(&type), kind_(kind::varying) {}
  /// Blocks of several types, at displacements in bytes.
  block_buffer(const void* memory, number_list counts, number_list displacements, const datatype* const* types)
      : memory_(memory), counts_(counts), displacements_(displacements), types_(types), kind_(kind::typed) {}

  const void* memory() const { return memory_; }
  bool is_in_place() const { return memory_ == in_place_buffer(); }
  /// All blocks are equal: their data is that of one buffer.
  bool is_regular() const { return kind_ == kind::regular; }
  std::int64_t count(int index) const { return is_regular() ? count_ : counts_[index]; }
  const datatype& type(int index) const { return kind_ == kind::typed ? *types_[index] : *type_; }
  std::int64_t bytes(int index) const { return count(index) * type(index).size(); }
  const void* address(int index) const { return moved(memory_, offset(index)); }
  data_part operator[](int index) const { return data_part(address(index), count(index), type(index)); }
  /// The data of the first `blocks` blocks of a regular buffer.
  data_part all(int blocks) const { return data_part(memory_, count_ * blocks, *type_); }

 private:
  enum class kind : std::uint8_t { regular, varying, typed };

  std::int64_t offset(int index) const {
    switch (kind_) {
      case kind::regular: return index * count_ * type_->extent();
      case kind::varying: return displacements_[index] * type_->extent();
      default: return displacements_[index];
    }
  }

  const void* memory_ = nullptr;
  std::int64_t count_ = 0;
  number_list counts_;
  number_list displacements_;
  const datatype* type_ = nullptr;
  const datatype* const* types_ = nullptr;
  kind kind_ = kind::regular;
};

/// The bytes of the first `blocks` blocks.
inline std::int64_t bytes_of_blocks(const block_buffer& buffer, int blocks) {
  if (buffer.is_regular()) return buffer.bytes(0) * blocks;
  std::int64_t bytes = 0;
  for (int i = 0; i < blocks; ++i) bytes += buffer.bytes(i);
  return bytes;
}

/// The arguments of a reduction. A rank whose result is in place passes in_place_buffer() as `in`.
struct reduction_buffers {
  const void* in = nullptr;
  void* out = nullptr;  // null where it is not significant
  std::int64_t count = 0;
  const datatype* type = nullptr;  // committed
  const reduction_operation* combined_by = nullptr;

  bool is_in_place() const { return in == in_place_buffer(); }
  /// Where the rank's own values are.
  const void* input() const { return is_in_place() ? out : in; }
};

}  // namespace stretto::ranks
