// random_layout.hpp - a derived datatype with a list of the places of its elements, made without asking MPI.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "program_random.hpp"

struct base_type {
  MPI_Datatype type;
  std::ptrdiff_t bytes;
};

inline base_type random_base(program_random& random) {
  switch (random.number(0, 4)) {
    case 0: return {MPI_CHAR, 1};
    case 1: return {MPI_SHORT, 2};
    case 2: return {MPI_INT, 4};
    case 3: return {MPI_LONG_LONG, 8};
    default: return {MPI_DOUBLE, 8};
  }
}

/// A datatype and the offsets of its elements, in order; extents as the standard defines them.
struct typed_places {
  MPI_Datatype type;
  std::vector<std::ptrdiff_t> offsets;
  std::ptrdiff_t lower, upper;
  std::ptrdiff_t extent() const { return upper - lower; }
};

class random_layout {
 public:
  /// `elements` elements of the base type in all.
  random_layout(program_random& random, base_type base, int elements) : base_(base) {
    const int in_type = divisor(random, elements);
    made_ = make(random, in_type, 2);
    count_ = in_type == 0 ? random.number(0, 3) : elements / in_type;
    MPI_Type_commit(&made_.type);
    check_extent();
    for (int i = 0; i < count_; ++i)
      for (const auto offset : made_.offsets) places_.push_back(offset + i * made_.extent());
    for (const auto place : places_) {
      first_ = std::min(first_, place);
      last_ = std::max(last_, place + base.bytes);
    }
    bytes_.resize(static_cast<std::size_t>(last_ - first_));
  }
  random_layout(const random_layout&) = delete;
  random_layout(random_layout&& from) noexcept = default;
  ~random_layout() = default;

  void free() { MPI_Type_free(&made_.type); }
  MPI_Datatype type() const { return made_.type; }
  int count() const { return count_; }
  void* data() { return bytes_.data() - first_; }
  base_type base() const { return base_; }

  /// The data of `key` in all elements.
  void fill(std::uint64_t key) {
    clear();
    for (std::size_t i = 0; i < places_.size(); ++i)
      for (std::ptrdiff_t k = 0; k < base_.bytes; ++k) at(i, k) = byte_of(key, i * base_.bytes + k);
  }
  void clear() { std::fill(bytes_.begin(), bytes_.end(), static_cast<unsigned char>(0xa5)); }
  /// Whether the first elements have the data of `key`, and all other bytes are as clear() has left them.
  bool has(std::uint64_t key, int elements) {
    std::vector<unsigned char> expected = bytes_;
    std::fill(expected.begin(), expected.end(), static_cast<unsigned char>(0xa5));
    std::swap(expected, bytes_);
    for (std::size_t i = 0; i < static_cast<std::size_t>(elements); ++i)
      for (std::ptrdiff_t k = 0; k < base_.bytes; ++k) at(i, k) = byte_of(key, i * base_.bytes + k);
    std::swap(expected, bytes_);
    return expected == bytes_;
  }

 private:
  static int divisor(program_random& random, int n) {
    std::vector<int> all;
    for (int d = 1; d <= n && d <= 64; ++d)
      if (n % d == 0) all.push_back(d);
    return all.empty() ? 0 : random.one_of(all);
  }
  unsigned char& at(std::size_t element, std::ptrdiff_t k) {
    return bytes_[static_cast<std::size_t>(places_[element] - first_ + k)];
  }

  typed_places make(program_random& random, int elements, int depth) {
    if (depth == 0 || elements <= 1 || random.one_in(4)) return plain(random, elements);
    const int inner = divisor(random, elements), blocks = elements / inner;
    const typed_places part = make(random, inner, depth - 1);
    typed_places whole = random.one_in(2) ? in_vector(random, part, blocks) : in_blocks(random, part, blocks);
    MPI_Datatype old = part.type;
    MPI_Type_free(&old);
    if (random.one_in(3)) resize(random, whole);
    return whole;
  }

  typed_places plain(program_random& random, int elements) {
    typed_places made{MPI_DATATYPE_NULL, {}, 0, elements * base_.bytes};
    if (elements == 1 && random.one_in(2)) MPI_Type_dup(base_.type, &made.type);
    else MPI_Type_contiguous(elements, base_.type, &made.type);
    for (int i = 0; i < elements; ++i) made.offsets.push_back(i * base_.bytes);
    return made;
  }

  static void append(typed_places& whole, const typed_places& part, std::ptrdiff_t at) {
    const bool is_first = whole.offsets.empty();
    for (const auto offset : part.offsets) whole.offsets.push_back(at + offset);
    whole.lower = is_first ? at + part.lower : std::min(whole.lower, at + part.lower);
    whole.upper = is_first ? at + part.upper : std::max(whole.upper, at + part.upper);
  }

  static typed_places in_vector(program_random& random, const typed_places& part, int blocks) {
    const int stride = random.number(1, 3);
    typed_places whole{MPI_DATATYPE_NULL, {}, 0, 0};
    if (random.one_in(2)) MPI_Type_vector(blocks, 1, stride, part.type, &whole.type);
    else MPI_Type_create_hvector(blocks, 1, stride * part.extent(), part.type, &whole.type);
    for (int i = 0; i < blocks; ++i) append(whole, part, i * stride * part.extent());
    return whole;
  }

  /// Blocks of one part each, in any order.
  static typed_places in_blocks(program_random& random, const typed_places& part, int blocks) {
    std::vector<int> at, lengths(static_cast<std::size_t>(blocks), 1);
    for (int i = 0, next = random.number(-2, 2); i < blocks; ++i, next += random.number(1, 3)) at.push_back(next);
    if (random.one_in(2)) random.shuffle(at);
    std::vector<MPI_Aint> bytes_at;
    for (const int i : at) bytes_at.push_back(i * part.extent());
    const std::vector<MPI_Datatype> types(static_cast<std::size_t>(blocks), part.type);
    typed_places whole{MPI_DATATYPE_NULL, {}, 0, 0};
    switch (random.number(0, 3)) {
      case 0: MPI_Type_indexed(blocks, lengths.data(), at.data(), part.type, &whole.type); break;
      case 1: MPI_Type_create_hindexed(blocks, lengths.data(), bytes_at.data(), part.type, &whole.type); break;
      case 2: MPI_Type_create_indexed_block(blocks, 1, at.data(), part.type, &whole.type); break;
      default: MPI_Type_create_struct(blocks, lengths.data(), bytes_at.data(), types.data(), &whole.type);
    }
    for (const auto offset : bytes_at) append(whole, part, offset);
    return whole;
  }

  void resize(program_random& random, typed_places& whole) const {
    MPI_Datatype old = whole.type;
    whole.upper += base_.bytes * random.number(0, 2);
    MPI_Type_create_resized(old, whole.lower, whole.extent(), &whole.type);
    MPI_Type_free(&old);
  }

  void check_extent() const {
    MPI_Aint lower, extent;
    int size;
    MPI_Type_get_extent(made_.type, &lower, &extent);
    MPI_Type_size(made_.type, &size);
    if (lower != made_.lower || extent != made_.extent() || size != std::ptrdiff_t(made_.offsets.size()) * base_.bytes)
      fail("a datatype begins at %ld and has an extent of %ld and %d bytes of data, not %ld, %ld and %ld", long(lower),
           long(extent), size, long(made_.lower), long(made_.extent()), long(made_.offsets.size() * base_.bytes));
  }

  base_type base_;
  typed_places made_{};
  int count_ = 0;
  std::vector<std::ptrdiff_t> places_;
  std::ptrdiff_t first_ = 0, last_ = 0;
  std::vector<unsigned char> bytes_;
};
