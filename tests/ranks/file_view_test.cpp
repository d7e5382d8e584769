#include <doctest/doctest.h>

#include <algorithm>

#include "campaign.hpp"
#include "ranks/file_model.hpp"
#include "ranks/files/type_in_file.hpp"
#include "ranks/thrown_class.hpp"

using namespace stretto;
using test::modelled_view, test::random_types;

namespace {

std::uint64_t views() { return test::scaled<std::uint64_t>(3000, 60'000); }

}  // namespace

TEST_CASE("positions of random views are the listed bytes of the file") {
  for (std::uint64_t seed = 0; seed < views(); ++seed) {
    CAPTURE(seed);
    random_types random(seed);
    const auto v = test::random_view(random, 3);
    if (!v) continue;
    for (std::size_t position = 0; position < v->offsets.size(); ++position)
      REQUIRE(v->view->byte_offset(static_cast<std::int64_t>(position)) == v->offsets[position]);
    if (!v->view->offsets_grow()) continue;
    REQUIRE(std::ranges::is_sorted(v->offsets));
    for (std::int64_t offset = 0; offset <= v->offsets.back(); offset += random.number(1, 9))
      REQUIRE(v->view->data_before(offset) == std::ranges::lower_bound(v->offsets, offset) - v->offsets.begin());
  }
}

TEST_CASE("a filetype whose runs are not in the order of the file is refused") {
  for (std::uint64_t seed = 0; seed < views(); ++seed) {
    CAPTURE(seed);
    const test::modelled_type made = random_types(seed).next();
    bool overlaps = false;
    const auto make = [&] {
      overlaps = ranks::file_view(4, *ranks::predefined_type(0x247), *made.type, nullptr).has_overlaps();
    };
    const auto thrown = test::thrown_class(make);
    switch (test::filetype_of(made.model, 4)) {
      case test::filetype_kind::usual:
        REQUIRE(thrown == ranks::error_class::success);
        REQUIRE(!overlaps);
        break;
      case test::filetype_kind::overlapping: REQUIRE((overlaps || thrown == ranks::error_class::io)); break;
      case test::filetype_kind::impossible: REQUIRE(thrown == ranks::error_class::io); break;
    }
  }
}

TEST_CASE("in external32 displacements in elements scale and those in bytes stay") {
  const ranks::datatype& number = *ranks::predefined_type(0x20a);  // MPI_LONG
  const std::int64_t each = ranks::external32_representation()->bytes_of(number);
  const auto in_file = [](const ranks::datatype_ref& type) {
    return ranks::type_in_file(*type, *ranks::external32_representation());
  };
  const ranks::datatype_ref vector = in_file(ranks::make_vector(3, 2, 5, number));
  CHECK(vector->size() == 6 * each);
  CHECK(vector->extent() == 12 * each);
  const ranks::datatype_ref bytes = in_file(ranks::make_hvector(3, 2, 100, number));
  CHECK(bytes->extent() == 200 + 2 * each);
  const std::int64_t sizes[] = {4, 6}, parts[] = {2, 3}, starts[] = {1, 2};
  const ranks::datatype_ref array = in_file(ranks::make_subarray(sizes, parts, starts, ranks::array_order::c, number));
  CHECK(array->extent() == 24 * each);
  CHECK(array->bounds().true_lb == 8 * each);
  CHECK(array->bounds().true_ub == 17 * each);
  const ranks::datatype_ref nested = in_file(ranks::make_contiguous(2, *ranks::make_vector(2, 1, 3, number)));
  CHECK(nested->extent() == 8 * each);
  const ranks::datatype_ref resized = in_file(ranks::make_resized(number, 0, 64));
  CHECK(resized->extent() == 64);
}
