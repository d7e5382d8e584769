#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "campaign.hpp"
#include "ranks/datatypes/layout_copy.hpp"
#include "ranks/datatypes/packed_data.hpp"
#include "ranks/random_types.hpp"

using namespace stretto;
using test::element_memory, test::modelled_type, test::random_types, test::type_model;

namespace {

std::uint64_t cases() { return test::scaled<std::uint64_t>(4000, 100'000); }

std::vector<std::byte> packed_by_model(const type_model& model, std::int64_t count, element_memory& memory) {
  std::vector<std::byte> packed;
  for (const std::int64_t displacement : model.bytes(count)) packed.push_back(memory.at(displacement));
  return packed;
}

void unpack_by_model(const type_model& model, std::int64_t count, element_memory& memory,
                     const std::vector<std::byte>& packed) {
  const auto displacements = model.bytes(count);
  for (std::size_t i = 0; i < packed.size(); ++i) memory.at(displacements[i]) = packed[i];
}

/// The standard forbids to receive into such elements.
bool has_overlaps(const type_model& model, std::int64_t count) {
  auto bytes = model.bytes(count);
  std::ranges::sort(bytes);
  return std::ranges::adjacent_find(bytes) != bytes.end();
}

}  // namespace

TEST_CASE("sizes and bounds of random types are those of their elements") {
  for (std::uint64_t seed = 0; seed < cases(); ++seed) {
    CAPTURE(seed);
    const modelled_type made = random_types(seed).next();
    REQUIRE(made.type->size() == made.model.size());
    REQUIRE(made.type->elements() == std::ssize(made.model.elements));
    REQUIRE(made.type->bounds().true_lb == made.model.true_lb());
    REQUIRE(made.type->bounds().true_ub == made.model.true_ub());
    REQUIRE(made.type->bounds().lb == made.model.lb());
    REQUIRE(made.type->bounds().ub == made.model.ub());
  }
}

TEST_CASE("random types are packed and unpacked byte by byte as listed") {
  for (std::uint64_t seed = 0; seed < cases(); ++seed) {
    CAPTURE(seed);
    random_types random(seed);
    const modelled_type made = random.next();
    const std::int64_t count = random.number(0, 4);
    element_memory memory(made.model, count);
    memory.fill(static_cast<unsigned>(seed));
    const auto expected = packed_by_model(made.model, count, memory);
    std::vector<std::byte> packed(expected.size() + 3);
    std::int64_t position = 2;
    ranks::pack(*made.type, memory.origin(), count, packed, position);
    REQUIRE(position == std::ssize(expected) + 2);
    REQUIRE(std::equal(expected.begin(), expected.end(), packed.begin() + 2));

    if (has_overlaps(made.model, count)) continue;
    element_memory other(made.model, count), other_model(made.model, count);
    position = 2;
    ranks::unpack(*made.type, other.origin(), count, packed, position);
    unpack_by_model(made.model, count, other_model, expected);
    REQUIRE(position == std::ssize(expected) + 2);
    REQUIRE(other.bytes == other_model.bytes);
  }
}

TEST_CASE("data that is cut anywhere continues at its position") {
  for (std::uint64_t seed = 0; seed < cases(); ++seed) {
    CAPTURE(seed);
    random_types random(seed);
    const modelled_type made = random.next();
    const std::int64_t count = random.number(1, 4);
    element_memory memory(made.model, count);
    memory.fill(static_cast<unsigned>(seed));
    const auto expected = packed_by_model(made.model, count, memory);
    std::vector<std::byte> packed(expected.size());
    const std::int64_t all = std::ssize(expected);
    ranks::layout_cursor kept(made.type->layout(), memory.origin(), count);
    std::vector<std::byte> by_kept(expected.size());
    for (std::int64_t position = 0; position < all;) {
      const std::int64_t piece = std::min(random.number(1, all), all - position);
      ranks::layout_cursor from(made.type->layout(), memory.origin(), count, position);
      ranks::layout_cursor to(ranks::layout_of_bytes(), packed.data(), all, position);
      REQUIRE(ranks::copy_data(to, from, piece) == piece);
      REQUIRE(from.left() == all - position - piece);
      ranks::layout_cursor to_kept(ranks::layout_of_bytes(), by_kept.data() + position, piece);
      REQUIRE(ranks::copy_data(to_kept, kept, all) == piece);
      position += piece;
    }
    REQUIRE(packed == expected);
    REQUIRE(by_kept == expected);
    REQUIRE(kept.left() == 0);
  }
}

TEST_CASE("data is copied between random types as through packed bytes") {
  for (std::uint64_t seed = 0; seed < cases(); ++seed) {
    CAPTURE(seed);
    random_types random(seed);
    const modelled_type source = random.next();
    const modelled_type target = random.number(0, 3) == 0 ? source : random.next();
    const std::int64_t source_count = random.number(0, 5), target_count = random.number(0, 5);
    element_memory from(source.model, source_count), to(target.model, target_count);
    element_memory expected(target.model, target_count);
    from.fill(static_cast<unsigned>(seed));
    auto packed = packed_by_model(source.model, source_count, from);
    packed.resize(std::min(packed.size(), target.model.bytes(target_count).size()));
    unpack_by_model(target.model, target_count, expected, packed);
    const std::int64_t copied =
        ranks::copy_elements(*target.type, to.origin(), target_count, *source.type, from.origin(), source_count);
    REQUIRE(copied == std::ssize(packed));
    if (has_overlaps(target.model, target_count)) continue;
    REQUIRE(to.bytes == expected.bytes);
  }
}

namespace {

/// Copies `count` elements of one type to elements of another, and compares with packed data.
void check_copy(const modelled_type& target, const modelled_type& source, std::int64_t count) {
  target.type->commit();
  source.type->commit();
  element_memory from(source.model, count), to(target.model, count), expected(target.model, count);
  from.fill(7);
  unpack_by_model(target.model, count, expected, packed_by_model(source.model, count, from));
  ranks::copy_elements(*target.type, to.origin(), count, *source.type, from.origin(), count);
  CHECK(to.bytes == expected.bytes);
}

modelled_type blocks_of(const ranks::datatype& basic, std::int64_t length,
                        const std::vector<std::int64_t>& displacements) {
  modelled_type made{ranks::make_hindexed_block(length, displacements, basic), {}};
  for (const std::int64_t displacement : displacements) {
    made.model.place_block(type_model::of(*basic.basic()), length, displacement);
  }
  return made;
}

}  // namespace

TEST_CASE("blocks of every length are copied between all kinds of layouts") {
  const ranks::datatype& byte = *ranks::predefined_type(0x247);
  for (std::int64_t length = 1; length <= 140; ++length) {
    CAPTURE(length);
    std::vector<std::int64_t> regular, irregular, dense;
    for (std::int64_t i = 0; i < 9; ++i) {
      regular.push_back(i * (length + 5));
      irregular.push_back((i * 5 % 9) * (length + i % 3 + 2));
      dense.push_back(i * length);
    }
    const modelled_type kinds[] = {blocks_of(byte, length, regular), blocks_of(byte, length, irregular),
                                   blocks_of(byte, length, dense)};
    for (const modelled_type& target : kinds) {
      for (const modelled_type& source : kinds) {
        check_copy(target, source, 1);
        check_copy(target, source, 3);
      }
    }
  }
}
