// Whether items read what other items write, and whether range, mapper and array have the axes for one another: as
// values.
#include <doctest/doctest.h>

#include "geometry/axes_fit.hpp"
#include "geometry/use_conflict.hpp"

namespace stretto::geometry {
namespace {

template <class M>
used_elements by(const M& mapper, const box& elements, const box& range) {
  return [mapper, elements, range](const box& part, box_list& out) {
    out.push_back(detail::call_mapper(mapper, part, elements, range));
  };
}

template <class R, class W>
std::optional<use_conflict> conflict_of(const divisible_range& range, const box& elements, const R& reads,
                                        const W& writes) {
  const used_elements written = by(writes, elements, range.items);
  return find_use_conflict(range, 256, by(reads, elements, range.items), &written);
}

const box line(0, 12), square({0, 0}, {8, 8});

template <class M>
bool fits(const box& range, int known, const box& elements, int axes, const M& mapper) {
  return !find_axes_fault(range, known, elements, axes, detail::form_of(mapper));
}

}  // namespace

TEST_CASE("items that read their neighbours conflict with those that write their own elements") {
  const auto c = conflict_of({line}, line, neighborhood(1), one_to_one);
  REQUIRE(c);
  CHECK(!c->readers.meets(c->writers));
  CHECK(c->where == intersection(c->read, c->written));
  CHECK(!c->where.is_empty());
  CHECK(conflict_of({line}, line, neighborhood(1), neighborhood(1)));
  CHECK(conflict_of({line}, line, all, one_to_one));
  CHECK(conflict_of({line}, line, fixed(box(3, 4)), one_to_one));
  CHECK(conflict_of({square}, square, transposed, one_to_one));
  CHECK(conflict_of({square}, square, neighborhood(0, 1), one_to_one));
  CHECK(conflict_of({square}, square, slice(1), one_to_one));  // several items of each row
  CHECK(conflict_of(
      {line}, line, [](const box& part, const box& all) { return intersection(part.shifted({11}), all); }, one_to_one));
  CHECK(conflict_of(
      {line}, line,
      [](const box& part, const box& all) { return box(all.max()[0] - part.max()[0], all.max()[0] - part.min()[0]); },
      one_to_one));
}

TEST_CASE("items that read what they alone write do not conflict") {
  CHECK(!conflict_of({line}, line, one_to_one, one_to_one));
  CHECK(!conflict_of({square}, square, one_to_one, one_to_one));
  CHECK(!conflict_of({box(0, 8)}, square, slice(1), slice(1)));                                // an item for each row
  CHECK(!conflict_of({box(3, 4)}, line, all, one_to_one));                                     // one item
  CHECK(!conflict_of({box({5, 0}, {6, 8})}, square, fixed(box({0, 0}, {5, 8})), one_to_one));  // rows above
  CHECK(!conflict_of({box()}, line, all, all));
  CHECK(!conflict_of(
      {box(0, 6)}, line, [](const box& part, const box& all) { return intersection(part.shifted({6}), all); },
      one_to_one));
}

TEST_CASE("only cuts that the grain and the axes allow count") {
  const auto half = [](const box& part) { return box(part.min()[0] / 2, (part.max()[0] + 1) / 2); };
  CHECK(conflict_of({line}, line, half, half));
  CHECK(!conflict_of({line, {2}}, line, half, half));
  CHECK(conflict_of({line, {3}}, line, half, half));
  CHECK(!conflict_of({line, {12}}, line, neighborhood(1), one_to_one));
  CHECK(conflict_of({line, {11}}, line, neighborhood(1), one_to_one));
  CHECK(!conflict_of({square, unit, {true, false, false}}, square, slice(1), one_to_one));
  CHECK(conflict_of({square, unit, {true, true, false}}, square, slice(1), one_to_one));
}

TEST_CASE("a conflict of a few items alone is found, too") {
  const auto odd = [](const box& part, const box& all) {  // item 5 reads element 6
    return part.contains(point(5)) ? intersection(hull(part, box(6, 7)), all) : part;
  };
  const auto c = conflict_of({line}, line, odd, one_to_one);
  REQUIRE(c);
  CHECK(c->readers.contains(point(5)));
  CHECK(c->where == box(6, 7));
}

TEST_CASE("of what one argument reads and writes, first cuts find what repeats along the range, along each axis") {
  const auto found = [](const box& range, const box& elements, const auto& mapper) {
    return find_use_conflict({range}, first_cuts, by(mapper, elements, range)).has_value();
  };
  CHECK(found(line, line, neighborhood(1)));
  CHECK(found(square, square, neighborhood(0, 1)));
  CHECK(found(square, square, slice(1)));
  CHECK(found(square, square, slice(0)));
  CHECK(!found(square, square, one_to_one));
  CHECK(!found(box(0, 8), square, slice(1)));
  CHECK(!found(box(3, 4), line, all));
}

TEST_CASE("a range fits an array of as many axes, or where the rest is named whole") {
  const box whole({0, 0}, {8, 4});
  CHECK(fits(whole, 0, whole, 2, one_to_one));
  CHECK(!fits(box(0, 8), 0, whole, 2, one_to_one));
  CHECK(!fits(box(0, 8), 1, whole, 2, neighborhood(1)));
  CHECK(fits(box(0, 8), 1, whole, 2, neighborhood(1, 3)));
  CHECK(fits(box(0, 8), 2, whole, 2, one_to_one));  // column 0, by items that ask for their column
  CHECK(fits(box(0, 8), 0, whole, 2, slice(1)));
  CHECK(!fits(box(0, 8), 0, whole, 2, slice(0)));
  CHECK(fits(box(0, 8), 0, whole, 2, all));
  CHECK(!fits(whole, 2, box(0, 8), 1, one_to_one));
  CHECK(!fits(whole, 2, box(0, 8), 1, neighborhood(1)));
  CHECK(fits(whole, 2, box(0, 4), 1, slice(0)));
  CHECK(!fits(whole, 2, box(0, 4), 1, slice(1)));
  CHECK(!fits(whole, 2, box(0, 4), 1, slice(-1)));
  CHECK(fits(whole, 2, whole, 2, transposed));
  CHECK(!fits(box(0, 8), 1, whole, 2, transposed));
  CHECK(fits(box(0, 8), 1, box({0, 0}, {8, 1}), 2, one_to_one));
  CHECK(!fits(box(0, 8), 1, box({0, 5}, {8, 6}), 2, one_to_one));
  CHECK(fits(box(), 1, whole, 2, one_to_one));
  CHECK(fits(box({0, 0, 0}, {2, 2, 2}), 3, box({0, 0, 0}, {2, 2, 2}), 3, transposed_by(2, 0, 1)));
}

}  // namespace stretto::geometry
