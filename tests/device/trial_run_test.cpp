// Trial runs: races between items and groups, and elements that are read without a value, with the names of the kernel.
#include "device/trial_run.hpp"

#include <stretto/error.hpp>
#include <stretto/kernel.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include "device/arrays.hpp"
#include "device/kernels_for_tests.hpp"
#include "device/unwritten_elements.hpp"
#include "thrown_by.hpp"

namespace stretto {
namespace {

using device::array;
using device::launch_range;
using device::local_elements;
using test::error_of;
using test::thrown_by;

launch_range over_items(std::int64_t min, std::int64_t max) {
  launch_range r;
  r.min[0] = min, r.max[0] = max;
  return r;
}
launch_range over_groups(std::int64_t min, std::int64_t max, std::int64_t items) {
  launch_range r = over_items(min, max);
  r.group[0] = items;
  return r;
}
launch_range over_plane(std::int64_t rows, std::int64_t columns) {
  launch_range r;
  r.dimensions = 2;
  r.max[0] = rows, r.max[1] = columns;
  return r;
}

void try_out(const kernel_code& code, const launch_range& r, std::vector<kernel_argument> a) {
  device::group_memory memory;
  device::run_trial(code, a, r, memory, nullptr);
}
template <class Kernel>
error found_in(const Kernel& k, const launch_range& r, std::vector<kernel_argument> a) {
  return error_of([&] { try_out(k.code(), r, std::move(a)); });
}
/// The facts of one name, one behind the other.
std::string facts(const error& e, const std::string& name) {
  std::string all;
  for (const auto& [fact, value] : e.facts())
    if (fact == name) all += (all.empty() ? "" : " | ") + value;
  return all;
}
const std::string nothing = "nothing was thrown";

// --- races between the items of a launch

STRETTO_KERNEL(takes_of_the_next, (inout<int> x), { x(global_id(0)) = x(global_id(0) + 1) + 1; })
STRETTO_KERNEL(shares_a_half, (out<int> x), { x(global_id(0) / 2) = 5; })
STRETTO_KERNEL(writes_its_own, (in<int> u, inout<int> x, out<std::uint8_t> flag, out<double, 2> table), {
  int i = global_id(0);
  x(i) = u(i) + u(i + 1);
  x(i) += 1;
  flag(i) = x(i) % 2;
  for (int k = 0; k < 3; ++k) table(k, i) = x(i) * k;
})
STRETTO_KERNEL(transposes_in_place, (inout<int, 2> a), {
  int i = global_id(0), j = global_id(1);
  a(i, j) = a(j, i);
})
STRETTO_KERNEL(only_reads, (inout<int> x, out<int> y), { y(global_id(0)) = x(0); })
STRETTO_KERNEL(counts_all, (in<int> x, reduce<sum<int>> counts), { counts(x(global_id(0)) % 2) << 1; })

TEST_CASE("items of a plain kernel that use what another one writes are named, with array and index") {
  array<int> x({9});
  std::iota(x.values.begin(), x.values.end(), 1);
  const std::vector<int> before = x.values;
  const error e = found_in(takes_of_the_next, over_items(2, 8), {x.here()});
  CHECK(e.code() == "K04");
  CHECK(e.sentence() == "two items of kernel \"takes_of_the_next\" use x(3), and one of them writes it");
  CHECK(facts(e, "item") == "(2), uses it | (3), writes it");
  CHECK(x.values == before);  // found out on copies

  const error both = found_in(shares_a_half, over_items(0, 8), {x.here()});
  CHECK(both.sentence() == "two items of kernel \"shares_a_half\" use x(0), and one of them writes it");
  CHECK(facts(both, "item") == "(0), writes it | (1), uses it");

  array<int> plane({3, 3});
  std::iota(plane.values.begin(), plane.values.end(), 1);
  const error turned = found_in(transposes_in_place, over_plane(3, 3), {plane.here()});
  CHECK(turned.sentence() == "two items of kernel \"transposes_in_place\" use a(0, 1), and one of them writes it");
  CHECK(facts(turned, "item") == "(0, 1), writes it | (1, 0), uses it");
}

TEST_CASE("items that write their own elements, read unwritten arrays, or contribute are no race") {
  array<int> u({9}, 3), x({9}, 2);
  array<std::uint8_t> flag({9});
  array<double> table({3, 9});
  CHECK(thrown_by([&] {
          try_out(writes_its_own.code(), over_items(0, 8), {u.here(), x.here(), flag.here(), table.here()});
        }) == nothing);
  CHECK(thrown_by([&] { try_out(only_reads.code(), over_items(0, 8), {x.here(), u.here()}); }) == nothing);
  CHECK(thrown_by([&] { try_out(counts_all.code(), over_items(0, 9), {u.here(), x.here()}); }) == nothing);
  array<float> count({3, 8}, 0.0f);
  CHECK(thrown_by([&] { try_out(histogram.code(), over_items(0, 9), {u.here(), x.here(), count.here()}); }) == nothing);
}

STRETTO_KERNEL(adds_what_it_sees, (in<int> seen, inout<int> x), { x(global_id(0)) += seen(global_id(0) + 1); })

TEST_CASE("an element that a launch has by two names is one") {
  array<int> x({9}, 1);
  const error e = found_in(adds_what_it_sees, over_items(0, 8), {x.here(), x.here()});
  CHECK(e.code() == "K04");
  CHECK(facts(e, "item") == "(0), uses it | (1), writes it");
}

// --- groups

STRETTO_GROUP_KERNEL(turned_in_one_region, (inout<float> x, local<float> kept), {
  each_item([&](item it) {
    kept(it.local_id(0)) = x(it.global_id(0));
    x(it.global_id(0)) = kept((it.local_id(0) + 1) % group_size(0));
  });
})
STRETTO_GROUP_KERNEL(turned_in_two_regions, (inout<float> x, local<float> kept), {
  each_item([&](item it) { kept(it.local_id(0)) = x(it.global_id(0)); });
  each_item([&](item it) { x(it.global_id(0)) = kept((it.local_id(0) + 1) % group_size(0)); });
})
STRETTO_GROUP_KERNEL(adds_its_neighbour, (inout<float> x, in<float> same), {
  auto next = per_item<float>();
  each_item([&](item it) { next(it) = same(it.global_id(0) + 1) - 1; });
  each_item([&](item it) { x(it.global_id(0)) += next(it) + 16; });
})
STRETTO_GROUP_KERNEL(adds_its_neighbour_at_once, (inout<float> x, in<float> same),
                     { each_item([&](item it) { x(it.global_id(0)) += same(it.global_id(0) + 1); }); })
STRETTO_GROUP_KERNEL(shares_a_cell, (out<float> x), {
  auto cell = local_array<float, 2>();
  each_item([&](item it) { cell(it.local_id(0) / 8) = it.local_id(0); });
  each_item([&](item it) { x(it.global_id(0)) = cell(0) + cell(1); });
})
STRETTO_GROUP_KERNEL(sums_into_one, (in<float> x, inout<float> sum), {
  each_item([&](item it) {
    if (it.local_id(0) == 2) sum(0) += x(it.global_id(0)) + 1;
  });
})
STRETTO_GROUP_KERNEL(writes_between_regions, (inout<float> x, local<float> part), {
  each_item([&](item it) { part(it.local_id(0)) = x(it.global_id(0)) + 1; });
  part(0) = part(1) + part(2);
  each_item([&](item it) { x(it.global_id(0)) = part(0); });
})

TEST_CASE("a region that should be two is found, and one that is right is not") {
  array<float> x({64}), sums({4});
  std::iota(x.values.begin(), x.values.end(), 1.0f);
  const auto before = x.values;
  CHECK(thrown_by([&] {
          try_out(sum_of_group.code(), over_groups(0, 4, 16), {x.here(), sums.here(), local_elements(16)});
        }) == nothing);
  CHECK(thrown_by([&] {
          try_out(turned_in_two_regions.code(), over_groups(1, 3, 16), {x.here(), local_elements(16)});
        }) == nothing);
  CHECK(thrown_by([&] {
          try_out(writes_between_regions.code(), over_groups(0, 4, 16), {x.here(), local_elements(16)});
        }) == nothing);
  CHECK(x.values == before);

  const error e = found_in(turned_in_one_region, over_groups(1, 3, 16), {x.here(), local_elements(16)});
  CHECK(e.code() == "K03");
  CHECK(e.sentence() ==
        "two items of a group of kernel \"turned_in_one_region\" use kept(1) in one region, and one of them writes it");
  CHECK(facts(e, "group") == "(1)");
  CHECK(facts(e, "item") == "(0) of the group, (16) of all, uses it | (1) of the group, (17) of all, writes it");
  const error cell = found_in(shares_a_cell, over_groups(0, 4, 16), {x.here()});
  CHECK(cell.code() == "K03");
  CHECK(cell.sentence().find("use cell(0) in one region") != std::string::npos);

  // By another name for the same elements, of which only some are the launch's; and from an array that begins within
  // another.
  kernel_argument part = x.here();
  part.min[0] = 16, part.max[0] = 40;
  CHECK(thrown_by([&] { try_out(adds_its_neighbour.code(), over_groups(1, 2, 16), {part, x.here()}); }) == nothing);
  const error aliased = found_in(adds_its_neighbour_at_once, over_groups(1, 2, 16), {part, x.here()});
  CHECK(aliased.code() == "K03");
  CHECK(facts(aliased, "item") == "(0) of the group, (16) of all, uses it | (1) of the group, (17) of all, writes it");
  CHECK(x.values == before);
}

TEST_CASE("two groups that write one element are found, whatever their regions") {
  array<float> x({64}, 1.0f), sum({1});
  const error e = found_in(sums_into_one, over_groups(0, 4, 16), {x.here(), sum.here()});
  CHECK(e.code() == "K04");
  CHECK(e.sentence() == "two groups of kernel \"sums_into_one\" use sum(0), and one of them writes it");
  CHECK(facts(e, "group") ==
        "(0): item (2) of the group, (2) of all, writes it | (1): item (2) of the group, (18) of all, writes it");
  CHECK(thrown_by([&] { try_out(sums_into_one.code(), over_groups(0, 1, 16), {x.here(), sum.here()}); }) == nothing);
}

STRETTO_DEVICE_FUNCTION(int, takes_a_number, (inout<int> next), { return atomic_add(&next(0), 1); })
STRETTO_DEVICE_FUNCTION(int, takes_two_numbers, (inout<int> next),
                        { return takes_a_number(next) + takes_a_number(next); })
STRETTO_GROUP_KERNEL(numbers_taken, (inout<int> next, out<int> x),
                     { each_item([&](item it) { x(it.global_id(0)) = takes_two_numbers(next); }); })

TEST_CASE("accesses that atomics order are no race, also in functions of a kernel") {
  array<int> next({1}), x({64});
  CHECK(thrown_by([&] { try_out(numbers_taken.code(), over_groups(0, 4, 16), {next.here(), x.here()}); }) == nothing);
}

// --- elements without a value

STRETTO_GROUP_KERNEL(reads_raw_memory, (out<int> y, local<int> t), {
  auto a = per_item<int>();
  auto b = local_array<int, 4, 8>();
  each_item([&](item it) {
    int l = it.local_id(0);
    if (l != 3) t(l) = 1;
    b(l / 8, l % 8) = 2;
  });
  each_item([&](item it) { y(it.global_id(0)) = t(it.local_id(0)) + a(it) + b(0, it.local_id(0) % 8); });
})
STRETTO_GROUP_KERNEL(reads_a_raw_tile, (inout<float> y), {
  auto tile = local_array<float, 4, 8>();
  each_item([&](item it) {
    if (it.local_id(0) != 9) tile(it.local_id(0) / 8, it.local_id(0) % 8) = y(it.global_id(0));
  });
  each_item([&](item it) { y(it.global_id(0)) = tile(it.local_id(0) / 8, (it.local_id(0) + 1) % 8); });
})
STRETTO_GROUP_KERNEL(loads_a_raw_halo, (inout<float> y), {
  auto tile = local_array<float, 34>();
  each_item([&](item it) { tile(it.local_id(0)) = y(it.global_id(0)); });
  auto kept = per_item<float>();
  each_item([&](item it) {
    float right = tile(it.local_id(0) + 1);
    kept(it) = it.local_id(0) == 31 ? 0 : right;
  });
  each_item([&](item it) { y(it.global_id(0)) = kept(it); });
})
STRETTO_DEVICE_STRUCT(spot, {
  char kind;
  float height;
  double speed;
})
STRETTO_KERNEL(writes_a_field, (out<spot> s), { s(global_id(0)).height = 3; })
STRETTO_KERNEL(copies_a_spot, (out<spot> s), {
  spot made;
  made.kind = 1;
  made.height = 2;
  made.speed = 3;
  s(global_id(0)) = made;
})
STRETTO_KERNEL(adds_to_out, (out<float> y), { y(global_id(0)) += 1; })
STRETTO_KERNEL(reads_the_last, (in<int> u, out<int> y), {
  int i = global_id(0);
  y(i) = u(i);
  if (i == 2) y(i) = y(i) + y(i + 4);
})
STRETTO_KERNEL(goes_by_a_flag, (out<std::uint8_t> flag, out<int> y), { y(global_id(0)) = flag(global_id(0)) ? 3 : 4; })
STRETTO_KERNEL(writes_some, (out<int> y), {
  if (global_id(0) % 3) y(global_id(0)) = 0;
})

TEST_CASE("memory of a group that is read without a value is named, and is no race") {
  array<int> y({64}, -1);
  const error e = found_in(reads_raw_memory, over_groups(0, 2, 32), {y.here(), local_elements(32)});
  CHECK(e.code() == "K05");
  CHECK(e.sentence() == "a group of kernel \"reads_raw_memory\" reads t(3), which none of its items has written");
  CHECK(facts(e, "group") == "(0)");
  CHECK(facts(e, "item") == "(3) of the group, (3) of all");
  array<float> z({64}, 1.0f);
  const error tile = found_in(reads_a_raw_tile, over_groups(1, 2, 32), {z.here()});
  CHECK(tile.code() == "K05");
  CHECK(tile.sentence() ==
        "a group of kernel \"reads_a_raw_tile\" reads tile(1, 1), which none of its items has written");
  CHECK(facts(tile, "item") == "(8) of the group, (40) of all");
  CHECK(thrown_by([&] { try_out(loads_a_raw_halo.code(), over_groups(0, 2, 32), {z.here()}); }) ==
        nothing);  // nothing comes of it
}

TEST_CASE("an element of an out argument that is read before it is written is named") {
  array<float> y({8}, 5.0f);
  const error e = found_in(adds_to_out, over_items(3, 8), {y.here()});
  CHECK(e.code() == "K06");
  CHECK(e.sentence() == "kernel \"adds_to_out\" reads y(3) of an out argument, which it has not written");
  CHECK(facts(e, "item") == "(3)");
  array<int> u({8}, 1), z({8}, 2);
  CHECK(found_in(reads_the_last, over_items(0, 6), {u.here(), z.here()}).sentence() ==
        "kernel \"reads_the_last\" reads y(6) of an out argument, which it has not written");
  const error later = found_in(reads_the_last, over_items(0, 8), {u.here(), z.here()});  // item 6 writes it
  CHECK(later.code() == "K04");
  CHECK(facts(later, "item") == "(2), uses it | (6), writes it");
  array<std::uint8_t> flag({8});
  CHECK(found_in(goes_by_a_flag, over_items(0, 8), {flag.here(), z.here()}).sentence().find("reads flag(0)") !=
        std::string::npos);
}

TEST_CASE("elements, or fields of them, that a kernel leaves as they are count as unread") {
  array<int> y({9}, 4);
  array<spot> s({9});
  CHECK(thrown_by([&] { try_out(writes_some.code(), over_items(0, 9), {y.here()}); }) == nothing);
  CHECK(thrown_by([&] { try_out(writes_a_field.code(), over_items(0, 9), {s.here()}); }) == nothing);
  CHECK(thrown_by([&] { try_out(copies_a_spot.code(), over_items(0, 9), {s.here()}); }) == nothing);
}

STRETTO_KERNEL(writes_no_row, (out<double, 2> t), {
  if (global_id(0) > 0) t(0, 0) = 1;
})
STRETTO_KERNEL(writes_no_short, (out<std::uint16_t> t), {
  if (global_id(0) > 0) t(0) = 1;
})
STRETTO_KERNEL(copies_ints, (in<int> u, out<int> y), { y(global_id(0)) = u(global_id(0)); })
STRETTO_KERNEL(copies_every_third_but_one, (in<int> u, out<int> y), {
  int i = global_id(0);
  int value = u(i);
  y(i) = i % 3 ? value : 0;
})
STRETTO_KERNEL(adds_one, (inout<int> u), { u(global_id(0)) += 1; })
STRETTO_KERNEL(sets_all, (inout<int> u), { u(global_id(0)) = 8; })

TEST_CASE("elements of an out argument that a launch did not write have no value for later launches") {
  array<int> y({9}, 4), z({9});
  kernel_argument all = y.here();
  all.is_overwritten = true;
  const std::source_location where = std::source_location::current();
  device::group_memory memory;
  device::run_trial(writes_some.code(), std::array{all}, over_items(1, 9), memory, &where);
  for (int i = 0; i < 9; ++i) {
    CHECK(device::is_unwritten(reinterpret_cast<const std::byte*>(&y.values[static_cast<std::size_t>(i)]),
                               sizeof(int)) == (i % 3 == 0));
    if (i % 3) CHECK(y.values[static_cast<std::size_t>(i)] == 4);  // the trial run writes nothing there
  }
  const error read = found_in(copies_ints, over_items(1, 9), {y.here(), z.here()});
  CHECK(read.code() == "K07");
  CHECK(read.sentence() == "kernel \"copies_ints\" reads u(3), which has no value");
  CHECK(facts(read, "item") == "(3)");
  CHECK(facts(read, "left by").find("kernel \"writes_some\", launched at ") == 0);
  CHECK(facts(read, "left by").find("trial_run_test.cpp:") != std::string::npos);
  CHECK(facts(read, "left by").ends_with(", whose out argument is y"));
  CHECK(found_in(adds_one, over_items(0, 9), {y.here()}).sentence() ==
        "kernel \"adds_one\" reads u(0), which has no value");
  CHECK(thrown_by([&] { try_out(copies_every_third_but_one.code(), over_items(0, 9), {y.here(), z.here()}); }) ==
        nothing);
  CHECK(thrown_by([&] { try_out(sets_all.code(), over_items(0, 9), {y.here()}); }) == nothing);
  for (const std::size_t i : {0u, 3u, 6u}) y.values[i] = 1;  // whoever that was
  CHECK(thrown_by([&] { try_out(copies_ints.code(), over_items(0, 9), {y.here(), z.here()}); }) == nothing);
}

TEST_CASE("only elements that a launch may use are marked, and none that another argument reads") {
  array<double> table({4, 6}, 2.0);
  kernel_argument inner = table.here();
  inner.min[0] = 1, inner.max[0] = 3, inner.min[1] = 2, inner.max[1] = 5;
  inner.is_overwritten = true;
  try_out(writes_no_row.code(), over_items(0, 1), {inner});
  for (std::size_t i = 0; i < 24; ++i) {
    const bool is_inner = i / 6 >= 1 && i / 6 < 3 && i % 6 >= 2 && i % 6 < 5;
    CHECK(device::is_unwritten(reinterpret_cast<const std::byte*>(&table.values[i]), sizeof(double)) == is_inner);
  }
  array<int> y({9}, 4);
  kernel_argument all = y.here();
  all.is_overwritten = true;
  try_out(copies_ints.code(), over_items(0, 3), {y.here(), all});
  CHECK(y.values == std::vector<int>(9, 4));
  array<std::uint16_t> small({9}, std::uint16_t{4});
  kernel_argument halves = small.here();
  halves.is_overwritten = true;
  try_out(writes_no_short.code(), over_items(0, 1), {halves});
  CHECK(small.values == std::vector<std::uint16_t>(9, 4));
}

STRETTO_KERNEL(goes_by_an_index, (out<int> at, inout<int> y), { y(at(global_id(0))) = 1; })

TEST_CASE("an index that comes from an element without a value is that element's fault") {
  array<int> at({4}), y({4});
  CHECK(found_in(goes_by_an_index, over_items(1, 4), {at.here(), y.here()}).sentence() ==
        "kernel \"goes_by_an_index\" reads at(1) of an out argument, which it has not written");
}

STRETTO_GROUP_KERNEL(goes_beyond_its_tile, (out<int> y), {
  auto other = local_array<int, 32>();
  auto tile = local_array<int, 4, 8>();
  each_item([&](item it) {
    other(it.local_id(0)) = 1;
    tile(it.local_id(0) / 8, it.local_id(0) % 8 + 1) = 2;
    y(it.global_id(0)) = 0;
  });
})

TEST_CASE("an index outside of a local_array is named with its extent") {
  array<int> y({32});
  const error e = found_in(goes_beyond_its_tile, over_groups(0, 1, 32), {y.here()});
  CHECK(e.code() == "K01");
  CHECK(e.sentence() == "kernel \"goes_beyond_its_tile\" accesses an element outside of array \"tile\"");
  CHECK(facts(e, "item") == "(7) of the group, (7) of all");
  CHECK(facts(e, "index") == "(0, 8)");
  CHECK(facts(e, "array") == "[0, 4) x [0, 8)");
}

STRETTO_KERNEL(writes_nothing, (in<int> x), {
  int v = x(global_id(0));
  (void)v;
})

TEST_CASE("kernels that write no array have no trial run") {
  CHECK(device::has_trial_run(jacobi.code()));
  CHECK(device::has_trial_run(sum_of_group.code()));
  CHECK_FALSE(device::has_trial_run(writes_nothing.code()));
}

}  // namespace
}  // namespace stretto
