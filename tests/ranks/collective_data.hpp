// collective_data.hpp - random integers in random layouts, and what a collective should make of them.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include "ranks/collectives/collective_buffers.hpp"
#include "ranks/datatypes/packed_data.hpp"
#include "ranks/datatypes/type_constructors.hpp"

namespace stretto::test {

using integers = std::vector<std::uint32_t>;

/// A type of some integers, with gaps, bounds or an order of its own.
struct integer_type {
  ranks::datatype_ref type;
  std::int64_t integers = 1;
};

class collective_random {
 public:
  explicit collective_random(std::uint64_t seed) : random_(seed) {}

  std::int64_t number(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random_);
  }
  bool one_in(int n) { return number(1, n) == 1; }
  std::uint64_t seed() { return random_(); }

  /// A number of integers, of which few are large enough for the algorithms of large data.
  std::int64_t length() {
    switch (number(0, 12)) {
      case 0: return 0;
      case 1:
      case 2:
      case 3: return number(600, 900);
      case 4:
      case 5: return number(3000, 6000);
      case 6: return number(20'000, 24'000);
      default: return number(1, 40);
    }
  }

  integers values(std::int64_t length) {
    integers made(static_cast<std::size_t>(length));
    for (std::uint32_t& value : made) value = static_cast<std::uint32_t>(random_());
    return made;
  }

  /// A committed type of which `length` integers are whole elements.
  integer_type type_for(std::int64_t length) {
    const ranks::datatype& integer = *ranks::predefined_type(0x209);
    const bool is_even = length % 2 == 0, is_threefold = length % 3 == 0;
    integer_type made{ranks::datatype_ref(&integer), 1};
    switch (number(0, 5)) {
      case 0: made.type = ranks::make_resized(integer, -4, 12); break;
      case 1:
        if (is_even) made = {ranks::make_vector(2, 1, 2, integer), 2};
        break;
      case 2:
        if (is_even) made = {ranks::make_indexed_block(1, std::vector<std::int64_t>{2, 0}, integer), 2};
        break;
      case 3:
        if (is_threefold) made = {ranks::make_contiguous(3, integer), 3};
        break;
      default: break;
    }
    made.type->commit();
    return made;
  }

 private:
  std::mt19937_64 random_;
};

/// Memory of a rank, and what should be there after a collective.
class rank_memory {
 public:
  explicit rank_memory(std::int64_t bytes = 0) : bytes_(static_cast<std::size_t>(bytes + 2 * margin)) {
    std::uint32_t next = 1;
    for (std::byte& b : bytes_) b = static_cast<std::byte>((next = next * 1664525 + 1013904223) >> 24);
    expected_ = bytes_;
  }
  std::byte* at(std::int64_t offset = 0) { return bytes_.data() + margin + offset; }

  /// Puts values there; they are expected to stay.
  void put(const integer_type& type, std::int64_t offset, const integers& values) {
    write(bytes_, type, offset, values);
    expect(type, offset, values);
  }
  void expect(const integer_type& type, std::int64_t offset, const integers& values) {
    write(expected_, type, offset, values);
  }
  bool is_as_expected() const { return bytes_ == expected_; }

 private:
  static constexpr std::int64_t margin = 128;

  static void write(std::vector<std::byte>& bytes, const integer_type& type, std::int64_t offset,
                    const integers& values) {
    std::int64_t position = 0;
    ranks::unpack(*type.type, bytes.data() + margin + offset, std::ssize(values) / type.integers,
                  std::as_bytes(std::span(values)), position);
  }

  std::vector<std::byte> bytes_, expected_;
};

/// Some integers in the memory of a rank.
struct placed_data {
  integer_type type;
  rank_memory memory;
  std::int64_t count = 0;

  placed_data(collective_random& random, std::int64_t length)
      : type(random.type_for(length)), memory(length / type.integers * type.type->extent()) {
    count = length / type.integers;
  }
  ranks::data_buffer buffer() { return {memory.at(), count, type.type.get()}; }
  void put(const integers& values) { memory.put(type, 0, values); }
  void expect(const integers& values) { memory.expect(type, 0, values); }
};

/// How the blocks of a buffer are described.
enum class block_form : std::uint8_t { regular, varying, typed };

/// Blocks of integers in the memory of a rank.
struct placed_blocks {
  rank_memory memory;
  std::vector<integer_type> types;
  std::vector<int> small_counts;
  std::vector<std::int64_t> counts, displacements;  // displacements in bytes or elements
  std::vector<std::int64_t> offsets;                // in bytes
  std::vector<const ranks::datatype*> type_list;
  block_form form = block_form::regular;
  bool has_large_counts = false;

  ranks::block_buffer buffer(const void* address) const {
    if (form == block_form::regular) return {address, counts.empty() ? 0 : counts[0], *types[0].type};
    const ranks::number_list numbers =
        has_large_counts ? ranks::number_list(counts.data()) : ranks::number_list(small_counts.data());
    if (form == block_form::typed) return {address, numbers, displacements.data(), type_list.data()};
    return {address, numbers, displacements.data(), *types[0].type};
  }
  ranks::block_buffer buffer() { return buffer(memory.at()); }
  void put(std::size_t block, const integers& values) { memory.put(types[block], offsets[block], values); }
  void expect(std::size_t block, const integers& values) { memory.expect(types[block], offsets[block], values); }
};

/// Places blocks of the given lengths; those of a regular buffer must be equal.
inline placed_blocks place_blocks(collective_random& random, const std::vector<std::int64_t>& lengths,
                                  block_form form) {
  placed_blocks placed;
  placed.form = form;
  placed.has_large_counts = random.one_in(2);
  std::int64_t common = lengths.empty() ? 0 : lengths[0];
  for (const std::int64_t length : lengths) common = std::gcd(common, length);
  const integer_type only = random.type_for(common);
  std::int64_t end = 0;
  for (const std::int64_t length : lengths) {
    const integer_type type = form == block_form::typed ? random.type_for(length) : only;
    const std::int64_t unit = form == block_form::typed ? 4 : type.type->extent();
    const std::int64_t gap = form == block_form::regular ? 0 : random.number(0, 2);
    const std::int64_t count = length / type.integers;
    const std::int64_t begin = (end + unit - 1) / unit * unit + gap * unit;
    placed.types.push_back(type);
    placed.type_list.push_back(type.type.get());
    placed.counts.push_back(count);
    placed.small_counts.push_back(static_cast<int>(count));
    placed.offsets.push_back(begin);
    placed.displacements.push_back(form == block_form::typed ? begin : begin / unit);
    end = begin + count * type.type->extent() + (form == block_form::regular ? 0 : 16);
  }
  placed.memory = rank_memory(end);
  return placed;
}

}  // namespace stretto::test
