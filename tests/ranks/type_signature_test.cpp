#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "campaign.hpp"
#include "ranks/datatypes/type_signature.hpp"
#include "ranks/random_types.hpp"
#include "ranks/thrown_class.hpp"

using namespace stretto;
using test::modelled_type, test::random_types, test::type_model;

namespace {

/// The basic types of `count` elements, one by one.
std::vector<const ranks::basic_type*> listed(const type_model& model, std::int64_t count) {
  std::vector<const ranks::basic_type*> all;
  for (std::int64_t i = 0; i < count; ++i) {
    for (const test::model_element& e : model.elements) all.push_back(e.basic);
  }
  return all;
}

bool is_all_packed(const std::vector<const ranks::basic_type*>& types) {
  return !types.empty() && std::ranges::all_of(types, [](const auto* basic) { return basic->number == 0x207; });
}

void check_comparison(const modelled_type& sent, std::int64_t sent_count, const modelled_type& received,
                      std::int64_t received_count) {
  const auto difference = ranks::compare_signatures(*sent.type, sent_count, *received.type, received_count);
  const auto from = listed(sent.model, sent_count), to = listed(received.model, received_count);
  if (is_all_packed(listed(sent.model, 1)) || is_all_packed(listed(received.model, 1))) {
    CHECK(!difference);
    return;
  }
  std::size_t first = 0;
  while (first < from.size() && first < to.size() && from[first] == to[first]) ++first;
  REQUIRE(difference.has_value() == (first < from.size()));
  if (!difference) return;
  CHECK(difference->index == static_cast<std::int64_t>(first));
  CHECK(difference->sent == from[first]);
  CHECK(difference->received == (first < to.size() ? to[first] : nullptr));
}

/// The same elements, made by another constructor.
modelled_type regrouped(const modelled_type& type, std::int64_t count) {
  type_model model;
  model.place_block(type.model, count, 0);
  std::vector<std::int64_t> displacements;
  for (std::int64_t i = 0; i < count; ++i) displacements.push_back(i * 1000);
  return {ranks::make_hindexed_block(1, displacements, *type.type), model};
}

}  // namespace

TEST_CASE("a message matches its receive if its basic types begin the receive's") {
  for (std::uint64_t seed = 0; seed < test::scaled<std::uint64_t>(2000, 100'000); ++seed) {
    CAPTURE(seed);
    random_types random(seed);
    const modelled_type type = random.next();
    const std::int64_t count = random.number(0, 4);
    check_comparison(regrouped(type, count), 1, type, count + random.number(0, 2));
    check_comparison(regrouped(type, count), 1, type, std::max<std::int64_t>(count - 1, 0));
    check_comparison(type, count, regrouped(type, random.number(0, 3)), random.number(0, 3));
    check_comparison(type, count, random.next(), random.number(0, 4));
    check_comparison(random.basic(), count, random.basic(), count);
  }
}

TEST_CASE("counts of elements are those that whole basic types make") {
  for (std::uint64_t seed = 0; seed < test::scaled<std::uint64_t>(500, 20'000); ++seed) {
    CAPTURE(seed);
    const modelled_type type = random_types(seed).next();
    const auto all = listed(type.model, 3);
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      REQUIRE(ranks::elements_in(*type.type, bytes) == static_cast<std::int64_t>(i));
      CHECK(ranks::bytes_of_elements(*type.type, static_cast<std::int64_t>(i)) == bytes);
      if (all[i]->size > 1) CHECK(ranks::elements_in(*type.type, bytes + 1) == std::nullopt);
      bytes += all[i]->size;
    }
  }
}

TEST_CASE("a type without elements has no count of data") {
  const ranks::datatype_ref empty = ranks::make_contiguous(0, *ranks::predefined_type(0x209));
  CHECK(ranks::elements_in(*empty, 0) == 0);
  CHECK(ranks::elements_in(*empty, 1) == std::nullopt);
  CHECK(ranks::bytes_of_elements(*empty, 0) == 0);
  CHECK(test::thrown_class([&] { ranks::bytes_of_elements(*empty, 1); }) == ranks::error_class::argument);
  const auto too_many = std::int64_t{1} << 62;
  CHECK(test::thrown_class([&] { ranks::bytes_of_elements(*ranks::predefined_type(0x209), too_many); }) ==
        ranks::error_class::value_too_large);
}

TEST_CASE("hashes of sequences do not depend on how they are made") {
  const ranks::signature_hash a = ranks::hash_of_element(0x209), b = ranks::hash_of_element(0x214);
  CHECK(append(append(a, b), a) == append(a, append(b, a)));
  CHECK(append(a, b) != append(b, a));
  CHECK(repeat(append(a, b), 3) == append(append(a, b), append(append(a, b), append(a, b))));
  CHECK(repeat(repeat(a, 1000), 1000) == repeat(a, 1'000'000));
  CHECK(repeat(a, 0) == ranks::signature_hash{});
}

TEST_CASE("a type that is made of the runs of another matches it") {
  for (std::uint64_t seed = 0; seed < test::scaled<std::uint64_t>(500, 20'000); ++seed) {
    CAPTURE(seed);
    const modelled_type type = random_types(seed).next();
    const auto elements = listed(type.model, 1);
    std::size_t runs = 0;
    for (std::size_t i = 0; i < elements.size(); ++i) runs += i == 0 || elements[i] != elements[i - 1];
    if (runs > 0) CHECK(!ranks::runs_of(*type.type, runs - 1));
    const auto found = ranks::runs_of(*type.type, runs);
    REQUIRE(found);
    const ranks::datatype_ref made = ranks::type_with_runs(*found);
    REQUIRE(made);
    CHECK(made->elements() == static_cast<std::int64_t>(elements.size()));
    CHECK(!ranks::compare_signatures(*type.type, 3, *made, 3));
    CHECK(!ranks::compare_signatures(*made, 3, *type.type, 3));
  }
}

TEST_CASE("runs that no datatype has make no type") {
  CHECK(!ranks::type_with_runs(std::vector<ranks::type_run>{{0xffff, 1}}));
  CHECK(!ranks::type_with_runs(std::vector<ranks::type_run>{{0x207, -1}}));
  CHECK(!ranks::type_with_runs(std::vector<ranks::type_run>{{0x207, std::int64_t{1} << 62}}));
}
