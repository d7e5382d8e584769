// Ids that kernels keep in types that are narrower than ids are.
#include "device/narrow_ids.hpp"

#include <stretto/buffer.hpp>
#include <stretto/error.hpp>
#include <stretto/instance.hpp>
#include <stretto/launch.hpp>
#include <stretto/object.hpp>
#include <stretto/platform.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "thrown_by.hpp"

namespace stretto {
namespace {

std::vector<device::narrow_id> found_in(const std::string& body, std::span<const kernel_parameter> kinds = {}) {
  return device::narrow_ids_in(device::tokens_of(body),
                               device::parameters_of(device::tokens_of("(inout<int> x, in<double> y)")), kinds);
}

TEST_CASE("variables, casts and elements that take an id in too few bits are found") {
  constexpr std::int64_t ints = 2147483647;
  struct {
    const char *body, *text;
    std::int64_t least, most;
    int axis;
  } const cases[] = {
      {"{ int i = global_id(0); }", "i = global_id(0)", -ints - 1, ints, 0},
      {"{ const int i = global_id(1); }", "i = global_id(1)", -ints - 1, ints, 1},
      {"{ unsigned i = global_id(2) + 1; }", "i = global_id(2)+1", 0, 4294967295, 2},
      {"{ unsigned short int i(global_id(0)); }", "i(global_id(0)", 0, 65535, 0},
      {"{ std::int16_t i{global_id(0)}; }", "i{global_id(0)", -32768, 32767, 0},
      {"{ uint16_t i = 2 * global_id(axis); }", "i = 2*global_id(axis)", 0, 65535, -1},
      {"{ long a = 0; int b, c = 2, d = global_id(0); }", "d = global_id(0)", -ints - 1, ints, 0},
      {"{ int i; i = global_id(0) - 1; }", "i = global_id(0)-1", -ints - 1, ints, 0},
      {"{ long i = (int)global_id(0); }", "(int)global_id(0)", -ints - 1, ints, 0},
      {"{ long i = int(global_id(0)); }", "int(global_id(0)", -ints - 1, ints, 0},
      {"{ long i = static_cast<int>(global_id(0) + 1); }", "static_cast<int>(global_id(0)+1", -ints - 1, ints, 0},
      {"{ for (int i = global_id(0); i < n; i += 2) { } }", "i = global_id(0)", -ints - 1, ints, 0},
      {"{ each_item([&](item it) { int i = it.global_id(0); }); }", "i = it.global_id(0)", -ints - 1, ints, 0},
      {"{ int g = group_id(0); }", "g = group_id(0)", -ints - 1, ints, 0},
      {"{ int n = global_size(0); }", "n = global_size(0)", -ints - 1, ints, 0},
  };
  for (const auto& c : cases) {
    INFO(std::string(c.body));
    const auto found = found_in(c.body);
    REQUIRE(found.size() == 1);
    CHECK(found[0].text.find(c.text) != std::string::npos);
    CHECK(found[0].least == c.least);
    CHECK(found[0].most == c.most);
    CHECK(found[0].axis == c.axis);
  }
}

TEST_CASE("ids that are kept whole, made smaller or only name an element are left alone") {
  for (const char* body :
       {"{ long i = global_id(0); }", "{ auto i = global_id(0); }", "{ std::int64_t i = global_id(0); }",
        "{ unsigned long i = global_id(0); }", "{ int r = global_id(0) % 7; }", "{ int r = global_id(0) / 4096; }",
        "{ int v = x(global_id(0)); }", "{ int v = min(global_id(0), 5L); }", "{ double d = global_id(0); }",
        "{ int l = local_id(0); }", "{ bool b = global_id(0) > 5; int c = global_id(0) > 5; }",
        "{ y(0) = global_id(0); }", "{ long int i = global_id(0); }", "{ s.i = global_id(0); }",
        "{ int i = global_id(0) - first; }", "{ unsigned char c = global_id(0); }", "{ uint8_t c = global_id(0); }"}) {
    INFO(std::string(body));
    CHECK(found_in(body).empty());
  }
}

TEST_CASE("an array of narrow integers that takes an id is found, one of wide ones or of numbers with a point is not") {
  const kernel_parameter kinds[] = {
      {.mode = access::inout, .kind = element_kind::integer, .dimensions = 1, .element_bytes = 4},
      {.mode = access::in, .kind = element_kind::floating, .dimensions = 1, .element_bytes = 8}};
  CHECK(found_in("{ x(global_id(0)) = global_id(0); }", kinds).size() == 1);
  CHECK(found_in("{ y(global_id(0)) = global_id(0); }", kinds).empty());
  const kernel_parameter wide[] = {
      {.mode = access::inout, .kind = element_kind::integer, .dimensions = 1, .element_bytes = 8}, kinds[1]};
  CHECK(found_in("{ x(global_id(0)) = global_id(0); }", wide).empty());
}

// clang-format off
STRETTO_KERNEL(marked_by_int, (inout<char> x), { int i = global_id(0); if (i == 0) x(0) = 1; })
STRETTO_KERNEL(marked_by_long, (inout<char> x), { long i = global_id(0); if (i < 0) x(0) = 1; })
STRETTO_GROUP_KERNEL(marked_by_groups, (inout<char> x), {
  each_item([&](item it) { short i = it.global_id(1); if (i < 0) x(0) = 1; });
})
// clang-format on

TEST_CASE("a launch whose ids do not fit is refused on instances, objects and buffers, and one whose ids fit is not") {
  runtime rt({.workers = 1, .devices = "sim"});
  rt.run([&] {
    constexpr coordinate beyond = (coordinate{1} << 31) + 1;
    const object<char> o({0, 4}, std::vector<char>(4).data());
    const buffer<char> b(box(0, 4), [](coordinate) { return '\0'; });
    auto i = instance<char>::create(at(rt.machine().memories()[0]), {0, 4}).made;
    const auto all = [](const box&) { return box(0, 4); };
    for (const error& e : {test::error_of([&] { launch(marked_by_int, box(0, beyond), o); }),
                           test::error_of([&] { launch(marked_by_int, box(-beyond, 0), b(all)); }),
                           test::error_of([&] { launch(marked_by_int, box(0, beyond), i); })}) {
      CHECK(e.code() == "K19");
      CHECK(e.sentence() == "kernel \"marked_by_int\" keeps ids of this launch in a type that cannot hold them");
    }
    CHECK(test::error_of([&] { launch(marked_by_groups, in_groups(box({0, 0}, {1, 1000}), {1, 64}), o); }).code() ==
          "K19");
    wait(launch(marked_by_int, box(beyond - 5, beyond - 1), o));  // the last is 2^31 - 1
    wait(launch(marked_by_long, box(beyond, beyond + 4), o));
    wait(launch(marked_by_groups, in_groups(box({0, 0}, {1, 500}), {1, 64}), o));
    CHECK(o.read().get().view()(0) == 0);
    i.destroy();
  });
}

}  // namespace
}  // namespace stretto
