// Kernels on bool and short vectors, of templates and in scopes: on the host, as text for devices, and where they are
// at fault.
#include <stretto/error.hpp>
#include <stretto/kernel_template.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "device/arrays.hpp"
#include "device/host_work.hpp"
#include "device/kernel_text.hpp"
#include "device/kernels_of_several_types.hpp"
#include "device/narrow_ids.hpp"
#include "device/portability.hpp"
#include "device/template_text.hpp"
#include "device/trial_run.hpp"
#include "thrown_by.hpp"

namespace stretto::several_types {
namespace {

using device::array;
using device::dialect;
using device::index_checks;
using device::launch_argument;
using device::launch_range;
using test::error_of;

launch_range items(std::int64_t min, std::int64_t max, std::int64_t group = 1) {
  launch_range r;
  r.min[0] = min, r.max[0] = max, r.group[0] = group;
  return r;
}
void compute(const kernel_code& code, const launch_range& r, std::vector<kernel_argument> a,
             index_checks check = index_checks::off) {
  std::vector<launch_argument> given;
  for (kernel_argument& one : a) given.push_back({one});
  device::group_memory memory;
  device::host_arguments(code, given).run(r, r.min, r.max, check, memory);
}
void try_out(const kernel_code& code, const launch_range& r, std::vector<kernel_argument> a) {
  device::group_memory memory;
  device::run_trial(code, a, r, memory, nullptr);
}
bool holds(const std::string& text, std::string_view words) { return text.find(words) != text.npos; }

static_assert(sizeof(float2) == 8 && alignof(float2) == 8 && sizeof(float4) == 16 && alignof(float4) == 16);
static_assert(sizeof(double2) == 16 && alignof(double2) == 16 && sizeof(int2) == 8 && alignof(int2) == 8);
static_assert(sizeof(int4) == 16 && alignof(int4) == 16 && sizeof(uint2) == 8 && sizeof(uint4) == 16 &&
              alignof(uint4) == 16);
static_assert(sizeof(long2) == 16 && alignof(long2) == 16 && sizeof(ulong2) == 16 && alignof(ulong2) == 16);
static_assert(sizeof(test::point_and_flag) == 48);
static_assert(kernels::device_type<float4> && kernels::device_type<bool> && std::is_trivial_v<int2>);

TEST_CASE("vectors have the operators of their components, with numbers too") {
  constexpr float4 a(1, 2, 3, 4), b(4, 2, 1, 0.5f);
  const auto is = [](float4 v, float x, float y, float z, float w) {
    return v.x == x && v.y == y && v.z == z && v.w == w;
  };
  CHECK(is(a + b, 5, 4, 4, 4.5f));
  CHECK(is(a - b, -3, 0, 2, 3.5f));
  CHECK(is(a * b, 4, 4, 3, 2));
  CHECK(is(a / b, 0.25f, 1, 3, 8));
  CHECK(is(2 * a, 2, 4, 6, 8));
  CHECK(is(a / 2.0f, 0.5f, 1, 1.5f, 2));
  CHECK(is(1 - a, 0, -1, -2, -3));
  CHECK(is(-a, -1, -2, -3, -4));
  float4 c = a;
  c += b, c *= 2, c -= 1, c /= float4(1, 7, 7, 8);
  CHECK(is(c, 9, 1, 1, 1));
  constexpr int2 n(7, -7);
  CHECK((n / 2).x == 3);
  CHECK((n / 2).y == -3);
  CHECK((uint2(1, 2) - 2u).x == ~0u);
}

TEST_CASE("a kernel of a template computes with its types and numbers") {
  for (const index_checks check : {index_checks::off, index_checks::on}) {
    array<double> u({20}), v({20});
    array<float4> p({20}), q({20});
    for (std::size_t i = 0; i < 20; ++i) {
      const auto x = static_cast<float>(i);
      u.values[i] = x, p.values[i] = float4(x, 2 * x, 3 * x, 1);
    }
    double first = 10;
    float4 first_of_four(10);
    compute(test::window_sum<double, 2>.code(), items(2, 18), {u.here(), v.here(), device::value(first)}, check);
    compute(test::window_sum<float4, 1>.code(), items(1, 19), {p.here(), q.here(), device::value(first_of_four)},
            check);
    for (std::size_t i = 2; i < 18; ++i) {
      const auto x = static_cast<float>(i);
      CHECK(v.values[i] == (10 + 5 * static_cast<double>(i)) / 2);
      CHECK(q.values[i].x == (10 + 3 * x) / 2);
      CHECK(q.values[i].z == (10 + 9 * x) / 2);
      CHECK(q.values[i].w == 6.5f);
    }
  }
}

TEST_CASE("a kernel of a scope computes what it says, with the types and constants of the scope") {
  array<int> x({8}, 3), y({8});
  compute(test::relaxation<int>::step.code(), items(0, 8), {x.here(), y.here()});
  CHECK(y.values == std::vector<int>(8, 10));
  compute(test::power_kernel<int, 4>().code(), items(0, 8), {x.here()});
  CHECK(x.values == std::vector<int>(8, 81));
  compute(test::counters::doubled.code(), items(0, 8), {x.here()});
  CHECK(x.values == std::vector<int>(8, 162));
  STRETTO_SCOPED_KERNEL(set_to, (out<int> v, int n), { v(global_id(0)) = n; })
  int n = 5;
  compute(set_to.code(), items(0, 8), {x.here(), device::value(n)});
  CHECK(x.values == std::vector<int>(8, 5));
}

TEST_CASE("each kernel of a template has a name of its own, for reports and for devices") {
  const std::vector<const kernel_code*> all{
      &test::window_sum<float, 3>.code(),  &test::window_sum<double, 3>.code(),  &test::window_sum<float, 2>.code(),
      &test::window_sum<float, -2>.code(), &test::window_sum<long, 3>.code(),    &test::window_sum<long long, 3>.code(),
      &test::window_sum<int4, 3>.code(),   &test::power_kernel<int, 4>().code(), &test::power_kernel<int, 5>().code()};
  std::vector<std::string_view> names;
  std::set<std::string> entries, sources;
  for (const kernel_code* k : all) {
    names.push_back(k->name);
    CHECK(k->name.data()[k->name.size()] == '\0');
    const device::kernel_text text = device::text_for(*k, dialect::opencl);
    entries.insert(text.entry), sources.insert(text.source);
  }
  CHECK(names == std::vector<std::string_view>{"window_sum<float, 3>", "window_sum<double, 3>", "window_sum<float, 2>",
                                               "window_sum<float, -2>", "window_sum<long, 3>",
                                               "window_sum<long long, 3>", "window_sum<int4, 3>", "power<int, 3>",
                                               "power<int, 4>"});
  CHECK(entries.size() == all.size());
  CHECK(sources.size() == all.size());  // which is what the cache of programs goes by
  CHECK(entries.contains("stretto_kernel_window_sum_float_3"));
  CHECK(entries.contains("stretto_kernel_window_sum_float_minus_2"));
  CHECK(test::window_sum<float, 3>.code().file == test::counters::doubled.code().file);
  CHECK(&test::window_sum<float, 3>.code() == all.front());
}

TEST_CASE("the text of a template's kernel has its types and numbers, in the user's lines") {
  for (const dialect d : {dialect::opencl, dialect::cuda}) {
    const device::kernel_text t = device::text_for(test::window_sum<double, 3>.code(), d);
    CHECK(t.has_lines);
    CHECK(t.needs_double);
    CHECK(t.unknown.empty());
    CHECK(holds(t.source, "for ( int d = 1 ; d <= 3 ; ++ d )"));
    CHECK(holds(t.source, "double sum = first + stretto_at_u ( i ) ;"));
    CHECK_FALSE(holds(t.source, "T sum"));
    CHECK_FALSE(device::text_for(test::window_sum<float, 3>.code(), d).needs_double);
    CHECK(holds(device::text_for(test::counted<long, 4>.code(), d).source,
                "stretto_atomic_add_int64_t_global ( & stretto_at_sums ( i % ( int ) ( 4u ) )"));
    CHECK(device::text_for(test::counted<long, 4>.code(), d).needs_atomics_64);
    CHECK_FALSE(device::text_for(test::counted<int, 4>.code(), d).needs_atomics_64);
  }
}

TEST_CASE("numbers of a template are literals of their types") {
  const auto spelled = [](std::string_view type, std::int64_t n) {
    const template_argument a[] = {{"N", type, {}, static_cast<std::uint64_t>(n)}};
    device::tokens all = device::tokens_of("x.N + N");
    device::substitute_arguments(all, a);
    std::string text;
    for (const device::token& t : all) text += t.spelling;
    return text;
  };
  CHECK(spelled("int32_t", 7) == "x.N+7");
  CHECK(spelled("int32_t", -7) == "x.N+(-7)");
  CHECK(spelled("int32_t", std::numeric_limits<std::int32_t>::min()) == "x.N+(-2147483647-1)");
  CHECK(spelled("int64_t", std::numeric_limits<std::int64_t>::min()) == "x.N+(-9223372036854775807L-1L)");
  CHECK(spelled("uint64_t", -1) == "x.N+18446744073709551615uL");
  CHECK(spelled("uint32_t", 5) == "x.N+5u");
  CHECK(spelled("int8_t", -3) == "x.N+((int8_t)(-3))");
}

TEST_CASE("a short vector is OpenCL's own there, and a structure with operators in CUDA") {
  const std::string cl = device::text_for(test::points_moved.code(), dialect::opencl).source;
  CHECK(holds(cl, "typedef float4 stretto_float4;"));
  CHECK(holds(cl, "typedef int2 stretto_int2;"));
  CHECK_FALSE(holds(cl, "stretto_double2"));
  CHECK(holds(cl, "( stretto_int2 ) ( i , 3 ) * p . cell"));
  const std::string cu = device::text_for(test::points_moved.code(), dialect::cuda).source;
  CHECK(holds(cu, "struct __align__(16) stretto_float4 {\n  float x, y, z, w;"));
  CHECK(holds(cu, "struct __align__(8) stretto_int2 {\n  int32_t x, y;"));
  CHECK(holds(cu, "stretto_int2 ( i , 3 ) * p . cell"));
  CHECK(holds(cu, "STRETTO_FUNCTION stretto_float4 operator*(float a, stretto_float4 b)"));
  CHECK_FALSE(holds(cu, "stretto_double2"));
  CHECK(device::text_for(test::window_sum<double2, 1>.code(), dialect::cuda).needs_double);
}

TEST_CASE("OpenCL is handed bytes for bools, and CUDA bools") {
  const std::string cl = device::text_for(test::flags_turned.code(), dialect::opencl).source;
  CHECK(holds(cl, "STRETTO_GLOBAL const uint8_t * STRETTO_RESTRICT stretto_given_f"));
  CHECK(holds(cl, "uint8_t stretto_given_turn"));
  CHECK(holds(cl, "bool turn = stretto_given_turn != 0;"));
  CHECK(holds(cl, "sizeof(bool) == 1"));
  CHECK_FALSE(holds(device::text_for(test::counters::doubled.code(), dialect::opencl).source, "sizeof(bool)"));
  const std::string cu = device::text_for(test::flags_turned.code(), dialect::cuda).source;
  CHECK(holds(cu, "const bool * STRETTO_RESTRICT stretto_data_f"));
  CHECK(holds(cu, ", bool turn, "));
  CHECK(holds(device::text_for(test::points_moved.code(), dialect::opencl).source,
              "typedef struct { uint8_t is[48]; } stretto_bytes_of_by;"));
}

TEST_CASE("kernels of several types are refused by no device") {
  for (const kernel_code* code : {&test::flags_turned.code(), &test::flags_of_groups.code(), &test::points_moved.code(),
                                  &test::vectors_made.code(), &test::vector_arithmetic<float4, float>.code(),
                                  &test::window_sum<float2, 2>.code(), &test::turned_in_groups<int4, 8>.code(),
                                  &test::plane_of<float, 2>.code(), &test::relaxation<double>::step.code(),
                                  &test::counters::numbered.code(), &test::power_kernel<float, 2>().code()}) {
    INFO(code->name);
    const auto e = device::device_refusal(*code);
    INFO((e ? e->what() : ""));
    CHECK_FALSE(e);
  }
}

// clang-format off
STRETTO_DEVICE_STRUCT(counted_part, { int n; float of; })
STRETTO_KERNEL(changes_a_part, (inout<counted_part> x), { atomic_add(&x(0).n, 1); })
STRETTO_KERNEL(changes_a_component, (inout<float4> x), { atomic_add(&x(0).y, 1.0f); })

constexpr int known_here = 4;
struct with_a_constant {
  static constexpr int width = 3;
  STRETTO_SCOPED_KERNEL(by_constant_of_a_class, (inout<int> x), { x(global_id(0)) *= width; })
};
// clang-format on

TEST_CASE("an atomic on a part of an element is refused for devices") {
  for (const kernel_code* code : {&changes_a_part.code(), &changes_a_component.code()}) {
    const error e = error_of([&] { device::text_for(*code, dialect::opencl); });
    CHECK(e.code() == "K10");
    CHECK(e.why() == "atomic_add takes an element of 32 or 64 bits, and not a part of one of \"x\"");
  }
}

TEST_CASE("a kernel that uses a constant of its scope without naming it is refused for devices") {
  const auto e = device::device_refusal(with_a_constant::by_constant_of_a_class.code());
  REQUIRE(e);
  CHECK(e->code() == "K12");
  CHECK(holds(e->why(), "devices do not know \"width\""));
  STRETTO_SCOPED_KERNEL(by_constant_of_a_file, (inout<int> x), { x(global_id(0)) *= known_here; })
  CHECK(device::device_refusal(by_constant_of_a_file.code())->code() == "K12");
  STRETTO_SCOPED_KERNEL_USING((int known_here), names_its_constant, (inout<int> x), { x(global_id(0)) *= known_here; })
  CHECK_FALSE(device::device_refusal(names_its_constant.code()));
  array<int> x({4}, 2);
  compute(names_its_constant.code(), items(0, 4), {x.here()});
  compute(with_a_constant::by_constant_of_a_class.code(), items(0, 4), {x.here()});
  CHECK(x.values == std::vector<int>(4, 24));
}

TEST_CASE("ids that a template's type cannot hold are found in the kernels of that type alone") {
  const auto launched = [](const kernel_code& code) {
    return error_of([&] { device::refuse_wide_ids(code, items(0, 40000), std::source_location::current()); });
  };
  const error e = launched(test::ids_kept_as<short>.code());
  CHECK(e.code() == "K19");
  CHECK(e.sentence() == "kernel \"ids_kept_as<int16_t>\" keeps ids of this launch in a type that cannot hold them");
  CHECK(launched(test::ids_kept_as<int>.code()).code().empty());
  CHECK(launched(test::ids_kept_as<long>.code()).code().empty());
}

TEST_CASE("an index outside of an array is reported with the name of the template's kernel") {
  array<float2> u({10}), v({10});
  float2 first(0);
  const error e = error_of([&] {
    compute(test::window_sum<float2, 3>.code(), items(2, 6), {u.here(), v.here(), device::value(first)},
            index_checks::on);
  });
  CHECK(e.code() == "K01");
  CHECK(e.sentence() == "kernel \"window_sum<float2, 3>\" accesses an element outside of array \"u\"");
}

// clang-format off
STRETTO_KERNEL_TEMPLATE((class V), reads_one_component, (out<V> y, inout<V> x), { int i = global_id(0); x(i).x += y(i).y; })
STRETTO_KERNEL_TEMPLATE((class V), reads_what_it_wrote, (out<V> y, inout<V> x), { int i = global_id(0); y(i) = x(i); x(i).x += y(i).y; })
STRETTO_KERNEL_TEMPLATE((class V), shares_components, (inout<V> x), { int i = global_id(0); if (i % 2) x(i / 2).x += 1; else x(i / 2).y += 1; })
STRETTO_GROUP_KERNEL_TEMPLATE((class V), reads_memory_of_a_group, (inout<V> x), {
  auto tile = local_array<V, 4>();
  each_item([&](item it) { x(it.global_id(0)).x += tile(it.local_id(0)).y; });
})
STRETTO_KERNEL(reads_flags, (out<bool> f, inout<int> n), { int i = global_id(0); n(i) += f(i); })
// clang-format on

template <class V>
void check_found() {
  array<V> x({8}), y({8});
  std::memset(static_cast<void*>(x.values.data()), 0, x.bytes());
  const auto found = [&](const kernel_code& code, std::vector<kernel_argument> a, const launch_range& r) {
    return error_of([&] { try_out(code, r, std::move(a)); });
  };
  const error read = found(reads_one_component<V>.code(), {y.here(), x.here()}, items(0, 8));
  CHECK(read.code() == "K06");
  CHECK(holds(read.what(), "reads y(0) of an out argument"));
  CHECK(found(reads_what_it_wrote<V>.code(), {y.here(), x.here()}, items(0, 8)).code().empty());
  CHECK(found(shares_components<V>.code(), {x.here()}, items(0, 8)).code() == "K04");
  CHECK(found(reads_memory_of_a_group<V>.code(), {x.here()}, items(0, 2, 4)).code() == "K05");
}

TEST_CASE("trial runs find reads of any component without a value, and races on vectors") {
  check_found<float2>();
  check_found<float4>();
  check_found<double2>();
  check_found<int2>();
  check_found<int4>();
  check_found<uint4>();
  check_found<long2>();
  array<unsigned char> f({8});
  array<int> n({8});
  CHECK(error_of([&] { try_out(reads_flags.code(), items(0, 8), {f.here(), n.here()}); }).code() == "K06");
}

}  // namespace
}  // namespace stretto::several_types
