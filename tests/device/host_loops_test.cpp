// A kernel's host functions: for any arguments, for those that lie apart, and for wide vectors. All give the same bits.
#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "base/config.hpp"
#include "device/arrays.hpp"
#include "device/host_work.hpp"
#include "device/kernels_for_tests.hpp"

// clang-format off
// Each group turns its tile by half a turn and adds what each item kept.
STRETTO_GROUP_KERNEL(turned, (in<double, 2> a, inout<double, 2> b), {
  auto part = local_array<double, 8, 32>();
  auto kept = per_item<double>();
  each_item([&](item it) {
    int i = it.local_id(0), j = it.local_id(1);
    part(i, j) = a(it.global_id(0), it.global_id(1));
    kept(it) = 0.5 * part(i, j);
  });
  each_item([&](item it) {
    int i = it.global_id(0), j = it.global_id(1);
    b(i, j) = 0.1 * b(i, j) + kept(it) + part(group_size(0) - 1 - it.local_id(0), group_size(1) - 1 - it.local_id(1));
  });
})
STRETTO_KERNEL(halved, (inout<float> x), { x(global_id(0)) *= 0.5f; })
STRETTO_KERNEL(halved_to_zero, (inout<float> x), {
  denormals_are_zero();
  x(global_id(0)) *= 0.5f;
})
// clang-format on

namespace stretto {
namespace {

using device::array;
using device::index_checks;

template <class T>
array<T> drawn(std::vector<std::int64_t> lengths, unsigned seed) {
  array<T> a(std::move(lengths));
  std::mt19937 draw(seed);
  for (T& x : a.values) x = static_cast<T>(draw() % 10007) / static_cast<T>(997);
  return a;
}

/// Runs `f` on copies of the arrays, and returns what it left in the last.
template <class T>
std::vector<T> left_by(kernel_code::host_function f, const kernel_code& code, kernel_work work,
                       std::vector<array<T>> arrays, std::vector<kernel_argument> more = {}) {
  std::vector<kernel_argument> given;
  for (array<T>& a : arrays) given.push_back(a.here());
  given.insert(given.end(), more.begin(), more.end());
  std::vector<std::byte> memory(device::group_scratch_bytes + 64);
  void* first = memory.data();
  std::size_t room = memory.size();
  work.scratch = static_cast<std::byte*>(std::align(64, device::group_scratch_bytes, first, room));
  work.scratch_bytes = device::group_scratch_bytes;
  f(code, work, given.data());
  return arrays.back().values;
}

template <class T>
void same_bits(const kernel_code& code, const kernel_work& work, const std::vector<array<T>>& arrays,
               const std::vector<kernel_argument>& more = {}) {
  const std::vector<T> expected = left_by(code.run, code, work, arrays, more);
  CHECK(expected != arrays.back().values);
  std::vector<kernel_code::host_function> others{code.run_dense};
  if (kernels::has_wide_vectors && base::has_wide_vectors()) others.push_back(code.run_wide);
  for (const auto f : others) {
    const std::vector<T> seen = left_by(f, code, work, arrays, more);
    CHECK(std::memcmp(seen.data(), expected.data(), expected.size() * sizeof(T)) == 0);
  }
}

kernel_work items(std::vector<std::int64_t> min, std::vector<std::int64_t> max, std::vector<std::int64_t> group = {}) {
  kernel_work w;
  w.dimensions = static_cast<int>(min.size());
  for (std::size_t a = 0; a < min.size(); ++a) {
    w.min[a] = w.all_min[a] = min[a];
    w.max[a] = w.all_max[a] = max[a];
    if (!group.empty()) w.group[a] = group[a];
  }
  return w;
}

TEST_CASE("the loops for dense rows and wide vectors compute what those for any arguments do, to the last bit") {
  float c = 0.1f;
  for (const std::int64_t n : {3, 4, 7, 37, 64})
    same_bits<float>(jacobi.code(), items({1, 1}, {n - 1, n - 1}), {drawn<float>({n, n}, 1), drawn<float>({n, n}, 2)},
                     {device::value(c)});
  for (const std::int64_t n : {1, 5, 100})
    same_bits<float>(mixed_mathematics.code(), items({0}, {n}), {drawn<float>({n}, 3), drawn<float>({n, 2}, 4)});
}

TEST_CASE("so do those of groups, of the usual lengths and of others") {
  for (const std::int64_t across : {4, 8, 16, 31, 32})
    same_bits<double>(turned.code(), items({0, 0}, {2, 3}, {8, across}),
                      {drawn<double>({16, 3 * across}, 5), drawn<double>({16, 3 * across}, 6)});
  std::vector<float> memory(64);
  for (const std::int64_t group : {1, 2, 16, 64}) {
    kernel_argument local = device::local_elements(group);
    local.origin = reinterpret_cast<std::byte*>(memory.data());
    same_bits<float>(sum_of_group.code(), items({0}, {5}, {group}),
                     {drawn<float>({5 * group}, 8), drawn<float>({5}, 9)}, {local});
  }
}

TEST_CASE("arguments that share elements one of which is written get the loops for any arguments") {
  array<unsigned> a({8, 8}), b({8, 8});
  int i = 0, j = 0;
  unsigned c = 1;
  const kernel_code& k = mix.code();  // reads one, changes another
  const auto chosen = [&](const kernel_argument& read, const kernel_argument& changed, const kernel_work& work) {
    const kernel_argument given[] = {read, changed, device::value(i), device::value(j), device::value(c)};
    return device::function_for(k, work, given, index_checks::off);
  };
  const kernel_work all = items({0, 0}, {8, 8});
  const auto apart = kernels::has_wide_vectors && base::has_wide_vectors() ? k.run_wide : k.run_dense;
  CHECK((chosen(a.here(), b.here(), all) == apart));
  CHECK((chosen(a.here(), a.here(), all) == k.run));

  kernel_argument upper = a.here(), lower = a.here();  // rows 0 to 3, and 4 to 7
  upper.max[0] = 4, lower.min[0] = 4;
  CHECK((chosen(upper, lower, items({4, 0}, {8, 8})) == apart));
  lower.min[0] = 3;
  CHECK((chosen(upper, lower, items({4, 0}, {8, 8})) == k.run));

  kernel_argument every_other = b.here();
  every_other.stride[1] = 2, every_other.max[1] = 4;
  CHECK((chosen(a.here(), every_other, all) == k.run));
  CHECK((chosen(a.here(), b.here(), items({3'000'000'000, 0}, {3'000'000'001, 8})) == k.run));

  const kernel_argument given[] = {a.here(), b.here(), device::value(i), device::value(j), device::value(c)};
  CHECK((device::function_for(k, all, given, index_checks::on) == k.run_checked));
}

TEST_CASE("a kernel may read and change the same elements by two names") {
  array<unsigned> a({4, 40}, 1);
  int i = 0, j = 0;
  unsigned c = 2;
  std::vector<device::launch_argument> given;
  for (const kernel_argument& g : {a.here(), a.here(), device::value(i), device::value(j), device::value(c)})
    given.push_back({g});
  device::launch_range range;
  range.dimensions = 2;
  range.max[0] = 4, range.max[1] = 40;
  device::group_memory memory;
  device::host_arguments(mix.code(), given).run(range, range.min, range.max, index_checks::off, memory);
  CHECK(a.values == std::vector<unsigned>(160, 1 * 5 + 1 * 3 + 2));
}

TEST_CASE("numbers below the normal range count as zero in a kernel that says so, and in no other") {
  CHECK(halved_to_zero.code().denormals_are_zero);
  CHECK(!halved.code().denormals_are_zero);
  constexpr float least = std::numeric_limits<float>::min();
  array<float> kept({20}, least), lost({20}, least);
  const kernel_argument k = kept.here(), l = lost.here();
  device::run_on_host(halved_to_zero.code(), items({0}, {20}), &l, index_checks::off);
  device::run_on_host(halved.code(), items({0}, {20}), &k, index_checks::off);
  CHECK(kept.values == std::vector<float>(20, least / 2));
  CHECK(lost.values == std::vector<float>(20, 0.0f));
}

}  // namespace
}  // namespace stretto
