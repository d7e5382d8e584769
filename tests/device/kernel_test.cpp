// Kernels on the host, and the text that is made of them for devices.
#include <stretto/error.hpp>
#include <stretto/kernel.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <string>
#include <thread>

#include "device/arrays.hpp"
#include "device/host_work.hpp"
#include "device/kernel_signature.hpp"
#include "device/kernel_text.hpp"
#include "device/kernel_tokens.hpp"
#include "device/kernels_for_tests.hpp"
#include "thrown_by.hpp"

namespace stretto {
namespace {

using device::array;
using device::index_checks;
using device::launch_argument;
using device::launch_range;
using test::error_of;

launch_range over(std::vector<std::int64_t> min, std::vector<std::int64_t> max, std::vector<std::int64_t> group = {}) {
  launch_range r;
  r.dimensions = static_cast<int>(min.size());
  for (std::size_t a = 0; a < min.size(); ++a) {
    r.min[a] = min[a];
    r.max[a] = max[a];
    if (!group.empty()) r.group[a] = group[a];
  }
  return r;
}

void run(const kernel_code& code, const launch_range& r, std::vector<kernel_argument> a,
         index_checks check = index_checks::off) {
  std::vector<launch_argument> given;
  for (kernel_argument& one : a) given.push_back({one});
  device::group_memory memory;
  device::host_arguments(code, given).run(r, r.min, r.max, check, memory);
}

TEST_CASE("a kernel computes every item of its range and none beside it") {
  for (const index_checks check : {index_checks::off, index_checks::on}) {
    array<int> x({3, 4, 5}, -1);
    run(numbered.code(), over({1, 0, 2}, {3, 3, 5}), {x.here()}, check);
    std::size_t n = 0;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 4; ++j)
        for (int k = 0; k < 5; ++k) {
          const bool inside = i >= 1 && j < 3 && k >= 2;
          CHECK(x.values[n++] == (inside ? i * 10000 + j * 100 + k : -1));
        }
  }
}

TEST_CASE("an array may begin anywhere") {
  array<int> x({4}, 7, {-1'000'000'000'000});
  run(add_one.code(), over({-1'000'000'000'000}, {-999'999'999'998}), {x.here()}, index_checks::on);
  CHECK(x.values == std::vector<int>{8, 8, 7, 7});
}

TEST_CASE("rows that are not dense are read all the same") {
  array<int> x({6}, 0);
  kernel_argument every_other = x.here();
  every_other.stride[0] = 2;
  every_other.max[0] = 3;
  run(add_one.code(), over({0}, {3}), {every_other});
  CHECK(x.values == std::vector<int>{1, 0, 1, 0, 1, 0});
}

TEST_CASE("a checked kernel names kernel, item, array, index and extent") {
  array<float> u({4, 4}), v({4, 4});
  float c = 1;
  const auto run_it = [&] {
    run(jacobi.code(), over({1, 1}, {3, 4}), {u.here(), v.here(), device::value(c)}, index_checks::on);
  };
  const error e = error_of(run_it);
  CHECK(e.code() == "K01");
  CHECK(e.sentence() == "kernel \"jacobi\" accesses an element outside of array \"u\"");
  CHECK(e.facts()[1] == std::pair<std::string, std::string>("item", "(1, 3)"));
  CHECK(e.facts()[2] == std::pair<std::string, std::string>("index", "(1, 4)"));
  CHECK(e.facts()[3] == std::pair<std::string, std::string>("array", "[0, 4) x [0, 4)"));
}

STRETTO_GROUP_KERNEL(goes_beyond, (in<float> x, out<float> y, local<float> kept), {
  each_item([&](item it) { kept(it.local_id(0)) = x(it.global_id(0)); });
  each_item([&](item it) { y(it.global_id(0)) = kept(it.local_id(0) + 1); });
})
STRETTO_GROUP_KERNEL(goes_beyond_between_regions, (out<float, 2> y), {
  each_item([&](item it) { y(it.global_id(0), it.global_id(1)) = 0; });
  y(group_id(0), 100) = 1;
})

TEST_CASE("a checked group kernel names its group, and the item in it if one was at it") {
  array<float> x({32}), y({32}), z({8, 8});
  const error e = error_of([&] {
    run(goes_beyond.code(), over({1}, {2}, {16}), {x.here(), y.here(), device::local_elements(16)}, index_checks::on);
  });
  CHECK(e.code() == "K01");
  CHECK(e.sentence() == "kernel \"goes_beyond\" accesses an element outside of array \"kept\"");
  CHECK(e.facts()[1] == std::pair<std::string, std::string>("group", "(1)"));
  CHECK(e.facts()[2] == std::pair<std::string, std::string>("item", "(15) of the group, (31) of all"));
  CHECK(e.facts()[3] == std::pair<std::string, std::string>("index", "(16)"));
  const error between = error_of(
      [&] { run(goes_beyond_between_regions.code(), over({1, 0}, {2, 1}, {4, 8}), {z.here()}, index_checks::on); });
  CHECK(between.facts()[1] == std::pair<std::string, std::string>("group", "(1, 0)"));
  CHECK(between.facts()[2] == std::pair<std::string, std::string>("index", "(1, 100)"));
  const error inside = error_of(
      [&] { run(goes_beyond_between_regions.code(), over({0, 1}, {1, 2}, {4, 8}), {z.here()}, index_checks::on); });
  CHECK(inside.facts()[2] == std::pair<std::string, std::string>("item", "(0, 0) of the group, (0, 8) of all"));
}

TEST_CASE("regions of a group see what the regions before them wrote") {
  for (const index_checks check : {index_checks::off, index_checks::on}) {
    array<float> x({64}), sums({4});
    std::iota(x.values.begin(), x.values.end(), 1.0f);
    run(sum_of_group.code(), over({0}, {4}, {16}), {x.here(), sums.here(), device::local_elements(16)}, check);
    for (int g = 0; g < 4; ++g)
      CHECK(sums.values[static_cast<std::size_t>(g)] == 16.0f * (16 * g + 1 + 16 * g + 16) / 2);
  }
}

TEST_CASE("a product by tiles is the product") {
  constexpr int n = 16;
  array<double> a({n, n}), b({n, n}), c({n, n});
  for (std::size_t i = 0; i < n * n; ++i)
    a.values[i] = static_cast<double>(i % 7), b.values[i] = static_cast<double>(i % 5);
  int size = n;
  run(tiled_product.code(), over({0, 0}, {2, 2}, {8, 8}), {a.here(), b.here(), c.here(), device::value(size)});
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < n; ++k) sum += a.values[i * n + k] * b.values[k * n + j];
      CHECK(c.values[i * n + j] == sum);
    }
}

STRETTO_GROUP_KERNEL(much_kept, (inout<double> x), {
  auto kept = local_array<double, 65536>();
  each_item([&](item it) { kept(it.local_id(0)) = x(it.global_id(0)); });
})
STRETTO_GROUP_KERNEL(kept_by_item, (inout<double> x), {
  auto a = per_item<double>();
  auto b = per_item<double>();
  each_item([&](item it) { a(it) = x(it.global_id(0)), b(it) = 1; });
  each_item([&](item it) { x(it.global_id(0)) = 2 * a(it) + b(it); });
})

TEST_CASE("a group that declares more memory than there is says so") {
  array<double> x({64});
  CHECK(error_of([&] { run(much_kept.code(), over({0}, {1}, {64}), {x.here()}); }).code() == "K02");
}

TEST_CASE("on the host groups of any size have room for a value of each item") {
  constexpr std::int64_t n = 1 << 17;
  array<double> x({n});
  for (std::int64_t i = 0; i < n; ++i) x.values[static_cast<std::size_t>(i)] = static_cast<double>(i);
  run(kept_by_item.code(), over({0}, {1}, {n}), {x.here()});
  int wrong = 0;
  for (std::int64_t i = 0; i < n; ++i)
    wrong += x.values[static_cast<std::size_t>(i)] != 2.0 * static_cast<double>(i) + 1;
  CHECK(wrong == 0);
}

TEST_CASE("the modes of parameters are those of their types") {
  const auto& p = tally.code().parameters;
  REQUIRE(p.size() == 5);
  CHECK(p[0].mode == access::in);
  CHECK(p[1].mode == access::inout);
  CHECK(p[4].element_bytes == 8);
  CHECK(jacobi.code().parameters[1].mode == access::out);
  CHECK(jacobi.code().parameters[1].dimensions == 2);
  CHECK(jacobi.code().parameters[2].mode == access::value);
  CHECK(sum_of_group.code().parameters[2].mode == access::local);
  CHECK(kick.code().parameters[2].kind == element_kind::structure);
}

TEST_CASE("text is cut into tokens and lines are kept") {
  const device::tokens all = device::tokens_of("a+=b->c; // no\n/* nor\nthis */ 1'000.5e-3f<<\"x\\\"y\"", 10);
  std::vector<std::string> spelled;
  for (const device::token& t : all) spelled.push_back(t.spelling);
  CHECK(spelled == std::vector<std::string>{"a", "+=", "b", "->", "c", ";", "1'000.5e-3f", "<<", "\"x\\\"y\""});
  CHECK(all[0].line == 10);
  CHECK(all[6].line == 12);
}

TEST_CASE("parameters are read from their text") {
  const auto p =
      device::parameters_of(device::tokens_of("(stretto::in<std::int32_t, 2> u, out<float> v, const float c)"));
  REQUIRE(p.size() == 3);
  CHECK(p[0].name == "u");
  CHECK(p[0].mode == access::in);
  CHECK(p[0].dimensions == 2);
  CHECK(p[0].type.front().spelling == "int32_t");
  CHECK(p[1].dimensions == 1);
  CHECK(p[2].mode == access::value);
  CHECK(p[2].type.front().spelling == "float");
}

TEST_CASE("a parameter that is contributed to names its operator and its elements") {
  const auto p =
      device::parameters_of(device::tokens_of("(reduce<stretto::sum<std::int64_t>> h, reduce< maximum<float> , 2 > m, "
                                              "reduce<mine> n)"));
  REQUIRE(p.size() == 3);
  CHECK(p[0].mode == access::reduce);
  CHECK(p[0].fold == fold_operator::sum);
  CHECK(p[0].type.front().spelling == "int64_t");
  CHECK(p[0].dimensions == 1);
  CHECK(p[1].fold == fold_operator::maximum);
  CHECK(p[1].type.front().spelling == "float");
  CHECK(p[1].dimensions == 2);
  CHECK(p[2].fold == fold_operator::none);
  const auto& of = histogram.code().parameters;
  CHECK(of[2].mode == access::reduce);
  CHECK(of[2].fold == fold_operator::sum);
  CHECK(of[2].kind == element_kind::floating);
  CHECK(of[2].dimensions == 2);
  CHECK(of[0].fold == fold_operator::none);
}

TEST_CASE("the text for devices defines the atomics that a kernel uses, and no others") {
  const std::string text = device::text_for(histogram.code(), device::dialect::opencl).source;
  CHECK(text.find("int32_t stretto_atomic_add_int32_t_global(") != std::string::npos);
  CHECK(text.find("float stretto_atomic_add_float_global(") != std::string::npos);
  CHECK(text.find("stretto_atomic_add_int32_t_local") == std::string::npos);
  CHECK(text.find("stretto_atomic_min") == std::string::npos);
  CHECK_FALSE(device::text_for(histogram.code(), device::dialect::opencl).needs_atomics_64);
  CHECK(device::text_for(folds_of_64_bits.code(), device::dialect::cuda).needs_atomics_64);
  CHECK(device::text_for(jacobi.code(), device::dialect::opencl).source.find("stretto_atomic") == std::string::npos);
}

using votes_of_all = sum<int>;
STRETTO_KERNEL(contributes_by_another_name, (reduce<votes_of_all> h), { h(0) << 1; })
STRETTO_KERNEL(contributes_nothing, (reduce<sum<int>> h), { h(0); })

TEST_CASE("a reduction whose operator has another name, or that is not contributed to, is refused for devices") {
  const error named = error_of([] { device::text_for(contributes_by_another_name.code(), device::dialect::opencl); });
  CHECK(named.code() == "K10");
  CHECK(named.why() == "\"h\" does not name its operator");
  const error read = error_of([] { device::text_for(contributes_nothing.code(), device::dialect::cuda); });
  CHECK(read.code() == "K10");
  CHECK(read.what_to_try() == "write h(i) << x;");
}

TEST_CASE("threads of the host contribute to the same elements") {
  for (const index_checks check : {index_checks::off, index_checks::on}) {
    constexpr int threads = 4, each = 5000;
    array<int> x({each}), count({8}, 0);
    array<float> table({3, 8}, 0.0f);
    for (std::size_t i = 0; i < each; ++i) x.values[i] = static_cast<int>(i % 200);
    std::vector<std::jthread> all;
    for (int t = 0; t < threads; ++t)
      all.emplace_back(
          [&] { run(histogram.code(), over({0}, {each}), {x.here(), count.here(), table.here()}, check); });
    all.clear();
    int expected = 0;
    for (const int v : x.values) expected += v > 100 ? 2 : 1;
    CHECK(std::accumulate(count.values.begin(), count.values.end(), 0) == threads * expected);
  }
  array<int> x({4}, 90), count({8});
  array<float> table({3, 3});
  CHECK(error_of([&] {
          run(histogram.code(), over({0}, {4}), {x.here(), count.here(), table.here()}, index_checks::on);
        }).code() == "K01");
}

/// The lines of the file that a device compiler would be told of, for text with `word` in it.
unsigned line_told(const std::string& source, const std::string& word) {
  unsigned line = 0;
  std::size_t at = 0;
  while (at < source.size()) {
    const std::size_t end = std::min(source.find('\n', at), source.size());
    const std::string one = source.substr(at, end - at);
    at = end + 1;
    if (one.starts_with("#line ")) {
      line = static_cast<unsigned>(std::stoul(one.substr(6)));
      continue;
    }
    if (line && one.find(word) != std::string::npos && one[0] != '#') return line;
    ++line;
  }
  return 0;
}

unsigned line_written(const std::string& word) {
  std::ifstream in(STRETTO_SOURCE_DIR "/tests/device/kernels_for_tests.hpp");
  std::string one;
  for (unsigned n = 1; std::getline(in, one); ++n)
    if (one.find(word) != std::string::npos) return n;
  return 0;
}

TEST_CASE("the text for devices names the user's lines") {
  for (const device::dialect d : {device::dialect::opencl, device::dialect::cuda}) {
    const device::kernel_text t = device::text_for(jacobi.code(), d);
    CHECK(t.has_lines);
    CHECK(t.entry == "stretto_kernel_jacobi");
    CHECK_FALSE(t.needs_double);
    CHECK(line_told(t.source, "- 4 * stretto_at_u") == line_written("- 4 * u(i, j)"));
    CHECK(line_told(t.source, "laplace ( stretto_data_u") == line_written("laplace(u, i, j);"));
    CHECK(t.source.find("in <") == std::string::npos);
  }
}

TEST_CASE("the text for devices holds what a kernel uses and nothing else") {
  const std::string kicks = device::text_for(kick.code(), device::dialect::opencl).source;
  CHECK(kicks.find("typedef struct") != std::string::npos);
  CHECK(kicks.find("} particle;") != std::string::npos);
  CHECK(kicks.find("half_of_one =") != std::string::npos);
  CHECK(kicks.find("laplace") == std::string::npos);
  CHECK(device::text_for(tally.code(), device::dialect::opencl).needs_atomics_64);
  CHECK(device::text_for(mathematics.code(), device::dialect::cuda).needs_double);
}

STRETTO_GROUP_KERNEL(words_of_devices, (in<int> global, inout<int> kernel, int half, local<int> constant), {
  auto barrier = per_item<int>();
  auto dot = local_array<int, 4>();
  int step = half;
  each_item([&](item uint) {
    barrier(uint) = global(uint.global_id(0)) + step;
    dot(uint.local_id(0)) = barrier(uint);
    constant(uint.local_id(0)) = dot(uint.local_id(0));
  });
  each_item([&](item uint) { kernel(uint.global_id(0)) = constant(uint.local_id(0)); });
})

TEST_CASE("words that are a device's own may be names in a body") {
  const std::string text = device::text_for(words_of_devices.code(), device::dialect::opencl).source;
  CHECK(text.find("int stretto_half") != std::string::npos);
  CHECK(text.find("int stretto_step = stretto_half ;") != std::string::npos);
  CHECK(text.find("int stretto_barrier = {") != std::string::npos);
  CHECK(text.find("STRETTO_LOCAL int stretto_dot [") != std::string::npos);
}

STRETTO_KERNEL(points_at, (inout<int> x), {
  int i = global_id(0);
  int* p = &x(i);
  atomic_add(p, 1);
})

TEST_CASE("an atomic on anything but an element is refused, with the line") {
  const error e = error_of([] { device::text_for(points_at.code(), device::dialect::opencl); });
  CHECK(e.code() == "K10");
  CHECK(e.what_to_try() == "write atomic_add(&v(i), x)");
}

STRETTO_GROUP_KERNEL(local_in_a_loop, (inout<float> x), {
  for (int i = 0; i < 2; ++i) {
    auto kept = local_array<float, 16>();
    each_item([&](item it) { kept(it.local_id(0)) = x(it.global_id(0)); });
  }
})

TEST_CASE("memory of a group that is declared within a block is refused for devices") {
  for (const device::dialect d : {device::dialect::opencl, device::dialect::cuda}) {
    const error e = error_of([&] { device::text_for(local_in_a_loop.code(), d); });
    CHECK(e.code() == "K10");
    CHECK(e.why() == "\"kept\" is declared within a block, and memory of a group lasts as long as the group");
  }
}

}  // namespace
}  // namespace stretto
